//! The values of a table as a pass may read them.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::solve::values::Cell;

/// The values of a table; positions in `hidden` count as open.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    pub cells: &'a [Cell],
    pub hidden: Option<&'a [AtomicU64]>,
}

impl<'a> Values<'a> {
    /// All values of a table.
    pub fn all(cells: &'a [Cell]) -> Values<'a> {
        Values { cells, hidden: None }
    }

    pub fn slice(self, words: Range<usize>) -> Values<'a> {
        Values { cells: &self.cells[words.clone()], hidden: self.hidden.map(|hidden| &hidden[words]) }
    }

    /// What is won and what is lost in a word.
    #[inline(always)]
    pub fn get(self, word: usize) -> (u64, u64) {
        let bits = self.cells[word].bits();
        let shown = self.hidden.map_or(u64::MAX, |hidden| !hidden[word].load(Relaxed));
        (bits.wins() & shown, bits.losses() & shown)
    }
}
