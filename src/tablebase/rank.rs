//! The legal moves of a position, best first.

use std::cmp::Reverse;

use super::{ProbeError, Tablebase, Verdict};
use crate::moves::{Move, can_capture, legal_moves};
use crate::position::Position;
use crate::table::{Metric, Value};

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

impl Verdict {
    /// The verdict with the distances that the moves know and the table, because there is none, does not.
    fn completed_by(self, moves: &[RankedMove]) -> Verdict {
        // A move of unknown distance leads to a quiet position with legal moves, so that it takes 3 plies or more to win.
        const LEAST_UNKNOWN: u16 = 3;
        let of = |distance: fn(&Verdict) -> Option<u16>| {
            let of_moves = || {
                let keeping = moves.iter().map(|ranked| &ranked.verdict);
                keeping.filter(|verdict| verdict.value == self.value).map(distance)
            };
            let all_known = of_moves().all(|plies| plies.is_some());
            match self.value {
                Value::Draw => None,
                Value::Win => of_moves().flatten().min().filter(|&plies| all_known || plies <= LEAST_UNKNOWN),
                Value::Loss => of_moves().max().flatten().filter(|_| all_known),
            }
        };
        Verdict {
            dtc: self.dtc.or_else(|| of(|verdict| verdict.dtc)),
            dtw: self.dtw.or_else(|| of(|verdict| verdict.dtw)),
            ..self
        }
    }
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
    /// say, for less work than to ask both. Where a distance of the position is in no table, but follows from those
    /// of the moves, it is told too.
    ///
    /// # Errors
    /// [`ProbeError`] as for both.
    pub fn probe_with_moves(&self, position: &Position) -> Result<(Verdict, Vec<RankedMove>), ProbeError> {
        if !can_capture(self.rules(), position) {
            let verdict = self.probe(position)?;
            let moves = self.ranked_moves(position)?;
            return Ok((verdict.completed_by(&moves), moves));
        }
        // No table has the value of a position with a capture: its moves give it.
        let moves = self.ranked_moves(position)?;
        if !self.has_any(Metric::Dtw) {
            // What the moves lead to is remembered by now.
            return Ok((self.probe(position)?, moves));
        }
        let by_moves = moves.iter().map(|ranked| ranked.verdict).reduce(Verdict::or);
        Ok((by_moves.map_or_else(|| self.verdict(position), Ok)?, moves))
    }
}
