//! The row in work: one placement of the row side, with all columns as bits.

use std::ops::Range;

use crate::board::Bitboard;
use crate::index::{BitOps, Membership, Mover, PlainLayout, number_among};
use crate::rules::SideGeometry;
use crate::solve::values::Part;

/// A row of a layout whose stones have no states, in the arrays of a part of the pair.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub layout: PlainLayout<'a>,
    pub part: &'a Part,
    pub number: u32,
    /// Its slot in the part.
    pub slot: u32,
    /// The row side's placement, and the points that it leaves.
    pub own: Bitboard,
    pub free: Bitboard,
    pub membership: &'a Membership,
    pub combinations: &'a [u32],
}

impl<'a> Row<'a> {
    /// The row in this slot of a part.
    pub fn new(layout: PlainLayout<'a>, part: &'a Part, slot: u32) -> Row<'a> {
        let number = part.row(slot);
        let own = layout.rows().placement(number);
        let (membership, combinations) = (layout.membership(), layout.combinations());
        Row { layout, part, number, slot, own, free: !own, membership, combinations }
    }

    /// The words of the row in the tables of the part.
    pub fn words(&self) -> Range<usize> {
        let words = self.membership.words();
        let first = self.slot as usize * words;
        first..first + words
    }

    /// The number of the row's first entry in the part.
    pub fn first_entry(&self) -> u64 {
        u64::from(self.slot) * self.combinations.len() as u64
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
