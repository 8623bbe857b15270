//! From values in memory to tables on disk, and back.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::GenerateError;
use super::cells::{Distances, UNKNOWN, existing, value_at};
use super::kernel::{Kernel, Mover};
use super::monitor::Monitor;
use super::planes;
use super::work::PairWork;
use crate::index::{Location, RowBlock, each_bit};
use crate::material::Material;
use crate::table::{
    Cursor, DONT_CARE, Longest, Metric, Symbol, Table, TableError, TableInfo, Value, file_name, write_table,
};

impl PairWork<'_> {
    /// Writes one metric of one slice into `folder`.
    pub fn write(&self, folder: &Path, material: Material, metric: Metric) -> Result<(), TableError> {
        let mover = Self::mover(material);
        let distances = self.distances(mover, metric);
        let info = self.info(material, metric, distances);
        let fill = |entries: Range<u64>, symbols: &mut [Symbol]| {
            let kernel = self.kernel();
            let mut rest = symbols;
            let mut entry = entries.start;
            while entry < entries.end {
                let Location { row, offset } = self.layout.location_of(entry);
                let end = entries.end.min(self.layout.first_entry(row + 1));
                let (here, after) = rest.split_at_mut((end - entry) as usize);
                self.fill_row(&kernel, (mover, metric, distances), Location { row, offset }, here);
                (rest, entry) = (after, end);
            }
        };
        write_table(&folder.join(file_name(material, metric)), self.layout.rules(), &info, &fill)
    }

    /// The distances of `metric`, if it has any and they are in memory.
    fn distances(&self, mover: Mover, metric: Metric) -> Option<&Distances> {
        let both = match metric {
            Metric::Wdl => None,
            Metric::Dtc => self.dtc.as_ref(),
            Metric::Dtw => self.dtw.as_ref(),
        };
        both.map(|both| &both[mover as usize])
    }

    /// The symbols of the entries of a row from `first` on.
    fn fill_row(
        &self,
        kernel: &Kernel,
        (mover, metric, distances): (Mover, Metric, Option<&Distances>),
        Location { row, offset: first }: Location,
        symbols: &mut [Symbol],
    ) {
        if let Some(row) = planes::Row::new(self.layout, row) {
            return self.fill_planes(&row, (mover, metric, distances), first, symbols);
        }
        let placement = self.layout.rows().placement(row);
        let end = first + symbols.len() as u32;
        // Positions with the same placements stand together, and a capture depends on nothing else.
        let placements = self.layout.placements(row, first);
        for (occupied, offsets) in placements.take_while(|(_, offsets)| offsets.start < end) {
            let captures = kernel.can_capture_with(mover, placement, occupied);
            for offset in offsets.start.max(first)..offsets.end.min(end) {
                let location = Location { row, offset };
                let value = self.value(mover, location);
                symbols[(offset - first) as usize] = match distances {
                    _ if captures => DONT_CARE,
                    None if metric == Metric::Wdl => value.symbol(),
                    Some(distances) if value != Value::Draw => distances.get(self.layout.entry(location)),
                    _ => DONT_CARE,
                };
            }
        }
    }

    /// As [`fill_row`](Self::fill_row), where the stones have no states.
    fn fill_planes(
        &self,
        row: &planes::Row,
        (mover, metric, distances): (Mover, Metric, Option<&Distances>),
        first: u32,
        symbols: &mut [Symbol],
    ) {
        let mut captures = vec![0; row.words().len()];
        planes::capturing(row, mover, &mut captures);
        let cells = &self.cells[mover as usize][row.words()];
        let mut offset = first as usize;
        let mut rest = symbols;
        while !rest.is_empty() {
            let (word, bit) = (offset / 64, offset % 64);
            let (here, after) = rest.split_at_mut((64 - bit).min(rest.len()));
            let (bits, captures) = (cells[word].bits(), captures[word] >> bit);
            let (won, lost) = (bits.wins() >> bit, bits.losses() >> bit);
            match distances {
                // Crowded slices have few other words.
                _ if captures == u64::MAX >> bit => here.fill(DONT_CARE),
                None if metric == Metric::Wdl => {
                    for (place, symbol) in here.iter_mut().enumerate() {
                        let bit = |bits: u64| (bits >> place & 1) as Symbol;
                        let value = Value::Draw.symbol() + bit(won) - bit(lost);
                        // All ones is what nobody reads.
                        *symbol = value | bit(captures).wrapping_neg();
                    }
                }
                None => here.fill(DONT_CARE),
                Some(distances) => {
                    let read = (won | lost) & !captures;
                    let entry = row.first_entry() + offset as u64;
                    for (place, symbol) in here.iter_mut().enumerate() {
                        let is_read = read >> place & 1 != 0;
                        *symbol = if is_read { distances.get(entry + place as u64) } else { DONT_CARE };
                    }
                }
            }
            offset += here.len();
            rest = after;
        }
    }

    /// The value at `location`; what is open is a draw.
    fn value(&self, mover: Mover, location: Location) -> Value {
        value_at(self.layout, &self.cells[mover as usize], location).unwrap_or(Value::Draw)
    }

    /// What a table says about itself: counts over all positions, each image of a row included.
    fn info(&self, material: Material, metric: Metric, distances: Option<&Distances>) -> TableInfo {
        let layout = self.layout;
        let cells = &self.cells[Self::mover(material) as usize];
        let count_block = |block: &RowBlock| {
            let (mut win, mut loss, mut longest) = (0, 0, Longest::default());
            for row in block.rows.clone() {
                let words = layout.first_word(row)..layout.first_word(row + 1);
                for (word, cell) in cells[words].iter().enumerate() {
                    let bits = cell.bits();
                    win += u64::from(bits.wins().count_ones()) * layout.rows().orbit(row);
                    loss += u64::from(bits.losses().count_ones()) * layout.rows().orbit(row);
                    let Some(distances) = distances else { continue };
                    let first = layout.entry(Location { row, offset: 64 * word as u32 });
                    for (value, plane) in [(Value::Win, bits.wins()), (Value::Loss, bits.losses())] {
                        each_bit(plane, |bit| longest.add(value, distances.get(first + u64::from(bit))));
                    }
                }
            }
            (win, loss, longest)
        };
        let sum = |a: (u64, u64, Longest), b: (u64, u64, Longest)| (a.0 + b.0, a.1 + b.1, a.2.merged(b.2));
        let (win, loss, longest) =
            self.blocks.par_iter().map(count_block).reduce(|| (0, 0, Longest::default()), sum);
        let positions = layout.positions();
        let draw = positions - win - loss;
        TableInfo { material, metric, entries: layout.entries(), positions, win, draw, loss, longest }
    }

    /// Takes the values of the open positions of one slice from its table. The captures must be resolved.
    pub fn load_values(&mut self, table: &Table, monitor: &Monitor) -> Result<(), GenerateError> {
        let layout = self.layout;
        let cells = &self.cells[Self::mover(table.info().material) as usize];
        let load_block = |cursor: &mut Cursor, block: &RowBlock| {
            monitor.check()?;
            for row in block.rows.clone() {
                let words = layout.first_word(row)..layout.first_word(row + 1);
                for (word, cell) in cells[words].iter().enumerate() {
                    let first = layout.entry(Location { row, offset: 64 * word as u32 });
                    let mut open = cell.bits().open(existing(layout.entries_in(row), word));
                    while open != 0 {
                        let bit = open.trailing_zeros();
                        open &= open - 1;
                        let entry = first + u64::from(bit);
                        match Value::from_symbol(cursor.get(entry)?) {
                            Some(Value::Draw) => {}
                            Some(value) => cell.set(bit, value),
                            None => return Err(table.damaged(entry).into()),
                        }
                    }
                }
            }
            Ok(())
        };
        self.blocks.par_iter().try_for_each_init(|| Cursor::new(table), load_block)
    }

    /// Takes the distances to win that do not follow from captures from the table of one slice, whose values are
    /// loaded.
    pub fn load_dtw(&self, table: &Table, monitor: &Monitor) -> Result<(), GenerateError> {
        let layout = self.layout;
        let mover = Self::mover(table.info().material);
        let Some(distances) = self.distances(mover, Metric::Dtw) else { return Ok(()) };
        let load_block = |cursor: &mut Cursor, block: &RowBlock| {
            monitor.check()?;
            for row in block.rows.clone() {
                for offset in 0..layout.entries_in(row) {
                    let location = Location { row, offset };
                    let entry = layout.entry(location);
                    if distances.get(entry) == UNKNOWN && self.value(mover, location) != Value::Draw {
                        distances.set(entry, cursor.get(entry)?);
                    }
                }
            }
            Ok(())
        };
        self.blocks.par_iter().try_for_each_init(|| Cursor::new(table), load_block)
    }
}
