//! The layout of a pair of slices: rows, the columns in each, and the numbers of positions.

use std::ops::Range;
use std::sync::Arc;

use super::bits::{deposit, extract};
use super::colex::{CountTable, Counts, HalvesTable, combinations};
use super::rows::{RowRef, Rows};
use super::slots::{SlotMap, SlotMaps, Slots, ones};
use crate::board::{Bitboard, POINTS};
use crate::material::{Material, Pair};
use crate::position::Position;
use crate::rules::{Rules, Side};

/// Where a position stands in the layout of its pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The row.
    pub row: u32,
    /// The column within the row.
    pub column: u32,
}

/// A run of whole rows that one thread works on.
#[derive(Clone, Debug)]
pub struct RowBlock {
    /// The rows.
    pub rows: Range<u32>,
    /// Their entries.
    pub entries: Range<u64>,
    /// Their words, when every row begins a new word of 64 columns.
    pub words: Range<usize>,
}

/// The layout that the two slices of a pair share.
pub struct PairLayout {
    rules: &'static Rules,
    pair: Pair,
    slots: Arc<SlotMaps>,
    rows: Arc<Rows>,
    columns: Columns,
    /// Entries before each row, and their sum at the end.
    entries: Offsets,
    /// Words of 64 columns before each row, and their sum at the end.
    words: Offsets,
}

/// How the columns of a row are numbered.
enum Columns {
    /// The stones have no states: all rows have the same combinations.
    Plain { halves: HalvesTable, combinations: Vec<u32>, counts: CountTable },
    /// The stones have states: a table for each placement of the row side.
    Marked { placements: HalvesTable, cells: Vec<u32>, cells_each: usize },
}

/// Where the rows begin.
enum Offsets {
    Uniform { each: u64, rows: u64 },
    Table(Vec<u64>),
}

impl Offsets {
    #[inline]
    fn before(&self, row: u32) -> u64 {
        match self {
            Offsets::Uniform { each, .. } => u64::from(row) * each,
            Offsets::Table(starts) => starts[row as usize],
        }
    }

    fn total(&self) -> u64 {
        match self {
            Offsets::Uniform { each, rows } => each * rows,
            Offsets::Table(starts) => starts.last().copied().unwrap_or(0),
        }
    }

    /// The row that holds this offset, which must be below the total.
    fn row_of(&self, offset: u64) -> u32 {
        match self {
            Offsets::Uniform { each, .. } => (offset / each) as u32,
            Offsets::Table(starts) => starts.partition_point(|&start| start <= offset) as u32 - 1,
        }
    }

    fn from_sizes(sizes: impl Iterator<Item = u64>) -> Offsets {
        let mut starts = vec![0];
        let mut sum = 0;
        for size in sizes {
            sum += size;
            starts.push(sum);
        }
        Offsets::Table(starts)
    }

    fn bytes(&self) -> u64 {
        match self {
            Offsets::Uniform { .. } => 0,
            Offsets::Table(starts) => 8 * starts.len() as u64,
        }
    }
}

impl PairLayout {
    pub(super) fn new(
        rules: &'static Rules,
        slots: Arc<SlotMaps>,
        rows: Arc<Rows>,
        pair: Pair,
    ) -> PairLayout {
        let (a, b) = (pair.larger(), pair.smaller());
        let free_points = POINTS - a;
        let columns = if slots.column.is_marked() {
            let mut cells = Vec::new();
            for placement in combinations(POINTS, a) {
                let states = (0..POINTS).filter(|point| placement >> point & 1 == 0);
                let table = CountTable::new(states.map(|point| slots.column.states(point)), b);
                cells.extend_from_slice(table.cells());
            }
            let cells_each = (free_points + 1) * (b + 1);
            Columns::Marked { placements: HalvesTable::new(POINTS, a), cells, cells_each }
        } else {
            let counts = CountTable::new(std::iter::repeat_n(1, free_points), b);
            Columns::Plain {
                halves: HalvesTable::new(free_points, b),
                combinations: combinations(free_points, b).collect(),
                counts,
            }
        };
        let row_count = rows.len() as u64;
        let each = u64::from(columns.counts(rows.occupied(0), b).total(b));
        let (entries, words) = if slots.column.is_marked() {
            let size = |row| u64::from(columns.counts(rows.occupied(row), b).total(b));
            let numbers = 0..rows.len() as u32;
            (
                Offsets::from_sizes(numbers.clone().map(size)),
                Offsets::from_sizes(numbers.map(|row| size(row).div_ceil(64))),
            )
        } else {
            (
                Offsets::Uniform { each, rows: row_count },
                Offsets::Uniform { each: each.div_ceil(64), rows: row_count },
            )
        };
        PairLayout { rules, pair, slots, rows, columns, entries, words }
    }

    /// The rules that the layout is for.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// The pair that the layout is for.
    pub fn pair(&self) -> Pair {
        self.pair
    }

    /// The rows.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The slots of the row side.
    #[inline]
    pub fn row_slots(&self) -> &SlotMap {
        &self.slots.row
    }

    /// The slots of the column side.
    #[inline]
    pub fn column_slots(&self) -> &SlotMap {
        &self.slots.column
    }

    /// Entries of each slice of the pair: positions with symmetry taken out (and the few symmetric doubles).
    pub fn entries(&self) -> u64 {
        self.entries.total()
    }

    /// Words of 64 columns, rows beginning new words.
    pub fn words(&self) -> u64 {
        self.words.total()
    }

    /// Positions of each slice of the pair, every one counted, no symmetry taken out.
    pub fn positions(&self) -> u64 {
        (0..self.rows.len() as u32).map(|row| u64::from(self.columns_in(row)) * self.rows.orbit(row)).sum()
    }

    /// How many columns `row` has.
    pub fn columns_in(&self, row: u32) -> u32 {
        (self.entries.before(row + 1) - self.entries.before(row)) as u32
    }

    /// The number of the first entry of `row`.
    #[inline]
    pub fn first_entry(&self, row: u32) -> u64 {
        self.entries.before(row)
    }

    /// The number of the first word of `row`.
    #[inline]
    pub fn first_word(&self, row: u32) -> usize {
        self.words.before(row) as usize
    }

    /// The row of `arrangement` of the row side, and how to get there.
    #[inline]
    pub fn find_row(&self, arrangement: Slots) -> RowRef {
        self.rows.find(&self.slots.row, arrangement)
    }

    /// The column of `arrangement` of the column side in a row whose stones stand on `occupied`.
    #[inline]
    pub fn column(&self, occupied: Bitboard, arrangement: Slots) -> u32 {
        let free = !occupied;
        match &self.columns {
            Columns::Plain { halves, .. } => halves.rank(extract(arrangement as u32, free.bits())),
            Columns::Marked { .. } => {
                let counts = self.columns.counts(occupied, self.pair.smaller());
                let slots = &self.slots.column;
                let part = |(nth, slot)| {
                    let point = slots.point_of(slot);
                    let below = free.bits() & ((1 << point) - 1);
                    counts.part(below.count_ones() as usize, nth + 1, slot - slots.first_slot(point))
                };
                ones(arrangement).enumerate().map(part).sum()
            }
        }
    }

    /// The arrangements of the column side in `row`, by column.
    pub fn arrangements(&self, row: u32, into: &mut Vec<Slots>) {
        into.clear();
        let free = !self.rows.occupied(row);
        match &self.columns {
            Columns::Plain { combinations, .. } => {
                into.extend(combinations.iter().map(|&bits| Slots::from(deposit(bits, free.bits()))));
            }
            Columns::Marked { .. } => {
                let points: Vec<usize> = free.iter().map(|point| point.index()).collect();
                self.arrange(&points, self.pair.smaller(), 0, into);
            }
        }
    }

    /// All arrangements of `stones` stones on `points` in their order, each with `above` added.
    fn arrange(&self, points: &[usize], stones: usize, above: Slots, into: &mut Vec<Slots>) {
        if stones == 0 {
            return into.push(above);
        }
        let slots = &self.slots.column;
        for (below, &point) in points.iter().enumerate().skip(stones - 1) {
            for state in 0..slots.states(point) {
                let slot = 1 << (slots.first_slot(point) + state);
                self.arrange(&points[..below], stones - 1, above | slot, into);
            }
        }
    }

    /// Whether the row side is to move in the slice of `material`, one of this pair's.
    pub fn row_side_moves(material: Material) -> bool {
        material.mover() >= material.opponent()
    }

    /// Where `position` stands; its material must be of this pair. With equal sides the side to move is the row
    /// side. Forbidden steps must fit the rules; the ply counter does not matter.
    #[inline]
    pub fn locate(&self, position: &Position) -> Location {
        let row_side_moves = position.own().count() >= position.opponent().count();
        let row_side = if row_side_moves { position.side() } else { position.side().other() };
        let seen = if row_side == Side::White { *position } else { position.colours_swapped() };
        let row = self.slots.row.encode(seen.white(), seen.no_west(), seen.no_east());
        let column = self.slots.column.encode(seen.black(), seen.no_west(), seen.no_east());
        self.locate_arrangements(row, column)
    }

    /// Where the position with these arrangements of the row side and the column side stands.
    #[inline]
    pub fn locate_arrangements(&self, row: Slots, column: Slots) -> Location {
        let RowRef { row, symmetry } = self.find_row(row);
        let column = self.slots.column.image(symmetry.into(), column);
        Location { row, column: self.column(self.rows.occupied(row), column) }
    }

    /// The number of the entry at `location`.
    #[inline]
    pub fn entry(&self, location: Location) -> u64 {
        self.first_entry(location.row) + u64::from(location.column)
    }

    /// The location of `entry`, which must be below [`entries`](Self::entries).
    pub fn location(&self, entry: u64) -> Location {
        let row = self.entries.row_of(entry);
        Location { row, column: (entry - self.first_entry(row)) as u32 }
    }

    /// The position at `location` in the slice of `material`, one of this pair's: the row side is White, the ply
    /// counter 0.
    pub fn position(&self, material: Material, location: Location) -> Position {
        let column = self.arrangement(location);
        self.position_of(material, self.rows.own(location.row), column)
    }

    /// The position with these arrangements in the slice of `material`.
    pub fn position_of(&self, material: Material, row: Slots, column: Slots) -> Position {
        let [white, white_west, white_east] = self.slots.row.decode(row);
        let [black, black_west, black_east] = self.slots.column.decode(column);
        let side = if Self::row_side_moves(material) { Side::White } else { Side::Black };
        Position::from_parts([white, black], side, white_west | black_west, white_east | black_east, 0)
    }

    /// The arrangement of the column side at `location`.
    fn arrangement(&self, location: Location) -> Slots {
        let free = !self.rows.occupied(location.row);
        let counts = self.columns.counts(self.rows.occupied(location.row), self.pair.smaller());
        let points: Vec<usize> = free.iter().map(|point| point.index()).collect();
        let mut arrangement = 0;
        let mut number = location.column;
        for stones in (1..=self.pair.smaller()).rev() {
            let (below, state, rest) = counts.highest(number, stones);
            arrangement |= 1 << (self.slots.column.first_slot(points[below]) + state);
            number = rest;
        }
        arrangement
    }

    /// The rows cut into blocks of about `entries` entries, in order.
    pub fn blocks(&self, entries: u64) -> Vec<RowBlock> {
        let mut blocks = Vec::new();
        let rows = self.rows.len() as u32;
        let mut first = 0;
        for row in 0..rows {
            let end = row + 1;
            if end == rows || self.first_entry(end) - self.first_entry(first) >= entries {
                blocks.push(RowBlock {
                    rows: first..end,
                    entries: self.first_entry(first)..self.first_entry(end),
                    words: self.first_word(first)..self.first_word(end),
                });
                first = end;
            }
        }
        blocks
    }

    /// Bytes that the lookup tables take, without those of the [`rows`](Self::rows), which layouts share.
    pub fn bytes(&self) -> u64 {
        let columns = match &self.columns {
            Columns::Plain { halves, combinations, counts } => {
                halves.bytes() + 4 * (combinations.len() + counts.cells().len()) as u64
            }
            Columns::Marked { placements, cells, .. } => placements.bytes() + 4 * cells.len() as u64,
        };
        columns + self.entries.bytes() + self.words.bytes()
    }
}

impl Columns {
    /// The table that numbers the columns of a row whose stones stand on `occupied`.
    #[inline]
    fn counts(&self, occupied: Bitboard, stones: usize) -> Counts<'_> {
        match self {
            Columns::Plain { counts, .. } => counts.view(),
            Columns::Marked { placements, cells, cells_each } => {
                let start = placements.rank(occupied.bits()) as usize * cells_each;
                Counts::new(&cells[start..start + cells_each], stones)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Index;
    use super::*;
    use proptest::prelude::*;

    fn layout(rules: &'static Rules, mover: usize, opponent: usize) -> (Material, Arc<PairLayout>) {
        let material = Material::new(mover, opponent).unwrap();
        (material, Arc::clone(Index::new(rules).layout(material.pair())))
    }

    #[test]
    fn every_entry_leads_back_to_itself() {
        for rules in Rules::ALL {
            for (mover, opponent) in [(1, 1), (2, 1), (1, 2), (2, 2), (1, 3)] {
                let (material, layout) = layout(rules, mover, opponent);
                let mut column = Vec::new();
                for entry in 0..layout.entries() {
                    let location = layout.location(entry);
                    assert_eq!(layout.entry(location), entry);
                    let position = layout.position(material, location);
                    assert_eq!(position.check(rules), Ok(()));
                    assert_eq!(layout.locate(&position), location, "{position}");
                    if location.column == 0 {
                        layout.arrangements(location.row, &mut column);
                        assert_eq!(column.len(), layout.columns_in(location.row) as usize);
                    }
                    assert_eq!(layout.arrangement(location), column[location.column as usize]);
                }
            }
        }
    }

    #[test]
    fn positions_are_counted_with_their_states() {
        for (rules, mover, opponent, positions) in [
            (&crate::rules::CLASSIC, 3, 2, 531_300),
            (&crate::rules::YOUZAI, 3, 2, 531_300),
            (&crate::rules::BRAINKING, 1, 1, 3_118),
            (&crate::rules::BRAINKING, 2, 1, 81_336),
            (&crate::rules::QIRKAT, 2, 2, 2_028_969),
            (&crate::rules::QIRKAT, 3, 1, 1_346_324),
        ] {
            let (_, layout) = layout(rules, mover, opponent);
            assert_eq!(layout.positions(), positions, "{} {mover}v{opponent}", rules.name());
            // What symmetric rows waste.
            let ideal = positions / rules.symmetry().order() as u64;
            assert!(layout.entries() >= ideal && layout.entries() <= ideal * 5 / 4 + 100);
        }
    }

    #[test]
    fn the_widest_layouts_fit() {
        for rules in Rules::ALL {
            let index = Index::new(rules);
            assert_eq!(index.fits(Material::new(12, 12).unwrap().pair()), !rules.no_return());
            assert!(index.fits(Material::new(6, 1).unwrap().pair()));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn random_entries_of_larger_slices(fraction in 0.0..1.0_f64, which in 0..4_usize, mover in 1..6_usize) {
            let rules = Rules::ALL[which];
            let (material, layout) = layout(rules, mover, if rules.no_return() { 1 } else { 6 - mover.min(5) });
            let entry = (layout.entries() as f64 * fraction) as u64;
            let location = layout.location(entry);
            let position = layout.position(material, location);
            prop_assert_eq!(layout.locate(&position), location);
            prop_assert_eq!(layout.entry(location), entry);
            for &transform in rules.symmetry().transforms() {
                let image = position.transformed(transform);
                let found = layout.locate(&image);
                let back = layout.position(material, found);
                // The same position up to symmetry.
                prop_assert!(rules.symmetry().transforms().iter().any(|&t| back.transformed(t) == image));
                prop_assert_eq!(layout.locate(&image.colours_swapped()), found);
            }
        }
    }
}
