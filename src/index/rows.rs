//! The rows: arrangements of the row side, each taken once for all its symmetric images.

use super::colex::{CountTable, HalvesTable};
use super::slots::{SlotMap, Slots, ones};
use crate::board::{Bitboard, POINTS};

/// The row of an arrangement, and the symmetry that brings the arrangement to the row's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowRef {
    /// The row.
    pub row: u32,
    /// The number of the symmetry, 0 for the identity.
    pub symmetry: u8,
}

/// All rows of one number of stones.
pub struct Rows {
    stones: usize,
    /// Each row's own arrangement: the first of its images in colexicographic order.
    arrangements: Vec<Slots>,
    /// The points of each row's own arrangement.
    occupied: Vec<Bitboard>,
    /// How many different images each row's arrangement has.
    orbits: Vec<u8>,
    /// Row and symmetry of every arrangement: `row * 8 + symmetry`.
    of_arrangement: Vec<u32>,
    halves: Option<HalvesTable>,
    counts: CountTable,
}

const UNSEEN: u32 = u32::MAX;

impl Rows {
    pub(super) fn new(slots: &SlotMap, stones: usize) -> Rows {
        let counts = CountTable::new((0..POINTS).map(|point| slots.states(point)), stones);
        let total = counts.view().total(stones);
        let mut rows = Rows {
            stones,
            arrangements: Vec::new(),
            occupied: Vec::new(),
            orbits: Vec::new(),
            of_arrangement: vec![UNSEEN; total as usize],
            halves: (!slots.is_marked()).then(|| HalvesTable::new(POINTS, stones)),
            counts,
        };
        for number in 0..total {
            if rows.of_arrangement[number as usize] != UNSEEN {
                continue;
            }
            let own = rows.arrangement(slots, number);
            let row = rows.arrangements.len() as u32;
            let mut orbit = 0;
            // A symmetry brings its own inverse image to the row; images that are reached by several keep the
            // first, so that the row's own arrangement has the identity.
            for symmetry in 0..slots.symmetry_count() {
                let image = slots.image(symmetry, own);
                let back = (0..slots.symmetry_count()).find(|&back| slots.image(back, image) == own);
                let entry = rows.rank(slots, image) as usize;
                if rows.of_arrangement[entry] == UNSEEN {
                    rows.of_arrangement[entry] = row * 8 + back.unwrap_or(0) as u32;
                    orbit += 1;
                }
            }
            rows.arrangements.push(own);
            rows.occupied.push(slots.occupied(own));
            rows.orbits.push(orbit);
        }
        rows
    }

    /// The number of an arrangement among all with as many stones.
    #[inline]
    fn rank(&self, slots: &SlotMap, arrangement: Slots) -> u32 {
        match &self.halves {
            Some(halves) => halves.rank(arrangement as u32),
            None => {
                let stones = ones(arrangement).enumerate();
                let part = |(nth, slot)| {
                    let point = slots.point_of(slot);
                    self.counts.view().part(point, nth + 1, slot - slots.first_slot(point))
                };
                stones.map(part).sum()
            }
        }
    }

    /// The arrangement with this number.
    fn arrangement(&self, slots: &SlotMap, mut number: u32) -> Slots {
        let mut arrangement = 0;
        for stones in (1..=self.stones).rev() {
            let (point, state, rest) = self.counts.view().highest(number, stones);
            arrangement |= 1 << (slots.first_slot(point) + state);
            number = rest;
        }
        arrangement
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.arrangements.len()
    }

    /// Whether there is no row; there always is one.
    pub fn is_empty(&self) -> bool {
        self.arrangements.is_empty()
    }

    /// The row of `arrangement`, which must have the right number of stones, and how to get there.
    #[inline]
    pub fn find(&self, slots: &SlotMap, arrangement: Slots) -> RowRef {
        let entry = self.of_arrangement[self.rank(slots, arrangement) as usize];
        RowRef { row: entry / 8, symmetry: (entry % 8) as u8 }
    }

    /// The arrangement that `row` is laid out for.
    #[inline]
    pub fn own(&self, row: u32) -> Slots {
        self.arrangements[row as usize]
    }

    /// The points of the arrangement that `row` is laid out for.
    #[inline]
    pub fn occupied(&self, row: u32) -> Bitboard {
        self.occupied[row as usize]
    }

    /// For how many arrangements, images of each other, `row` stands: 1 to 8.
    pub fn orbit(&self, row: u32) -> u64 {
        self.orbits[row as usize].into()
    }

    /// Bytes that the lookup tables take.
    pub fn bytes(&self) -> u64 {
        let per_row = (size_of::<Slots>() + size_of::<Bitboard>() + 1) as u64;
        let halves = self.halves.as_ref().map_or(0, HalvesTable::bytes);
        self.len() as u64 * per_row + self.of_arrangement.len() as u64 * 4 + halves
    }
}
