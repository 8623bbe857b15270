//! Finding many columns quickly.

use super::bits::BitOps;
use super::colex::HalvesTable;
use super::images::PointImages;
use super::location::Location;
use super::rows::{RowRef, Rows};
use super::slots::SlotMaps;
use crate::board::{Bitboard, SymmetryGroup};

/// Finds columns in one row by the points of their stones.
#[derive(Clone, Copy)]
pub(crate) struct ColumnAddress<'a> {
    images: Option<&'a PointImages>,
    free: u64,
    halves: &'a HalvesTable,
}

impl<'a> ColumnAddress<'a> {
    /// For a row whose own placement leaves these points free. Columns are given before the symmetry that
    /// maps points to `images`, if there is one.
    pub(super) fn new(images: Option<&'a PointImages>, free: Bitboard, halves: &'a HalvesTable) -> Self {
        ColumnAddress { images, free: free.bits().into(), halves }
    }

    /// The number of the column with stones on these points.
    #[inline(always)]
    pub fn offset<B: BitOps>(&self, bits: B, occupied: u32) -> u32 {
        let occupied = self.images.map_or(occupied, |images| images.apply(occupied));
        self.halves.rank(bits.extract(occupied.into(), self.free) as u32)
    }
}

/// Finds positions after the sides have swapped roles: every column becomes a row, and the placement of the
/// old row becomes a column.
pub(crate) struct TurnedAddress<'a> {
    slots: &'a SlotMaps,
    rows: &'a Rows,
    halves: &'a HalvesTable,
    /// The old row, turned, by the symmetry of the row that the column becomes.
    columns: [u32; SymmetryGroup::Square.order()],
}

impl<'a> TurnedAddress<'a> {
    /// For a placement of what was the row side, in the layout with these tables.
    pub(super) fn new(slots: &'a SlotMaps, rows: &'a Rows, halves: &'a HalvesTable, row: Bitboard) -> Self {
        let mut columns = [0; SymmetryGroup::Square.order()];
        for (symmetry, column) in columns.iter_mut().enumerate().take(slots.symmetry_count()) {
            *column = slots.points_image(symmetry, row.rotated()).bits();
        }
        TurnedAddress { slots, rows, halves, columns }
    }

    /// Where the position stands in which these points were the column.
    #[inline(always)]
    pub fn location<B: BitOps>(&self, bits: B, column: u32) -> Location {
        let (_, found, own) = self.row(column);
        self.location_by(bits, found, own)
    }

    /// Calls `visit` with every place where the position stands in which these points were the column: a
    /// symmetric row holds it more than once.
    #[inline(always)]
    pub fn each_location<B: BitOps>(&self, bits: B, column: u32, mut visit: impl FnMut(Location)) {
        let (turned, found, own) = self.row(column);
        visit(self.location_by(bits, found, own));
        if found.is_symmetric {
            for symmetry in 0..self.slots.symmetry_count() {
                let image = self.slots.point_images(symmetry).apply(turned);
                if symmetry != usize::from(found.symmetry) && image == own {
                    visit(self.location_by(bits, RowRef { symmetry: symmetry as u8, ..found }, own));
                }
            }
        }
    }

    /// The old column, turned, with the row that it becomes and that row's placement.
    #[inline(always)]
    fn row(&self, column: u32) -> (u32, RowRef, u32) {
        let turned = Bitboard::new(column).rotated();
        let found = self.rows.find(turned);
        (turned.bits(), found, self.slots.point_images(found.symmetry.into()).apply(turned.bits()))
    }

    /// The place in a row, whose own placement is `own`, by one of the symmetries that lead there.
    #[inline(always)]
    fn location_by<B: BitOps>(&self, bits: B, found: RowRef, own: u32) -> Location {
        let free = Bitboard::new(!own).bits();
        let column = self.columns[usize::from(found.symmetry) % self.columns.len()];
        let offset = self.halves.rank(bits.extract(column.into(), free.into()) as u32);
        Location { row: found.row, offset: offset.into() }
    }
}
