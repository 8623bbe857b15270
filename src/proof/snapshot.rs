//! How far a search has come.

use std::time::Duration;

use super::Solver;
use super::bounds::{Knowledge, Numbers};
use super::children::{children, is_capture};
use super::hash::Question;
use super::request::Task;
use crate::canonical::Canonical;
use crate::moves::{Move, legal_moves};
use crate::position::Position;

/// The most moves of a line that are shown.
const LONGEST_LINE: usize = 12;

/// How far a search has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Whether the question is if the side to move wins; otherwise, if the other side does.
    pub for_mover: bool,
    /// Positions visited so far.
    pub nodes: u64,
    /// Time taken so far.
    pub time: Duration,
    /// About how many positions must be won to prove a win; `None` before the first estimate.
    pub proof: Option<u32>,
    /// About how many must not be won to disprove it.
    pub disproof: Option<u32>,
    /// The moves that look best for both sides.
    pub line: Vec<Move>,
    /// Bytes of the table of positions.
    pub memory: u64,
}

impl Solver {
    /// Whether the side to move looks likelier to win than the other.
    pub(super) fn likelier_winner<P>(&self, task: &Task<'_, P>) -> bool {
        let numbers = |for_mover| {
            let Snapshot { proof, disproof, .. } = self.snapshot(task, for_mover, 0);
            let number = |number: Option<u32>| f64::from(number.unwrap_or(1).max(1));
            number(proof) / number(disproof)
        };
        numbers(true) <= numbers(false)
    }

    pub(super) fn snapshot<P>(&self, task: &Task<'_, P>, for_mover: bool, nodes: u64) -> Snapshot {
        // A position is stored when its search ends, which is at the very end if only one move is open. So the
        // numbers of the first position with a choice are shown; they are the same.
        let (mut canonical, mut attacking, mut left) = (task.canonical, for_mover, task.left);
        let mut open = self.open_children(canonical, attacking, left);
        for _ in 0..LONGEST_LINE {
            let [(child, _)] = open[..] else { break };
            left = if is_capture(canonical, child) { self.most_plies } else { left.saturating_sub(1) };
            (canonical, attacking) = (child, !attacking);
            open = self.open_children(canonical, attacking, left);
        }
        let numbers =
            open.iter().filter_map(|(_, known)| known.map(|known| known.numbers.for_mover(attacking)));
        let numbers = numbers.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let numbers = numbers.map(|(wanted, feared)| Numbers::of_mover(wanted, feared, attacking));
        Snapshot {
            for_mover,
            nodes: task.nodes + nodes,
            time: task.started.elapsed(),
            proof: numbers.map(|numbers| numbers.proof),
            disproof: numbers.map(|numbers| numbers.disproof),
            line: self.line(task.position, for_mover),
            memory: self.hash.bytes(),
        }
    }

    /// The positions after the moves that are not known to fail, with what the table knows about them.
    fn open_children(
        &self,
        canonical: Canonical,
        attacking: bool,
        left: u16,
    ) -> Vec<(Canonical, Option<Knowledge>)> {
        let with_knowledge =
            |child: Canonical| (child, self.hash.get(Question::new(child.key(), !attacking)));
        let is_open = |(_, known): &(Canonical, Option<Knowledge>)| {
            known.and_then(|known| known.bounds.settle(left.saturating_sub(1))) != Some(!attacking)
        };
        children(self.rules, canonical).into_iter().map(with_knowledge).filter(is_open).collect()
    }

    /// The moves with the best numbers for both sides.
    fn line(&self, position: &Position, for_mover: bool) -> Vec<Move> {
        let (mut position, mut attacking, mut line) = (*position, for_mover, Vec::new());
        while line.len() < LONGEST_LINE {
            let wanted = |mv: &Move| {
                let canonical = Canonical::of(self.rules, &position.play(self.rules, mv));
                let known = self.hash.get(Question::new(canonical.key(), !attacking))?;
                let left = self.most_plies;
                let settled = known.bounds.settle(left).map(|won| won == attacking);
                // Moves that are known to fail come last.
                let class = match settled {
                    Some(true) => 0,
                    None => 1,
                    Some(false) => 2,
                };
                Some((class, known.numbers.for_mover(attacking).0))
            };
            let moves = legal_moves(self.rules, &position);
            let best =
                moves.iter().filter_map(|mv| Some((wanted(mv)?, mv))).min_by_key(|(wanted, _)| *wanted);
            let forced = || (moves.len() == 1).then(|| &moves[0]);
            let Some(mv) = best.map(|(_, mv)| mv).or_else(forced) else { break };
            line.push(*mv);
            position = position.play(self.rules, mv);
            attacking = !attacking;
        }
        line
    }
}
