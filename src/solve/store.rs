//! From values in memory to tables on disk, and back.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::GenerateError;
use super::cells::{UNKNOWN, existing, split_mut};
use super::kernel::{Kernel, Mover};
use super::monitor::Monitor;
use super::wdl::PairWork;
use crate::index::{Location, PairLayout, RowBlock};
use crate::material::Material;
use crate::table::{
    Cursor, DONT_CARE, Longest, Metric, Symbol, Table, TableError, TableInfo, Value, file_name, write_table,
};

impl PairWork<'_> {
    /// The side to move in the slice of `material`.
    pub fn mover(material: Material) -> Mover {
        if PairLayout::row_side_moves(material) { Mover::RowSide } else { Mover::ColumnSide }
    }

    /// Writes one metric of one slice into `folder`. `distances` are those of the metric, by entry.
    pub fn write(
        &self,
        folder: &Path,
        material: Material,
        metric: Metric,
        distances: &[u16],
    ) -> Result<(), TableError> {
        let mover = Self::mover(material);
        let info = self.info(material, metric, distances);
        let fill = |entries: Range<u64>, mut symbols: &mut [Symbol]| {
            let mut kernel = Kernel::new(self.index, self.layout.pair());
            let mut entry = entries.start;
            while entry < entries.end {
                let Location { row, column } = self.layout.location(entry);
                let end = entries.end.min(self.layout.first_entry(row + 1));
                let (here, rest) = symbols.split_at_mut((end - entry) as usize);
                kernel.enter(row);
                for ((symbol, column), entry) in here.iter_mut().zip(column..).zip(entry as usize..) {
                    let value = self.value(mover, Location { row, column });
                    *symbol = match metric {
                        _ if kernel.can_capture(mover, &kernel.placed(column)) => DONT_CARE,
                        Metric::Wdl => value.symbol(),
                        _ if value == Value::Draw => DONT_CARE,
                        _ => distances[entry],
                    };
                }
                (symbols, entry) = (rest, end);
            }
        };
        write_table(&folder.join(file_name(material, metric)), self.layout.rules(), &info, &fill)
    }

    /// The value at `location`; what is open is a draw.
    fn value(&self, mover: Mover, location: Location) -> Value {
        let word = self.layout.first_word(location.row) + location.column as usize / 64;
        self.cells[mover as usize][word].get(location.column % 64).unwrap_or(Value::Draw)
    }

    /// What a table says about itself: counts over all positions, each image of a symmetric row included.
    fn info(&self, material: Material, metric: Metric, distances: &[u16]) -> TableInfo {
        let layout = self.layout;
        let cells = &self.cells[Self::mover(material) as usize];
        let count_block = |block: &RowBlock| {
            let (mut win, mut loss, mut longest) = (0, 0, Longest::default());
            for row in block.rows.clone() {
                let first_word = layout.first_word(row);
                for (word, cell) in cells[first_word..layout.first_word(row + 1)].iter().enumerate() {
                    win += u64::from(cell.wins().count_ones()) * layout.rows().orbit(row);
                    loss += u64::from(cell.losses().count_ones()) * layout.rows().orbit(row);
                    if metric == Metric::Wdl {
                        continue;
                    }
                    let first = layout.first_entry(row) as usize + 64 * word;
                    let exist = existing(layout.columns_in(row), word).count_ones() as usize;
                    for (bit, &distance) in distances[first..first + exist].iter().enumerate() {
                        longest.add(cell.get(bit as u32).unwrap_or(Value::Draw), distance);
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
        let (layout, blocks) = (self.layout, &self.blocks);
        let cells = &mut self.cells[Self::mover(table.info().material) as usize];
        let pieces = split_mut(cells, blocks.iter().map(|block| block.words.len()));
        blocks.par_iter().zip(pieces).try_for_each_init(
            || Cursor::new(table),
            |cursor, (block, cells)| {
                monitor.check()?;
                for row in block.rows.clone() {
                    let first_word = layout.first_word(row) - block.words.start;
                    let columns = layout.columns_in(row);
                    for word in 0..columns.div_ceil(64) as usize {
                        let cell = &mut cells[first_word + word];
                        let mut open = cell.open(existing(columns, word));
                        while open != 0 {
                            let bit = open.trailing_zeros();
                            open &= open - 1;
                            let entry = layout.first_entry(row) + 64 * word as u64 + u64::from(bit);
                            match Value::from_symbol(cursor.get(entry)?) {
                                Some(Value::Draw) => {}
                                Some(value) => cell.set(bit, value),
                                None => return Err(table.damaged(entry).into()),
                            }
                        }
                    }
                }
                Ok(())
            },
        )
    }

    /// The distances to win of one slice, whose values are loaded, from its table and from its captures.
    pub fn load_dtw(
        &self,
        table: &Table,
        from_captures: &mut [u16],
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let (layout, blocks, mover) = (self.layout, &self.blocks, Self::mover(table.info().material));
        let lengths = blocks.iter().map(|block| (block.entries.end - block.entries.start) as usize);
        let pieces = split_mut(from_captures, lengths);
        blocks.par_iter().zip(pieces).try_for_each_init(
            || Cursor::new(table),
            |cursor, (block, distances)| {
                monitor.check()?;
                for row in block.rows.clone() {
                    for column in 0..layout.columns_in(row) {
                        let location = Location { row, column };
                        let entry = layout.entry(location);
                        let distance = &mut distances[(entry - block.entries.start) as usize];
                        if *distance == UNKNOWN && self.value(mover, location) != Value::Draw {
                            *distance = cursor.get(entry)?;
                        }
                    }
                }
                Ok(())
            },
        )
    }
}
