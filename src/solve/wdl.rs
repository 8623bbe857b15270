//! Win, draw or loss, and with it the distance to conversion: the number of the pass that decides a position.

use std::ops::ControlFlow;

use bitvec::vec::BitVec;
use rayon::prelude::*;

use super::GenerateError;
use super::captures::best_value;
use super::cells::{Bits, Cell, value_at};
use super::kernel::{Kernel, Mover, Placed, for_each_arrangement};
use super::monitor::Monitor;
use super::work::PairWork;
use crate::index::{Location, PairLayout, RowBlock};
use crate::table::Value;

/// A set of rows for each table.
type RowSets = [BitVec; 2];

/// What a pass decided in one block: row, word within the row, and the positions.
type Decisions = Vec<(u32, u32, Bits)>;

/// Bytes of a decision.
pub const DECISION_BYTES: u64 = size_of::<(u32, u32, Bits)>() as u64;

/// Decides everything that is not a draw: what is open afterwards is one.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    monitor.progress.stage("captures");
    let blocked = resolve(work, monitor)?;
    propagate(work, blocked, monitor)
}

/// Decides all positions in which the side to move can capture, from the smaller slices, and those in which it has no
/// legal move, with their distances to conversion. Returns the rows that hold some of the latter.
pub fn resolve(work: &PairWork, monitor: &Monitor) -> Result<RowSets, GenerateError> {
    let layout = work.layout;
    let counted = layout.pair().slices().count();
    let blocked = Mover::BOTH.map(|mover| {
        let resolve_block = |kernel: &mut Kernel, block: &RowBlock| {
            let mut blocked = Vec::new();
            if monitor.stopped() {
                return blocked;
            }
            for_each_arrangement(kernel, block, |kernel| {
                for number in 0..kernel.len() {
                    let placed = kernel.placed(number);
                    let (value, distance) = if kernel.can_capture(mover, &placed) {
                        (best_value(kernel, mover, &placed, work.slices), 1)
                    } else if has_step(kernel, mover, &placed) {
                        continue;
                    } else {
                        blocked.push(kernel.row());
                        (Value::Loss, 0)
                    };
                    decided(work, mover, placed.location, value, distance);
                }
            });
            if (mover as usize) < counted {
                monitor.progress.advanced(block.entries.end - block.entries.start);
            }
            blocked
        };
        let blocked: Vec<Vec<u32>> =
            work.blocks.par_iter().map_init(|| work.kernel(), resolve_block).collect();
        rows_of(layout, blocked.into_iter().flatten())
    });
    monitor.check()?;
    Ok(blocked)
}

/// Enters the value of a position, and its distance to conversion if it has one.
fn decided(work: &PairWork, mover: Mover, location: Location, value: Value, distance: u16) {
    let (word, bit) = work.layout.bit(location);
    work.cells[mover as usize][word].set(bit, value);
    if let Some(dtc) = &work.dtc
        && value != Value::Draw
    {
        dtc[mover as usize].set(work.layout.entry(location), distance);
    }
}

/// Passes over the open positions. Pass *d* decides exactly those with a distance to conversion of *d*: it reads
/// what the passes before it decided, and its own decisions count from the next one on.
fn propagate(work: &PairWork, blocked: RowSets, monitor: &Monitor) -> Result<(), GenerateError> {
    let rows = work.layout.rows().len();
    let limit = work.layout.rules().ply_limit().map_or(u16::MAX - 1, u16::from);
    // A position with a capture is decided in one ply, a blocked one in none: only the latter count for the first
    // pass, and all rows are new for the second.
    let mut news = blocked;
    for pass in 1..=limit {
        monitor.progress.stage(&format!("pass {pass}"));
        let decisions = Mover::BOTH.map(|mover| run_pass(work, mover, pass, &news, monitor));
        monitor.check()?;
        for (mover, decisions) in Mover::BOTH.into_iter().zip(&decisions) {
            decisions.par_iter().for_each(|decisions| enter(work, mover, pass, decisions));
        }
        news =
            decisions.map(|decisions| rows_of(work.layout, decisions.iter().flatten().map(|&(row, ..)| row)));
        if pass == 1 {
            news = [BitVec::repeat(true, rows), BitVec::repeat(true, rows)];
        } else if news.iter().all(|rows| rows.not_any()) {
            break;
        }
    }
    Ok(())
}

/// What pass number `pass` decides in one table, where the rows in `news` have changed since the last one.
fn run_pass(work: &PairWork, mover: Mover, pass: u16, news: &RowSets, monitor: &Monitor) -> Vec<Decisions> {
    let own = &work.cells[mover as usize];
    let other = &work.cells[mover.other() as usize];
    let news = &news[mover.other() as usize];
    if news.not_any() {
        return Vec::new();
    }
    let pass_row = |kernel: &mut Kernel, row: u32, decisions: &mut Decisions| {
        if mover == Mover::ColumnSide && !news[row as usize] || !has_open(work.layout, own, row) {
            return;
        }
        kernel.enter(row);
        for code in 0..kernel.arrangements() {
            kernel.select(code);
            if mover == Mover::RowSide && !kernel.step_rows().any(|row| news[row as usize]) {
                continue;
            }
            kernel.for_each_open(own, |placed| {
                let value = if pass == 1 {
                    blocks_opponent(kernel, mover, &placed, other)
                } else {
                    follows(kernel, mover, &placed, other)
                };
                if let Some(value) = value {
                    let (word, bit) = (placed.location.offset / 64, placed.location.offset % 64);
                    match decisions.last_mut() {
                        Some((last_row, last_word, bits)) if (*last_row, *last_word) == (row, word) => {
                            bits.set(bit, value);
                        }
                        _ => {
                            let mut bits = Bits::default();
                            bits.set(bit, value);
                            decisions.push((row, word, bits));
                        }
                    }
                }
            });
        }
    };
    let pass_block = |kernel: &mut Kernel, block: &RowBlock| {
        let mut decisions = Decisions::new();
        if !monitor.stopped() {
            block.rows.clone().for_each(|row| pass_row(kernel, row, &mut decisions));
        }
        decisions
    };
    work.blocks.par_iter().map_init(|| work.kernel(), pass_block).collect()
}

/// Enters what a pass decided in a block.
fn enter(work: &PairWork, mover: Mover, pass: u16, decisions: &Decisions) {
    for &(row, word, bits) in decisions {
        work.cells[mover as usize][work.layout.first_word(row) + word as usize].merge(bits);
        if let Some(dtc) = &work.dtc {
            let first = work.layout.entry(Location { row, offset: 64 * word });
            let mut rest = bits.decided();
            while rest != 0 {
                dtc[mover as usize].set(first + u64::from(rest.trailing_zeros()), pass);
                rest &= rest - 1;
            }
        }
    }
}

/// Whether a row has an open position.
fn has_open(layout: &PairLayout, cells: &[Cell], row: u32) -> bool {
    let words = layout.first_word(row)..layout.first_word(row + 1);
    let entries = layout.entries_in(row);
    cells[words]
        .iter()
        .enumerate()
        .any(|(word, cell)| cell.bits().open(super::cells::existing(entries, word)) != 0)
}

/// The set of these rows.
fn rows_of(layout: &PairLayout, rows: impl Iterator<Item = u32>) -> BitVec {
    let mut set = BitVec::repeat(false, layout.rows().len());
    rows.for_each(|row| set.set(row as usize, true));
    set
}

/// Whether `mover` has any step.
pub fn has_step(kernel: &Kernel, mover: Mover, placed: &Placed) -> bool {
    kernel.for_each_step(mover, placed, |_| ControlFlow::Break(())).is_break()
}

/// The value of an open position as far as it follows from what `other` holds of its successors.
fn follows(kernel: &Kernel, mover: Mover, placed: &Placed, other: &[Cell]) -> Option<Value> {
    let layout = kernel.layout();
    let mut all_won = true;
    let lost = kernel.for_each_step(mover, placed, |step| match value_at(layout, other, step.location) {
        Some(Value::Loss) => ControlFlow::Break(()),
        value => {
            all_won &= value == Some(Value::Win);
            ControlFlow::Continue(())
        }
    });
    match lost {
        ControlFlow::Break(()) => Some(Value::Win),
        ControlFlow::Continue(()) => all_won.then_some(Value::Loss),
    }
}

/// The first pass: a win if a step leaves the opponent without a legal move. Before it, a lost position without a
/// capture is one without a move.
fn blocks_opponent(kernel: &Kernel, mover: Mover, placed: &Placed, other: &[Cell]) -> Option<Value> {
    let layout = kernel.layout();
    let found = kernel.for_each_step(mover, placed, |step| {
        let lost = value_at(layout, other, step.location) == Some(Value::Loss);
        if lost && !kernel.can_capture_with(mover.other(), step.rows, step.columns) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found.is_break().then_some(Value::Win)
}
