//! The row in work: one placement of the row side, with all columns as bits.

use std::ops::Range;

use crate::board::Bitboard;
use crate::index::{BitOps, Membership, Mover, PlainLayout, number_among};
use crate::rules::SideGeometry;

/// A row of a layout whose stones have no states.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub layout: PlainLayout<'a>,
    pub number: u32,
    /// The row side's placement, and the points that it leaves.
    pub own: Bitboard,
    pub free: Bitboard,
    pub membership: &'a Membership,
    pub combinations: &'a [u32],
}

impl<'a> Row<'a> {
    /// The row with this number.
    pub fn new(layout: PlainLayout<'a>, number: u32) -> Row<'a> {
        let own = layout.rows().placement(number);
        let (membership, combinations) = (layout.membership(), layout.combinations());
        Row { layout, number, own, free: !own, membership, combinations }
    }

    /// The words of the row in tables of its pair.
    pub fn words(&self) -> Range<usize> {
        self.layout.first_word(self.number)..self.layout.first_word(self.number + 1)
    }

    /// The number of the row's first entry.
    pub fn first_entry(&self) -> u64 {
        self.layout.first_entry(self.number)
    }

    /// The columns with a stone on `point`, a free one.
    #[inline]
    pub fn columns_with(&self, point: Bitboard) -> &'a [u64] {
        self.membership.of(number_among(self.free, point))
    }

    /// The points of the column side's stones in a column.
    #[inline(always)]
    pub fn occupied<B: BitOps>(&self, bits: B, column: usize) -> u32 {
        bits.deposit(self.combinations[column].into(), self.free.bits().into()) as u32
    }

    /// How the stones of `mover` may move.
    pub fn geometry(&self, mover: Mover) -> &'static SideGeometry {
        self.layout.geometry(mover)
    }
}
