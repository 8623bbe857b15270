//! What a proof may use, and when to give up.

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Snapshot;
use super::leaves::Leaves;
use crate::canonical::Canonical;
use crate::position::Position;
use crate::tablebase::Tablebase;

/// What a proof may use besides the position, and when to give up.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Tables of the same rules: their positions are the leaves of the search.
    pub tables: Option<&'a Tablebase>,
    /// Positions to visit at most.
    pub nodes: Option<u64>,
    /// Time to spend at most.
    pub time: Option<Duration>,
    /// Ends the search when another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("has_tables", &self.tables.is_some())
            .field("nodes", &self.nodes)
            .field("time", &self.time)
            .finish_non_exhaustive()
    }
}

impl<'a> Request<'a> {
    /// The same with tables.
    #[must_use]
    pub fn with_tables(self, tables: Option<&'a Tablebase>) -> Request<'a> {
        Request { tables, ..self }
    }

    /// The same with this limit on the positions to visit.
    #[must_use]
    pub fn with_nodes(self, nodes: Option<u64>) -> Request<'a> {
        Request { nodes, ..self }
    }

    /// The same with this limit on the time.
    #[must_use]
    pub fn with_time(self, time: Option<Duration>) -> Request<'a> {
        Request { time, ..self }
    }

    /// The same with a flag that stops the search.
    #[must_use]
    pub fn with_stop(self, stop: &'a AtomicBool) -> Request<'a> {
        Request { stop: Some(stop), ..self }
    }
}

/// One position that is being solved.
pub(super) struct Task<'a, P> {
    pub position: &'a Position,
    pub canonical: Canonical,
    /// Plies that are left before the rules, or the search, take the game to be drawn.
    pub left: u16,
    pub request: &'a Request<'a>,
    pub leaves: Leaves<'a>,
    pub started: Instant,
    pub nodes: u64,
    pub progress: RefCell<P>,
}

impl<P> Task<'_, P> {
    /// Whether a limit was reached or the search was stopped.
    pub fn is_over(&self) -> bool {
        self.request.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.request.time.is_some_and(|time| self.started.elapsed() >= time)
            || self.request.nodes.is_some_and(|nodes| self.nodes >= nodes)
    }

    /// Stones of both sides.
    pub fn stones(&self) -> usize {
        self.canonical.own().count() + self.canonical.opponent().count()
    }
}

impl<P: FnMut(&Snapshot)> Task<'_, P> {
    /// Reports how far the search has come.
    pub fn report(&self, snapshot: &Snapshot) {
        (self.progress.borrow_mut())(snapshot);
    }
}
