//! Search above the tables: what to play where no table reaches.
//!
//! An alpha-beta search that looks one ply further at a time. Tables, where there are some, have the last word on
//! the positions they cover; a [`Score`] says whether it is proven or an estimate.
//!
//! ```
//! use alquerque::position::Position;
//! use alquerque::rules::CLASSIC;
//! use alquerque::search::{Limits, Request, Score, Searcher};
//! use alquerque::tablebase::Tablebase;
//!
//! let tables = Tablebase::open("tables", &CLASSIC)?;
//! let position = Position::parse(&CLASSIC, "bbbbb/5/2b2/1w3/wwww1 w")?;
//! let limits = Limits { depth: Some(8), ..Limits::default() };
//! let request = Request { tables: Some(&tables), limits, ..Request::default() };
//! let found = Searcher::new(&CLASSIC, 16 << 20).search(&position, &request, |_| {})?;
//! match found.score {
//!     Score::Proven(proven) => println!("a {} for certain", proven.value()),
//!     Score::Estimate(hundredths) => println!("looks like {hundredths} hundredths of a stone"),
//! }
//! assert_eq!(found.best(), found.line.first().copied());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Draws by repetition.** Within the search a position that occurred before, in the game or on the line that is
//! searched, counts as a draw. Such a score holds on its line only and is an estimate: it never becomes a proof. A
//! proof of a win is none the worse for it: no line of it repeats a position. **Ply counters** are part of the
//! position, so what they decide is proven. A proof is about the position alone: that a line of it may
//! repeat a position of the game is not looked at.

mod evaluate;
mod hash;
mod limits;
mod order;
mod score;
mod worker;

pub use limits::{Limits, MAX_DEPTH, Request};
pub use score::{Proven, Score};

use std::thread;
use std::time::Duration;

use crate::moves::{Move, has_legal_move};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::{ProbeError, RankedMove, Tablebase, covered};
use hash::HashTable;
use limits::Control;
use score::Finding;
use worker::Worker;

/// What a search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// What the position is worth to the side to move.
    pub score: Score,
    /// The best line of play found, the move to play first; empty when the game is over.
    pub line: Vec<Move>,
    /// Plies looked ahead; 0 when the answer needed no search.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
}

impl Found {
    /// The move to play; `None` when the game is over.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }

    /// Positions visited in a second.
    pub fn nodes_per_second(&self) -> u64 {
        (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64
    }
}

/// Searches positions of one rule set and remembers what it has seen.
pub struct Searcher {
    rules: &'static Rules,
    hash: HashTable,
    threads: usize,
}

impl Searcher {
    /// A searcher with one thread that keeps what it has seen in `bytes` bytes of memory.
    pub fn new(rules: &'static Rules, bytes: u64) -> Searcher {
        Searcher { rules, hash: HashTable::new(bytes), threads: 1 }
    }

    /// The same with so many threads, one at least.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Searcher {
        self.threads = threads.max(1);
        self
    }

    /// Forgets what it has seen, so that the next search is as the first.
    pub fn forget(&mut self) {
        self.hash.clear();
    }

    /// The rules of the positions it can search.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Looks for the best move of `position`. `progress` is told what is known after every iteration.
    ///
    /// Where the tables cover the position and all that its moves lead to, they are the answer: its best line in
    /// the order of [`Tablebase::ranked_moves`]. If they know of a win but of no distance, the search looks for
    /// the way among the moves that keep the win. The draw by a position that has occurred three times is not
    /// looked at: whoever keeps the game knows it.
    ///
    /// # Errors
    /// [`ProbeError`] when the position does not fit the rules or a table is damaged.
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
        let ranked = match request.tables {
            Some(tables) => covered(tables.ranked_moves(position))?.map(|ranked| (tables, ranked)),
            None => None,
        };
        let mut root_moves = Vec::new();
        if let Some((tables, ranked)) = ranked
            && let Some(best) = ranked.first()
        {
            if best.verdict.value != Value::Win || has_distance(best) {
                let line = best_line(tables, position)?;
                let found = at_once(Score::Proven(best.verdict.into()), line);
                progress(&found);
                return Ok(found);
            }
            let wins = ranked.iter().filter(|ranked| ranked.verdict.value == Value::Win);
            root_moves.extend(wins.map(|ranked| ranked.mv));
        }
        self.hash.age();
        let hash = &self.hash;
        let worker = || Worker::new(rules, request, &root_moves, hash, &control);
        let found = thread::scope(|scope| {
            for _ in 1..self.threads {
                scope.spawn(|| {
                    let mut worker = worker();
                    for depth in 1..=MAX_DEPTH {
                        if worker.search(position, request.history, depth).is_none() {
                            break;
                        }
                    }
                    worker.report();
                });
            }
            let found = deepen(&mut worker(), position, request, &control, !root_moves.is_empty(), progress);
            control.stop();
            found
        });
        let time = control.elapsed();
        let nodes = control.nodes();
        match (control.into_error(), found) {
            (Some(error), _) => Err(error),
            (None, found) => Ok(Found { nodes, time, ..found }),
        }
    }
}

/// Iterations of rising depth, until a limit or a proof that more depth cannot better.
fn deepen(
    worker: &mut Worker<'_>,
    position: &Position,
    request: &Request<'_>,
    control: &Control<'_>,
    is_win: bool,
    mut progress: impl FnMut(&Found),
) -> Found {
    let unknown = Score::Estimate(0);
    let mut found = Found { score: unknown, line: Vec::new(), depth: 0, nodes: 0, time: Duration::ZERO };
    for depth in 1..=control.depth() {
        let finding = match depth {
            1 => worker.first_search(position, request.history),
            _ => worker.search(position, request.history, depth),
        };
        let Some(finding) = finding else { break };
        worker.report();
        found = Found {
            score: scored(finding, is_win),
            line: worker.line().to_vec(),
            depth,
            nodes: control.nodes(),
            time: control.elapsed(),
        };
        progress(&found);
        let settled = match found.score {
            Score::Proven(Proven::Win { within: None }) => !is_win,
            Score::Proven(proven) => proven.within().is_none_or(|plies| plies <= depth.into()),
            Score::Estimate(_) => false,
        };
        if settled || control.is_stopped() {
            break;
        }
    }
    worker.report();
    found
}

/// The score of the root, of which tables may know already that it is a win.
fn scored(finding: Finding, is_win: bool) -> Score {
    match finding.score() {
        Score::Estimate(_) if is_win => Score::Proven(Proven::Win { within: None }),
        score => score,
    }
}

fn has_distance(ranked: &RankedMove) -> bool {
    ranked.verdict.dtw.is_some() || ranked.verdict.dtc.is_some()
}

/// The line of best play from a position for which all tables are there.
fn best_line(tables: &Tablebase, position: &Position) -> Result<Vec<Move>, ProbeError> {
    let line = tables.main_line(position)?;
    Ok(line.moves.iter().map(|ranked| ranked.mv).collect())
}
