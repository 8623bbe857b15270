//! The largest distances of a slice.

use super::Value;

/// The largest distances of a slice, in plies; `None` where there is no such position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Longest {
    /// Of the positions that are won.
    pub win: Option<u16>,
    /// Of the positions that are lost.
    pub loss: Option<u16>,
}

impl Longest {
    /// The larger of both, 0 when there is neither.
    pub fn max(self) -> u16 {
        self.win.max(self.loss).unwrap_or(0)
    }

    /// Takes in the distance of one more position.
    pub fn add(&mut self, value: Value, distance: u16) {
        let longest = match value {
            Value::Win => &mut self.win,
            Value::Loss => &mut self.loss,
            Value::Draw => return,
        };
        *longest = (*longest).max(Some(distance));
    }

    /// The largest distances of two sets of positions together.
    #[must_use]
    pub fn merged(self, other: Longest) -> Longest {
        Longest { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }
}
