//! A row: one placement of the row side, with all its columns as bits.

use crate::board::Bitboard;
use crate::index::{BitOps, Membership, PlainLayout, number_among};

/// A row of a layout whose stones have no states.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub layout: PlainLayout<'a>,
    pub number: u32,
    /// The points of the row side's stones.
    pub own: Bitboard,
    /// All other points.
    pub free: Bitboard,
    membership: &'a Membership,
    columns: &'a [u32],
}

impl<'a> Row<'a> {
    /// The row with this number.
    pub fn new(layout: PlainLayout<'a>, number: u32) -> Row<'a> {
        let own = layout.rows().placement(number);
        let (membership, columns) = (layout.membership(), layout.combinations());
        Row { layout, number, own, free: !own, membership, columns }
    }

    /// Words of the row.
    pub fn words(&self) -> usize {
        self.membership.words()
    }

    /// All columns.
    pub fn all(&self) -> &'a [u64] {
        self.membership.all()
    }

    /// No column.
    pub fn none(&self) -> &'a [u64] {
        self.membership.none()
    }

    /// The columns with a stone on `point`, a free one.
    #[inline]
    pub fn with(&self, point: Bitboard) -> &'a [u64] {
        columns_with(self.layout, self.free, point)
    }

    /// The points of the column side's stones in a column.
    #[inline(always)]
    pub fn occupied<B: BitOps>(&self, bits: B, column: usize) -> u32 {
        bits.deposit(self.columns[column].into(), self.free.bits().into()) as u32
    }
}

/// The columns with a stone on `point` in rows of `layout` that leave the points in `free`.
#[inline]
fn columns_with(layout: PlainLayout<'_>, free: Bitboard, point: Bitboard) -> &[u64] {
    layout.membership().of(number_among(free, point))
}

/// Sets `into` to the columns with stones on all of `has` and none of `lacks`, in rows of `layout` that leave
/// the points in `free`. Both must be free.
pub fn select(layout: PlainLayout<'_>, free: Bitboard, [has, lacks]: [Bitboard; 2], into: &mut Vec<u64>) {
    into.clear();
    into.extend_from_slice(layout.membership().all());
    for point in has.iter() {
        let with = columns_with(layout, free, Bitboard::of(point));
        into.iter_mut().zip(with).for_each(|(word, with)| *word &= with);
    }
    for point in lacks.iter() {
        let with = columns_with(layout, free, Bitboard::of(point));
        into.iter_mut().zip(with).for_each(|(word, with)| *word &= !with);
    }
}
