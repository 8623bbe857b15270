//! Search above the tables: what to play where no table reaches.
//!
//! An alpha-beta search that looks one ply further at a time. Where tables cover a position, their value is
//! final. A [`Score`] says whether it is proven or an estimate.
//!
//! ```
//! use alquerque::position::Position;
//! use alquerque::rules::CLASSIC;
//! use alquerque::search::{Limits, Request, Score, Searcher};
//! use alquerque::tablebase::Tablebase;
//!
//! let tables = Tablebase::open("tables", &CLASSIC)?;
//! let position = Position::parse(&CLASSIC, "bbbbb/5/2b2/1w3/wwww1 w")?;
//! let request = Request::within(Limits::depth(8)).with_tables(Some(&tables));
//! let found = Searcher::new(&CLASSIC, 16 << 20)?.search(&position, &request, |_| {})?;
//! match found.score {
//!     Score::Proven(proven) => println!("a {} for certain", proven.value()),
//!     Score::Estimate(hundredths) => println!("looks like {hundredths} hundredths of a stone"),
//! }
//! assert_eq!(found.best(), found.line.first().copied());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Draws by repetition.** Within the search a position that occurred before, in the game or on the line
//! that is searched, counts as a draw. Such a score holds on its line only and is an estimate: it never
//! becomes a proof. A proof of a win does not depend on it, because no line of it repeats a position. **Ply
//! counters** are part of the position, so what they decide is proven. A proof is about the position alone:
//! it ignores that a line of it may repeat a position of the game.
//!
//! **Wins without distances.** Where the tables know that the position is won but have no distance, every
//! move that keeps the win looks alike. The search then counts plies to the next capture on the graph of
//! positions; if that is too large, it looks ahead below the verdict of the tables. It plays no position of
//! the game again if it can help it.

mod conversion;
mod evaluate;
mod hash;
mod limits;
mod order;
mod root;
mod score;
mod worker;

pub use limits::{Limits, MAX_DEPTH, Request};
pub use score::{Proven, Score};

use std::time::Duration;
use std::{fmt, io, iter, thread};

use crate::moves::{Move, has_legal_move, legal_moves};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::ProbeError;
use conversion::Conversions;
use evaluate::evaluate;
use hash::HashTable;
use limits::Control;
use root::{Advice, Root};
use score::Finding;
use worker::Worker;

/// What a search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What the position is worth to the side to move.
    pub score: Score,
    /// The best line of play found, beginning with the move to play; empty if the game is over.
    pub line: Vec<Move>,
    /// Plies looked ahead; 0 if the answer needed no search, or if there was no time for any.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl Found {
    /// The move to play; `None` if the game is over.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// Positions visited in a second.
    pub fn nodes_per_second(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// Less memory than this is not worth asking for.
const LEAST_BYTES: u64 = 1 << 12;

/// Searches positions of one rule set and remembers what it has seen.
pub struct Searcher {
    rules: &'static Rules,
    hash: HashTable,
    conversions: Conversions,
    threads: usize,
    threads_started: usize,
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("rules", &self.rules.name())
            .field("bytes", &self.hash.bytes())
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// A [`Searcher`] cannot have as much memory as was asked for.
#[derive(Debug, thiserror::Error)]
#[error("the system does not provide {bytes} bytes of memory for positions searched already: {source}")]
pub struct HashMemoryError {
    /// The bytes that were asked for.
    pub bytes: u64,
    source: io::Error,
}

impl Searcher {
    /// A searcher with one thread that keeps what it has seen in `bytes` bytes of memory.
    ///
    /// # Errors
    /// [`HashMemoryError`] if the system does not provide that much memory.
    pub fn new(rules: &'static Rules, bytes: u64) -> Result<Searcher, HashMemoryError> {
        let hash = HashTable::new(bytes).map_err(|source| HashMemoryError { bytes, source })?;
        Ok(Searcher { rules, hash, conversions: Conversions::default(), threads: 1, threads_started: 1 })
    }

    /// A searcher with as much memory as the system provides, at most `bytes` bytes: half as much where it
    /// does not provide all, and so on. In the end it remembers nothing, which makes it slower, not
    /// wrong.
    pub fn with_at_most(rules: &'static Rules, bytes: u64) -> Searcher {
        let sizes = iter::successors(Some(bytes), |&bytes| (bytes > LEAST_BYTES).then_some(bytes / 2));
        let hash = sizes.map(HashTable::new).find_map(Result::ok).unwrap_or_else(HashTable::none);
        Searcher { rules, hash, conversions: Conversions::default(), threads: 1, threads_started: 1 }
    }

    /// Bytes of memory for what it has seen.
    pub fn bytes(&self) -> u64 {
        self.hash.bytes()
    }

    /// The same with `threads` threads, at least one.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Searcher {
        self.threads = threads.max(1);
        self.threads_started = self.threads;
        self
    }

    /// Threads that took part in the last search: fewer than asked for if the system did not let more start.
    pub fn threads_started(&self) -> usize {
        self.threads_started
    }

    /// Forgets what it has seen, so that the next search is like the first.
    pub fn forget(&mut self) {
        self.hash.clear();
        self.conversions = Conversions::default();
    }

    /// The rules of the positions it can search.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Looks for the best move of `position`. `progress` gets what is known after every iteration.
    ///
    /// Where tables cover the position and all that its moves lead to, they are the answer: their best line
    /// in the order of [`ranked_moves`](crate::tablebase::Tablebase::ranked_moves). Looking that up takes
    /// part of the limits, too; if it takes too much, the search goes on with the tables at its leaves.
    /// The draw by a position that has occurred three times is not considered: that is up to the keeper of
    /// the game.
    ///
    /// If [`Request::only`] names moves, the answer is about these alone.
    ///
    /// # Errors
    /// [`ProbeError`] if the position does not fit the rules or a table is damaged.
    pub fn search(
        &mut self,
        position: &Position,
        request: &Request<'_>,
        mut progress: impl FnMut(&Found),
    ) -> Result<Found, ProbeError> {
        let rules = self.rules;
        position.check(rules).map_err(|error| ProbeError::Position { rules: rules.name(), error })?;
        let control = Control::new(request);
        let at_once = |score, line| Found { score, line, depth: 0, nodes: 0, time: control.elapsed() };
        if !has_legal_move(rules, position) {
            let is_draw = Value::without_moves(rules, position) == Value::Draw;
            let proven = if is_draw { Proven::Draw } else { Proven::Loss { within: Some(0) } };
            return Ok(at_once(Score::Proven(proven), Vec::new()));
        }
        if position.is_drawn_by_counter(rules) {
            return Ok(at_once(Score::Proven(Proven::Draw), Vec::new()));
        }
        let bytes = self.hash.bytes();
        let root = match root::ask_tables(rules, &mut self.conversions, bytes, position, request, &control)? {
            Advice::Play(proven, line) => {
                let found = at_once(Score::Proven(proven), line);
                progress(&found);
                return Ok(found);
            }
            Advice::Search(root) => root,
        };
        self.hash.age();
        let hash = &self.hash;
        let worker = || Worker::new(rules, request, &root, hash, &control);
        let (found, started) = thread::scope(|scope| {
            let help = || {
                let mut worker = worker();
                for depth in 1..=MAX_DEPTH {
                    if worker.search(position, request.history, depth).is_none() {
                        break;
                    }
                }
                worker.report();
            };
            // With fewer helpers the search is slower, not worse.
            let started = (1..self.threads)
                .take_while(|_| thread::Builder::new().spawn_scoped(scope, help).is_ok())
                .count();
            let found = deepen(&mut worker(), position, request, &control, &root, progress);
            control.stop();
            (found, 1 + started)
        });
        self.threads_started = started;
        let time = control.elapsed();
        let nodes = control.nodes();
        match (control.into_error(), found) {
            (Some(error), _) => Err(error),
            (None, found) => Ok(Found { nodes, time, ..found }),
        }
    }
}

/// Iterations of rising depth, until a limit or a proof that more depth cannot improve.
fn deepen(
    worker: &mut Worker<'_>,
    position: &Position,
    request: &Request<'_>,
    control: &Control<'_>,
    root: &Root,
    mut progress: impl FnMut(&Found),
) -> Found {
    let mut found = Found {
        score: scored(evaluate(position), root.is_win),
        line: Vec::new(),
        depth: 0,
        nodes: 0,
        time: Duration::ZERO,
    };
    for depth in 1..=control.depth() {
        let finding = match depth {
            1 => worker.first_search(position, request.history),
            _ => worker.search(position, request.history, depth),
        };
        let Some(finding) = finding else { break };
        worker.report();
        found = Found {
            score: scored(finding, root.is_win),
            line: worker.line().to_vec(),
            depth,
            nodes: control.nodes(),
            time: control.elapsed(),
        };
        progress(&found);
        let is_settled = match found.score {
            Score::Proven(Proven::Win { within: None }) => !root.is_win,
            Score::Proven(proven) => proven.within().is_none_or(|plies| plies <= depth.into()),
            Score::Estimate(_) => false,
        };
        if is_settled || control.is_stopped() {
            break;
        }
    }
    worker.report();
    if found.depth == 0 {
        // Not even one ply could be searched in time: what was best so far, or else the largest capture.
        let moves = || legal_moves(worker.rules(), position).into_iter();
        let best = moves().filter(|mv| root.allows(mv)).max_by_key(|mv| mv.captured().count());
        found.line = match worker.line() {
            [] => best.into_iter().collect(),
            line => line.to_vec(),
        };
        progress(&found);
    }
    found
}

/// The score of the root, which tables may already know to be a win.
fn scored(finding: Finding, is_win: bool) -> Score {
    match finding.score() {
        Score::Estimate(_) if is_win => Score::Proven(Proven::Win { within: None }),
        score => score,
    }
}
