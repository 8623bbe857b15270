//! The layout of a pair of slices: the rows, and the numbers of positions in them.

use std::ops::Range;
use std::sync::Arc;

use super::columns::{Columns, PlainColumns, StatefulColumns};
use super::location::{Column, Location, RowBlock, RowTarget};
use super::mover::Mover;
use super::offsets::Offsets;
use super::rows::{RowRef, Rows};
use super::slots::{SlotMap, SlotMaps, Slots};
use crate::board::{Bitboard, POINTS};
use crate::material::{Material, Pair};
use crate::position::Position;
use crate::rules::{Rules, Side, SideGeometry};

/// The layout that the two slices of a pair share.
pub struct PairLayout {
    rules: &'static Rules,
    pair: Pair,
    pub(super) slots: Arc<SlotMaps>,
    pub(super) rows: Arc<Rows>,
    pub(super) columns: Columns,
    /// Entries before each row, and their sum at the end.
    entries: Offsets,
    /// Words of 64 entries before each row, and their sum at the end.
    words: Offsets,
}

crate::debug::debug_as!(PairLayout, |layout| rules = layout.rules.name(), pair = layout.pair);

impl PairLayout {
    pub(super) fn new(
        rules: &'static Rules,
        slots: Arc<SlotMaps>,
        rows: Arc<Rows>,
        pair: Pair,
    ) -> PairLayout {
        let (a, b) = (pair.larger(), pair.smaller());
        let (columns, entries, words) = if slots.column.has_states() {
            let columns = StatefulColumns::new(&slots.column, a, b);
            let size = |row: u32| {
                let placement = rows.placement(row);
                u64::from(columns.count(&rows, placement)) * u64::from(slots.row.state_count(placement))
            };
            let all = 0..rows.len() as u32;
            let entries = Offsets::from_sizes(all.clone().map(size));
            let words = Offsets::from_sizes(all.map(|row| size(row).div_ceil(64)));
            (Columns::Stateful(columns), entries, words)
        } else {
            let columns = PlainColumns::new(POINTS - a, b);
            let (each, rows) = (u64::from(columns.count()), rows.len() as u64);
            let words = Offsets::Uniform { each: each.div_ceil(64), rows };
            (Columns::Plain(columns), Offsets::Uniform { each, rows }, words)
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
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The slots of the row side.
    #[inline]
    pub(crate) fn row_slots(&self) -> &SlotMap {
        &self.slots.row
    }

    /// The slots of the column side.
    #[inline]
    pub(crate) fn column_slots(&self) -> &SlotMap {
        &self.slots.column
    }

    /// How the stones of `mover` may move.
    #[inline]
    pub(crate) fn geometry(&self, mover: Mover) -> &'static SideGeometry {
        self.rules.side(match mover {
            Mover::RowSide => self.slots.row.side(),
            Mover::ColumnSide => self.slots.column.side(),
        })
    }

    /// Entries of each slice of the pair: positions up to symmetry, and the few repeats in symmetric rows.
    pub fn entries(&self) -> u64 {
        self.entries.total()
    }

    /// Words of 64 entries. Each row begins a new word.
    pub(crate) fn words(&self) -> u64 {
        self.words.total()
    }

    /// Positions of each slice of the pair. Symmetric images count separately.
    pub fn positions(&self) -> u64 {
        (0..self.rows.len() as u32).map(|row| self.entries_in(row) * self.rows.orbit(row)).sum()
    }

    /// Whether stones have states: then columns are numbered row by row, and never moved as words.
    #[inline]
    pub(crate) fn has_states(&self) -> bool {
        self.slots.column.has_states()
    }

    /// How many entries `row` has.
    pub(crate) fn entries_in(&self, row: u32) -> u64 {
        self.entries.before(row + 1) - self.entries.before(row)
    }

    /// The number of the first entry of `row`.
    #[inline]
    pub(crate) fn first_entry(&self, row: u32) -> u64 {
        self.entries.before(row)
    }

    /// The number of the first word of `row`.
    #[inline]
    pub(crate) fn first_word(&self, row: u32) -> usize {
        self.words.before(row) as usize
    }

    /// The row side's part of the location of positions with this arrangement.
    #[inline]
    pub(crate) fn target(&self, arrangement: Slots) -> RowTarget {
        let placement = self.slots.row.occupied(arrangement);
        let found = self.rows.find(placement);
        self.target_by(found, self.slots.points_image(found.symmetry.into(), placement), arrangement)
    }

    /// As [`target`](Self::target), for every symmetry that brings the arrangement to its row: more than one
    /// when the row is symmetric itself, and holds images of one position in several entries.
    pub(crate) fn targets(&self, arrangement: Slots) -> impl Iterator<Item = RowTarget> + '_ {
        let placement = self.slots.row.occupied(arrangement);
        let found = self.rows.find(placement);
        let own = self.slots.points_image(found.symmetry.into(), placement);
        let symmetries = if found.is_symmetric { self.slots.symmetry_count() } else { 0 };
        let leads_there = move |&symmetry: &usize| {
            symmetry != usize::from(found.symmetry) && self.slots.points_image(symmetry, placement) == own
        };
        let others = (0..symmetries).filter(leads_there).map(|symmetry| symmetry as u8);
        let symmetries = std::iter::once(found.symmetry).chain(others);
        symmetries.map(move |symmetry| self.target_by(RowRef { symmetry, ..found }, own, arrangement))
    }

    #[inline]
    fn target_by(
        &self,
        RowRef { row, symmetry, .. }: RowRef,
        placement: Bitboard,
        arrangement: Slots,
    ) -> RowTarget {
        let slots = &self.slots.row;
        let (code, count) = if slots.has_states() {
            slots.state_code(slots.image(symmetry.into(), arrangement))
        } else {
            (0, 1)
        };
        RowTarget { row, symmetry, placement, code, count }
    }

    /// The row side's part of the location when it does not move: it has the states with the number `code` in
    /// `row`'s own placement.
    #[inline]
    pub(crate) fn stay(&self, row: u32, code: u32) -> RowTarget {
        let placement = self.rows.placement(row);
        RowTarget { row, symmetry: 0, placement, code, count: self.slots.row.state_count(placement) }
    }

    /// Where the position with this arrangement of the column side stands.
    #[inline]
    pub(crate) fn location(&self, target: &RowTarget, arrangement: Slots) -> Location {
        let slots = &self.slots.column;
        let arrangement = slots.image(target.symmetry.into(), arrangement);
        let offset = match &self.columns {
            Columns::Plain(columns) => columns.offset(!target.placement, arrangement as u32).into(),
            Columns::Stateful(columns) => {
                let states = [target.code, target.count];
                columns.offset(&self.rows, slots, target.placement, states, arrangement)
            }
        };
        Location { row: target.row, offset }
    }

    /// Where `position` stands; its material must be of this pair. With equal sides the side to move is the
    /// row side. Forbidden steps must fit the rules; the ply counter does not matter.
    #[inline]
    pub fn locate(&self, position: &Position) -> Location {
        let row_side_moves = position.own().count() >= position.opponent().count();
        let row_side = if row_side_moves { position.side() } else { position.side().other() };
        let seen = if row_side == Side::White { *position } else { position.colours_swapped() };
        let row = self.slots.row.encode(seen.white(), seen.no_west(), seen.no_east());
        let column = self.slots.column.encode(seen.black(), seen.no_west(), seen.no_east());
        self.location(&self.target(row), column)
    }

    /// The number of the entry at `location`.
    #[inline]
    pub fn entry(&self, location: Location) -> u64 {
        self.first_entry(location.row) + location.offset
    }

    /// The word that holds the bit of `location`, and which bit.
    #[inline]
    pub(crate) fn bit(&self, location: Location) -> (usize, u32) {
        (self.first_word(location.row) + location.offset as usize / 64, location.offset as u32 % 64)
    }

    /// The location of `entry`, which must be below [`entries`](Self::entries).
    pub fn location_of(&self, entry: u64) -> Location {
        let row = self.entries.row_of(entry);
        Location { row, offset: entry - self.first_entry(row) }
    }

    /// The position at `location` in the slice of `material`, one of this pair's: the row side is White, the
    /// ply counter 0.
    pub fn position(&self, material: Material, location: Location) -> Position {
        let (row, column) = self.arrangements(location);
        let [white, white_west, white_east] = self.slots.row.decode(row);
        let [black, black_west, black_east] = self.slots.column.decode(column);
        let side = if Mover::of(material) == Mover::RowSide { Side::White } else { Side::Black };
        Position::from_parts([white, black], side, white_west | black_west, white_east | black_east, 0)
    }

    /// The arrangements of both sides at `location`.
    fn arrangements(&self, Location { row, offset }: Location) -> (Slots, Slots) {
        let placement = self.rows.placement(row);
        match &self.columns {
            Columns::Plain(columns) => {
                (placement.bits().into(), columns.column(!placement, offset as u32).slots)
            }
            Columns::Stateful(columns) => {
                let row_states = self.slots.row.state_count(placement);
                let (code, column) =
                    columns.arrangement(&self.rows, &self.slots.column, placement, row_states, offset);
                (self.slots.row.with_states(placement, code), column)
            }
        }
    }

    /// How many columns `row` has: arrangements of the column side.
    pub(crate) fn column_count(&self, row: u32) -> u32 {
        match &self.columns {
            Columns::Plain(columns) => columns.count(),
            Columns::Stateful(columns) => columns.count(&self.rows, self.rows.placement(row)),
        }
    }

    /// All columns of `row`, in the order of their offsets.
    pub(crate) fn columns(&self, row: u32, into: &mut Vec<Column>) {
        into.clear();
        let placement = self.rows.placement(row);
        match &self.columns {
            Columns::Plain(columns) => {
                into.extend((0..columns.count()).map(|number| columns.column(!placement, number)));
            }
            Columns::Stateful(columns) => {
                columns.columns(&self.slots.column, placement, self.slots.row.state_count(placement), into);
            }
        }
    }

    /// How many placements of the column side each row has.
    pub(crate) fn placements_in_row(&self) -> u64 {
        super::colex::combinations(POINTS - self.pair.larger(), self.pair.smaller()).count() as u64
    }

    /// The placements of the column side in `row`, each with its offsets, from the one that holds the offset
    /// `from` on. `None` if stones have no states: then each offset is a placement.
    pub(crate) fn placements(
        &self,
        row: u32,
        from: u64,
    ) -> Option<impl Iterator<Item = (Bitboard, Range<u64>)>> {
        let Columns::Stateful(columns) = &self.columns else { return None };
        let placement = self.rows.placement(row);
        let row_states = self.slots.row.state_count(placement);
        Some(columns.placements(&self.rows, &self.slots.column, placement, row_states, from))
    }

    /// The rows cut into blocks of about `entries` entries, in order.
    pub(crate) fn blocks(&self, entries: u64) -> Vec<RowBlock> {
        let mut blocks = Vec::new();
        let rows = self.rows.len() as u32;
        let mut first = 0;
        for row in 0..rows {
            let end = row + 1;
            if end == rows || self.first_entry(end) - self.first_entry(first) >= entries {
                blocks.push(RowBlock {
                    rows: first..end,
                    entries: self.first_entry(first)..self.first_entry(end),
                });
                first = end;
            }
        }
        blocks
    }

    /// Bytes that the lookup tables take, without those of the [`rows`](Self::rows), which layouts share.
    pub(crate) fn bytes(&self) -> u64 {
        let columns = match &self.columns {
            Columns::Plain(columns) => columns.bytes(),
            Columns::Stateful(columns) => columns.bytes(),
        };
        columns + self.entries.bytes() + self.words.bytes()
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
                let mut columns = Vec::new();
                for entry in 0..layout.entries() {
                    let location = layout.location_of(entry);
                    assert_eq!(layout.entry(location), entry);
                    let position = layout.position(material, location);
                    assert_eq!(position.check(rules), Ok(()));
                    assert_eq!(layout.locate(&position), location, "{position}");
                    if location.offset == 0 {
                        layout.columns(location.row, &mut columns);
                        assert_eq!(columns.len(), layout.column_count(location.row) as usize);
                    }
                    let (row, column) = layout.arrangements(location);
                    let (code, _) = layout.row_slots().state_code(row);
                    let same = |listed: &&Column| listed.slots == column;
                    assert_eq!(columns.iter().find(same).unwrap().offset(code), location.offset);
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
    fn large_slices_with_states_are_numbered() {
        // Rows of most of these have more entries than 32 bits can number.
        let index = Index::new(&crate::rules::QIRKAT);
        for (mover, opponent) in [(8, 1), (1, 8), (7, 2), (2, 7), (8, 5), (4, 9), (9, 9), (12, 12)] {
            let material = Material::new(mover, opponent).unwrap();
            let layout = index.layout(material.pair());
            let entries = layout.entries();
            assert_eq!(entries, index.entries(material.pair()));
            assert_eq!(layout.positions(), index.positions(material.pair()));
            let last_row = layout.rows().len() as u32 - 1;
            assert_eq!(layout.first_entry(last_row) + layout.entries_in(last_row), entries);
            assert!(layout.bytes() < 64 << 20, "{material}: {} bytes", layout.bytes());
            let samples = 500;
            let sampled = (0..samples).map(|number| u128::from(entries) * number / samples);
            for entry in sampled.map(|entry| entry as u64).chain([entries / 2 + 1, entries - 1]) {
                let location = layout.location_of(entry);
                let position = layout.position(material, location);
                assert_eq!(position.check(layout.rules()), Ok(()));
                assert_eq!(layout.locate(&position), location, "{position}");
                assert_eq!(layout.entry(location), entry);
                // The placement that holds the entry is found by its offset.
                let (occupied, offsets) =
                    layout.placements(location.row, location.offset).unwrap().next().unwrap();
                assert!(offsets.contains(&location.offset));
                // The column side is Black.
                assert_eq!(occupied, position.black());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn random_entries_of_larger_slices(fraction in 0.0..1.0_f64, which in 0..4_usize, mover in 1..6_usize) {
            let rules = Rules::ALL[which];
            let (material, layout) = layout(rules, mover, if rules.no_return() { 1 } else { 6 - mover.min(5) });
            let entry = (layout.entries() as f64 * fraction) as u64;
            let location = layout.location_of(entry);
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
