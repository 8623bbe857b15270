//! Columns of stones with states: a row has as many arrangements as its free points offer states.

use std::collections::HashMap;
use std::ops::Range;

use crate::board::{Bitboard, POINTS};
use crate::index::bits::{deposit, extract};
use crate::index::colex::{CountTable, Counts, combinations, combinations_from};
use crate::index::location::Column;
use crate::index::rows::Rows;
use crate::index::slots::{SlotMap, Slots, descending_ones};

/// The columns of the rows of a layout. The counts of a row depend only on how many states its free points
/// offer one after the other, so placements that agree in that share a table.
pub struct StatefulColumns {
    stones: usize,
    /// The different tables, one after the other.
    cells: Vec<u32>,
    cells_each: usize,
    /// Which table each placement of the row side has.
    tables: Vec<u32>,
}

/// A placement of the column side in a row.
struct Placement {
    occupied: Bitboard,
    /// Arrangements of the column side before its first one.
    before: u64,
    /// How many it has.
    states: u32,
}

impl StatefulColumns {
    /// The columns of `stones` stones with these `slots`, beside `row_stones` stones of the row side.
    pub fn new(slots: &SlotMap, row_stones: usize, stones: usize) -> StatefulColumns {
        let (mut cells, mut numbers, mut tables) = (Vec::new(), HashMap::new(), Vec::new());
        for placement in combinations(POINTS, row_stones) {
            let free = (0..POINTS).filter(|point| placement >> point & 1 == 0);
            let states = free.map(|point| slots.states(point));
            // Two bits a point, which offers one to three states.
            let key = states.clone().fold(0_u64, |key, states| key << 2 | states as u64);
            let next = numbers.len() as u32;
            let number = *numbers.entry(key).or_insert_with(|| {
                cells.extend_from_slice(CountTable::new(states, stones).cells());
                next
            });
            tables.push(number);
        }
        StatefulColumns { stones, cells, cells_each: (POINTS - row_stones + 1) * (stones + 1), tables }
    }

    /// The table of a row with this placement.
    #[inline]
    fn counts(&self, rows: &Rows, placement: Bitboard) -> Counts<'_> {
        let start = self.tables[rows.number(placement) as usize] as usize * self.cells_each;
        Counts::new(&self.cells[start..start + self.cells_each], self.stones)
    }

    /// How many arrangements the column side has in a row with this placement.
    pub fn count(&self, rows: &Rows, placement: Bitboard) -> u32 {
        self.counts(rows, placement).total(self.stones)
    }

    /// The offset of the column side's `arrangement` in the row of `placement`, the row side having the
    /// states with the number `row_code` of `row_count`.
    #[inline]
    pub fn offset(
        &self,
        rows: &Rows,
        slots: &SlotMap,
        placement: Bitboard,
        [row_code, row_count]: [u32; 2],
        arrangement: Slots,
    ) -> u64 {
        let counts = self.counts(rows, placement);
        let free = (!placement).bits();
        let (mut before, mut code, mut count) = (0, 0, 1);
        let stones = (1..=self.stones).rev();
        for (nth, slot) in stones.zip(descending_ones(arrangement)) {
            let point = slots.point_of(slot);
            let below = (free & ((1 << point) - 1)).count_ones() as usize;
            let states = slots.states(point) as u32;
            before += count * counts.at(below, nth);
            code = code * states + (slot - slots.first_slot(point)) as u32;
            count *= states;
        }
        u64::from(row_count) * u64::from(before) + u64::from(row_code) * u64::from(count) + u64::from(code)
    }

    /// The number of the row side's states and the column side's arrangement at an offset in the row of
    /// `placement`, in which the row side has so many states.
    pub fn arrangement(
        &self,
        rows: &Rows,
        slots: &SlotMap,
        placement: Bitboard,
        row_states: u32,
        offset: u64,
    ) -> (u32, Slots) {
        let row_states = u64::from(row_states);
        let found = self.placement_at(rows, slots, placement, offset / row_states);
        let (within, states) = (offset - row_states * found.before, u64::from(found.states));
        ((within / states) as u32, slots.with_states(found.occupied, (within % states) as u32))
    }

    /// The placement of the column side that has the arrangement with this number in the row of `placement`.
    fn placement_at(&self, rows: &Rows, slots: &SlotMap, placement: Bitboard, arrangement: u64) -> Placement {
        let counts = self.counts(rows, placement);
        let points: Vec<usize> = (!placement).iter().map(|point| point.index()).collect();
        let (mut occupied, mut before, mut states) = (Bitboard::EMPTY, 0, 1);
        for nth in (1..=self.stones).rev() {
            let with = |below: usize| u64::from(states) * u64::from(counts.at(below, nth));
            let fits = |&below: &usize| before + with(below) <= arrangement;
            let below = (0..points.len()).rev().find(fits).unwrap_or(0);
            before += with(below);
            states *= slots.states(points[below]) as u32;
            occupied |= Bitboard::new(1 << points[below]);
        }
        Placement { occupied, before, states }
    }

    /// All columns of the row of `placement` in the order of their offsets, when the row side has so many
    /// states.
    pub fn columns(&self, slots: &SlotMap, placement: Bitboard, row_states: u32, into: &mut Vec<Column>) {
        let free = !placement;
        let mut first = 0;
        for bits in combinations(free.count(), self.stones) {
            let occupied = Bitboard::new(deposit(bits, free.bits()));
            let stride = slots.state_count(occupied);
            into.extend((0..stride).map(|code| Column {
                slots: slots.with_states(occupied, code),
                occupied,
                offset: first + u64::from(code),
                stride,
            }));
            first += u64::from(stride) * u64::from(row_states);
        }
    }

    /// The placements of the column side in the row of `placement`, each with its offsets, from the one that
    /// holds the offset `from` on.
    pub fn placements(
        &self,
        rows: &Rows,
        slots: &SlotMap,
        placement: Bitboard,
        row_states: u32,
        from: u64,
    ) -> impl Iterator<Item = (Bitboard, Range<u64>)> {
        let (free, row_states) = (!placement, u64::from(row_states));
        let first = self.placement_at(rows, slots, placement, from / row_states);
        let mut next = row_states * first.before;
        combinations_from(free.count(), extract(first.occupied.bits(), free.bits())).map(move |bits| {
            let occupied = Bitboard::new(deposit(bits, free.bits()));
            let start = next;
            next += row_states * u64::from(slots.state_count(occupied));
            (occupied, start..next)
        })
    }

    /// Bytes that the tables take.
    pub fn bytes(&self) -> u64 {
        4 * (self.cells.len() + self.tables.len()) as u64
    }
}
