//! Strategies for certificates, from what the search has found.

use std::thread;

use super::ask::{join, start};
use super::control::Control;
use super::graph::{Found, Graph};
use super::rank::tighten;
use super::request::{Request, Task};
use super::shorten::shorten;
use super::strategy::{Proof, collect};
use super::worker::Worker;
use super::{Snapshot, SolveError, Solver};
use crate::canonical::Key;
use crate::certificate::{Claim, Entry, Goal, Strategy};
use crate::position::Position;
use crate::table::Value;

/// Quicker wins are looked for among one in this many of the positions that fit in memory.
const SHARE_OF_SHORTENING: u64 = 4;

impl Solver {
    /// The replies that prove `value`, which [`solve`](Self::solve) has found for the position.
    ///
    /// # Errors
    /// [`SolveError::Stopped`] when it was stopped, else as for [`solve`](Self::solve).
    pub fn certify(
        &mut self,
        position: &Position,
        value: Value,
        request: &Request<'_>,
    ) -> Result<Vec<Strategy>, SolveError> {
        let mut task = self.task(position, request, |_: &Snapshot| {})?;
        let claims: &[Claim] = match value {
            Value::Win => &[Claim { by_mover: true, goal: Goal::Win }],
            Value::Loss => &[Claim { by_mover: false, goal: Goal::Win }],
            Value::Draw => {
                &[Claim { by_mover: true, goal: Goal::Hold }, Claim { by_mover: false, goal: Goal::Hold }]
            }
        };
        let strategies = claims.iter().map(|&claim| {
            let counted_out = position.is_drawn_by_counter(self.rules);
            if self.known(&task)?.is_some() && !counted_out {
                return Ok(without_entries(claim, &task));
            }
            if claim.goal == Goal::Hold
                && !counted_out
                && let Some(strategy) = self.endless_strategy(&mut task, claim)
            {
                return Ok(strategy);
            }
            // With endless play, a search with a bound can only prove wins.
            if claim.goal == Goal::Hold && self.is_endless() {
                return Err(if task.is_over() { SolveError::Stopped } else { SolveError::Exhausted });
            }
            self.strategy(&mut task, claim)
        });
        strategies.collect()
    }

    /// A strategy from what the table of positions holds.
    fn strategy<P>(&mut self, task: &mut Task<'_, P>, claim: Claim) -> Result<Strategy, SolveError> {
        // Without draws, not losing is winning, and the search has asked for the side to move only.
        let decisive = !self.rules.has_draws();
        let asked = if decisive && !claim.by_mover { Claim { goal: Goal::Hold, ..claim } } else { claim };
        // A win that was found earlier, when more plies were allowed, is one too.
        let most_plies = if self.is_endless() { self.limit() } else { self.most_plies };
        let left = most_plies.saturating_sub(task.position.plies().into());
        let control = Control::new(1, u64::MAX, task.request.stop);
        let mut worker = Worker::new(self.rules, &self.hash, &task.leaves, &control, self.plies(), 0);
        let proof = Proof { claim: asked, root: task.canonical, left, most_plies };
        let found = thread::scope(|scope| {
            let work = || collect(&mut worker, proof, task.request.stop);
            Ok::<_, SolveError>(join(start(scope, work)?))
        })?;
        if let Some(error) = control.take_error() {
            return Err(error.into());
        }
        let mut strategy = found.ok_or(SolveError::Stopped)?;
        strategy.claim = claim;
        if claim.goal == Goal::Win {
            self.hurry(&worker, proof, &mut strategy, task)?;
        }
        Ok(strategy)
    }

    /// Makes a strategy to win quicker, and its bounds as small as they can be.
    fn hurry<P>(
        &self,
        worker: &Worker<'_>,
        proof: Proof,
        strategy: &mut Strategy,
        task: &Task<'_, P>,
    ) -> Result<(), SolveError> {
        let counts = self.rules.ply_limit().is_some();
        if counts && task.request.tables.is_some() {
            // Whether a table position is a win depends on the counter with which it is reached.
            return Ok(());
        }
        let stop = task.request.stop;
        let most = (self.most_explored() / SHARE_OF_SHORTENING) as usize;
        let mut quicker = shorten(worker, proof, strategy, most, stop)?;
        tighten(self.rules, &task.leaves, &mut quicker.entries, stop).ok_or(SolveError::Stopped)?;
        // With a counter, a quicker end may mean a slower next capture. Before the first capture fewer plies
        // are left, and one less still if the other side begins.
        let stones = |key: Key| key.stones.count_ones();
        let first = proof.left.saturating_sub(u16::from(!proof.claim.by_mover));
        let in_time = |entry: &Entry| {
            let is_first = stones(entry.key) == stones(proof.root.key());
            entry.bound <= if is_first { first } else { proof.most_plies }
        };
        if !counts || quicker.entries.iter().all(in_time) {
            *strategy = quicker;
        }
        Ok(())
    }

    /// A strategy not to lose even if play can go on for ever; `None` if there is none, or not within the
    /// memory.
    fn endless_strategy<P>(&mut self, task: &mut Task<'_, P>, claim: Claim) -> Option<Strategy> {
        let control = Control::new(1, u64::MAX, task.request.stop);
        let worker = Worker::new(self.rules, &self.hash, &task.leaves, &control, self.plies(), 0);
        let mut graph = Graph::new(&worker);
        let most = self.most_explored() as usize;
        if graph.settle(task.canonical, !claim.by_mover, most, || task.is_over()) != Found::NotWon {
            return None;
        }
        let (replies, known) = graph.replies(task.canonical, !claim.by_mover);
        // It holds however many plies are left.
        let bound = self.rules.ply_limit().map_or(0, u16::from);
        let entries = replies.into_iter().map(|(key, reply)| Entry { key, reply, bound }).collect();
        let mut leaves: Vec<_> =
            known.into_iter().filter_map(|canonical| task.leaves.covers(canonical)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        Some(Strategy { claim, entries, leaves })
    }
}

/// The strategy for a position that is a leaf itself.
fn without_entries<P>(claim: Claim, task: &Task<'_, P>) -> Strategy {
    Strategy { claim, entries: Vec::new(), leaves: task.leaves.covers(task.canonical).into_iter().collect() }
}
