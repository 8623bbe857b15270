//! What bounds a search, and how it is stopped.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use web_time::Instant;

use crate::moves::Move;
use crate::position::Position;
use crate::tablebase::{ProbeError, Tablebase};

/// The most plies that a search looks ahead, not counting capture chains at the end.
pub const MAX_DEPTH: u8 = 100;

/// When a search ends at the latest. It ends sooner once it has a proof that more depth cannot improve.
///
/// There is always a move to play: if even the first ply cannot be searched in time, it is one that looks
/// good without any search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// Plies to look ahead, at most [`MAX_DEPTH`].
    pub depth: Option<u8>,
    /// Positions to visit.
    pub nodes: Option<u64>,
    /// Time to spend. It is kept to within a few milliseconds.
    pub time: Option<Duration>,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits { depth: None, nodes: None, time: None };

    /// Look `depth` plies ahead.
    pub const fn depth(depth: u8) -> Limits {
        Limits { depth: Some(depth), ..Limits::NONE }
    }

    /// Visit `nodes` positions.
    pub const fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::NONE }
    }

    /// Spend `time`.
    pub const fn time(time: Duration) -> Limits {
        Limits { time: Some(time), ..Limits::NONE }
    }

    /// The same, and at most `nodes` positions.
    #[must_use]
    pub const fn and_nodes(self, nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..self }
    }
}

/// What a search may use besides the position, and when it ends.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct Request<'a> {
    /// Tables of the same rules: their values are final.
    pub tables: Option<&'a Tablebase>,
    /// The positions of the game before this one, oldest first. One that occurs again counts as a draw.
    pub history: &'a [Position],
    /// The moves to choose from; all legal moves if it is empty.
    pub only: &'a [Move],
    /// When to end.
    pub limits: Limits,
    /// Ends the search when another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

impl std::fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("has_tables", &self.tables.is_some())
            .field("history", &self.history)
            .field("only", &self.only)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl<'a> Request<'a> {
    /// A request with these limits and nothing else.
    pub fn within(limits: Limits) -> Request<'a> {
        Request { limits, ..Request::default() }
    }

    /// The same with tables.
    #[must_use]
    pub fn with_tables(self, tables: Option<&'a Tablebase>) -> Request<'a> {
        Request { tables, ..self }
    }

    /// The same after these positions of the game, oldest first.
    #[must_use]
    pub fn with_history(self, history: &'a [Position]) -> Request<'a> {
        Request { history, ..self }
    }

    /// The same with these moves to choose from.
    #[must_use]
    pub fn with_only(self, only: &'a [Move]) -> Request<'a> {
        Request { only, ..self }
    }

    /// The same with a flag that stops the search.
    #[must_use]
    pub fn with_stop(self, stop: &'a AtomicBool) -> Request<'a> {
        Request { stop: Some(stop), ..self }
    }
}

/// How many nodes are visited between two looks at the clock and the flags.
const CHECK_INTERVAL: u64 = 64;
/// How long a search that has no move yet may continue after it was asked to end.
const GRACE: Duration = Duration::from_millis(2);
/// Positions that tables may be asked about before the search, at least, if nodes are limited.
const LEAST_PROBES: u64 = 1024;

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

    /// Counts `nodes` more. Returns whether the search goes on.
    pub fn goes_on(&self, nodes: u64) -> bool {
        let visited = self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes;
        let limit = self.request.limits.nodes;
        if limit.is_some_and(|most| visited >= most) || self.is_late(Duration::ZERO) {
            self.stop();
        }
        !self.stopped.load(Ordering::Relaxed)
    }

    /// Whether even an iteration that has to find the first move must end now.
    pub fn must_end(&self) -> bool {
        self.is_late(GRACE)
    }

    /// Whether somebody wants the search to end, or its time has been up for `grace`.
    fn is_late(&self, grace: Duration) -> bool {
        let stop = self.request.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let allowed = if stop { Some(Duration::ZERO) } else { self.request.limits.time };
        allowed.is_some_and(|allowed| self.elapsed() >= allowed.saturating_add(grace))
    }

    /// Says whether tables may look at one more position before the search begins. They may use `share`
    /// hundredths of the time.
    pub fn probes(&self, share: u32) -> impl FnMut() -> bool {
        let most = self.request.limits.nodes.map_or(u64::MAX, |nodes| nodes.max(LEAST_PROBES));
        let end = self.request.limits.time.map(|time| time.saturating_mul(share) / 100);
        let mut probes = 0;
        move || {
            probes += 1;
            probes <= most && !self.is_late(Duration::ZERO) && end.is_none_or(|end| self.elapsed() < end)
        }
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
