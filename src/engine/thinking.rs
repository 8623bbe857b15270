//! A search that runs while the engine goes on listening.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::report::Info;
use crate::certificate::Certificates;
use crate::position::Position;
use crate::search::{Found, Limits, Proven, Request, Score, Searcher};
use crate::table::Value;
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
    pub certificates: Arc<Certificates>,
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

/// The proven reply of a certificate, where tables do not reach.
fn by_certificate<W: Write>(task: &Task, voice: &Voice<W>) -> Option<Found> {
    let covered = task.tables.as_ref().is_some_and(|tables| tables.probe_value(&task.position).is_ok());
    if covered {
        return None;
    }
    let answer = match task.certificates.reply(&task.position) {
        Ok(answer) => answer?,
        Err(error) => {
            voice.complain(error);
            return None;
        }
    };
    let proven = match answer.value {
        Value::Win => Proven::Win { within: None },
        Value::Draw => Proven::Draw,
        Value::Loss => return None,
    };
    let time = std::time::Duration::ZERO;
    let found = Found { score: Score::Proven(proven), line: vec![answer.mv], depth: 0, nodes: 0, time };
    voice.say(Info(&found));
    Some(found)
}

/// Plays by a certificate or searches; should a table be damaged, again without tables.
fn think<W: Write>(
    searcher: &mut Searcher,
    task: &Task,
    stop: &AtomicBool,
    voice: &Voice<W>,
) -> Option<Found> {
    if let Some(found) = by_certificate(task, voice) {
        return Some(found);
    }
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
