//! Progress reports and the wish to stop.

use std::sync::atomic::{AtomicBool, Ordering};

use super::GenerateError;
use crate::material::Material;
use crate::table::SliceSummary;

/// Who wants to know how the work goes. Calls come from any thread; every method may be left as it is.
pub trait Progress: Sync {
    /// Work on a pair begins; its slices have `entries` entries together.
    fn pair_started(&self, _materials: &[Material], _entries: u64) {}
    /// What is done now: "captures", "pass 7", "writing 3v2.wdl".
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
    /// Whether the work should end early. What was computed since must not be used.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// An error if the work should end early.
    pub fn check(&self) -> Result<(), GenerateError> {
        if self.stopped() { Err(GenerateError::Stopped) } else { Ok(()) }
    }
}
