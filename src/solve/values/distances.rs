//! Distances in work: two bytes a position.

use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use crate::index::each_bit;
use crate::region::Region;
use crate::solve::GenerateError;

/// A distance that is not known yet, or that does not exist because the position is a draw.
pub const UNKNOWN: u16 = u16::MAX;

/// Distances by entry, in plies. They are stored as complements, so that fresh memory means "unknown".
pub struct Distances(Region<AtomicU16>);

impl Distances {
    /// All unknown.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn new(entries: u64) -> Result<Distances, GenerateError> {
        let region =
            Region::new(entries as usize).map_err(GenerateError::allocation::<AtomicU16>(entries))?;
        Ok(Distances(region))
    }

    /// Those of both tables of a pair, all unknown.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn of_both(entries: u64) -> Result<[Distances; 2], GenerateError> {
        Ok([Distances::new(entries)?, Distances::new(entries)?])
    }

    /// The distance of `entry`.
    #[inline]
    pub fn get(&self, entry: u64) -> u16 {
        !self.0[entry as usize].load(Relaxed)
    }

    /// Sets the distance of `entry`.
    #[inline]
    pub fn set(&self, entry: u64, distance: u16) {
        self.0[entry as usize].store(!distance, Relaxed);
    }

    /// Sets the distance of the entries from `first` on whose bit is set.
    #[inline]
    pub fn set_each(&self, first: u64, bits: u64, distance: u16) {
        each_bit(bits, |bit| self.set(first + u64::from(bit), distance));
    }

    /// The largest known distance, 0 if there is none.
    pub fn longest(&self) -> u16 {
        let distances = self.0.iter().map(|distance| !distance.load(Relaxed));
        distances.filter(|&distance| distance != UNKNOWN).max().unwrap_or(0)
    }
}
