//! Solving without passes, where no stone can step for ever.
//!
//! Each stone then has a largest number of steps ahead of it, and every step reduces the sum of these numbers
//! over its side's stones. Arrangements of the row side are taken by that sum, smallest first. A step of the
//! row side leads to an arrangement taken before. A step of the column side stays in the arrangement, in the
//! table with the row side to move. So each position is decided once, together with its distances.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::captures::{best_capture, best_value, distance_to_win, sooner_or_later, without_moves};
use super::kernel::{Kernel, Placed};
use crate::index::{Mover, PairLayout};
use crate::progress::Stage;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Distances, PairWork, value_at};
use crate::table::Value;

/// Arrangements of the row side that do not lead to each other: some states of one row.
struct Group {
    row: u32,
    codes: Vec<u32>,
}

/// The groups by the steps that are left to the row side, fewest first. There are none if a stone can step
/// for ever.
fn levels(layout: &PairLayout) -> Vec<Vec<Group>> {
    let slots = layout.row_slots();
    let Some(paths) = slots.longest_paths(layout.rules()) else { return Vec::new() };
    let mut levels: Vec<Vec<Group>> = Vec::new();
    for row in 0..layout.rows().len() as u32 {
        let placement = layout.rows().placement(row);
        for code in 0..slots.state_count(placement) {
            let arrangement = slots.with_states(placement, code);
            let left = |slot: &usize| arrangement >> slot & 1 != 0;
            let level = (0..paths.len()).filter(left).map(|slot| paths[slot] as usize).sum();
            if levels.len() <= level {
                levels.resize_with(level + 1, Vec::new);
            }
            match levels[level].last_mut() {
                Some(group) if group.row == row => group.codes.push(code),
                _ => levels[level].push(Group { row, codes: vec![code] }),
            }
        }
    }
    levels
}

/// The most bytes that the groups of a pair take.
pub fn level_bytes(layout: &PairLayout) -> u64 {
    let placements = (0..layout.rows().len() as u32).map(|row| layout.rows().placement(row));
    let arrangements: u64 = placements.map(|points| u64::from(layout.row_slots().state_count(points))).sum();
    arrangements * (size_of::<Group>() + size_of::<u32>()) as u64
}

/// Decides every position of the pair, with the distances for which `work` has room. No stone may step for
/// ever.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    let pair = work.layout.pair();
    let counted = pair.slices().count() as u64;
    let levels = levels(work.layout);
    for (level, groups) in levels.iter().enumerate() {
        monitor.stage(Stage::Level { pair, level: level + 1, of: levels.len() });
        let solve_group = |kernel: &mut Kernel, group: &Group| {
            if monitor.stopped() {
                return;
            }
            kernel.enter(group.row);
            for &code in &group.codes {
                kernel.select(code);
                // The column side's steps lead to positions with the row side to move in this arrangement.
                for mover in Mover::BOTH {
                    for number in 0..kernel.len() {
                        let placed = kernel.placed(number);
                        decide(work, kernel, mover, &placed);
                    }
                }
            }
            monitor.progress.advanced(counted * u64::from(kernel.len()) * group.codes.len() as u64);
        };
        groups.par_iter().for_each_init(|| Kernel::of(work), solve_group);
        monitor.check()?;
    }
    Ok(())
}

/// Decides one position from what it leads to.
fn decide(work: &PairWork, kernel: &mut Kernel, mover: Mover, placed: &Placed) {
    let entry = work.layout.entry(placed.location);
    let (word, bit) = work.layout.bit(placed.location);
    let cells = &work.cells[mover as usize];
    if kernel.rules().captures_are_compulsory() && kernel.can_capture(mover, placed) {
        let value = best_value(kernel, mover, placed, work.slices);
        cells[word].set(bit, value);
        if value != Value::Draw {
            if let Some(dtc) = &work.dtc {
                dtc[mover as usize].set(entry, 1);
            }
            if let Some(dtw) = &work.dtw {
                let distance = distance_to_win(kernel, mover, placed, value, work.slices);
                dtw[mover as usize].set(entry, distance);
            }
        }
        return;
    }
    let by_capture =
        best_capture(kernel, mover, placed, work.slices).map(|(value, dtw)| Best { value, dtc: 1, dtw });
    let best = match (best_step(work, kernel, mover, placed), by_capture) {
        (Some(step), Some(capture)) => step.or(capture),
        (Some(best), None) | (None, Some(best)) => best,
        (None, None) => Best { value: without_moves(kernel.rules()), dtc: 0, dtw: 0 },
    };
    cells[word].set(bit, best.value);
    if best.value != Value::Draw {
        for (distances, distance) in [(&work.dtc, best.dtc), (&work.dtw, best.dtw)] {
            if let Some(distances) = distances {
                distances[mover as usize].set(entry, distance);
            }
        }
    }
}

/// The best that moves of a position lead to. A distance that is not worked on has no meaning.
#[derive(Clone, Copy)]
struct Best {
    value: Value,
    dtc: u16,
    dtw: u16,
}

impl Best {
    /// The better of both; of equal values, each distance that the mover prefers.
    fn or(self, other: Best) -> Best {
        if self.value != other.value {
            return if self.value > other.value { self } else { other };
        }
        let choose = |one, another| sooner_or_later(self.value, one, another);
        Best { value: self.value, dtc: choose(self.dtc, other.dtc), dtw: choose(self.dtw, other.dtw) }
    }
}

/// The best that the steps lead to; `None` without a step.
fn best_step(work: &PairWork, kernel: &Kernel, mover: Mover, placed: &Placed) -> Option<Best> {
    let other = mover.other() as usize;
    let with_distances = work.dtc.is_some() || work.dtw.is_some();
    let mut best: Option<Best> = None;
    let _ = kernel.for_each_step(mover, placed, |location| {
        let reply = value_at(work.layout, &work.cells[other], location).unwrap_or(Value::Draw);
        let value = reply.reversed();
        let mut found = Best { value, dtc: 0, dtw: 0 };
        if with_distances && best.is_none_or(|best| value >= best.value) {
            let entry = work.layout.entry(location);
            let distance = |of: &Option<[Distances; 2]>| {
                of.as_ref().map_or(0, |distances| distances[other].get(entry)).saturating_add(1)
            };
            (found.dtc, found.dtw) = (distance(&work.dtc), distance(&work.dtw));
        }
        best = Some(best.map_or(found, |best| best.or(found)));
        let done = value == Value::Win && !with_distances;
        if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    best
}
