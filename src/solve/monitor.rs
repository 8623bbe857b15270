//! Progress reports and the wish to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use super::GenerateError;
use crate::material::{Material, Pair};
use crate::table::SliceSummary;

/// Who wants to know how the work goes. Calls come from any thread; every method may be left as it is.
pub trait Progress: Sync {
    /// Work on a pair begins; its slices have `entries` entries together.
    fn pair_started(&self, _materials: &[Material], _entries: u64) {}
    /// What is done now: "3v2: captures", "3v2: pass 7", "3v2: writing 3v2.wdl and 2v3.wdl". Several pairs may be in work.
    fn stage(&self, _text: &str) {}
    /// This many more entries are done.
    fn advanced(&self, _entries: u64) {}
    /// A slice is on disk; it was there before if `kept`.
    fn slice_done(&self, _summary: &SliceSummary, _kept: bool) {}
}

impl Progress for () {}

/// Progress and the flag that asks to stop, handed down together.
#[derive(Clone, Copy)]
pub struct Monitor<'a> {
    pub progress: &'a dyn Progress,
    pub stop: &'a AtomicBool,
}

impl Monitor<'_> {
    /// Tells what is done now for `pair`.
    pub fn stage(&self, pair: Pair, what: &str) {
        self.progress.stage(&format!("{pair}: {what}"));
    }

    /// Whether the work should end early. What was computed since must not be used.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error if the work should end early.
    pub fn check(&self) -> Result<(), GenerateError> {
        if self.stopped() { Err(GenerateError::Stopped) } else { Ok(()) }
    }
}
