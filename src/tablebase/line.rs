//! The line of best play.

use std::collections::HashSet;

use super::{ProbeError, RankedMove, Tablebase};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;

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
    /// A drawn position occurs again: play can go on for ever.
    Repetition,
    /// The ply counter ends the game as a draw.
    PlyLimit,
    /// The line ends before the game does: it is won, but where distances are missing the moves that keep the
    /// win lead in a circle.
    NoDistances,
    /// The line ends before the game does: no table, nor any certificate, reaches the last position.
    NoTable,
}

impl Tablebase {
    /// Best play from `position` to the end of the game, or in a draw until a position occurs again or the
    /// ply counter ends the game. With distances on disk a win is won in the plies that they say; without
    /// any, the line stops before winning moves would lead in a circle.
    ///
    /// # Errors
    /// [`ProbeError`] as for [`ranked_moves`](Self::ranked_moves).
    pub fn main_line(&self, position: &Position) -> Result<MainLine, ProbeError> {
        self.main_line_while(position, || true)
    }

    /// As [`main_line`](Self::main_line), as long as `goes_on` says so (see
    /// [`probe_while`](Self::probe_while)): the line ends where it says no.
    ///
    /// # Errors
    /// As for [`main_line`](Self::main_line).
    pub fn main_line_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<MainLine, ProbeError> {
        follow(self.rules(), position, |position| match self.ranked_moves_while(position, &mut goes_on) {
            Err(ProbeError::Stopped) => Ok(Next::Unknown),
            moves => Ok(moves?.first().copied().into()),
        })
    }
}

/// What there is to play in a position.
pub(crate) enum Next {
    /// This move, at best.
    Move(RankedMove),
    /// Nothing: the game is over.
    Over,
    /// The next position is unknown.
    Unknown,
}

impl From<Option<RankedMove>> for Next {
    fn from(best: Option<RankedMove>) -> Next {
        best.map_or(Next::Over, Next::Move)
    }
}

/// The line from `position` on in which `best` chooses every move, until it finds none or a position occurs
/// again.
pub(crate) fn follow<E>(
    rules: &Rules,
    position: &Position,
    mut best: impl FnMut(&Position) -> Result<Next, E>,
) -> Result<MainLine, E> {
    let mut seen = HashSet::from([*position]);
    let mut position = *position;
    let mut moves = Vec::new();
    let end = loop {
        let best = match best(&position)? {
            Next::Move(best) => best,
            Next::Over if position.is_drawn_by_counter(rules) => break LineEnd::PlyLimit,
            Next::Over => break LineEnd::GameOver,
            Next::Unknown => break LineEnd::NoTable,
        };
        let is_new = seen.insert(best.position);
        if !is_new && best.verdict.value != Value::Draw {
            break LineEnd::NoDistances;
        }
        moves.push(best);
        position = best.position;
        if !is_new {
            break LineEnd::Repetition;
        }
    };
    Ok(MainLine { moves, end })
}
