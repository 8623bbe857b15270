//! A review as JSON. Names and order of the keys are a contract.

use serde::Serialize;

use super::{Review as Reviewed, ReviewedMove, Worth};
use crate::json::Distances;
use crate::record::{Fault, Record, result_text};
use crate::rules::Side;
use crate::table::{Metric, Value};

/// A reviewed game.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Review {
    /// The rules; `null` when the record does not say which.
    rules: Option<&'static str>,
    /// The tags of the record, with its result.
    tags: std::collections::BTreeMap<String, String>,
    start: String,
    moves: Vec<Move>,
    summary: Summaries,
    /// What is wrong with the record, in a sentence; the moves are those before the fault.
    error: Option<String>,
}

/// A move. Distances count from the position before it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Move {
    ply: usize,
    side: &'static str,
    r#move: String,
    /// What the move left its player with: `win`, `draw`, `loss` or `unknown`.
    value: &'static str,
    /// What its player had before.
    best_value: &'static str,
    /// The best moves.
    best: Vec<String>,
    #[serde(flatten)]
    distances: Distances,
    /// Who says what the value is: `rules`, `tables`, `certificate` or `search`; `none` where nothing is
    /// known.
    source: &'static str,
    /// `??`, `?`, `!` or empty.
    mark: &'static str,
    best_dtc: Option<u16>,
    best_dtw: Option<u16>,
    /// Who says what the player had before.
    best_source: &'static str,
    /// How good the move looks, in hundredths of a stone, where its value is unknown.
    estimate: Option<i32>,
    /// By how many plies a win got longer than necessary, or a loss shorter.
    lost: Option<u16>,
    /// How many moves kept the value, where it is known of all.
    keeping: Option<usize>,
    /// How many moves were legal.
    legal: usize,
}

/// The figures of both players.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Summaries {
    white: Summary,
    black: Summary,
}

/// The figures of a player.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub struct Summary {
    moves: usize,
    /// Moves whose value is known, before and after.
    known: usize,
    /// Positions in which one move alone kept the value, among several.
    only_moves: usize,
    /// How often it was found.
    only_moves_found: usize,
    /// The plies that threw a win or draw away.
    thrown_away: Vec<usize>,
    /// Moves marked `?`.
    slow: usize,
    /// By how many plies wins got longer altogether.
    plies_lost: u32,
}

impl Review {
    /// The review of `record`, which has this fault, if any.
    pub fn new(record: &Record, review: &Reviewed, fault: Option<&Fault>) -> Review {
        let mut tags: std::collections::BTreeMap<String, String> =
            record.tags.iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect();
        tags.insert("Result".to_owned(), result_text(record.result).to_owned());
        let [white, black] = review.summaries.each_ref().map(Summary::new);
        Review {
            rules: (!fault.is_some_and(|fault| fault.kind.leaves_nothing())).then(|| record.rules.name()),
            tags,
            start: record.start.to_string(),
            moves: review.moves.iter().map(Move::new).collect(),
            summary: Summaries { white, black },
            error: fault.map(ToString::to_string),
        }
    }
}

impl Move {
    fn new(mv: &ReviewedMove) -> Move {
        let value = |worth: &Worth| worth.value().map_or("unknown", Value::name);
        let source = |worth: &Worth| worth.source.map_or("none", crate::knowledge::Source::name);
        let best_distance = |metric| mv.best_value.verdict.and_then(|verdict| verdict.distance(metric));
        Move {
            ply: mv.ply,
            side: match mv.side {
                Side::White => "white",
                Side::Black => "black",
            },
            r#move: mv.mv.to_string(),
            value: value(&mv.value),
            best_value: value(&mv.best_value),
            best: mv.best.iter().map(ToString::to_string).collect(),
            distances: mv.value.verdict.into(),
            source: source(&mv.value),
            mark: mv.mark.map_or("", super::Mark::text),
            best_dtc: best_distance(Metric::Dtc),
            best_dtw: best_distance(Metric::Dtw),
            best_source: source(&mv.best_value),
            estimate: mv.value.estimate,
            lost: mv.lost,
            keeping: mv.keeping,
            legal: mv.legal,
        }
    }
}

impl Summary {
    fn new(summary: &super::Summary) -> Summary {
        let super::Summary { moves, known, only_moves, only_moves_found, thrown_away, slow, plies_lost } =
            summary.clone();
        Summary { moves, known, only_moves, only_moves_found, thrown_away, slow, plies_lost }
    }
}
