//! Win, draw or loss, and with it the distance to conversion: the number of the pass that decides a position.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;
use rayon::prelude::*;

use super::GenerateError;
use super::captures::best_value;
use super::cells::{Bits, Cell, existing, value_at};
use super::kernel::{Kernel, Mover, Placed, for_each_arrangement};
use super::monitor::Monitor;
use super::work::PairWork;
use crate::index::{Location, PairLayout, RowBlock};
use crate::table::Value;

/// Positions of a table as bits, by word of the layout. Threads may set bits of the same word.
type Marks = BitVec<AtomicU64, Lsb0>;

/// What a pass decided in one block: row, word within the row, and the positions.
type Decisions = Vec<(u32, u32, Bits)>;

/// Bytes of a decision.
pub const DECISION_BYTES: u64 = size_of::<(u32, u32, Bits)>() as u64;

/// Decides everything that is not a draw: what is open afterwards is one.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    monitor.stage(work.layout.pair(), "captures");
    let blocked = resolve(work, monitor)?;
    propagate(work, &blocked, monitor)
}

/// Decides all positions in which the side to move can capture, from the smaller slices, and those in which it has no
/// legal move, with their distances to conversion. Tells for each table whether there are some of the latter.
pub fn resolve(work: &PairWork, monitor: &Monitor) -> Result<[bool; 2], GenerateError> {
    let layout = work.layout;
    let counted = layout.pair().slices().count();
    let blocked = Mover::BOTH.map(|mover| {
        let resolve_block = |kernel: &mut Kernel, block: &RowBlock| {
            let mut blocked = false;
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
                        blocked = true;
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
        let blocked = work.blocks.par_iter().map_init(|| work.kernel(), resolve_block);
        blocked.reduce(|| false, |one, other| one || other)
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
fn propagate(work: &PairWork, blocked: &[bool; 2], monitor: &Monitor) -> Result<(), GenerateError> {
    let limit = work.layout.rules().ply_limit().map_or(u16::MAX - 1, u16::from);
    let marks = Mover::BOTH.map(|_| new_marks(work.layout));
    for pass in 1..=limit {
        monitor.stage(work.layout.pair(), &format!("pass {pass}"));
        let decisions = Mover::BOTH.map(|mover| match pass {
            // A position with a capture is decided in one ply, a blocked one in none: the first pass is about the latter.
            1 if !blocked[mover.other() as usize] => Vec::new(),
            1 => run_pass(work, mover, &|_| u64::MAX, blocks_opponent, monitor),
            2 => run_pass(work, mover, &|_| u64::MAX, follows, monitor),
            _ => {
                let marks = &marks[mover as usize].as_raw_slice();
                run_pass(work, mover, &|word| marks[word].swap(0, Relaxed), follows, monitor)
            }
        });
        monitor.check()?;
        for (mover, decisions) in Mover::BOTH.into_iter().zip(&decisions) {
            let marks = (pass > 1).then(|| &marks[mover.other() as usize]);
            let enter_block = |kernel: &mut Kernel, decisions: &Decisions| {
                enter(work, mover, pass, decisions);
                if let Some(marks) = marks {
                    mark_before(work, kernel, mover.other(), decisions, marks);
                }
            };
            decisions.par_iter().for_each_init(|| work.kernel(), enter_block);
        }
        if pass > 1 && decisions.iter().flatten().all(Vec::is_empty) {
            break;
        }
    }
    Ok(())
}

fn new_marks(layout: &PairLayout) -> Marks {
    let words = (0..layout.words()).map(|_| AtomicU64::new(0)).collect();
    Marks::from_vec(words)
}

/// What a pass decides in one table by `rule`, among the open positions that `marked` has for each word.
fn run_pass(
    work: &PairWork,
    mover: Mover,
    marked: &(dyn Fn(usize) -> u64 + Sync),
    rule: fn(&Kernel, Mover, &Placed, &[Cell]) -> Option<Value>,
    monitor: &Monitor,
) -> Vec<Decisions> {
    let layout = work.layout;
    let (own, other) = (&work.cells[mover as usize], &work.cells[mover.other() as usize]);
    let pass_row = |kernel: &mut Kernel, open: &mut Vec<u64>, row: u32, decisions: &mut Decisions| {
        let words = layout.first_word(row)..layout.first_word(row + 1);
        let entries = layout.entries_in(row);
        open.clear();
        open.extend(words.enumerate().map(|(index, word)| {
            let marked = marked(word);
            // Cells are looked at only where something is marked.
            if marked == 0 { 0 } else { marked & own[word].bits().open(existing(entries, index)) }
        }));
        if open.iter().all(|&word| word == 0) {
            return;
        }
        kernel.enter(row);
        for code in 0..kernel.arrangements() {
            kernel.select(code);
            kernel.for_each_marked(
                |word| open[word as usize],
                |kernel, placed| {
                    if let Some(value) = rule(kernel, mover, &placed, other) {
                        note(decisions, placed.location, value);
                    }
                },
            );
        }
    };
    let pass_block = |(kernel, open): &mut (Kernel, Vec<u64>), block: &RowBlock| {
        let mut decisions = Decisions::new();
        if !monitor.stopped() {
            block.rows.clone().for_each(|row| pass_row(kernel, open, row, &mut decisions));
        }
        decisions
    };
    work.blocks.par_iter().map_init(|| (work.kernel(), Vec::new()), pass_block).collect()
}

/// Notes a decision; those of one word that follow each other share an item.
fn note(decisions: &mut Decisions, location: Location, value: Value) {
    let (row, word, bit) = (location.row, location.offset / 64, location.offset % 64);
    match decisions.last_mut() {
        Some((last_row, last_word, bits)) if (*last_row, *last_word) == (row, word) => bits.set(bit, value),
        _ => {
            let mut bits = Bits::default();
            bits.set(bit, value);
            decisions.push((row, word, bits));
        }
    }
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

/// Marks the positions, `mover` to move, from which a step leads to one of these decisions: the next pass looks at
/// them and at no other.
fn mark_before(work: &PairWork, kernel: &mut Kernel, mover: Mover, decisions: &Decisions, marks: &Marks) {
    let layout = work.layout;
    for of_row in decisions.chunk_by(|one, next| one.0 == next.0) {
        let row = of_row[0].0;
        let mut decided = vec![0; (layout.first_word(row + 1)) - layout.first_word(row)];
        of_row.iter().for_each(|(_, word, bits)| decided[*word as usize] |= bits.decided());
        kernel.enter(row);
        for code in 0..kernel.arrangements() {
            kernel.select(code);
            kernel.for_each_marked(
                |word| decided[word as usize],
                |kernel, placed| {
                    kernel.for_each_step_back(mover, &placed, |location| {
                        let (word, bit) = layout.bit(location);
                        marks.set_aliased(64 * word + bit as usize, true);
                    });
                },
            );
        }
    }
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
