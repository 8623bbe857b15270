//! What all pairs of a run need, and what they leave for larger ones.

use std::collections::BTreeMap;
use std::path::Path;

use super::rows::RowFile;
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{PairWork, Part, Room, Slices};
use crate::storage::Storage;

/// Where a run keeps what it needs only until it ends, and whatever else all of its pairs need.
pub struct Context<'a> {
    pub index: &'a Index,
    pub storage: &'a dyn Storage,
    /// The folder for intermediate files.
    pub folder: &'a Path,
    pub monitor: Monitor<'a>,
    /// Nothing is held in memory.
    pub slices: &'a Slices,
    pub room: &'a Room,
}

/// The values of the finished slices that larger pairs need.
pub type Finished<'a> = BTreeMap<Material, RowFile<'a>>;

impl<'a> Context<'a> {
    /// A part of a pair in memory, with nothing decided.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn work(&self, pair: Pair, part: Part) -> Result<PairWork<'a>, GenerateError> {
        PairWork::of_part(self.index, pair, self.slices, self.room, part)
    }
}
