//! The legal moves of a position, best first.

use std::cmp::Reverse;

use super::{ProbeError, Tablebase, Verdict};
use crate::moves::{Move, legal_moves, must_capture};
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
    /// The verdict, completed by the distances of its moves where no table has them.
    fn completed_by(self, moves: &[RankedMove]) -> Verdict {
        // A move of unknown distance leads to a quiet position with legal moves, so that it takes 3 plies or
        // more to win.
        const LEAST_UNKNOWN: u16 = 3;
        let by_moves = |metric| {
            let of_moves = || {
                let keeping = moves.iter().map(|ranked| &ranked.verdict);
                keeping
                    .filter(|verdict| verdict.value == self.value)
                    .map(move |verdict| verdict.distance(metric))
            };
            let all_known = of_moves().all(|plies| plies.is_some());
            match self.value {
                Value::Draw => None,
                Value::Win => of_moves().flatten().min().filter(|&plies| all_known || plies <= LEAST_UNKNOWN),
                Value::Loss => of_moves().max().flatten().filter(|_| all_known),
            }
        };
        Verdict::new(self.value, |metric| self.distance(metric).or_else(|| by_moves(metric)))
    }
}

impl Tablebase {
    /// All legal moves: wins by fewest plies, then draws, then losses by most plies; equal ones in the order
    /// in which they are generated. Plies to the end of the game count where all moves of that value have
    /// them, else plies to the conversion. Empty when the game is over.
    ///
    /// # Errors
    /// [`ProbeError`] as for [`probe`](Self::probe), here for any position that a move leads to.
    pub fn ranked_moves(&self, position: &Position) -> Result<Vec<RankedMove>, ProbeError> {
        self.ranked_moves_while(position, || true)
    }

    /// As [`ranked_moves`](Self::ranked_moves), as long as `goes_on` says so: see
    /// [`probe_while`](Self::probe_while).
    ///
    /// # Errors
    /// As for [`probe_while`](Self::probe_while).
    pub fn ranked_moves_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Vec<RankedMove>, ProbeError> {
        self.check(position)?;
        let rules = self.rules();
        if position.is_drawn_by_counter(rules) {
            return Ok(Vec::new());
        }
        let mut rank = |mv: Move| {
            let after = position.play(rules, &mv);
            let verdict = self.verdict(&after, &mut goes_on)?.before(mv.is_capture());
            Ok(RankedMove { mv, position: after, verdict })
        };
        let mut moves: Vec<RankedMove> =
            legal_moves(rules, position).into_iter().map(&mut rank).collect::<Result<_, ProbeError>>()?;
        // A metric that some move of a value lacks does not rank those of that value.
        let known = |value, metric: Metric| {
            moves
                .iter()
                .filter(|mv| mv.verdict.value == value)
                .all(|mv| mv.verdict.distance(metric).is_some())
        };
        let [_, last] = Metric::DISTANCES;
        let ranks = |value| Metric::DISTANCES.map(|metric| metric == last || known(value, metric));
        let (ranks_wins, ranks_losses) = (ranks(Value::Win), ranks(Value::Loss));
        moves.sort_by_key(|ranked| {
            let plies = |ranks: [bool; Metric::DISTANCES.len()]| {
                let mut of =
                    Metric::DISTANCES.map(|metric| ranked.verdict.distance(metric).unwrap_or(u16::MAX));
                of.iter_mut().zip(ranks).filter(|(_, ranks)| !ranks).for_each(|(plies, _)| *plies = 0);
                of.map(i32::from)
            };
            let order = match ranked.verdict.value {
                Value::Win => plies(ranks_wins),
                Value::Draw => [0; Metric::DISTANCES.len()],
                Value::Loss => plies(ranks_losses).map(i32::wrapping_neg),
            };
            (Reverse(ranked.verdict.value), order)
        });
        Ok(moves)
    }

    /// The verdict on a position and its moves: what [`probe`](Self::probe) and
    /// [`ranked_moves`](Self::ranked_moves) say, for less work than to ask both. Where a distance of the
    /// position is in no table but follows from those of the moves, it is included too.
    ///
    /// # Errors
    /// [`ProbeError`] as for both.
    pub fn probe_with_moves(&self, position: &Position) -> Result<(Verdict, Vec<RankedMove>), ProbeError> {
        self.probe_with_moves_while(position, || true)
    }

    /// As [`probe_with_moves`](Self::probe_with_moves), as long as `goes_on` says so: see
    /// [`probe_while`](Self::probe_while).
    ///
    /// # Errors
    /// As for [`probe_while`](Self::probe_while).
    pub fn probe_with_moves_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<(Verdict, Vec<RankedMove>), ProbeError> {
        if !must_capture(self.rules(), position) {
            let verdict = self.probe_while(position, &mut goes_on)?;
            let moves = self.ranked_moves_while(position, goes_on)?;
            return Ok((verdict.completed_by(&moves), moves));
        }
        // No table has the value of a position with a capture: its moves give it.
        let moves = self.ranked_moves_while(position, goes_on)?;
        let by_moves = moves.iter().map(|ranked| ranked.verdict).reduce(Verdict::or);
        Ok((by_moves.map_or_else(|| self.probe(position), Ok)?, moves))
    }
}
