//! What bounds a search, and how it is told to end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::position::Position;
use crate::tablebase::{ProbeError, Tablebase};

/// The most plies that a search looks ahead, capture chains at the end not counted.
pub const MAX_DEPTH: u8 = 100;

/// When a search ends at the latest; it ends sooner once it has a proof that more depth cannot better. The first
/// iteration is always finished, so that there is a move to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plies to look ahead, at most [`MAX_DEPTH`].
    pub depth: Option<u8>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// Time to spend.
    pub time: Option<Duration>,
}

/// What a search may use besides the position, and when it ends.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// Tables of the same rules: where one exists it has the last word.
    pub tables: Option<&'a Tablebase>,
    /// The positions of the game before this one, oldest first. One that occurs again counts as a draw.
    pub history: &'a [Position],
    /// When to end.
    pub limits: Limits,
    /// Ends the search when another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

/// How many nodes are visited between two looks at clock and flags.
const CHECK_INTERVAL: u64 = 256;

/// What the threads of one search share.
pub(super) struct Control<'a> {
    request: &'a Request<'a>,
    started: Instant,
    stopped: AtomicBool,
    nodes: AtomicU64,
    error: Mutex<Option<ProbeError>>,
}

impl<'a> Control<'a> {
    pub fn new(request: &'a Request<'a>) -> Control<'a> {
        Control {
            request,
            started: Instant::now(),
            stopped: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            error: Mutex::new(None),
        }
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn depth(&self) -> u8 {
        self.request.limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH)
    }

    /// How many nodes a thread visits before it calls [`goes_on`](Self::goes_on) again.
    pub fn check_interval(&self) -> u64 {
        self.request.limits.nodes.map_or(CHECK_INTERVAL, |nodes| nodes.clamp(1, CHECK_INTERVAL))
    }

    /// Counts `nodes` more, and tells whether the search goes on.
    pub fn goes_on(&self, nodes: u64) -> bool {
        let limits = &self.request.limits;
        let visited = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let over = self.request.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || limits.nodes.is_some_and(|most| visited >= most)
            || limits.time.is_some_and(|most| self.elapsed() >= most);
        if over {
            self.stop();
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the search has been ended.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Ends the search because a table cannot be read.
    pub fn fail(&self, error: ProbeError) {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.stop();
    }

    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The error that ended the search, if one did.
    pub fn into_error(self) -> Option<ProbeError> {
        self.error.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
