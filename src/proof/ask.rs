//! One question: asked of a search on all threads, or of the graph of positions.

use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::control::Control;
use super::graph::{BYTES_A_POSITION, Found, Graph, bounds_of_won};
use super::request::Task;
use super::worker::Worker;
use super::{Snapshot, SolveError, Solver};

/// Bytes of stack of a search thread: a line can be thousands of plies long.
const STACK: usize = 256 << 20;
/// How often progress is reported.
const TICK: Duration = Duration::from_millis(1000);
/// How often the limits are looked at.
const POLL: Duration = Duration::from_millis(5);

/// The answer to a question.
pub(super) type Answer = Option<bool>;

/// Starts a thread that can follow a line of thousands of plies.
pub(super) fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, SolveError> {
    thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).map_err(SolveError::Thread)
}

/// What a thread returned. A panic goes on in this thread.
pub(super) fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl Solver {
    /// Asks whether a side wins. No answer if `budget` nodes or the limits of the request were not enough.
    pub(super) fn ask<P: FnMut(&Snapshot)>(
        &mut self,
        task: &mut Task<'_, P>,
        for_mover: bool,
        budget: u64,
    ) -> Result<Answer, SolveError> {
        let budget =
            budget.min(task.request.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(task.nodes)));
        let control = Control::new(self.threads, budget, task.request.stop);
        let (rules, hash, leaves, plies) = (self.rules, &self.hash, &task.leaves, self.plies());
        let (canonical, left) = (task.canonical, task.left);
        let shared = &control;
        let answer = thread::scope(|scope| {
            let worker = |number: usize| {
                let work = move || {
                    let mut worker = Worker::new(rules, hash, leaves, shared, plies, number);
                    let bounds = worker.settle(canonical, for_mover, left);
                    shared.end();
                    bounds.and_then(|bounds| bounds.settle(left))
                };
                start(scope, work)
            };
            let workers = (0..self.threads).map(worker).collect::<Result<Vec<_>, _>>();
            let workers = workers.inspect_err(|_| control.end())?;
            let mut told = Instant::now();
            while !workers.iter().all(|worker| worker.is_finished()) {
                thread::park_timeout(POLL);
                if task.request.time.is_some_and(|time| task.started.elapsed() >= time) {
                    control.end();
                }
                if told.elapsed() >= TICK {
                    told = Instant::now();
                    let snapshot = self.snapshot(task, for_mover, control.nodes());
                    task.report(&snapshot);
                }
            }
            // All of them: each must have ended before the others are believed.
            let answers: Vec<Answer> = workers.into_iter().map(join).collect();
            Ok::<_, SolveError>(answers.into_iter().flatten().next())
        })?;
        task.nodes += control.nodes();
        match control.take_error() {
            Some(error) => Err(error.into()),
            None => Ok(answer),
        }
    }

    /// The most positions of the graph that are explored: they take no more memory than the table.
    pub(super) fn most_explored(&self) -> u64 {
        self.hash.bytes().max(1 << 28) / BYTES_A_POSITION
    }

    /// Looks for the answer on the graph of positions. Won positions are remembered.
    pub(super) fn explore<P>(&mut self, task: &mut Task<'_, P>, for_mover: bool, budget: u64) -> Found {
        let control = Control::new(1, u64::MAX, task.request.stop);
        let worker = Worker::new(self.rules, &self.hash, &task.leaves, &control, self.plies(), 0);
        let mut graph = Graph::new(&worker);
        let most = budget.saturating_mul(4).min(self.most_explored());
        let found = graph.settle(task.canonical, for_mover, most as usize, || task.is_over());
        task.nodes += graph.len() as u64;
        if found == Found::Won && self.is_endless() {
            for (canonical, attacking, plies) in graph.won() {
                if let Some(bounds) = bounds_of_won(plies) {
                    worker.remember(canonical, attacking, bounds);
                }
            }
        }
        found
    }
}
