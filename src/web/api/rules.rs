//! The rule sets.

use axum::extract::State;
use serde::Serialize;

use crate::game::DRAWING_REPETITIONS;
use crate::position::Position;
use crate::rules::{Chains, NoMoves, Rules, Side};
use crate::web::app::App;
use crate::web::error::ApiError;
use crate::web::headers::{Answer, Keep};

/// A rule set.
#[derive(Serialize, utoipa::ToSchema)]
pub struct RuleSet {
    /// The name used in requests.
    name: &'static str,
    /// The name for people; may be empty.
    title: &'static str,
    /// The start position.
    start: String,
    /// Who moves first in it: `white` or `black`.
    first: &'static str,
    /// Whether stones carry forbidden steps.
    forbidden_steps: bool,
    /// After how many plies without a capture the game is a draw.
    ply_limit: Option<u8>,
    /// After how many occurrences of a position the game is a draw; none if positions cannot repeat.
    repetitions: Option<usize>,
    /// Directions in which White's stones step: `n`, `ne`, `e`, `se`, `s`, `sw`, `w`, `nw`. For Black they are
    /// turned by 180°.
    steps: Vec<&'static str>,
    /// Whether a stone on its far rank may step.
    steps_on_far_rank: bool,
    /// Whether a player who can capture must.
    compulsory_captures: bool,
    /// Where the first jump of a move may go.
    first_jumps: Vec<&'static str>,
    /// Where later jumps of the move may go; none when a move has one jump.
    later_jumps: Vec<&'static str>,
    /// Whether a stone that captures may stop although it can go on.
    may_stop: bool,
    /// What a player with stones but no legal move gets: `loss` or `draw`.
    no_moves: &'static str,
    /// Whether a game can be drawn.
    draws: bool,
    /// Symmetries of the board that leave the rules unchanged: 8, 2 or 1.
    symmetries: usize,
    /// The most plies of a game; none if it can go on for ever.
    longest_game: Option<u32>,
    /// How many slices have tables.
    slices: usize,
}

/// The rule sets that this server knows.
#[utoipa::path(get, path = "/rules", responses((status = 200, body = Vec<RuleSet>, description = "All rule sets.")))]
pub async fn rules(State(app): State<App>) -> Result<Answer, ApiError> {
    let sets = app.all_knowledge().iter().map(|knowledge| {
        let slices = knowledge.tables().map_or(0, |tables| tables.slices().len());
        RuleSet::new(knowledge.rules(), slices)
    });
    Answer::new(&sets.collect::<Vec<_>>(), Keep::No)
}

impl RuleSet {
    fn new(rules: &Rules, slices: usize) -> RuleSet {
        let p = rules.parameters();
        RuleSet {
            name: rules.name(),
            title: p.title,
            start: Position::start(rules).to_string(),
            first: side_name(rules.parameters().first_to_move),
            forbidden_steps: rules.no_return(),
            ply_limit: rules.ply_limit(),
            repetitions: rules.can_repeat().then_some(DRAWING_REPETITIONS),
            steps: p.steps.names().collect(),
            steps_on_far_rank: p.steps_on_far_rank,
            compulsory_captures: rules.captures_are_compulsory(),
            first_jumps: p.first_jumps.names().collect(),
            later_jumps: p.later_jumps.names().collect(),
            may_stop: p.chains == Chains::MayStop,
            no_moves: match p.no_moves {
                NoMoves::Loss => "loss",
                NoMoves::Draw => "draw",
            },
            draws: rules.has_draws(),
            symmetries: rules.symmetry().order(),
            longest_game: rules.longest_game(),
            slices,
        }
    }
}

/// The side in a word.
pub fn side_name(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}
