//! Memory that passes from one pair to the next.

use std::sync::{Mutex, PoisonError};

use super::cells::Cell;
use super::frontier::SpareLists;
use crate::index::PairLayout;
use crate::region::{Arena, Region};
use crate::solve::GenerateError;

/// Where the memory for pairs comes from.
#[derive(Default)]
pub struct Room {
    cells: Mutex<Arena>,
    /// Lists of positions that no pair uses now.
    pub lists: SpareLists,
}

impl Room {
    /// For pairs with these layouts, where there is enough memory: small tables share large pages, and what
    /// only a pair in work needs is kept for the next one. The default takes and gives back each array by
    /// itself.
    pub fn for_pairs<'a>(layouts: impl Iterator<Item = &'a PairLayout>) -> Room {
        Room { cells: Mutex::new(Arena::of_pieces()), lists: SpareLists::for_pairs(layouts) }
    }

    /// The values of a table of so many words, all open.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn cells(&self, words: u64) -> Result<Region<Cell>, GenerateError> {
        let mut arena = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        arena.region(words as usize).map_err(GenerateError::allocation::<Cell>(words))
    }
}
