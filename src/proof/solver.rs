//! Which questions are asked, in what order, and what the answers amount to.

use std::io;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use super::bounds::{Knowledge, MOST_PLIES, Numbers, Plies};
use super::children::{children, is_capture};
use super::control::Control;
use super::graph::{BYTES_A_POSITION, Found, Graph, bounds_of_won};
use super::hash::{HashTable, Question};
use super::leaves::Leaves;
use super::rank::tighten;
use super::shorten::shorten;
use super::strategy::{Proof, collect};
use super::worker::Worker;
use crate::canonical::{Canonical, Key};
use crate::certificate::{Claim, Entry, Goal, Strategy};
use crate::moves::{Move, has_legal_move, legal_moves};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::{ProbeError, Tablebase};

/// Plies without a capture that a win is looked for in at first, where no rule limits them.
const FIRST_PLIES: u16 = 16;
/// Positions visited for each side at first; then four times as many, and so on.
const FIRST_NODES: u64 = 1 << 14;
/// The less likely winner gets only this part of the effort.
const UNLIKELY: u64 = 8;
/// Up to so many stones the graph of positions is looked at even if a search was not finished.
const FEW_STONES: usize = 8;
/// Of the positions that fit the memory, so large a part is looked at to find quicker wins.
const SHARE_OF_SHORTENING: u64 = 4;
/// Bytes of stack of a search thread: a line can be thousands of plies long.
const STACK: usize = 256 << 20;
/// Moves of a line that are told.
const LONGEST_LINE: usize = 12;
/// How often progress is told.
const TICK: Duration = Duration::from_millis(1000);
const POLL: Duration = Duration::from_millis(5);

/// When a solution is given up.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// Positions to visit at most.
    pub nodes: Option<u64>,
    /// Time to spend at most.
    pub time: Option<Duration>,
    /// Ends the search when another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

/// Plies between captures that a search allows at first.
fn first_plies(rules: &Rules) -> u16 {
    rules.longest_quiet_play().unwrap_or(FIRST_PLIES).min(MOST_PLIES)
}

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solved {
    /// The value for the side to move; `None` when a limit came first, or the memory did not suffice.
    pub value: Option<Value>,
    /// Whether there is no value for want of memory, and not because a limit came first.
    pub exhausted: bool,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

/// How far a search has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Whether it asks if the side to move wins; else, if the other does.
    pub for_mover: bool,
    /// Positions visited so far.
    pub nodes: u64,
    /// Time taken so far.
    pub time: Duration,
    /// About so many positions must be won to prove a win; `None` before the first is known.
    pub proof: Option<u32>,
    /// About so many must not be won to disprove it.
    pub disproof: Option<u32>,
    /// The moves that look best for both sides.
    pub line: Vec<Move>,
    /// Bytes of the table of positions.
    pub memory: u64,
}

/// Why a position is not solved, or its solution not written down.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum SolveError {
    #[error("there is not enough memory for the table of positions: {0}")]
    Memory(#[source] io::Error),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    #[error("the search was stopped before it came to an end")]
    Stopped,
    #[error("the memory does not suffice to write the proof down")]
    Exhausted,
    #[error("the rules '{rules}' cannot be solved: {lack} are not supported")]
    Unsupported { rules: &'static str, lack: &'static str },
}

/// The answer to a question.
type Answer = Option<bool>;

/// Solves positions of one rule set and remembers what it has seen.
pub struct Solver<'t> {
    rules: &'static Rules,
    leaves: Leaves<'t>,
    tables: Option<&'t Tablebase>,
    hash: HashTable,
    threads: usize,
    /// Plies that a search allows after a capture. What the table has not found to be won, it has not found
    /// with these.
    most_plies: u16,
}

/// One position that is being solved.
struct Task<'a, P> {
    position: &'a Position,
    normal: Canonical,
    left: u16,
    request: &'a Request<'a>,
    started: Instant,
    nodes: u64,
    progress: P,
}

impl<P> Task<'_, P> {
    fn is_over(&self) -> bool {
        let stopped = self.request.stop.is_some_and(|stop| stop.load(std::sync::atomic::Ordering::Relaxed));
        stopped
            || self.request.time.is_some_and(|time| self.started.elapsed() >= time)
            || self.request.nodes.is_some_and(|nodes| self.nodes >= nodes)
    }
}

impl<'t> Solver<'t> {
    /// A solver that uses `tables` as leaves, keeps about `bytes` bytes of what it has seen and works with so
    /// many threads.
    ///
    /// # Errors
    /// [`SolveError::Memory`] when the system does not have so much memory.
    pub fn new(
        rules: &'static Rules,
        tables: Option<&'t Tablebase>,
        bytes: u64,
        threads: usize,
    ) -> Result<Solver<'t>, SolveError> {
        if let Some(lack) = rules.unsolved() {
            return Err(SolveError::Unsupported { rules: rules.name(), lack });
        }
        let most_plies = first_plies(rules);
        let hash = HashTable::new(bytes).map_err(SolveError::Memory)?;
        Ok(Solver { rules, leaves: Leaves::new(tables), tables, hash, threads: threads.max(1), most_plies })
    }

    /// The rules of the positions that it solves.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Allows so many plies after a capture from now on.
    fn allow(&mut self, plies: u16) {
        if self.most_plies != plies {
            self.most_plies = plies;
            self.hash.forget_disproofs();
        }
    }

    /// Whether play can go on for ever under the rules.
    fn is_endless(&self) -> bool {
        self.rules.can_repeat()
    }

    /// The most plies without a capture that it can make sense to allow.
    fn limit(&self) -> u16 {
        self.rules.ply_limit().map_or(MOST_PLIES, u16::from)
    }

    /// Plies that are left at a position before the rules, or the search, take the game to be drawn.
    fn left(&self, position: &Position) -> u16 {
        let left = |limit: u8| limit.saturating_sub(position.plies()).into();
        self.rules.ply_limit().map_or(self.most_plies, left)
    }

    fn plies(&self) -> Plies {
        Plies { allowed: self.most_plies, limit: self.limit() }
    }

    /// Proves the value of a position. `progress` is told now and then how far it has come.
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
        let value = match self.known(position)? {
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
            if self.known(position)?.is_some() && !counted_out {
                return Ok(self.without_entries(claim, task.normal));
            }
            if claim.goal == Goal::Hold
                && !counted_out
                && let Some(strategy) = self.endless_strategy(&mut task, claim)
            {
                return Ok(strategy);
            }
            // With endless play a search with a bound proves wins only.
            if claim.goal == Goal::Hold && self.is_endless() {
                return Err(if task.is_over() { SolveError::Stopped } else { SolveError::Exhausted });
            }
            self.strategy(&mut task, claim)
        });
        strategies.collect()
    }

    fn task<'a, P>(
        &self,
        position: &'a Position,
        request: &'a Request<'a>,
        progress: P,
    ) -> Result<Task<'a, P>, SolveError> {
        let rules = self.rules;
        position.check(rules).map_err(|error| ProbeError::Position { rules: rules.name(), error })?;
        let left = self.left(position);
        let normal = Canonical::of(rules, position);
        Ok(Task { position, normal, left, request, started: Instant::now(), nodes: 0, progress })
    }

    /// The value of a position that needs no search.
    fn known(&self, position: &Position) -> Result<Option<Value>, SolveError> {
        if !has_legal_move(self.rules, position) {
            return Ok(Some(Value::Loss));
        }
        if position.is_drawn_by_counter(self.rules) {
            return Ok(Some(Value::Draw));
        }
        match self.tables {
            Some(tables) if self.leaves.covers(Canonical::of(self.rules, position)).is_some() => {
                match tables.probe_value(position) {
                    // With the counter above 0 the distances are needed too, which may not be there.
                    Err(ProbeError::Table(crate::table::TableError::NoTable { .. })) => Ok(None),
                    value => Ok(Some(value?)),
                }
            }
            _ => Ok(None),
        }
    }

    /// Asks about both sides, with rising effort, until the value is known.
    fn both<P: FnMut(&Snapshot)>(&mut self, task: &mut Task<'_, P>) -> Result<Option<Value>, SolveError> {
        // For the side to move and for the other: whether it is known not to win, and whether it would if no
        // rule counted plies, so that the graph of positions has nothing to say.
        let (mut held, mut endless_win) = ([false; 2], [false; 2]);
        let stones = task.normal.own().count() + task.normal.opponent().count();
        for round in 0.. {
            let budget = FIRST_NODES.saturating_mul(1 << (2 * round).min(40));
            let mut bounded = [false; 2];
            let likelier = self.likelier_winner(task);
            for (side, for_mover) in [true, false].into_iter().enumerate() {
                if held[side] {
                    continue;
                }
                let won = if for_mover { Value::Win } else { Value::Loss };
                // With many stones most of the effort goes where a win is likelier; in the end both get what
                // they need.
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
            // Nothing more can be found out where all searches have ended and no more of the graph fits the
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

    /// Whether the side to move looks likelier to win than the other.
    fn likelier_winner<P>(&self, task: &Task<'_, P>) -> bool {
        let numbers = |for_mover| {
            let Snapshot { proof, disproof, .. } = self.snapshot(task, for_mover, 0);
            let number = |number: Option<u32>| f64::from(number.unwrap_or(1).max(1));
            number(proof) / number(disproof)
        };
        numbers(true) <= numbers(false)
    }

    /// Asks whether a side wins, within so many nodes; no answer if that or the request's limits were not
    /// enough.
    fn ask<P: FnMut(&Snapshot)>(
        &mut self,
        task: &mut Task<'_, P>,
        for_mover: bool,
        budget: u64,
    ) -> Result<Answer, SolveError> {
        let budget =
            budget.min(task.request.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(task.nodes)));
        let control = Control::new(self.threads, budget, task.request.stop);
        let (rules, hash, leaves, plies) = (self.rules, &self.hash, &self.leaves, self.plies());
        let (normal, left) = (task.normal, task.left);
        let shared = &control;
        let answer = thread::scope(|scope| {
            let start = |number: usize| {
                let work = move || {
                    let mut worker = Worker::new(rules, hash, leaves, shared, plies, number);
                    let bounds = worker.settle(normal, for_mover, left);
                    shared.end();
                    bounds.and_then(|bounds| bounds.settle(left))
                };
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).map_err(SolveError::Thread)
            };
            let workers = (0..self.threads).map(start).collect::<Result<Vec<_>, _>>();
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
                    (task.progress)(&snapshot);
                }
            }
            let answers = workers.into_iter().map(|worker| match worker.join() {
                Ok(answer) => answer,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            // All of them: each must have ended before the others are believed.
            let answers: Vec<Answer> = answers.collect();
            Ok::<_, SolveError>(answers.into_iter().flatten().next())
        })?;
        task.nodes += control.nodes();
        match control.take_error() {
            Some(error) => Err(error.into()),
            None => Ok(answer),
        }
    }

    /// Positions of the graph that are looked at, at most: in no more memory than the table has.
    fn most_explored(&self) -> u64 {
        self.hash.bytes().max(1 << 28) / BYTES_A_POSITION
    }

    /// Looks for the answer on the graph of positions; what is found to be won is remembered.
    fn explore<P>(&mut self, task: &mut Task<'_, P>, for_mover: bool, budget: u64) -> Found {
        let control = Control::new(1, u64::MAX, task.request.stop);
        let worker = Worker::new(self.rules, &self.hash, &self.leaves, &control, self.plies(), 0);
        let mut graph = Graph::new(&worker);
        let most = budget.saturating_mul(4).min(self.most_explored());
        let found = graph.settle(task.normal, for_mover, most as usize, || task.is_over());
        task.nodes += graph.len() as u64;
        if found == Found::Won && self.is_endless() {
            for (normal, attacking, plies) in graph.won() {
                if let Some(bounds) = bounds_of_won(plies) {
                    worker.remember(normal, attacking, bounds);
                }
            }
        }
        found
    }

    /// A strategy from what the table of positions holds.
    fn strategy<P>(&mut self, task: &mut Task<'_, P>, claim: Claim) -> Result<Strategy, SolveError> {
        // Without draws not to lose is to win, and the search has asked for the side to move only.
        let decisive = !self.rules.has_draws();
        let asked = if decisive && !claim.by_mover { Claim { goal: Goal::Hold, ..claim } } else { claim };
        // A win that was found earlier, when more plies were allowed, is one too.
        let most_plies = if self.is_endless() { self.limit() } else { self.most_plies };
        let left = most_plies.saturating_sub(task.position.plies().into());
        let control = Control::new(1, u64::MAX, task.request.stop);
        let mut worker = Worker::new(self.rules, &self.hash, &self.leaves, &control, self.plies(), 0);
        let proof = Proof { claim: asked, root: task.normal, left, most_plies };
        let found = thread::scope(|scope| {
            let work = || collect(&mut worker, proof, task.request.stop);
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            match thread.map_err(SolveError::Thread)?.join() {
                Ok(found) => Ok::<_, SolveError>(found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })?;
        if let Some(error) = control.take_error() {
            return Err(error.into());
        }
        let mut strategy = found.ok_or(SolveError::Stopped)?;
        strategy.claim = claim;
        if claim.goal == Goal::Win {
            self.hurry(&worker, proof, &mut strategy, task.request.stop)?;
        }
        Ok(strategy)
    }

    /// Makes a strategy to win quicker, and its bounds as small as they can be.
    fn hurry(
        &self,
        worker: &Worker<'_>,
        proof: Proof,
        strategy: &mut Strategy,
        stop: Option<&AtomicBool>,
    ) -> Result<(), SolveError> {
        let counts = self.rules.ply_limit().is_some();
        if counts && self.tables.is_some() {
            // Whether tables know a win depends on the counter with which they are reached.
            return Ok(());
        }
        let most = (self.most_explored() / SHARE_OF_SHORTENING) as usize;
        let mut quicker = shorten(worker, proof, strategy, most, stop)?;
        tighten(self.rules, &self.leaves, &mut quicker.entries, stop).ok_or(SolveError::Stopped)?;
        // With a counter what is quicker to the end may be slower to the next capture. Before the first one
        // fewer plies are left, one less still when the other side begins.
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
        let worker = Worker::new(self.rules, &self.hash, &self.leaves, &control, self.plies(), 0);
        let mut graph = Graph::new(&worker);
        let most = self.most_explored() as usize;
        if graph.settle(task.normal, !claim.by_mover, most, || task.is_over()) != Found::NotWon {
            return None;
        }
        let (replies, known) = graph.replies(task.normal, !claim.by_mover);
        // It holds however many plies are left.
        let bound = self.rules.ply_limit().map_or(0, u16::from);
        let entries = replies.into_iter().map(|(key, reply)| Entry { key, reply, bound }).collect();
        let mut leaves: Vec<_> = known.into_iter().filter_map(|normal| self.leaves.covers(normal)).collect();
        leaves.sort_unstable();
        leaves.dedup();
        Some(Strategy { claim, entries, leaves })
    }

    /// The strategy for a position that is a leaf itself.
    fn without_entries(&self, claim: Claim, root: Canonical) -> Strategy {
        Strategy { claim, entries: Vec::new(), leaves: self.leaves.covers(root).into_iter().collect() }
    }

    fn snapshot<P>(&self, task: &Task<'_, P>, for_mover: bool, nodes: u64) -> Snapshot {
        // A position is stored when its search ends. Where only one move is left to look at, that is at the
        // very end; so the numbers are those of the first position with a choice, which are the same.
        let (mut normal, mut attacking, mut left) = (task.normal, for_mover, task.left);
        let mut open = self.open_children(normal, attacking, left);
        for _ in 0..LONGEST_LINE {
            let [(child, _)] = open[..] else { break };
            left = if is_capture(normal, child) { self.most_plies } else { left.saturating_sub(1) };
            (normal, attacking) = (child, !attacking);
            open = self.open_children(normal, attacking, left);
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

    /// What the moves lead to that are not known to fail, with what the table knows of it.
    fn open_children(
        &self,
        normal: Canonical,
        attacking: bool,
        left: u16,
    ) -> Vec<(Canonical, Option<Knowledge>)> {
        let with_knowledge =
            |child: Canonical| (child, self.hash.get(Question::new(child.key(), !attacking)));
        let is_open = |(_, known): &(Canonical, Option<Knowledge>)| {
            known.and_then(|known| known.bounds.settle(left.saturating_sub(1))) != Some(!attacking)
        };
        children(self.rules, normal).into_iter().map(with_knowledge).filter(is_open).collect()
    }

    /// The moves with the best numbers for both sides.
    fn line(&self, position: &Position, for_mover: bool) -> Vec<Move> {
        let (mut position, mut attacking, mut line) = (*position, for_mover, Vec::new());
        while line.len() < LONGEST_LINE {
            let wanted = |mv: &Move| {
                let normal = Canonical::of(self.rules, &position.play(self.rules, mv));
                let known = self.hash.get(Question::new(normal.key(), !attacking))?;
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
