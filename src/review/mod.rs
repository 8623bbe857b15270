//! A game reviewed: what every move was worth, where the result was thrown away, which moves were the only
//! ones.
//!
//! Values come from the rules, tables and certificates; where those do not reach, from a search within a
//! limit of time. Every figure says which. They are values in the game: a position that would occur for the
//! third time is a draw, and plies without a capture count.
//!
//! ```
//! use alquerque::knowledge::Knowledge;
//! use alquerque::record::Records;
//! use alquerque::review::{Mark, Options, review};
//! use alquerque::rules::CLASSIC;
//! use alquerque::table::Value;
//!
//! let text = "[FEN \"5/5/1w3/5/w2b1 w\"]\n\n1. a1-a2 *";
//! let record = Records::new(text.as_bytes()).next().unwrap()?.record;
//! let knowledge = Knowledge::open("tables", &CLASSIC)?;
//! let review = review(&record, &knowledge, &Options::default())?;
//! assert_eq!(review.moves[0].best_value.value(), Some(Value::Win));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
mod chart;
#[cfg(feature = "json")]
mod json;
mod mark;
mod values;

pub use annotate::annotated;
pub use chart::Chart;
#[cfg(feature = "json")]
pub use json::Review as ReviewJson;
pub use mark::{Mark, Summary};
pub use values::Worth;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::game::GameEnd;
use crate::knowledge::{Knowledge, KnowledgeError};
use crate::moves::Move;
use crate::record::Record;
use crate::rules::Side;

/// How a game is reviewed.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// About how much time searches take where nothing is proven, for all positions of the game together.
    /// With zero there is none.
    pub time: Duration,
    /// A winning move is marked `?` if it makes the win at least this many plies longer than necessary.
    pub threshold: u16,
    /// Another thread sets it to end the searches: the review goes on with what is known by then.
    pub stop: Option<&'a AtomicBool>,
}

/// The threshold unless another is given, in plies.
pub const DEFAULT_THRESHOLD: u16 = 10;

impl Default for Options<'_> {
    /// Two seconds of search, and the default threshold.
    fn default() -> Self {
        Options { time: Duration::from_secs(2), threshold: DEFAULT_THRESHOLD, stop: None }
    }
}

/// A reviewed game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Review {
    /// The moves, up to the one that ended the game by the rules.
    pub moves: Vec<ReviewedMove>,
    /// The figures of White and Black.
    pub summaries: [Summary; 2],
    /// The number of plies after which the rules ended the game, and why, if they did. Later moves are not
    /// reviewed.
    pub end: Option<(usize, GameEnd)>,
}

/// What a move was worth to the side that played it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReviewedMove {
    /// The number of the ply, from 1.
    pub ply: usize,
    /// The side that moved.
    pub side: Side,
    /// The move.
    pub mv: Move,
    /// What the move left its player with; distances count from the position before the move.
    pub value: Worth,
    /// What its player had before.
    pub best_value: Worth,
    /// The best moves: those that keep the value and, where distances are known, win soonest or lose last.
    /// Empty where nothing is known.
    pub best: Vec<Move>,
    /// How many moves keep the value, if that is known of all; and how many moves are legal.
    pub keeping: Option<usize>,
    /// How many moves were legal.
    pub legal: usize,
    /// By how many plies the win got longer than necessary, or the loss shorter; 0 after the best move.
    /// `None` when a distance is unknown or the value changed.
    pub lost: Option<u16>,
    /// The mark that the move deserves, if any.
    pub mark: Option<Mark>,
}

/// Reviews a game.
///
/// # Errors
/// [`KnowledgeError`] when a table or certificate is damaged.
///
/// # Panics
/// When the record is of other rules than `knowledge`.
pub fn review(
    record: &Record,
    knowledge: &Knowledge,
    options: &Options<'_>,
) -> Result<Review, KnowledgeError> {
    assert!(record.rules == knowledge.rules(), "a game by other rules");
    let (game, end) = record.game();
    let mut positions = game.history().to_vec();
    positions.push(*game.position());
    let views = values::views(&game, &positions, knowledge, options)?;
    let mut moves = Vec::with_capacity(game.moves().len());
    for (index, (&mv, view)) in game.moves().iter().zip(views).enumerate() {
        let side = positions[index].side();
        moves.push(view.reviewed(index + 1, side, mv, options.threshold));
    }
    let summaries = [Side::White, Side::Black].map(|side| Summary::of(&moves, side));
    Ok(Review { moves, summaries, end })
}
