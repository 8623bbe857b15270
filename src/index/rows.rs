//! The rows: placements of the row side, each taken once for all its symmetric images.

use super::colex::{HalvesTable, combinations};
use super::slots::SlotMaps;
use crate::board::{Bitboard, POINTS, Point, SIDE_LENGTH};

/// The row of a placement, and the symmetry that brings the placement to the row's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowRef {
    /// The row.
    pub row: u32,
    /// The number of the symmetry, 0 for the identity.
    pub symmetry: u8,
    /// Whether the row's placement has symmetries of its own: then others lead there as well.
    pub is_symmetric: bool,
}

impl RowRef {
    /// As one number, in which a row takes 28 bits.
    fn packed(self) -> u32 {
        self.row * 16 + u32::from(self.is_symmetric) * 8 + u32::from(self.symmetry)
    }

    #[inline(always)]
    fn unpacked(packed: u32) -> RowRef {
        RowRef { row: packed / 16, symmetry: (packed % 8) as u8, is_symmetric: packed & 8 != 0 }
    }
}

/// What decides which image of a placement is the row's own: the one with the largest weight, then the one
/// that comes last in colexicographic order.
///
/// The weight counts first how far the stones lie, taken together, in one direction between that of the files
/// and that of the long diagonal. It chooses the same image as long as the centre of the stones stays in one
/// octant of the board, and a step moves that centre little, so that most steps lead to a placement that is
/// its row's own: no symmetry has to be applied there. Then it tells apart what lies on the border of two
/// octants.
struct Weights {
    /// By symmetry and byte of the placement: the weight that these points have after the symmetry.
    bytes: Vec<[[i64; 256]; 4]>,
}

impl Weights {
    fn new(slots: &SlotMaps) -> Weights {
        let bytes_of = |symmetry| {
            let mut bytes = [[0; 256]; 4];
            for (byte, weights) in bytes.iter_mut().enumerate() {
                for (bits, weight) in weights.iter_mut().enumerate() {
                    let points = Bitboard::new((bits as u32) << (8 * byte)) & Bitboard::ALL;
                    *weight = slots.points_image(symmetry, points).iter().map(weight_of).sum();
                }
            }
            bytes
        };
        Weights { bytes: (0..slots.symmetry_count()).map(bytes_of).collect() }
    }

    /// The weight of the image of `placement`.
    fn of_image(&self, symmetry: usize, placement: Bitboard) -> i64 {
        let bytes = placement.bits().to_le_bytes().into_iter();
        bytes.zip(&self.bytes[symmetry]).map(|(bits, weights)| weights[usize::from(bits)]).sum()
    }
}

fn weight_of(point: Point) -> i64 {
    let from_centre = |coordinate: usize| coordinate as i64 - (SIDE_LENGTH / 2) as i64;
    let (file, rank) = (from_centre(point.file()), from_centre(point.rank()));
    ((12 * file + 5 * rank) << 16) + (3 * file * file + rank * rank) * rank
}

/// All rows of one number of stones.
pub struct Rows {
    /// Each row's own placement, in colexicographic order.
    placements: Vec<Bitboard>,
    /// How many different images each row's placement has.
    orbits: Vec<u8>,
    /// [`RowRef`]s of all placements.
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
        let weights = Weights::new(slots);
        for bits in combinations(POINTS, stones) {
            let own = Bitboard::new(bits);
            let weight = weights.of_image(0, own);
            let has_better_image = (1..slots.symmetry_count()).any(|symmetry| {
                let image = weights.of_image(symmetry, own);
                image > weight || image == weight && slots.points_image(symmetry, own).bits() > bits
            });
            if has_better_image {
                continue;
            }
            let row = placements.len() as u32;
            let images = (0..slots.symmetry_count()).map(|symmetry| slots.points_image(symmetry, own));
            let is_symmetric = images.clone().skip(1).any(|image| image == own);
            let mut orbit = 0;
            // A placement that several symmetries bring to the row keeps the first, so that the row's own has
            // the identity.
            for image in images {
                let back = |&back: &usize| slots.points_image(back, image) == own;
                let back = (0..slots.symmetry_count()).find(back).unwrap_or(0);
                let entry = &mut of_placement[halves.rank(image.bits()) as usize];
                if *entry == UNSEEN {
                    *entry = RowRef { row, symmetry: back as u8, is_symmetric }.packed();
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

    /// The row of `placement`, which must have the right number of stones, and how to get there.
    #[inline]
    pub fn find(&self, placement: Bitboard) -> RowRef {
        RowRef::unpacked(self.of_placement[self.halves.rank(placement.bits()) as usize])
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
