//! The result with best play.

use std::fmt;

use crate::position::Position;
use crate::rules::{NoMoves, Rules};

/// The result with best play, for the side to move. The worse is the smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Value {
    Loss,
    Draw,
    Win,
}

impl Value {
    /// The same result seen from the other side.
    #[must_use]
    pub const fn reversed(self) -> Value {
        match self {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        }
    }

    /// The value of a position without a legal move, for the side to move.
    pub fn without_moves(rules: &Rules, position: &Position) -> Value {
        match rules.no_moves() {
            NoMoves::Draw if !position.own().is_empty() => Value::Draw,
            _ => Value::Loss,
        }
    }

    /// The value in a word: `loss`, `draw` or `win`.
    pub const fn name(self) -> &'static str {
        match self {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
