//! A search that runs while the engine goes on listening.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::report::Info;
use crate::certificate::Certificates;
use crate::knowledge::{Effort, Knowledge};
use crate::moves::Move;
use crate::position::Position;
use crate::search::{Found, Limits, Searcher};

/// The output of the engine, written in whole lines.
pub(super) struct Voice<W>(Arc<Mutex<W>>);

impl<W> Clone for Voice<W> {
    fn clone(&self) -> Voice<W> {
        Voice(Arc::clone(&self.0))
    }
}

impl<W: Write> Voice<W> {
    pub fn new(output: W) -> Voice<W> {
        Voice(Arc::new(Mutex::new(output)))
    }

    /// Writes a line. If nobody reads it any more, the input is about to end, too.
    pub fn say(&self, line: impl std::fmt::Display) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }

    /// Reports an error.
    pub fn complain(&self, error: impl std::fmt::Display) {
        self.say(format_args!("info string error: {error}"));
    }
}

/// What to think about.
pub(super) struct Task {
    pub position: Position,
    pub history: Vec<Position>,
    /// The moves to choose from; all legal moves if it is empty.
    pub only: Vec<Move>,
    pub knowledge: Arc<Knowledge>,
    pub limits: Limits,
    /// When the command came: the time counts from then on.
    pub begun: Instant,
    /// The move is reported after a `stop` only.
    pub is_endless: bool,
}

/// A search on a thread of its own.
pub(super) struct Thinking {
    stop: Arc<AtomicBool>,
    is_endless: bool,
    thread: JoinHandle<Searcher>,
}

/// How long a search takes that cannot run on a thread of its own and has no limit.
const WITHOUT_THREAD: Duration = Duration::from_secs(1);

impl Thinking {
    /// Starts to think. The thread reports what it finds and, at the end, the best move.
    ///
    /// # Errors
    /// If the system lets no thread start. The searcher is lost then.
    pub fn start<W: Write + Send + 'static>(
        mut searcher: Searcher,
        task: Arc<Task>,
        voice: Voice<W>,
    ) -> io::Result<Thinking> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_endless = task.is_endless;
        let flag = Arc::clone(&stop);
        let work = move || {
            let best = think(&mut searcher, &task, task.limits, &flag, &voice);
            while task.is_endless && !flag.load(Ordering::Acquire) {
                thread::park();
            }
            say_best(best, &voice);
            searcher
        };
        let thread = thread::Builder::new().name("search".to_owned()).spawn(work)?;
        Ok(Thinking { stop, is_endless, thread })
    }

    /// Ends the search, which reports the best move so far. `None` if it has failed.
    pub fn stop(self) -> Option<Searcher> {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        self.thread.join().ok()
    }

    /// Waits for the end, or brings it about where there would be none.
    pub fn finish(self) -> Option<Searcher> {
        if self.is_endless { self.stop() } else { self.thread.join().ok() }
    }
}

/// Thinks where no thread can be started: the engine does not listen meanwhile, so that there is always a
/// limit.
pub(super) fn think_here<W: Write>(searcher: &mut Searcher, task: &Task, voice: &Voice<W>) {
    let mut limits = task.limits;
    if task.is_endless {
        limits.time = Some(WITHOUT_THREAD);
    }
    say_best(think(searcher, task, limits, &AtomicBool::new(false), voice), voice);
}

fn say_best<W: Write>(best: Option<Move>, voice: &Voice<W>) {
    match best {
        Some(best) => voice.say(format_args!("bestmove {best}")),
        None => voice.say("bestmove 0000"),
    }
}

/// The best move by what is known; if a table or certificate is damaged, by a search alone.
fn think<W: Write>(
    searcher: &mut Searcher,
    task: &Task,
    mut limits: Limits,
    stop: &AtomicBool,
    voice: &Voice<W>,
) -> Option<Move> {
    let nothing = Knowledge::new(task.knowledge.rules(), None, Certificates::default());
    let time = limits.time;
    for knowledge in [&*task.knowledge, &nothing] {
        limits.time = time.map(|time| time.saturating_sub(task.begun.elapsed()));
        let effort = Effort { limits, stop: Some(stop), only: &task.only };
        let progress = |found: &Found| voice.say(Info(found));
        match knowledge.choose(&task.position, &task.history, searcher, &effort, progress) {
            Ok(choice) => return choice.found.best(),
            Err(error) => voice.complain(error),
        }
    }
    None
}
