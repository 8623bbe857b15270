//! From values in memory to tables on disk, and back.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use crate::index::{Location, Mover, PairLayout, RowBlock, each_bit, put_bits};
use crate::material::Material;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Bits, Cell, Distances, PairWork, UNKNOWN, existing, value_at};
use crate::storage::Storage;
use crate::table::{
    Content, Cursor, DONT_CARE, Longest, Metric, Table, TableError, TableInfo, Value, file_name,
    write_table_in,
};

/// Writes one metric of one slice into `folder`.
pub fn write(
    work: &PairWork,
    storage: &dyn Storage,
    folder: &Path,
    material: Material,
    metric: Metric,
) -> Result<(), TableError> {
    let mover = Mover::of(material);
    let distances = distances(work, mover, metric);
    let info = info(work, material, metric, distances);
    let content = |entries: Range<u64>, quiet: &[u64]| {
        let cells = &work.cells[mover as usize];
        content(
            work.layout,
            cells,
            0,
            entries,
            quiet,
            distances.map(|distances| |entry| distances.get(entry)),
        )
    };
    write_table_in(storage, &folder.join(file_name(material, metric)), work.layout, &info, &content)
}

/// What a table holds for these entries, of which the `quiet` ones are stored. `cells` are those of the rows
/// from `first_row` on; `distance` gives the distance of an entry, if the table holds distances.
pub fn content(
    layout: &PairLayout,
    cells: &[Cell],
    first_row: u32,
    entries: Range<u64>,
    quiet: &[u64],
    distance: Option<impl Fn(u64) -> u16>,
) -> Content {
    let first = entries.start;
    let [won, lost] = planes(layout, cells, first_row, entries);
    let Some(distance) = distance else { return Content::Values { won, lost } };
    let mut plies = Vec::new();
    for (word, &quiet) in quiet.iter().enumerate() {
        let decided = won[word] | lost[word];
        each_bit(quiet, |bit| {
            let is_decided = decided >> bit & 1 != 0;
            let entry = first + 64 * word as u64 + u64::from(bit);
            plies.push(if is_decided { distance(entry) } else { DONT_CARE });
        });
    }
    Content::Distances(plies)
}

/// Which of these entries are won and which are lost, a bit each.
fn planes(layout: &PairLayout, cells: &[Cell], first_row: u32, entries: Range<u64>) -> [Vec<u64>; 2] {
    let before = layout.first_word(first_row);
    let room = ((entries.end - entries.start) as usize).div_ceil(64);
    let mut planes = [vec![0; room], vec![0; room]];
    let mut words = Vec::new();
    let mut entry = entries.start;
    while entry < entries.end {
        let Location { row, offset } = layout.location_of(entry);
        let end = entries.end.min(layout.first_entry(row + 1));
        let (at, count) = ((entry - entries.start) as usize, (end - entry) as usize);
        let (first, bit) = (layout.first_word(row) - before + offset as usize / 64, offset as usize % 64);
        let cells = &cells[first..first + (bit + count).div_ceil(64)];
        for (plane, values) in planes.iter_mut().zip([Bits::wins, Bits::losses]) {
            words.clear();
            words.extend(cells.iter().map(|cell| values(cell.bits())));
            words.push(0);
            put_bits(&words, bit, count, plane, at);
        }
        entry = end;
    }
    planes
}

/// The distances of `metric`, if it has any and they are in memory.
fn distances<'w>(work: &'w PairWork, mover: Mover, metric: Metric) -> Option<&'w Distances> {
    let both = match metric {
        Metric::Wdl => None,
        Metric::Dtc => work.dtc.as_ref(),
        Metric::Dtw => work.dtw.as_ref(),
    };
    both.map(|both| &both[mover as usize])
}

/// The value at `location`; what is open is a draw.
fn value(work: &PairWork, mover: Mover, location: Location) -> Value {
    value_at(work.layout, &work.cells[mover as usize], location).unwrap_or(Value::Draw)
}

/// What a table says about itself: counts over all positions, each image of a row included.
fn info(work: &PairWork, material: Material, metric: Metric, distances: Option<&Distances>) -> TableInfo {
    let layout = work.layout;
    let cells = &work.cells[Mover::of(material) as usize];
    let count_block = |block: &RowBlock| {
        let (mut win, mut loss, mut longest) = (0, 0, Longest::default());
        for row in block.rows.clone() {
            let words = layout.first_word(row)..layout.first_word(row + 1);
            for (word, cell) in cells[words].iter().enumerate() {
                let bits = cell.bits();
                win += u64::from(bits.wins().count_ones()) * layout.rows().orbit(row);
                loss += u64::from(bits.losses().count_ones()) * layout.rows().orbit(row);
                let Some(distances) = distances else { continue };
                let first = layout.first_entry(row) + 64 * word as u64;
                for (value, plane) in [(Value::Win, bits.wins()), (Value::Loss, bits.losses())] {
                    each_bit(plane, |bit| longest.add(value, distances.get(first + u64::from(bit))));
                }
            }
        }
        (win, loss, longest)
    };
    let sum = |a: (u64, u64, Longest), b: (u64, u64, Longest)| (a.0 + b.0, a.1 + b.1, a.2.merged(b.2));
    let (win, loss, longest) =
        work.blocks.par_iter().map(count_block).reduce(|| (0, 0, Longest::default()), sum);
    let positions = layout.positions();
    let draw = positions - win - loss;
    TableInfo { material, metric, entries: layout.entries(), positions, win, draw, loss, longest }
}

/// Takes the values of the open positions of the own rows of one slice from its table. The captures must be resolved.
pub fn load_values(work: &PairWork, table: &Table, monitor: &Monitor) -> Result<(), GenerateError> {
    let layout = work.layout;
    let cells = &work.cells[Mover::of(table.info().material) as usize];
    let before = layout.first_word(work.part.own().start);
    let load_block = |cursor: &mut Cursor, block: &RowBlock| {
        monitor.check()?;
        for row in block.rows.clone() {
            let words = layout.first_word(row) - before..layout.first_word(row + 1) - before;
            for (word, cell) in cells[words].iter().enumerate() {
                let first = layout.first_entry(row) + 64 * word as u64;
                let mut open = cell.bits().open(existing(layout.entries_in(row), word));
                while open != 0 {
                    let bit = open.trailing_zeros();
                    open &= open - 1;
                    let entry = first + u64::from(bit);
                    match cursor.get(entry)?.and_then(Value::from_symbol) {
                        Some(Value::Draw) => {}
                        Some(value) => cell.set(bit, value),
                        None => return Err(table.damaged(entry).into()),
                    }
                }
            }
        }
        Ok(())
    };
    work.blocks.par_iter().try_for_each_init(|| Cursor::new(table), load_block)
}

/// Takes the distances to win that do not follow from captures from the table of one slice, whose values are
/// loaded.
pub fn load_dtw(work: &PairWork, table: &Table, monitor: &Monitor) -> Result<(), GenerateError> {
    let layout = work.layout;
    let mover = Mover::of(table.info().material);
    let Some(distances) = distances(work, mover, Metric::Dtw) else { return Ok(()) };
    let load_block = |cursor: &mut Cursor, block: &RowBlock| {
        monitor.check()?;
        for row in block.rows.clone() {
            for offset in 0..layout.entries_in(row) {
                let location = Location { row, offset };
                let entry = layout.entry(location);
                if distances.get(entry) == UNKNOWN && value(work, mover, location) != Value::Draw {
                    let plies = cursor.get(entry)?.ok_or_else(|| table.damaged(entry))?;
                    distances.set(entry, plies);
                }
            }
        }
        Ok(())
    };
    work.blocks.par_iter().try_for_each_init(|| Cursor::new(table), load_block)
}
