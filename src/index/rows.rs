//! The rows: placements of the row side, each taken once for all its symmetric images.

use super::colex::{HalvesTable, combinations};
use super::slots::SlotMaps;
use crate::board::{Bitboard, POINTS};

/// The row of a placement, and the symmetry that brings the placement to the row's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowRef {
    /// The row.
    pub row: u32,
    /// The number of the symmetry, 0 for the identity.
    pub symmetry: u8,
}

/// All rows of one number of stones.
pub struct Rows {
    /// Each row's own placement: the first of its images in colexicographic order.
    placements: Vec<Bitboard>,
    /// How many different images each row's placement has.
    orbits: Vec<u8>,
    /// Row and symmetry of every placement: `row * 8 + symmetry`.
    of_placement: Vec<u32>,
    halves: HalvesTable,
}

const UNSEEN: u32 = u32::MAX;

impl Rows {
    pub(super) fn new(slots: &SlotMaps, stones: usize) -> Rows {
        let halves = HalvesTable::new(POINTS, stones);
        let total = combinations(POINTS, stones).count();
        let mut of_placement = vec![UNSEEN; total];
        let (mut placements, mut orbits) = (Vec::new(), Vec::new());
        for (number, bits) in combinations(POINTS, stones).enumerate() {
            if of_placement[number] != UNSEEN {
                continue;
            }
            let own = Bitboard::new(bits);
            let row = placements.len() as u32;
            let mut orbit = 0;
            // A placement that several symmetries bring to the row keeps the first, so that the row's own has
            // the identity.
            for symmetry in 0..slots.symmetry_count() {
                let image = slots.points_image(symmetry, own);
                let back = |&back: &usize| slots.points_image(back, image) == own;
                let back = (0..slots.symmetry_count()).find(back).unwrap_or(0);
                let entry = &mut of_placement[halves.rank(image.bits()) as usize];
                if *entry == UNSEEN {
                    *entry = row * 8 + back as u32;
                    orbit += 1;
                }
            }
            placements.push(own);
            orbits.push(orbit);
        }
        Rows { placements, orbits, of_placement, halves }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// Whether there is no row; there always is one.
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    /// The row of `placement`, which must have the right number of stones, and how to get there.
    #[inline]
    pub fn find(&self, placement: Bitboard) -> RowRef {
        let entry = self.of_placement[self.halves.rank(placement.bits()) as usize];
        RowRef { row: entry / 8, symmetry: (entry % 8) as u8 }
    }

    /// The number of `placement` among all with as many stones.
    #[inline]
    pub(super) fn number(&self, placement: Bitboard) -> u32 {
        self.halves.rank(placement.bits())
    }

    /// The placement that `row` is laid out for.
    #[inline]
    pub fn placement(&self, row: u32) -> Bitboard {
        self.placements[row as usize]
    }

    /// For how many placements, images of each other, `row` stands: 1 to 8.
    pub fn orbit(&self, row: u32) -> u64 {
        self.orbits[row as usize].into()
    }

    /// Bytes that the lookup tables take.
    pub fn bytes(&self) -> u64 {
        let per_row = (size_of::<Bitboard>() + 1) as u64;
        self.len() as u64 * per_row + self.of_placement.len() as u64 * 4 + self.halves.bytes()
    }
}
