//! What is looked for.

use super::StudyError;
use super::scan::{Needs, Slice};
use crate::position::Position;
use crate::table::{Metric, Value};

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Motif {
    /// The side to move does worse than it would if the other side had the move. That is so for both sides at
    /// once.
    Zugzwang,
    /// Exactly one of several moves keeps the win or draw. Along best play at least so many of these must
    /// follow each other, this one included: 1 or more.
    OnlyMove(usize),
    /// The wins or losses with the largest distances by this metric.
    Longest(Metric, Option<Value>),
    /// The side to move wins with fewer stones, or the side with more stones loses on its move.
    Outnumbered,
    /// Every position.
    Any,
}

impl Motif {
    pub(super) fn needs(self) -> Needs {
        Needs { steps: matches!(self, Motif::OnlyMove(_)), passed: self == Motif::Zugzwang }
    }

    /// Whether a position of this value is what is looked for, as far as one position can tell: lines and
    /// distances are looked at later.
    pub(super) fn matches(
        self,
        slice: &Slice,
        entry: u64,
        position: &Position,
        value: Value,
    ) -> Result<bool, StudyError> {
        match self {
            Motif::Zugzwang => Ok(value != Value::Win && value < slice.passed(entry, position)?),
            Motif::OnlyMove(_) => slice.has_only_move(position, value),
            Motif::Outnumbered => {
                let (own, opponent) = (slice.material.mover(), slice.material.opponent());
                Ok(value == Value::Win && own < opponent || value == Value::Loss && own > opponent)
            }
            Motif::Longest(..) | Motif::Any => Ok(true),
        }
    }
}
