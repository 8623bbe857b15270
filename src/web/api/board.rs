//! Everything that a board shows: the stones, the moves so far, the legal moves and what is known about them.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::rules::side_name;
use crate::board::{Bitboard, Point};
use crate::game::{Game, GameEnd};
use crate::json::Distances;
use crate::knowledge::{Effort, Insight, Known, Prospect, Source, Worth};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::{Rules, Side};
use crate::table::{Metric, Value};
use crate::web::app::{App, Asked, Client, LONGEST_SESSION, Parameters};
use crate::web::error::{ApiError, ErrorBody, Failures};
use crate::web::headers::{Answer, Keep};

/// Which game.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BoardQuery {
    /// The position that it began with.
    #[param(example = "5/5/1w3/5/w2b1 w", pattern = "^(start|[wb1-5/]{9,29}( .*)?|[-wb ]{25,}.*)$")]
    position: String,
    /// The moves that were played, separated by commas. If one cannot be played, the answer is about the
    /// position before it, with an `error`.
    #[param(example = "b3-c3")]
    moves: Option<String>,
    /// Milliseconds for a search where no table covers the position; without them there is no search.
    #[param(example = 500)]
    search: Option<u64>,
    /// A name that the client chooses, of at most 64 letters. A search ends when the same client asks for
    /// another one under the same name; its answer is then the error `superseded`.
    session: Option<String>,
}

/// A game and what is known about its last position.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Board {
    rules: &'static str,
    /// The position on the board.
    position: String,
    /// The position that the game began with.
    first: String,
    /// The moves that were played.
    game: Vec<Played>,
    /// Who is to move: `white` or `black`.
    #[schema(pattern = "^(white|black)$")]
    side: &'static str,
    /// The points with white stones.
    white: Vec<String>,
    /// The points with black stones.
    black: Vec<String>,
    /// The forbidden steps: from, to.
    forbidden: Vec<[String; 2]>,
    /// The steps that could be forbidden in this position.
    forbiddable: Vec<[String; 2]>,
    /// Plies without a capture, under rules that count them.
    plies: u8,
    /// Why the game is over: `no stone`, `no move`, `ply limit` or `repetition`.
    #[schema(pattern = "^(no stone|no move|ply limit|repetition)$")]
    end: Option<&'static str>,
    #[serde(flatten)]
    worth: WorthBody,
    /// What it is worth in this game, where a position that occurs for the third time is a draw.
    in_game: WorthBody,
    /// The distances that the rules have and the tables lack: those that some win or loss is without.
    missing_distances: Vec<&'static str>,
    /// All legal moves, the best in this game first. Moves about which nothing is known come last.
    moves: Vec<Playable>,
    /// The best line that a search has found, or that a certificate gives.
    line: Vec<Played>,
    /// Why some of the given moves were not played.
    error: Option<ErrorBody>,
}

/// A move that was played.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Played {
    #[schema(pattern = "^[a-e][1-5]([-x][a-e][1-5])+$")]
    r#move: String,
    /// The position after it.
    position: String,
}

/// A legal move.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Playable {
    #[schema(pattern = "^[a-e][1-5]([-x][a-e][1-5])+$")]
    r#move: String,
    /// The position after it.
    position: String,
    /// The point where the stone stands, and every point where it lands.
    path: Vec<String>,
    /// The points of the captured stones, one for each jump.
    captured: Vec<String>,
    #[serde(flatten)]
    worth: WorthBody,
    /// What it is worth in this game, where a position that occurs for the third time is a draw.
    in_game: WorthBody,
}

/// What a position is worth to the side to move, or a move to the side that plays it.
#[derive(Serialize, Default, utoipa::ToSchema)]
pub struct WorthBody {
    /// `win`, `draw` or `loss`, if it is certain.
    #[schema(pattern = "^(win|draw|loss)$")]
    value: Option<&'static str>,
    #[serde(flatten)]
    distances: Distances,
    /// Plies within which the game can be ended, where the distance to win is not known.
    within: Option<u16>,
    /// How good it looks to that side, in hundredths of a stone, where nothing is certain.
    estimate: Option<i32>,
    /// The same estimate for White: positive if White stands better, regardless of who is to move.
    estimate_white: Option<i32>,
    /// Who knows it: `rules`, `tables`, `certificate` or `search`; none where nothing is known.
    #[schema(pattern = "^(rules|tables|certificate|search)$")]
    source: Option<&'static str>,
}

/// Everything that a board shows of a game.
#[utoipa::path(
    get,
    path = "/{rules}/board",
    params(("rules" = String, Path, example = "classic"), BoardQuery),
    responses((status = 200, body = Board, description = "The game and what is known about its last position."), Failures)
)]
pub async fn board(
    State(app): State<App>,
    client: Client,
    Asked(knowledge): Asked,
    Parameters(query): Parameters<BoardQuery>,
) -> Result<Answer, ApiError> {
    let moves = query.moves.as_deref().filter(|moves| !moves.trim().is_empty());
    let moves: Vec<&str> = moves.map_or_else(Vec::new, |moves| moves.split(',').collect());
    let most = app.limits().moves;
    if moves.len() > most {
        return Err(ApiError::BadRequest(format!("a game has {most} moves at most, not {}", moves.len())));
    }
    let first = Position::parse(knowledge.rules(), &query.position)?;
    let (game, error) = Game::replay_legal_part(knowledge.rules(), first, moves);
    let error = error.map(|error| ErrorBody::from(ApiError::from(error)));
    let search = query.search.map(Duration::from_millis).map(|time| time.min(app.limits().search));
    if query.session.as_ref().is_some_and(|name| name.len() > LONGEST_SESSION) {
        return Err(ApiError::BadRequest(format!(
            "a session has a name of at most {LONGEST_SESSION} letters"
        )));
    }
    // Proven values are available at once and do not wait for a search.
    let known = Arc::clone(&knowledge);
    let ((game, insight), presence) = app
        .look_up(client, move |abort| {
            let insight = known.consult_game_while(&game, || abort.goes_on())?;
            Ok((game, insight))
        })
        .await?;
    let answer = |game: &Game, insight: &Insight| {
        let keep = if is_lasting(insight) { Keep::Yes } else { Keep::No };
        Answer::new(&Board::new(game, insight, error), keep)
    };
    match search {
        Some(time) if !insight.is_complete() => {
            drop(presence);
            let searched = app.search(client, query.session, move |abort| {
                let insight =
                    knowledge.consult_game(&game, Some(Effort::within(time).until(abort.flag())))?;
                Ok((game, insight))
            });
            let (game, insight) = searched.await?;
            answer(&game, &insight)
        }
        _ => Ok(answer(&game, &insight)?.held(presence)),
    }
}

/// Whether the answer can be cached. A search may find more next time, and tables may be added where there
/// are none.
fn is_lasting(insight: &Insight) -> bool {
    let is_proven = |known: Option<Known>| known.is_some_and(|known| known.source != Source::Search);
    is_proven(insight.known) && insight.moves.iter().all(|prospect| is_proven(prospect.known))
}

impl Board {
    fn new(game: &Game, insight: &Insight, error: Option<ErrorBody>) -> Board {
        let (rules, position) = (game.rules(), game.position());
        let after = game.history().iter().skip(1).chain([position]);
        let side = position.side();
        Board {
            rules: rules.name(),
            position: position.to_string(),
            first: game.history().first().unwrap_or(position).to_string(),
            game: game.moves().iter().zip(after).map(|(mv, after)| Played::new(mv, after)).collect(),
            side: side_name(side),
            white: points(position.stones(Side::White)),
            black: points(position.stones(Side::Black)),
            forbidden: steps(position.forbidden_steps()),
            forbiddable: steps(position.forbiddable_steps(rules)),
            plies: position.plies(),
            end: game.end().map(end_name),
            worth: WorthBody::new(insight.known, side),
            in_game: WorthBody::new(insight.in_game, side),
            missing_distances: missing_distances(rules, insight),
            moves: insight.moves.iter().map(|prospect| Playable::new(prospect, side)).collect(),
            line: replayed(rules, position, &insight.line),
            error,
        }
    }
}

/// The distances that the rules have but some win or loss found in tables is without.
fn missing_distances(rules: &Rules, insight: &Insight) -> Vec<&'static str> {
    let moves = insight.moves.iter().map(|prospect| prospect.known);
    let decided: Vec<_> = moves
        .chain([insight.known])
        .flatten()
        .filter(|known| known.source == Source::Tables)
        .filter_map(|known| known.worth.verdict())
        .filter(|verdict| verdict.value != Value::Draw)
        .collect();
    let is_missing = |metric: &Metric| {
        metric.exists_under(rules) && decided.iter().any(|verdict| verdict.distance(*metric).is_none())
    };
    Metric::shown_distances().filter(is_missing).map(Metric::name).collect()
}

impl Played {
    fn new(mv: &Move, after: &Position) -> Played {
        Played { r#move: mv.to_string(), position: after.to_string() }
    }
}

impl Playable {
    fn new(prospect: &Prospect, side: Side) -> Playable {
        let mv = &prospect.mv;
        Playable {
            r#move: mv.to_string(),
            position: prospect.position.to_string(),
            path: mv.path().iter().map(Point::to_string).collect(),
            captured: mv.jumps().map(|(over, _)| over.to_string()).collect(),
            worth: WorthBody::new(prospect.known, side),
            in_game: WorthBody::new(prospect.in_game, side),
        }
    }
}

impl WorthBody {
    /// What is known to `side`.
    fn new(known: Option<Known>, side: Side) -> WorthBody {
        let Some(Known { worth, source }) = known else { return WorthBody::default() };
        let estimate = worth.estimate();
        WorthBody {
            value: worth.value().map(Value::name),
            distances: worth.verdict().into(),
            within: match worth {
                Worth::Proven(proven) => proven.within(),
                Worth::Exact(_) | Worth::Estimate(_) => None,
            },
            estimate,
            estimate_white: estimate
                .map(|hundredths| if side == Side::White { hundredths } else { -hundredths }),
            source: Some(source.name()),
        }
    }
}

/// The moves of a line, each with the position after it.
fn replayed(rules: &Rules, position: &Position, line: &[Move]) -> Vec<Played> {
    let play = |position: &mut Position, mv: &Move| {
        *position = position.play(rules, mv);
        Some(Played::new(mv, position))
    };
    line.iter().scan(*position, play).collect()
}

fn points(set: Bitboard) -> Vec<String> {
    set.iter().map(|point| point.to_string()).collect()
}

fn steps(steps: impl Iterator<Item = (Point, Point)>) -> Vec<[String; 2]> {
    steps.map(|(from, to)| [from.to_string(), to.to_string()]).collect()
}

fn end_name(end: GameEnd) -> &'static str {
    match end {
        GameEnd::NoStone => "no stone",
        GameEnd::NoMove => "no move",
        GameEnd::PlyLimit => "ply limit",
        GameEnd::Repetition => "repetition",
    }
}
