//! The rule sets.

use axum::extract::State;
use serde::Serialize;

use crate::game::DRAWING_REPETITIONS;
use crate::position::Position;
use crate::rules::{Rules, Side};
use crate::web::app::App;
use crate::web::error::ApiError;
use crate::web::headers::{Answer, Keep};

/// A rule set.
#[derive(Serialize, utoipa::ToSchema)]
pub struct RuleSet {
    /// The name by which it is asked for.
    name: &'static str,
    /// The start position.
    start: String,
    /// Who moves first in it: `white` or `black`.
    first: &'static str,
    /// Whether stones carry forbidden steps.
    forbidden_steps: bool,
    /// After how many plies without a capture the game is a draw.
    ply_limit: Option<u8>,
    /// How often a position occurs until the game is a draw; none under rules where none can occur again.
    repetitions: Option<usize>,
    /// How many slices there are tables of.
    slices: usize,
}

/// The rule sets that can be asked about.
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
        RuleSet {
            name: rules.name(),
            start: Position::start(rules).to_string(),
            first: side_name(rules.parameters().first_to_move),
            forbidden_steps: rules.no_return(),
            ply_limit: rules.ply_limit(),
            repetitions: rules.can_repeat().then_some(DRAWING_REPETITIONS),
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
