//! How columns of the row in work correspond to columns of another row.

use std::ops::Range;

use super::mask::Condition;
use crate::board::Bitboard;
use crate::index::{BitOps, ColumnAddress, PlainLayout, RowTarget};

/// Where the columns of the row in work that meet a condition go: to one row, which may be the same.
pub struct Route<'a> {
    layout: PlainLayout<'a>,
    target: RowTarget,
    address: ColumnAddress<'a>,
    /// The points that the target row leaves free, before the symmetry that makes it its own.
    free: Bitboard,
    /// What happens to the column side's stones.
    remove: Bitboard,
    add: Bitboard,
    /// The columns that go.
    pub domain: Condition,
    /// The columns of the target row at which they arrive, before the symmetry.
    image: Condition,
    /// The slot of the target row, and its first word and entry in the part.
    pub slot: u32,
    pub first_word: usize,
    pub first_entry: u64,
}

impl<'a> Route<'a> {
    /// The route to the row of `target` in `layout`, which has this `slot` in what is held of its table. Its
    /// placement before any symmetry is `placement`. The columns in `domain` lose the stones on `remove` and gain those on `add`; the points in `vacated`
    /// are then free of the column side's stones.
    pub fn new(
        layout: PlainLayout<'a>,
        (target, slot): (RowTarget, u32),
        placement: Bitboard,
        [remove, add, vacated]: [Bitboard; 3],
        domain: Condition,
    ) -> Route<'a> {
        let address = layout.address(&target);
        let free = !placement;
        let image = Condition { has: add, lacks: vacated.without(add) & free };
        let first_word = slot as usize * layout.words_per_row();
        let first_entry = u64::from(slot) * u64::from(layout.columns_per_row());
        Route { layout, target, address, free, remove, add, domain, image, slot, first_word, first_entry }
    }

    /// Whether the target row is laid out for the placement as it is, without a symmetry.
    pub fn is_own(&self) -> bool {
        self.target.is_own()
    }

    /// The target's layout.
    pub fn layout(&self) -> PlainLayout<'a> {
        self.layout
    }

    /// The points that the target row leaves free, before the symmetry that makes it its own.
    pub fn free(&self) -> Bitboard {
        self.free
    }

    /// The columns of the target row at which columns arrive, before the symmetry.
    pub fn image(&self) -> Condition {
        self.image
    }

    /// The words of the target row.
    pub fn words(&self) -> Range<usize> {
        self.first_word..self.first_word + self.layout.words_per_row()
    }

    /// The column of the target row where the column with stones on `occupied` arrives, which must be in the
    /// domain.
    #[inline(always)]
    pub fn arrival<B: BitOps>(&self, bits: B, occupied: u32) -> u32 {
        self.address.offset(bits, occupied & !self.remove.bits() | self.add.bits())
    }
}
