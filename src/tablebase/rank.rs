//! The legal moves of a position, best first.

use std::cmp::Reverse;

use super::{ProbeError, Tablebase, Verdict};
use crate::moves::{Move, can_capture, legal_moves};
use crate::position::Position;
use crate::table::Value;

/// A legal move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub position: Position,
    /// What the mover gets by playing it. Distances count from the position before the move.
    pub verdict: Verdict,
}

impl Tablebase {
    /// All legal moves: wins by fewest plies, then draws, then losses by most plies; equal ones in the order in which
    /// they are generated. Plies to the end of the game count where all moves of that value have them, else plies
    /// to the conversion. Empty when the game is over.
    ///
    /// # Errors
    /// [`ProbeError`] as for [`probe`](Self::probe), here for any position that a move leads to.
    pub fn ranked_moves(&self, position: &Position) -> Result<Vec<RankedMove>, ProbeError> {
        self.check(position)?;
        let rules = self.rules();
        if position.is_drawn_by_counter(rules) {
            return Ok(Vec::new());
        }
        let rank = |mv: Move| {
            let after = position.play(rules, &mv);
            let verdict = self.verdict(&after)?.before(mv.is_capture());
            Ok(RankedMove { mv, position: after, verdict })
        };
        let mut moves: Vec<RankedMove> =
            legal_moves(rules, position).into_iter().map(rank).collect::<Result<_, ProbeError>>()?;
        let has_dtw =
            |value| moves.iter().filter(|mv| mv.verdict.value == value).all(|mv| mv.verdict.dtw.is_some());
        let (by_dtw_won, by_dtw_lost) = (has_dtw(Value::Win), has_dtw(Value::Loss));
        moves.sort_by_key(|ranked| {
            let Verdict { value, dtc, dtw } = ranked.verdict;
            let dtc = i32::from(dtc.unwrap_or(u16::MAX));
            let plies = |by_dtw: bool| if by_dtw { i32::from(dtw.unwrap_or(u16::MAX)) } else { dtc };
            let order = match value {
                Value::Win => (plies(by_dtw_won), dtc),
                Value::Draw => (0, 0),
                Value::Loss => (-plies(by_dtw_lost), -dtc),
            };
            (Reverse(value), order)
        });
        Ok(moves)
    }

    /// The verdict on a position and its moves: what [`probe`](Self::probe) and [`ranked_moves`](Self::ranked_moves)
    /// say, for less work than to ask both.
    ///
    /// # Errors
    /// [`ProbeError`] as for both.
    pub fn probe_with_moves(&self, position: &Position) -> Result<(Verdict, Vec<RankedMove>), ProbeError> {
        if !can_capture(self.rules(), position) {
            return Ok((self.probe(position)?, self.ranked_moves(position)?));
        }
        // No table has the value of a position with a capture: its moves give it.
        let moves = self.ranked_moves(position)?;
        let by_moves = moves.iter().map(|ranked| ranked.verdict).reduce(Verdict::or);
        Ok((by_moves.map_or_else(|| self.verdict(position), Ok)?, moves))
    }
}
