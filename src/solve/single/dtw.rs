//! The distance to win where play can go on for ever, once the values of a pair are known.
//!
//! A capture counts with the distance that the smaller slice gives it. Pass *d* settles exactly the positions
//! with a distance of *d*: it takes only distances below *d* as known. A table may therefore be read in the
//! pass that writes it. Where captures are optional, what the captures of a position give is kept beside what
//! is settled, since a step may win sooner or lose later.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::captures::{best_capture, distance_to_win};
use super::kernel::{Kernel, Placed, for_each_arrangement};
use crate::index::{Location, Mover, RowBlock};
use crate::progress::Stage;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Distances, PairWork, UNKNOWN, value_at};
use crate::table::Value;

/// Finds the distances to win of the pair whose values `work` holds.
pub fn solve(work: &mut PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    let offers = match work.layout.rules().captures_are_compulsory() {
        true => None,
        false => Some(offers(work, monitor)?),
    };
    from_captures(work, monitor)?;
    let Some(distances) = &work.dtw else { return Ok(()) };
    // The largest distance that can still arrive from below: until then a pass may settle nothing.
    let known = distances.iter().chain(offers.iter().flatten());
    let longest = known.map(Distances::longest).max().unwrap_or(0);
    let mut pending = Mover::BOTH.map(|mover| pending(work, mover, &distances[mover as usize]));
    for pass in 1..UNKNOWN {
        if pending.iter().flatten().all(|block| block.left == 0) {
            return Ok(());
        }
        monitor.stage(Stage::Distance { pair: work.layout.pair(), plies: pass });
        let mut settled = 0;
        for mover in Mover::BOTH {
            let offers = offers.as_ref().map(|offers| &offers[mover as usize]);
            settled += settle(work, mover, pass, distances, offers, &mut pending[mover as usize], monitor);
        }
        monitor.check()?;
        if settled == 0 && pass > longest {
            break;
        }
    }
    Err(GenerateError::Inconsistent(work.layout.pair()))
}

/// The distances that captures give to decided positions, where captures are optional: unknown where no
/// capture keeps the value.
fn offers(work: &PairWork, monitor: &Monitor) -> Result<[Distances; 2], GenerateError> {
    let offers = Distances::of_both(work.layout.entries())?;
    for mover in Mover::BOTH {
        let (cells, offers) = (&work.cells[mover as usize], &offers[mover as usize]);
        work.blocks.par_iter().for_each_init(
            || Kernel::of(work),
            |kernel, block| {
                if monitor.stopped() {
                    return;
                }
                for_each_arrangement(kernel, block, |kernel| {
                    for number in 0..kernel.len() {
                        let placed = kernel.placed(number);
                        let value = value_at(work.layout, cells, placed.location);
                        if value.is_none_or(|value| value == Value::Draw) {
                            continue;
                        }
                        let best = best_capture(kernel, mover, &placed, work.slices);
                        if let Some((kept, distance)) = best
                            && Some(kept) == value
                        {
                            offers.set(work.layout.entry(placed.location), distance);
                        }
                    }
                });
            },
        );
    }
    monitor.check()?;
    Ok(offers)
}

/// Sets the distances that do not depend on steps: where captures are compulsory, of all positions with one,
/// and in any case of those without a legal move. The others are unknown.
pub fn from_captures(work: &mut PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    let entries = work.layout.entries();
    let distances = Distances::of_both(entries)?;
    for mover in Mover::BOTH {
        let (cells, distances) = (&work.cells[mover as usize], &distances[mover as usize]);
        work.blocks.par_iter().for_each_init(
            || Kernel::of(work),
            |kernel, block| {
                if monitor.stopped() {
                    return;
                }
                for_each_arrangement(kernel, block, |kernel| {
                    for number in 0..kernel.len() {
                        let placed = kernel.placed(number);
                        let value = value_at(work.layout, cells, placed.location);
                        let Some(value) = value.filter(|&value| value != Value::Draw) else { continue };
                        let entry = work.layout.entry(placed.location);
                        let captures = kernel.can_capture(mover, &placed);
                        if captures && !kernel.rules().captures_are_compulsory() {
                            continue;
                        }
                        if captures {
                            distances.set(entry, distance_to_win(kernel, mover, &placed, value, work.slices));
                        } else if !kernel.has_step(mover, &placed) {
                            distances.set(entry, 0);
                        }
                    }
                });
            },
        );
    }
    monitor.check()?;
    work.dtw = Some(distances);
    Ok(())
}

/// The decided positions of a block whose distance is not known yet: a bit each, by word of the block.
struct Pending {
    words: Vec<u64>,
    left: u32,
}

/// What is pending in each block of a table.
fn pending(work: &PairWork, mover: Mover, distances: &Distances) -> Vec<Pending> {
    let cells = &work.cells[mover as usize];
    let layout = work.layout;
    let pending_in = |block: &RowBlock| {
        let first_word = layout.first_word(block.rows.start);
        let decided = cells[first_word..layout.first_word(block.rows.end)].iter();
        let mut words: Vec<u64> = decided.map(|cell| cell.bits().wins() | cell.bits().losses()).collect();
        for row in block.rows.clone() {
            for offset in 0..layout.entries_in(row) {
                let location = Location { row, offset };
                if distances.get(layout.entry(location)) != UNKNOWN {
                    let (word, bit) = layout.bit(location);
                    words[word - first_word] &= !(1 << bit);
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
    distances: &[Distances; 2],
    offers: Option<&Distances>,
    pending: &mut [Pending],
    monitor: &Monitor,
) -> u32 {
    let layout = work.layout;
    let (own, other) = (&distances[mover as usize], &distances[mover.other() as usize]);
    let settle_block = |kernel: &mut Kernel, (block, pending): (&RowBlock, &mut Pending)| {
        let before = pending.left;
        if before == 0 || monitor.stopped() {
            return 0;
        }
        let first_word = layout.first_word(block.rows.start);
        for row in block.rows.clone() {
            let words = layout.first_word(row) - first_word..layout.first_word(row + 1) - first_word;
            let words = &mut pending.words[words];
            if words.iter().all(|&word| word == 0) {
                continue;
            }
            let wanted = words.to_vec();
            kernel.enter(row);
            for code in 0..kernel.arrangements() {
                kernel.select(code);
                let settle = |kernel: &mut Kernel, placed: Placed| {
                    let offer = offers.map_or(UNKNOWN, |offers| offers.get(layout.entry(placed.location)));
                    if is_settled(work, kernel, mover, &placed, (pass, offer), other) {
                        own.set(layout.entry(placed.location), pass);
                        words[placed.location.offset as usize / 64] &= !(1 << (placed.location.offset % 64));
                        pending.left -= 1;
                    }
                };
                kernel.for_each_marked(|word| wanted[word], settle);
            }
        }
        before - pending.left
    };
    work.blocks.par_iter().zip(pending).map_init(|| Kernel::of(work), settle_block).sum()
}

/// Whether a won position has a step to one lost in fewer than `pass` plies; a lost one only steps to
/// positions won in fewer. `offer` is the distance that captures give it beside that.
fn is_settled(
    work: &PairWork,
    kernel: &Kernel,
    mover: Mover,
    placed: &Placed,
    (pass, offer): (u16, u16),
    other: &Distances,
) -> bool {
    let own_cells = &work.cells[mover as usize];
    let other_cells = &work.cells[mover.other() as usize];
    let won = value_at(work.layout, own_cells, placed.location) == Some(Value::Win);
    let decisive = kernel.for_each_step(mover, placed, |location| {
        let soon = other.get(work.layout.entry(location)) < pass;
        let reply = || value_at(work.layout, other_cells, location);
        // For a win one such step is enough; for a loss one step that is not such is too many.
        let counts = if won { soon && reply() == Some(Value::Loss) } else { !soon };
        if counts { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if won {
        decisive.is_break() || offer <= pass
    } else {
        decisive.is_continue() && (offer == UNKNOWN || offer <= pass)
    }
}
