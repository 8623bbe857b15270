//! What the threads of a search share besides the table.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::hash::Question;
use crate::tablebase::ProbeError;

/// The number of plies for which a thread shows where it is working.
const SHOWN: usize = 128;

/// The line that a thread is working on: the fingerprint of the question at each ply.
struct Path([AtomicU64; SHOWN]);

/// Counts nodes and ends a search.
pub(super) struct Control<'a> {
    stop: Option<&'a AtomicBool>,
    most_nodes: u64,
    ended: AtomicBool,
    nodes: AtomicU64,
    paths: Vec<Path>,
    error: Mutex<Option<ProbeError>>,
}

impl<'a> Control<'a> {
    /// Nodes between two calls of [`goes_on`](Self::goes_on).
    pub const INTERVAL: u64 = 64;

    /// A control for `threads` threads. The search ends after `most_nodes`, or when `stop` is set.
    pub fn new(threads: usize, most_nodes: u64, stop: Option<&'a AtomicBool>) -> Control<'a> {
        let path = || Path([const { AtomicU64::new(0) }; SHOWN]);
        Control {
            stop,
            most_nodes,
            ended: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            paths: std::iter::repeat_with(path).take(threads).collect(),
            error: Mutex::new(None),
        }
    }

    /// Counts nodes; returns whether to go on.
    pub fn goes_on(&self, nodes: u64) -> bool {
        let nodes = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let stopped = self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if stopped || nodes > self.most_nodes {
            self.end();
        }
        !self.ended.load(Ordering::Relaxed)
    }

    /// Ends the search of all threads.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Ends the search because of `error`.
    pub fn fail(&self, error: ProbeError) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.end();
    }

    /// Nodes visited by all threads, up to the last report of each.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Why the search failed, if it did.
    pub fn take_error(&self) -> Option<ProbeError> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Shows the others where a thread is.
    #[inline]
    pub fn enter(&self, thread: usize, ply: usize, question: Question) {
        if let Some(shown) = self.paths[thread].0.get(ply) {
            shown.store(question.fingerprint(), Ordering::Relaxed);
        }
    }

    /// Whether another thread was last seen at this question at this ply.
    #[inline]
    pub fn is_busy(&self, thread: usize, ply: usize, question: Question) -> bool {
        self.paths.len() > 1
            && self.paths.iter().enumerate().any(|(number, path)| {
                number != thread
                    && path
                        .0
                        .get(ply)
                        .is_some_and(|shown| shown.load(Ordering::Relaxed) == question.fingerprint())
            })
    }
}
