//! The line of best play.

use std::collections::HashSet;

use super::{ProbeError, RankedMove, Tablebase};
use crate::position::Position;
use crate::rules::Rules;

/// Best play by both sides from a position on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MainLine {
    /// The moves; each verdict counts from the position before its move, for its mover.
    pub moves: Vec<RankedMove>,
    /// How it ends.
    pub end: LineEnd,
}

/// How a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineEnd {
    /// The side to move has no stone or no legal move: it has lost.
    GameOver,
    /// A position occurs again: play can go on for ever.
    Repetition,
    /// The ply counter ends the game as a draw.
    PlyLimit,
}

impl Tablebase {
    /// Best play from `position` to the end of the game, or in a draw until a position occurs again or the ply counter
    /// ends the game. With distances on disk a win is won in the plies that they say; without any, a line of
    /// winning moves may run in a circle and end as a repetition.
    ///
    /// # Errors
    /// [`ProbeError`] as for [`ranked_moves`](Self::ranked_moves).
    pub fn main_line(&self, position: &Position) -> Result<MainLine, ProbeError> {
        follow(self.rules(), position, |position| Ok(self.ranked_moves(position)?.first().copied()))
    }
}

/// The line from `position` on in which `best` chooses every move, until it finds none or a position occurs again.
pub(crate) fn follow<E>(
    rules: &Rules,
    position: &Position,
    mut best: impl FnMut(&Position) -> Result<Option<RankedMove>, E>,
) -> Result<MainLine, E> {
    let mut seen = HashSet::from([*position]);
    let mut position = *position;
    let mut moves = Vec::new();
    loop {
        let Some(best) = best(&position)? else {
            let drawn = position.is_drawn_by_counter(rules);
            let end = if drawn { LineEnd::PlyLimit } else { LineEnd::GameOver };
            return Ok(MainLine { moves, end });
        };
        moves.push(best);
        position = best.position;
        if !seen.insert(position) {
            return Ok(MainLine { moves, end: LineEnd::Repetition });
        }
    }
}
