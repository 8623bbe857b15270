//! Which questions are asked, in what order, and what the answers amount to.

use std::cell::RefCell;
use std::fmt;
use std::time::{Duration, Instant};

use super::bounds::{MOST_PLIES, Plies};
use super::graph::Found;
use super::hash::HashTable;
use super::leaves::{Covered, Leaves};
use super::request::{Request, Task};
use super::{Snapshot, SolveError};
use crate::board::MAX_STONES;
use crate::canonical::Canonical;
use crate::moves::has_legal_move;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::{ProbeError, covered};

/// Plies without a capture that are allowed at first, where no rule limits them.
const FIRST_PLIES: u16 = 16;
/// Positions visited for each side in the first round; each later round visits four times as many.
const FIRST_NODES: u64 = 1 << 14;
/// The less likely winner gets only this part of the effort.
const UNLIKELY: u64 = 8;
/// With at most this many stones, the graph of positions is explored even if a search was not finished.
const FEW_STONES: usize = 8;

/// Plies between captures that a search allows at first.
fn first_plies(rules: &Rules) -> u16 {
    rules.longest_quiet_play().unwrap_or(FIRST_PLIES).min(MOST_PLIES)
}

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The value for the side to move; `None` if a limit was reached first or memory ran out.
    pub value: Option<Value>,
    /// Whether there is no value because memory ran out, and not because a limit was reached.
    pub exhausted: bool,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// Solves positions of one rule set and remembers what it has seen.
pub struct Solver {
    pub(super) rules: &'static Rules,
    pub(super) hash: HashTable,
    pub(super) threads: usize,
    /// Plies that a search allows after a capture. The disproofs in the table hold for this number.
    pub(super) most_plies: u16,
    /// The leaves under which the table was filled.
    covered: Covered,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("rules", &self.rules.name())
            .field("bytes", &self.hash.bytes())
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

impl Solver {
    /// A solver with one thread that keeps what it has seen in about `bytes` bytes of memory.
    ///
    /// # Errors
    /// [`SolveError::Memory`] if the system cannot provide the memory, [`SolveError::Unsupported`] under
    /// rules whose positions it cannot solve.
    pub fn new(rules: &'static Rules, bytes: u64) -> Result<Solver, SolveError> {
        if let Some(lack) = rules.unsolved() {
            return Err(SolveError::Unsupported { rules: rules.name(), lack });
        }
        let hash = HashTable::new(bytes).map_err(SolveError::Memory)?;
        let (most_plies, covered) = (first_plies(rules), [[false; MAX_STONES + 1]; MAX_STONES + 1]);
        Ok(Solver { rules, hash, threads: 1, most_plies, covered })
    }

    /// The same with `threads` threads, at least one.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Solver {
        self.threads = threads.max(1);
        self
    }

    /// The rules of the positions that it solves.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Allows `plies` plies after a capture from now on.
    fn allow(&mut self, plies: u16) {
        if self.most_plies != plies {
            self.most_plies = plies;
            self.hash.forget_disproofs();
        }
    }

    /// Whether play can go on for ever under the rules.
    pub(super) fn is_endless(&self) -> bool {
        self.rules.can_repeat()
    }

    /// The most plies without a capture that it can make sense to allow.
    pub(super) fn limit(&self) -> u16 {
        self.rules.ply_limit().map_or(MOST_PLIES, u16::from)
    }

    /// Plies that are left at a position before the rules, or the search, take the game to be drawn.
    fn left(&self, position: &Position) -> u16 {
        let left = |limit: u8| limit.saturating_sub(position.plies()).into();
        self.rules.ply_limit().map_or(self.most_plies, left)
    }

    pub(super) fn plies(&self) -> Plies {
        Plies { allowed: self.most_plies, limit: self.limit() }
    }

    /// Proves the value of a position. `progress` is called about once a second.
    ///
    /// # Errors
    /// [`SolveError`] when the position does not fit the rules or a table is damaged.
    pub fn solve(
        &mut self,
        position: &Position,
        request: &Request<'_>,
        progress: impl FnMut(&Snapshot),
    ) -> Result<Solved, SolveError> {
        self.allow(first_plies(self.rules));
        let mut task = self.task(position, request, progress)?;
        let value = match self.known(&task)? {
            Some(value) => Some(value),
            None if !self.rules.has_draws() => {
                let answer = self.ask(&mut task, true, u64::MAX)?;
                answer.map(|won| if won { Value::Win } else { Value::Loss })
            }
            None => self.both(&mut task)?,
        };
        let exhausted = value.is_none() && !task.is_over();
        Ok(Solved { value, exhausted, nodes: task.nodes, time: task.started.elapsed() })
    }

    pub(super) fn task<'a, P>(
        &mut self,
        position: &'a Position,
        request: &'a Request<'a>,
        progress: P,
    ) -> Result<Task<'a, P>, SolveError> {
        let rules = self.rules;
        position.check(rules).map_err(|error| ProbeError::Position { rules: rules.name(), error })?;
        let leaves = Leaves::new(request.tables);
        if self.covered != *leaves.covered() {
            // What was proven with other leaves would lead a certificate to positions without an entry.
            self.covered = *leaves.covered();
            self.hash.forget();
        }
        let (left, canonical) = (self.left(position), Canonical::of(rules, position));
        let progress = RefCell::new(progress);
        Ok(Task { position, canonical, left, request, leaves, started: Instant::now(), nodes: 0, progress })
    }

    /// The value of a position that needs no search.
    pub(super) fn known<P>(&self, task: &Task<'_, P>) -> Result<Option<Value>, SolveError> {
        if !has_legal_move(self.rules, task.position) {
            return Ok(Some(Value::Loss));
        }
        if task.position.is_drawn_by_counter(self.rules) {
            return Ok(Some(Value::Draw));
        }
        match task.request.tables {
            // With the counter above 0 the distances are needed too, which may not be there.
            Some(tables) if task.leaves.covers(task.canonical).is_some() => {
                Ok(covered(tables.probe_value(task.position))?)
            }
            _ => Ok(None),
        }
    }

    /// Asks about both sides, with rising effort, until the value is known.
    fn both<P: FnMut(&Snapshot)>(&mut self, task: &mut Task<'_, P>) -> Result<Option<Value>, SolveError> {
        // For the side to move and for the other: whether it is known not to win, and whether it would if no
        // rule counted plies, so that the graph of positions has nothing to say.
        let (mut held, mut endless_win) = ([false; 2], [false; 2]);
        let stones = task.stones();
        for round in 0.. {
            let budget = FIRST_NODES.saturating_mul(1 << (2 * round).min(40));
            let mut bounded = [false; 2];
            let likelier = self.likelier_winner(task);
            for (side, for_mover) in [true, false].into_iter().enumerate() {
                if held[side] {
                    continue;
                }
                let won = if for_mover { Value::Win } else { Value::Loss };
                // With many stones, most of the effort goes to the likelier winner. In the end both sides get
                // what they need.
                let unlikely = stones > FEW_STONES && for_mover != likelier && !held[1 - side];
                let budget = if unlikely { budget / UNLIKELY } else { budget };
                match self.ask(task, for_mover, budget)? {
                    Some(true) => return Ok(Some(won)),
                    Some(false) if !self.is_endless() => held[side] = true,
                    Some(false) => bounded[side] = true,
                    None => {}
                }
                if !held[side] && !endless_win[side] && (bounded[side] || stones <= FEW_STONES) {
                    match self.explore(task, for_mover, budget) {
                        Found::Won if self.is_endless() => return Ok(Some(won)),
                        // With a ply counter the win may come too late.
                        Found::Won => endless_win[side] = true,
                        Found::NotWon => held[side] = true,
                        Found::TooLarge => {}
                    }
                }
            }
            if held == [true; 2] {
                return Ok(Some(Value::Draw));
            }
            // Nothing more can be proven once all searches have ended and no more of the graph fits in
            // memory.
            let settled = [0, 1].into_iter().all(|side| held[side] || bounded[side]);
            if task.is_over() || settled && self.most_plies == MOST_PLIES && budget > self.most_explored() {
                return Ok(None);
            }
            if bounded != [false; 2] && self.most_plies < self.limit() {
                // There may be a win that takes longer to its next capture.
                self.allow((2 * self.most_plies).min(self.limit()));
                task.left = self.left(task.position);
            }
        }
        Ok(None)
    }
}
