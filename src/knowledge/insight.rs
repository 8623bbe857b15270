//! An answer: what a position and each of its moves are worth.

use super::worth::{DECIDED, Known, Source, Worth};
use crate::moves::Move;
use crate::position::Position;
use crate::table::Value;

/// A legal move and what is known about it. Worths are for the side that plays it, and distances count from
/// the position before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prospect {
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub position: Position,
    /// What it is worth by the positions alone; `None` where nothing is known.
    pub known: Option<Known>,
    /// What it is worth in this game, in which positions may have occurred before. `None` where nothing is
    /// known, and where it was too much work to see whether a repetition saves the loser.
    pub in_game: Option<Known>,
}

/// What is known about a position and its moves. Worths are for the side to move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Insight {
    /// What the position is worth by itself; `None` where nothing is known.
    pub known: Option<Known>,
    /// What it is worth in this game, as for [`Prospect::in_game`].
    pub in_game: Option<Known>,
    /// All legal moves, the best in this game first. Moves about which nothing is known come last. Empty when the
    /// game is over.
    pub moves: Vec<Prospect>,
    /// The best line that a search has found, or that a certificate gives. Where the source is
    /// [`Tables`](Source::Tables) it is empty: [`Knowledge::main_line`](super::Knowledge::main_line) has it.
    pub line: Vec<Move>,
}

impl Prospect {
    /// A move that is worth the same in any game.
    pub(super) fn new(mv: Move, position: Position, known: Option<Known>) -> Prospect {
        Prospect { mv, position, known, in_game: known }
    }

    /// The better in this game is the larger. A move of which a repetition may change the value ranks between
    /// its value and a draw.
    pub(super) fn rank(&self) -> i64 {
        const UNKNOWN: i64 = -2 * DECIDED;
        match (self.in_game, self.known.map(|known| (known.value(), known.worth))) {
            (Some(known), _) => known.worth.rank(),
            (None, Some((Some(Value::Win), _))) => DECIDED / 2,
            (None, Some((Some(Value::Loss), _))) => -DECIDED / 2,
            (None, Some((_, worth))) => worth.rank(),
            (None, None) => UNKNOWN,
        }
    }
}

impl Insight {
    /// What is known about a game that is over with this worth.
    pub(super) fn over(worth: Worth) -> Insight {
        let known = Some(Known::by_rules(worth));
        Insight { known, in_game: known, ..Insight::default() }
    }

    /// Who knows what the position is worth; `None` where nothing is known.
    pub fn source(&self) -> Option<Source> {
        self.known.map(|known| known.source)
    }

    /// What the position is worth by itself.
    pub fn worth(&self) -> Option<Worth> {
        self.known.map(|known| known.worth)
    }

    /// The value of the position by itself, unless it is unknown or an estimate.
    pub fn value(&self) -> Option<Value> {
        self.known.and_then(Known::value)
    }

    /// The value of the position in this game, unless it is unknown or an estimate.
    pub fn value_in_game(&self) -> Option<Value> {
        self.in_game.and_then(Known::value)
    }

    /// Whether a search could add nothing: the position and all moves are proven, and there is a way to win
    /// what is won.
    pub fn is_complete(&self) -> bool {
        self.known.is_some()
            && self.moves.iter().all(|prospect| prospect.known.is_some())
            && !self.lacks_a_way_to_win()
    }

    /// Whether an earlier occurrence of a position changes the value of this one or of a move.
    pub fn is_changed_by_repetition(&self) -> bool {
        self.known != self.in_game || self.moves.iter().any(|mv| mv.known != mv.in_game)
    }
}
