//! Studies: what whole slices hold. Mutual zugzwangs, positions with a single good move, the longest wins,
//! figures of a slice; all of them, the first ones, or a random sample.
//!
//! A scan reads the tables of a slice from front to back, on all threads. What it needs to know about the
//! positions that moves lead to it takes from the slice of the other side, which it holds in memory, two bits
//! a position.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use alquerque::rules::CLASSIC;
//! use alquerque::study::{Motif, Quantity, Query, mine};
//! use alquerque::tablebase::Tablebase;
//!
//! let tables = Tablebase::open("tables", &CLASSIC)?;
//! let query = Query { quantity: Quantity::First(3), ..Query::new(Motif::Zugzwang) };
//! let stop = AtomicBool::new(false);
//! let mut found = Vec::new();
//! mine(&tables, "2v2".parse()?, &query, &(), &stop, |study| found.push(study))?;
//! assert_eq!(found.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod condition;
mod mine;
mod motif;
mod sample;
mod scan;
mod sheet;
mod stats;
mod values;
mod walk;

pub use condition::{Condition, ParseConditionError, parse_conditions};
pub use mine::{Quantity, Query, Study, mine};
pub use motif::Motif;
pub use sample::Sampler;
pub use sheet::{html_sheet, svg_sheet};
pub use stats::{Histogram, Stats, stats};

use std::sync::atomic::{AtomicBool, Ordering};

use crate::progress::Progress;
use crate::table::TableError;
use crate::tablebase::ProbeError;

/// Why a study came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A table is missing or damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// Another thread aborted it.
    #[error("stopped")]
    Stopped,
}

impl From<TableError> for StudyError {
    fn from(error: TableError) -> StudyError {
        StudyError::Probe(error.into())
    }
}

/// Whom to tell how far a scan is, and who may abort it.
#[derive(Clone, Copy)]
pub(crate) struct Monitor<'a> {
    pub progress: &'a dyn Progress,
    pub stop: &'a AtomicBool,
}

impl Monitor<'_> {
    pub fn check(&self) -> Result<(), StudyError> {
        if self.stop.load(Ordering::Relaxed) { Err(StudyError::Stopped) } else { Ok(()) }
    }
}
