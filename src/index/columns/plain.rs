//! Columns of stones without states: all rows have the same combinations of free points.

use std::sync::OnceLock;

use crate::board::Bitboard;
use crate::index::bits::{deposit, extract};
use crate::index::colex::{HalvesTable, combinations};
use crate::index::location::Column;
use crate::index::membership::Membership;

/// The columns of every row of a layout.
pub struct PlainColumns {
    free_points: usize,
    halves: HalvesTable,
    combinations: Vec<u32>,
    membership: OnceLock<Membership>,
}

impl PlainColumns {
    /// The columns of `stones` stones on `free_points` points.
    pub fn new(free_points: usize, stones: usize) -> PlainColumns {
        debug_assert!(free_points >= stones);
        PlainColumns {
            free_points,
            halves: HalvesTable::new(free_points, stones),
            combinations: combinations(free_points, stones).collect(),
            membership: OnceLock::new(),
        }
    }

    /// How many columns each row has.
    #[inline]
    pub fn count(&self) -> u32 {
        self.combinations.len() as u32
    }

    /// The tables that number combinations.
    #[inline]
    pub fn halves(&self) -> &HalvesTable {
        &self.halves
    }

    /// The columns by their numbers, as sets of free points counted from the lowest.
    #[inline]
    pub fn combinations(&self) -> &[u32] {
        &self.combinations
    }

    /// The columns as bits. Made on first use.
    pub fn membership(&self) -> &Membership {
        self.membership.get_or_init(|| Membership::new(self.free_points, &self.combinations))
    }

    /// The number of the column with stones on `occupied`, in a row with these free points.
    #[inline]
    pub fn offset(&self, free: Bitboard, occupied: u32) -> u32 {
        self.halves.rank(extract(occupied, free.bits()))
    }

    /// The points of the stones in the column with this number, in a row with these free points.
    #[inline]
    pub fn occupied(&self, free: Bitboard, number: u32) -> Bitboard {
        Bitboard::new(deposit(self.combinations[number as usize], free.bits()))
    }

    /// The column with this number, in a row with these free points. The number is also the offset.
    #[inline]
    pub fn column(&self, free: Bitboard, number: u32) -> Column {
        let occupied = self.occupied(free, number);
        Column { slots: occupied.bits().into(), occupied, offset: number.into(), stride: 0 }
    }

    /// Bytes that the tables take.
    pub fn bytes(&self) -> u64 {
        let membership = Membership::bytes(self.free_points, self.combinations.len());
        self.halves.bytes() + 4 * self.combinations.len() as u64 + membership
    }
}
