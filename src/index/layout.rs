//! The layout of a pair of slices: rows, the columns in each, and the numbers of positions.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::address::{ColumnAddress, TurnedAddress};
use super::bits::{deposit, extract};
use super::colex::{CountTable, Counts, HalvesTable, combinations, combinations_from};
use super::membership::Membership;
use super::mover::Mover;
use super::rows::{RowRef, Rows};
use super::slots::{SlotMap, SlotMaps, Slots, descending_ones};
use crate::board::{Bitboard, POINTS};
use crate::material::{Material, Pair};
use crate::position::Position;
use crate::rules::{Rules, Side, SideGeometry};

/// Where a position stands in the layout of its pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The row.
    pub row: u32,
    /// The entry within the row.
    pub offset: u32,
}

/// The row side's part of a location: its row, the symmetry that leads there, and its states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowTarget {
    /// The row.
    pub row: u32,
    symmetry: u8,
    /// The row's own placement.
    placement: Bitboard,
    /// The number of the row side's states, and how many there are.
    code: u32,
    count: u32,
}

impl RowTarget {
    /// The row.
    #[inline]
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Whether the arrangement is the row's own: columns keep their points.
    #[inline]
    pub fn is_own(&self) -> bool {
        self.symmetry == 0
    }
}

/// A run of whole rows that one thread works on.
#[derive(Clone, Debug)]
pub struct RowBlock {
    /// The rows.
    pub rows: Range<u32>,
    /// Their entries.
    pub entries: Range<u64>,
}

/// An arrangement of the column side in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The stones and their states.
    pub slots: Slots,
    /// The points of the stones.
    pub occupied: Bitboard,
    /// The entry within the row for the row side's first states.
    offset: u32,
    /// By how many entries the row side's next states follow.
    stride: u32,
}

impl Column {
    /// The entry within the row when the row side has the states with this number.
    #[inline]
    pub fn offset(&self, code: u32) -> u32 {
        self.offset + code * self.stride
    }
}

/// A placement of the column side in a row.
struct PlacementRef {
    occupied: Bitboard,
    /// Arrangements of the column side before its first one.
    before: u32,
    /// How many it has.
    states: u32,
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
    /// Words of 64 entries before each row, and their sum at the end.
    words: Offsets,
}

/// How the columns of a row are numbered.
enum Columns {
    /// The stones have no states: all rows have the same combinations.
    Plain {
        halves: HalvesTable,
        combinations: Vec<u32>,
        counts: CountTable,
        membership: OnceLock<Membership>,
    },
    /// The stones have states: a table for each placement of the row side.
    Marked { cells: Vec<u32>, cells_each: usize },
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
        let row_count = rows.len();
        let mut layout = PairLayout {
            rules,
            pair,
            columns: Columns::new(&slots.column, a, b),
            slots,
            rows,
            entries: Offsets::Uniform { each: 0, rows: 0 },
            words: Offsets::Uniform { each: 0, rows: 0 },
        };
        match &layout.columns {
            Columns::Plain { combinations, .. } => {
                let (each, rows) = (combinations.len() as u64, row_count as u64);
                debug_assert_eq!(each, u64::from(layout.counts(0).total(b)));
                debug_assert!(free_points >= b);
                layout.entries = Offsets::Uniform { each, rows };
                layout.words = Offsets::Uniform { each: each.div_ceil(64), rows };
            }
            Columns::Marked { .. } => {
                let size = |row: u32| {
                    let states = layout.slots.row.state_count(layout.rows.placement(row));
                    u64::from(layout.counts(row).total(b)) * u64::from(states)
                };
                let rows = 0..row_count as u32;
                let entries = Offsets::from_sizes(rows.clone().map(size));
                let words = Offsets::from_sizes(rows.map(|row| size(row).div_ceil(64)));
                (layout.entries, layout.words) = (entries, words);
            }
        }
        layout
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

    /// How the stones of `mover` may move.
    #[inline]
    pub(crate) fn geometry(&self, mover: Mover) -> &'static SideGeometry {
        self.rules.side(match mover {
            Mover::RowSide => self.slots.row.side(),
            Mover::ColumnSide => self.slots.column.side(),
        })
    }

    /// Entries of each slice of the pair: positions with symmetry taken out (and the few symmetric doubles).
    pub fn entries(&self) -> u64 {
        self.entries.total()
    }

    /// Words of 64 entries, rows beginning new words.
    pub fn words(&self) -> u64 {
        self.words.total()
    }

    /// Positions of each slice of the pair, every one counted, no symmetry taken out.
    pub fn positions(&self) -> u64 {
        (0..self.rows.len() as u32).map(|row| u64::from(self.entries_in(row)) * self.rows.orbit(row)).sum()
    }

    /// How many entries `row` has.
    pub fn entries_in(&self, row: u32) -> u32 {
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

    /// The table that numbers the columns of `row`.
    #[inline]
    fn counts(&self, row: u32) -> Counts<'_> {
        self.columns.counts(&self.rows, self.rows.placement(row), self.pair.smaller())
    }

    /// The row side's part of the location of positions with this arrangement.
    #[inline]
    pub fn target(&self, arrangement: Slots) -> RowTarget {
        let placement = self.slots.row.occupied(arrangement);
        let found = self.rows.find(placement);
        self.target_by(found, self.slots.points_image(found.symmetry.into(), placement), arrangement)
    }

    /// As [`target`](Self::target), for every symmetry that brings the arrangement to its row: more than one when
    /// the row is symmetric itself, and holds images of one position in several entries.
    pub fn targets(&self, arrangement: Slots) -> impl Iterator<Item = RowTarget> + '_ {
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
        let (code, count) = if slots.is_marked() {
            slots.state_code(slots.image(symmetry.into(), arrangement))
        } else {
            (0, 1)
        };
        RowTarget { row, symmetry, placement, code, count }
    }

    /// The row side's part of the location when it does not move: it has the states with the number `code` in
    /// `row`'s own placement.
    #[inline]
    pub fn stay(&self, row: u32, code: u32) -> RowTarget {
        let placement = self.rows.placement(row);
        RowTarget { row, symmetry: 0, placement, code, count: self.slots.row.state_count(placement) }
    }

    /// Where the position with this arrangement of the column side stands.
    #[inline]
    pub fn location(&self, target: &RowTarget, arrangement: Slots) -> Location {
        let slots = &self.slots.column;
        let arrangement = slots.image(target.symmetry.into(), arrangement);
        let offset = match &self.columns {
            Columns::Plain { halves, .. } => {
                halves.rank(extract(arrangement as u32, (!target.placement).bits()))
            }
            Columns::Marked { .. } => {
                let counts = self.columns.counts(&self.rows, target.placement, self.pair.smaller());
                let free = (!target.placement).bits();
                let (mut before, mut code, mut count) = (0, 0, 1);
                let stones = (1..=self.pair.smaller()).rev();
                for (nth, slot) in stones.zip(descending_ones(arrangement)) {
                    let point = slots.point_of(slot);
                    let below = (free & ((1 << point) - 1)).count_ones() as usize;
                    let states = slots.states(point) as u32;
                    before += count * counts.at(below, nth);
                    code = code * states + (slot - slots.first_slot(point)) as u32;
                    count *= states;
                }
                target.count * before + target.code * count + code
            }
        };
        Location { row: target.row, offset }
    }

    /// The columns of rows as bits, if the stones have no states. Made when it is first asked for.
    pub fn membership(&self) -> Option<&Membership> {
        match &self.columns {
            Columns::Plain { combinations, membership, .. } => {
                let make = || Membership::new(POINTS - self.pair.larger(), combinations);
                Some(membership.get_or_init(make))
            }
            Columns::Marked { .. } => None,
        }
    }

    /// The columns of rows by their numbers, as sets of free points counted from the lowest, if the stones have no states.
    pub fn combinations(&self) -> Option<&[u32]> {
        match &self.columns {
            Columns::Plain { combinations, .. } => Some(combinations),
            Columns::Marked { .. } => None,
        }
    }

    /// How columns are found in a row, if the stones have no states: as [`location`](Self::location), prepared for
    /// many columns.
    pub(crate) fn address(&self, target: &RowTarget) -> Option<ColumnAddress<'_>> {
        match &self.columns {
            Columns::Plain { halves, .. } => {
                let symmetry = usize::from(target.symmetry);
                let images = (symmetry != 0).then(|| self.slots.point_images(symmetry));
                Some(ColumnAddress::new(images, !target.placement, halves))
            }
            Columns::Marked { .. } => None,
        }
    }

    /// Finds positions of this layout after the sides have changed their parts: what was the row side stands on `rows`. If the
    /// stones have no states.
    pub(crate) fn turned_address(&self, rows: Bitboard) -> Option<TurnedAddress<'_>> {
        match &self.columns {
            Columns::Plain { halves, .. } => Some(TurnedAddress::new(&self.slots, &self.rows, halves, rows)),
            Columns::Marked { .. } => None,
        }
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
        self.location(&self.target(row), column)
    }

    /// The number of the entry at `location`.
    #[inline]
    pub fn entry(&self, location: Location) -> u64 {
        self.first_entry(location.row) + u64::from(location.offset)
    }

    /// The word that holds the bit of `location`, and which bit.
    #[inline]
    pub fn bit(&self, location: Location) -> (usize, u32) {
        (self.first_word(location.row) + location.offset as usize / 64, location.offset % 64)
    }

    /// The location of `entry`, which must be below [`entries`](Self::entries).
    pub fn location_of(&self, entry: u64) -> Location {
        let row = self.entries.row_of(entry);
        Location { row, offset: (entry - self.first_entry(row)) as u32 }
    }

    /// The position at `location` in the slice of `material`, one of this pair's: the row side is White, the ply
    /// counter 0.
    pub fn position(&self, material: Material, location: Location) -> Position {
        let (row, column) = self.arrangements(location);
        let [white, white_west, white_east] = self.slots.row.decode(row);
        let [black, black_west, black_east] = self.slots.column.decode(column);
        let side = if Mover::of(material) == Mover::RowSide { Side::White } else { Side::Black };
        Position::from_parts([white, black], side, white_west | black_west, white_east | black_east, 0)
    }

    /// The arrangements of both sides at `location`.
    fn arrangements(&self, location: Location) -> (Slots, Slots) {
        let placement = self.rows.placement(location.row);
        let row_states = self.slots.row.state_count(placement);
        let PlacementRef { occupied, before, states } =
            self.placement_at(location.row, location.offset / row_states);
        let within = location.offset - row_states * before;
        (
            self.slots.row.with_states(placement, within / states),
            self.slots.column.with_states(occupied, within % states),
        )
    }

    /// The placement of the column side that the arrangement with this number in `row` has.
    fn placement_at(&self, row: u32, arrangement: u32) -> PlacementRef {
        let counts = self.counts(row);
        let points: Vec<usize> = (!self.rows.placement(row)).iter().map(|point| point.index()).collect();
        let (mut occupied, mut before, mut states) = (Bitboard::EMPTY, 0, 1);
        for nth in (1..=self.pair.smaller()).rev() {
            let left = arrangement - before;
            let fits = |&below: &usize| states * counts.at(below, nth) <= left;
            let below = (0..points.len()).rev().find(fits).unwrap_or(0);
            before += states * counts.at(below, nth);
            states *= self.slots.column.states(points[below]) as u32;
            occupied |= Bitboard::new(1 << points[below]);
        }
        PlacementRef { occupied, before, states }
    }

    /// How many columns `row` has: arrangements of the column side.
    pub fn column_count(&self, row: u32) -> u32 {
        self.counts(row).total(self.pair.smaller())
    }

    /// A column of a row whose stones have no states, by its number. The number is also the offset.
    #[inline]
    pub(crate) fn plain_column(&self, free: Bitboard, number: u32) -> Column {
        let Columns::Plain { combinations, .. } = &self.columns else {
            unreachable!("the stones have states")
        };
        let occupied = deposit(combinations[number as usize], free.bits());
        Column { slots: occupied.into(), occupied: Bitboard::new(occupied), offset: number, stride: 0 }
    }

    /// All columns of `row`, in the order of their offsets.
    pub fn columns(&self, row: u32, into: &mut Vec<Column>) {
        into.clear();
        let free = !self.rows.placement(row);
        if let Columns::Plain { combinations, .. } = &self.columns {
            return into.extend((0..combinations.len() as u32).map(|number| self.plain_column(free, number)));
        }
        let row_states = self.slots.row.state_count(self.rows.placement(row));
        let slots = &self.slots.column;
        let mut first = 0;
        for bits in combinations(free.count(), self.pair.smaller()) {
            let occupied = Bitboard::new(deposit(bits, free.bits()));
            let stride = slots.state_count(occupied);
            into.extend((0..stride).map(|code| Column {
                slots: slots.with_states(occupied, code),
                occupied,
                offset: first + code,
                stride,
            }));
            first += stride * row_states;
        }
    }

    /// How many placements of the column side each row has.
    pub(crate) fn placements_in_row(&self) -> u64 {
        combinations(POINTS - self.pair.larger(), self.pair.smaller()).count() as u64
    }

    /// The placements of the column side in `row`, each with its offsets, from the one that holds the offset
    /// `from` on.
    pub(crate) fn placements(&self, row: u32, from: u32) -> impl Iterator<Item = (Bitboard, Range<u32>)> {
        let free = !self.rows.placement(row);
        let row_states = self.slots.row.state_count(self.rows.placement(row));
        let first = self.placement_at(row, from / row_states);
        let mut next = row_states * first.before;
        combinations_from(free.count(), extract(first.occupied.bits(), free.bits())).map(move |bits| {
            let occupied = Bitboard::new(deposit(bits, free.bits()));
            let start = next;
            next += row_states * self.slots.column.state_count(occupied);
            (occupied, start..next)
        })
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
                });
                first = end;
            }
        }
        blocks
    }

    /// Bytes that the lookup tables take, without those of the [`rows`](Self::rows), which layouts share.
    pub fn bytes(&self) -> u64 {
        let columns = match &self.columns {
            Columns::Plain { halves, combinations, counts, .. } => {
                let membership = Membership::bytes(POINTS - self.pair.larger(), combinations.len());
                halves.bytes() + 4 * (combinations.len() + counts.cells().len()) as u64 + membership
            }
            Columns::Marked { cells, .. } => 4 * cells.len() as u64,
        };
        columns + self.entries.bytes() + self.words.bytes()
    }
}

impl Columns {
    /// The columns of rows with `a` stones for a column side of `b`.
    fn new(slots: &SlotMap, a: usize, b: usize) -> Columns {
        let free_points = POINTS - a;
        if slots.is_marked() {
            let mut cells = Vec::new();
            for placement in combinations(POINTS, a) {
                let free = (0..POINTS).filter(|point| placement >> point & 1 == 0);
                cells.extend_from_slice(CountTable::new(free.map(|point| slots.states(point)), b).cells());
            }
            return Columns::Marked { cells, cells_each: (free_points + 1) * (b + 1) };
        }
        Columns::Plain {
            halves: HalvesTable::new(free_points, b),
            combinations: combinations(free_points, b).collect(),
            counts: CountTable::new(std::iter::repeat_n(1, free_points), b),
            membership: OnceLock::new(),
        }
    }

    /// The table that numbers the columns of a row with this placement.
    #[inline]
    fn counts(&self, rows: &Rows, placement: Bitboard, stones: usize) -> Counts<'_> {
        match self {
            Columns::Plain { counts, .. } => counts.view(),
            Columns::Marked { cells, cells_each } => {
                let start = rows.number(placement) as usize * cells_each;
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
