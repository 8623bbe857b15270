//! Progress reports and the request to stop, handed down together.

use std::sync::atomic::{AtomicBool, Ordering};

use super::GenerateError;
use crate::progress::{Progress, Stage};

/// Progress and the flag that asks to stop.
#[derive(Clone, Copy)]
pub struct Monitor<'a> {
    pub progress: &'a dyn Progress,
    pub stop: &'a AtomicBool,
}

impl Monitor<'_> {
    /// Reports that a stage begins.
    pub fn stage(&self, stage: Stage) {
        self.progress.stage(stage);
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
