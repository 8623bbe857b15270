//! A search that runs while the engine goes on listening.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::report::Info;
use crate::position::Position;
use crate::search::{Found, Limits, Request, Searcher};
use crate::tablebase::Tablebase;

/// Where the engine speaks, whole lines at a time.
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

    /// Says a line. If nobody listens any more, the input is about to end too.
    pub fn say(&self, line: impl std::fmt::Display) {
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }

    /// Says what is wrong.
    pub fn complain(&self, error: impl std::fmt::Display) {
        self.say(format_args!("info string error: {error}"));
    }
}

/// What to think about.
pub(super) struct Task {
    pub position: Position,
    pub history: Vec<Position>,
    pub tables: Option<Arc<Tablebase>>,
    pub limits: Limits,
    /// The move is told after a `stop` only.
    pub is_endless: bool,
}

/// A search on its own thread.
pub(super) struct Thinking {
    stop: Arc<AtomicBool>,
    is_endless: bool,
    thread: JoinHandle<Searcher>,
}

impl Thinking {
    /// Starts to think; the thread says what it finds and, at the end, the best move.
    pub fn start<W: Write + Send + 'static>(mut searcher: Searcher, task: Task, voice: Voice<W>) -> Thinking {
        let stop = Arc::new(AtomicBool::new(false));
        let is_endless = task.is_endless;
        let flag = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let best = think(&mut searcher, &task, &flag, &voice).and_then(|found| found.best());
            while task.is_endless && !flag.load(Ordering::Acquire) {
                thread::park();
            }
            match best {
                Some(best) => voice.say(format_args!("bestmove {best}")),
                None => voice.say("bestmove 0000"),
            }
            searcher
        });
        Thinking { stop, is_endless, thread }
    }

    /// Ends the thinking, which tells the best move so far. `None` when it has come to grief.
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

/// Searches; should a table be damaged, again without tables.
fn think<W: Write>(
    searcher: &mut Searcher,
    task: &Task,
    stop: &AtomicBool,
    voice: &Voice<W>,
) -> Option<Found> {
    for tables in [task.tables.as_deref(), None] {
        let (history, limits) = (&task.history[..], task.limits);
        let request = Request { tables, history, limits, stop: Some(stop) };
        match searcher.search(&task.position, &request, |found| voice.say(Info(found))) {
            Ok(found) => return Some(found),
            Err(error) => voice.complain(error),
        }
    }
    None
}
