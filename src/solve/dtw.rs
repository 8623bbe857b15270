//! The distance to win, once the values of a pair are known.
//!
//! A capture counts with the distance that the smaller slice gives it. Pass *d* settles exactly the positions
//! with a distance of *d*: it takes only distances below *d* for known. A table that a pass is writing may
//! therefore be read in the same pass.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::GenerateError;
use super::cells::{Finished, UNKNOWN, split_mut};
use super::kernel::{Captured, Kernel, Mover, Placed, for_each_row};
use super::monitor::Monitor;
use super::slices::Slices;
use super::wdl::PairWork;
use crate::index::RowBlock;
use crate::table::Value;

/// Distances of a pair by entry, by [`Mover`]. [`UNKNOWN`] for draws.
pub type Distances = [Vec<u16>; 2];

/// The distances to win of the pair whose values `work` holds.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<Distances, GenerateError> {
    let mut distances = from_captures(work, monitor)?;
    // What still can arrive from below: no pass before this one may be the last without a settled position.
    let longest = distances.iter().flatten().filter(|&&distance| distance != UNKNOWN).max();
    let longest = longest.copied().unwrap_or(0);
    let mut pending = Mover::BOTH.map(|mover| pending(work, mover, &distances[mover as usize]));
    for pass in 1..UNKNOWN {
        if pending.iter().flatten().all(|block| block.left == 0) {
            return Ok(distances);
        }
        monitor.progress.stage(&format!("distance {pass}"));
        let mut settled = 0;
        for mover in Mover::BOTH {
            settled += settle(work, mover, pass, &mut distances, &mut pending[mover as usize], monitor);
        }
        monitor.check()?;
        if settled == 0 && pass > longest {
            break;
        }
    }
    Err(GenerateError::Inconsistent(work.layout.pair()))
}

/// The distances of all positions with a capture, and of those without a legal move.
pub fn from_captures(work: &PairWork, monitor: &Monitor) -> Result<Distances, GenerateError> {
    let entries = work.layout.entries() as usize;
    let mut distances = [vec![UNKNOWN; entries], vec![UNKNOWN; entries]];
    for mover in Mover::BOTH {
        let cells = &work.cells[mover as usize];
        let pieces = split_mut(&mut distances[mover as usize], work.blocks.iter().map(block_entries));
        let kernel = || Kernel::new(work.index, work.layout.pair());
        work.blocks.par_iter().zip(pieces).for_each_init(kernel, |kernel, (block, distances)| {
            if monitor.stopped() {
                return;
            }
            for_each_row(kernel, block, |kernel, row, _, entry| {
                let first_word = work.layout.first_word(row);
                for column in 0..kernel.len() {
                    let value = cells[first_word + column as usize / 64].get(column % 64);
                    let Some(value) = value.filter(|&value| value != Value::Draw) else { continue };
                    let placed = kernel.placed(column);
                    if let Some(distance) = without_step(kernel, mover, &placed, value, work.slices) {
                        distances[entry + column as usize] = distance;
                    }
                }
            });
        });
    }
    monitor.check()?;
    Ok(distances)
}

fn block_entries(block: &RowBlock) -> usize {
    (block.entries.end - block.entries.start) as usize
}

/// The distance of a position of this value if the side to move can capture or cannot move at all.
fn without_step(
    kernel: &mut Kernel,
    mover: Mover,
    placed: &Placed,
    value: Value,
    slices: &Slices,
) -> Option<u16> {
    if !kernel.can_capture(mover, placed) {
        let step = kernel.for_each_step(mover, placed, |_| ControlFlow::Break(()));
        return step.is_continue().then_some(0);
    }
    let mut best = None;
    let _: ControlFlow<()> = kernel.for_each_capture(mover, placed, |captured| {
        let (reply, distance) = match captured {
            Captured::All => (Value::Loss, 0),
            Captured::Smaller(material, location) => {
                let slice: &Finished = slices.get(material);
                (slice.value(location), slice.dtw(location))
            }
        };
        if reply == value.reversed() {
            let plies = distance.saturating_add(1);
            best = Some(match (best, value) {
                (None, _) => plies,
                (Some(best), Value::Win) => plies.min(best),
                (Some(best), _) => plies.max(best),
            });
        }
        ControlFlow::Continue(())
    });
    best
}

/// The decided positions of a block whose distance is not known yet: a bit each, by word of the block.
struct Pending {
    words: Vec<u64>,
    left: u32,
}

/// What is pending in each block of a table.
fn pending(work: &PairWork, mover: Mover, distances: &[u16]) -> Vec<Pending> {
    let cells = &work.cells[mover as usize];
    let pending_in = |block: &RowBlock| {
        let mut words: Vec<u64> =
            cells[block.words.clone()].iter().map(|cell| cell.wins() | cell.losses()).collect();
        for row in block.rows.clone() {
            let first_entry = work.layout.first_entry(row) as usize;
            let first_word = work.layout.first_word(row) - block.words.start;
            for column in 0..work.layout.columns_in(row) as usize {
                if distances[first_entry + column] != UNKNOWN {
                    words[first_word + column / 64] &= !(1 << (column % 64));
                }
            }
        }
        let left = words.iter().map(|word| word.count_ones()).sum();
        Pending { words, left }
    };
    work.blocks.par_iter().map(pending_in).collect()
}

/// Settles the pending positions with a distance of `pass` in one table, and returns how many there were.
fn settle(
    work: &PairWork,
    mover: Mover,
    pass: u16,
    distances: &mut Distances,
    pending: &mut [Pending],
    monitor: &Monitor,
) -> u32 {
    let [by_row, by_column] = distances;
    let (own, other) = match mover {
        Mover::RowSide => (by_row, by_column),
        Mover::ColumnSide => (by_column, by_row),
    };
    let cells = &work.cells[mover as usize];
    let pieces = split_mut(own, work.blocks.iter().map(block_entries));
    let kernel = || Kernel::new(work.index, work.layout.pair());
    let settle_block =
        |kernel: &mut Kernel, ((block, own), pending): ((&RowBlock, &mut [u16]), &mut Pending)| {
            let before = pending.left;
            if before == 0 || monitor.stopped() {
                return 0;
            }
            for row in block.rows.clone() {
                let first_entry = (work.layout.first_entry(row) - block.entries.start) as usize;
                let first_word = work.layout.first_word(row);
                let words =
                    first_word - block.words.start..work.layout.first_word(row + 1) - block.words.start;
                if pending.words[words.clone()].iter().all(|&word| word == 0) {
                    continue;
                }
                kernel.enter(row);
                for (index, word) in pending.words[words].iter_mut().enumerate() {
                    let mut rest = *word;
                    while rest != 0 {
                        let bit = rest.trailing_zeros();
                        rest &= rest - 1;
                        let column = 64 * index + bit as usize;
                        let won = cells[first_word + index].get(bit) == Some(Value::Win);
                        if is_settled(work, kernel, mover, &kernel.placed(column as u32), won, pass, other) {
                            own[first_entry + column] = pass;
                            *word &= !(1 << bit);
                            pending.left -= 1;
                        }
                    }
                }
            }
            before - pending.left
        };
    work.blocks.par_iter().zip(pieces).zip(pending).map_init(kernel, settle_block).sum()
}

/// Whether a won position has a step to one lost in fewer than `pass` plies; a lost one only steps to positions
/// won in fewer.
fn is_settled(
    work: &PairWork,
    kernel: &Kernel,
    mover: Mover,
    placed: &Placed,
    won: bool,
    pass: u16,
    other: &[u16],
) -> bool {
    let cells = &work.cells[mover.other() as usize];
    let decisive = kernel.for_each_step(mover, placed, |step| {
        let word = work.layout.first_word(step.location.row) + step.location.column as usize / 64;
        let reply = cells[word].get(step.location.column % 64);
        let soon = other[work.layout.entry(step.location) as usize] < pass;
        // For a win one such step is enough; for a loss one step that is not such is too many.
        let counts = if won { reply == Some(Value::Loss) && soon } else { !soon };
        if counts { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    decisive.is_break() == won
}
