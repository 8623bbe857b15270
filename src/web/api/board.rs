//! All that a board shows of a game: what stands where, how it came about, what can be played and what is known.

use std::time::Duration;

use axum::extract::State;
use serde::{Deserialize, Serialize};

use super::rules::side_name;
use crate::advisor::{Advisor, Insight, Prospect, Worth};
use crate::board::{Bitboard, Point};
use crate::game::{Game, GameEnd};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::Side;
use crate::web::app::{App, Asked, Client, Parameters};
use crate::web::error::{ApiError, Failures};
use crate::web::headers::{Answer, Keep};

/// Which game.
#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BoardQuery {
    /// The position that it began with.
    #[param(example = "5/5/1w3/5/w2b1 w")]
    position: String,
    /// The moves that were played, separated by commas.
    #[param(example = "b3-c3")]
    moves: Option<String>,
    /// Milliseconds that a search may take where no table reaches; without them there is none.
    #[param(example = 500)]
    search: Option<u64>,
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
    side: &'static str,
    /// The points with white stones.
    white: Vec<String>,
    /// The points with black stones.
    black: Vec<String>,
    /// The steps that are forbidden, from where to where.
    forbidden: Vec<[String; 2]>,
    /// The steps that could be.
    forbiddable: Vec<[String; 2]>,
    /// Plies without a capture, under rules that count them.
    plies: u8,
    /// Why the game is over: `no stone`, `no move`, `ply limit` or `repetition`.
    end: Option<&'static str>,
    /// Who knows what it is worth: `rules`, `tables`, `certificate` or `search`.
    source: Option<&'static str>,
    #[serde(flatten)]
    worth: WorthBody,
    /// The legal moves, best first.
    moves: Vec<Playable>,
    /// The best line that a search has found.
    line: Vec<Played>,
}

/// A move that was played.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Played {
    r#move: String,
    /// The position after it.
    position: String,
}

/// A legal move.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Playable {
    r#move: String,
    /// The position after it.
    position: String,
    /// The point where the stone stands, and every point where it lands.
    path: Vec<String>,
    /// The points of the captured stones, one for each jump.
    captured: Vec<String>,
    #[serde(flatten)]
    worth: WorthBody,
}

/// What a position or a move is worth.
#[derive(Serialize, Default, utoipa::ToSchema)]
pub struct WorthBody {
    /// `win`, `draw` or `loss`, if it is certain.
    value: Option<&'static str>,
    /// Distance to conversion.
    dtc: Option<u16>,
    /// Distance to win.
    dtw: Option<u16>,
    /// Plies within which the game can be ended, where the distance to win is not known.
    within: Option<u16>,
    /// How good it looks, in hundredths of a stone, where nothing is certain.
    estimate: Option<i32>,
}

/// All that a board shows of a game.
#[utoipa::path(
    get,
    path = "/{rules}/board",
    params(("rules" = String, Path, example = "classic"), BoardQuery),
    responses((status = 200, body = Board, description = "The game and what is known about its last position."), Failures)
)]
pub async fn board(
    State(app): State<App>,
    client: Client,
    Asked(advisor): Asked,
    Parameters(query): Parameters<BoardQuery>,
) -> Result<Answer, ApiError> {
    let moves = query.moves.as_deref().filter(|moves| !moves.trim().is_empty());
    let moves: Vec<&str> = moves.map_or_else(Vec::new, |moves| moves.split(',').collect());
    let most = app.limits().moves;
    if moves.len() > most {
        return Err(ApiError::BadRequest(format!("a game has {most} moves at most, not {}", moves.len())));
    }
    let game = Game::replay(advisor.rules(), Some(&query.position), moves)?;
    let search = query.search.map(Duration::from_millis).map(|time| time.min(app.limits().search));
    app.work(client, move || {
        let body = Board::new(&advisor, &game, search)?;
        // A search may find more the next time, and tables may be added where there are none.
        let keep = if matches!(body.source, Some("rules" | "tables" | "certificate")) {
            Keep::Yes
        } else {
            Keep::No
        };
        Answer::new(&body, keep)
    })
    .await
}

impl Board {
    fn new(advisor: &Advisor, game: &Game, search: Option<Duration>) -> Result<Board, ApiError> {
        let (rules, position) = (game.rules(), game.position());
        let insight = match game.end() {
            // By the game, not by the position.
            Some(GameEnd::Repetition) => Insight::drawn(),
            _ => advisor.consult(position, game.history(), search)?,
        };
        let after = game.history().iter().skip(1).chain([position]);
        Ok(Board {
            rules: rules.name(),
            position: position.to_string(),
            first: game.history().first().unwrap_or(position).to_string(),
            game: game.moves().iter().zip(after).map(|(mv, after)| Played::new(mv, after)).collect(),
            side: side_name(position.side()),
            white: points(position.stones(Side::White)),
            black: points(position.stones(Side::Black)),
            forbidden: steps(position.forbidden_steps()),
            forbiddable: steps(position.forbiddable_steps(rules)),
            plies: position.plies(),
            end: game.end().map(end_name),
            source: insight.source.map(|source| source.name()),
            worth: WorthBody::new(insight.worth),
            moves: insight.moves.iter().map(Playable::new).collect(),
            line: replayed(advisor, position, &insight.line),
        })
    }
}

impl Played {
    fn new(mv: &Move, after: &Position) -> Played {
        Played { r#move: mv.to_string(), position: after.to_string() }
    }
}

impl Playable {
    fn new(prospect: &Prospect) -> Playable {
        let mv = &prospect.mv;
        Playable {
            r#move: mv.to_string(),
            position: prospect.position.to_string(),
            path: mv.path().iter().map(Point::to_string).collect(),
            captured: mv.jumps().map(|(over, _)| over.to_string()).collect(),
            worth: WorthBody::new(prospect.worth),
        }
    }
}

impl WorthBody {
    fn new(worth: Option<Worth>) -> WorthBody {
        let value = worth.and_then(Worth::value).map(|value| value.name());
        match worth {
            None => WorthBody::default(),
            Some(Worth::Exact(verdict)) => {
                WorthBody { value, dtc: verdict.dtc, dtw: verdict.dtw, ..WorthBody::default() }
            }
            Some(Worth::Proven(proven)) => {
                WorthBody { value, within: proven.within(), ..WorthBody::default() }
            }
            Some(Worth::Estimate(hundredths)) => {
                WorthBody { estimate: Some(hundredths), ..WorthBody::default() }
            }
        }
    }
}

/// The moves of a line, each with the position after it.
fn replayed(advisor: &Advisor, position: &Position, line: &[Move]) -> Vec<Played> {
    let play = |position: &mut Position, mv: &Move| {
        *position = position.play(advisor.rules(), mv);
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
