//! Places in the layout of a pair.

use std::ops::Range;

use super::slots::Slots;
use crate::board::Bitboard;

/// Where a position stands in the layout of its pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The row.
    pub row: u32,
    /// The entry within the row.
    pub offset: u64,
}

/// The row side's part of a location: its row, the symmetry that leads there, and its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowTarget {
    /// The row.
    pub row: u32,
    pub(super) symmetry: u8,
    /// The row's own placement.
    pub(super) placement: Bitboard,
    /// The number of the row side's states, and how many there are.
    pub(super) code: u32,
    pub(super) count: u32,
}

impl RowTarget {
    /// The row.
    #[inline]
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Whether the arrangement is the row's own: columns keep their points.
    #[inline]
    pub fn is_own(&self) -> bool {
        self.symmetry == 0
    }
}

/// A run of whole rows that one thread works on.
#[derive(Clone, Debug)]
pub struct RowBlock {
    /// The rows.
    pub rows: Range<u32>,
    /// Their entries.
    pub entries: Range<u64>,
}

/// An arrangement of the column side in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The stones and their states.
    pub slots: Slots,
    /// The points of the stones.
    pub occupied: Bitboard,
    /// The entry within the row for the row side's first states.
    pub(super) offset: u64,
    /// The number of entries from one state of the row side to the next.
    pub(super) stride: u32,
}

impl Column {
    /// The entry within the row when the row side has the states with this number.
    #[inline]
    pub fn offset(&self, code: u32) -> u64 {
        self.offset + u64::from(code) * u64::from(self.stride)
    }
}
