//! Solving without passes, where play within a pair cannot go on for ever.
//!
//! Under the no-return rule a stone has only so many steps before it: every step makes the sum of these over its side's
//! stones smaller. Arrangements of the row side are taken by that sum, smallest first. A step of the row side
//! leads to an arrangement taken before; a step of the column side stays in the arrangement, in the table with
//! the row side to move. So each position is decided once, with its distances.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::GenerateError;
use super::captures::{best_value, distance_to_win, sooner_or_later};
use super::cells::value_at;
use super::kernel::{Kernel, Mover, Placed};
use super::monitor::Monitor;
use super::work::PairWork;
use crate::index::{Index, PairLayout, SlotMap};
use crate::rules::Rules;
use crate::table::Value;

/// Arrangements of the row side that do not lead to each other: some states of one row.
pub struct Group {
    row: u32,
    codes: Vec<u32>,
}

/// Whether no stone can step for ever under the rules of `index`.
pub fn applies(index: &Index) -> bool {
    longest_paths(index.rules(), index.row_slots(), index.column_slots()).is_some()
}

/// The steps that are left to a stone of the row side in each slot, when no stone of either side can step for ever.
fn longest_paths(rules: &Rules, row_slots: &SlotMap, column_slots: &SlotMap) -> Option<Vec<u32>> {
    column_slots.longest_paths(rules)?;
    row_slots.longest_paths(rules)
}

/// The groups by the steps that are left to the row side, fewest first; `None` when a stone can step for ever.
pub fn levels(layout: &PairLayout) -> Option<Vec<Vec<Group>>> {
    let slots = layout.row_slots();
    let paths = longest_paths(layout.rules(), slots, layout.column_slots())?;
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
    Some(levels)
}

/// The most bytes that the groups take.
pub fn bytes(layout: &PairLayout) -> u64 {
    let placements = (0..layout.rows().len() as u32).map(|row| layout.rows().placement(row));
    let arrangements: u64 = placements.map(|points| u64::from(layout.row_slots().state_count(points))).sum();
    arrangements * (size_of::<Group>() + size_of::<u32>()) as u64
}

/// Decides every position of the pair, with the distances for which `work` has room.
pub fn solve(work: &PairWork, levels: &[Vec<Group>], monitor: &Monitor) -> Result<(), GenerateError> {
    let counted = work.layout.pair().slices().count() as u64;
    for (level, groups) in levels.iter().enumerate() {
        monitor.stage(work.layout.pair(), &format!("level {} of {}", level + 1, levels.len()));
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
        groups.par_iter().for_each_init(|| work.kernel(), solve_group);
        monitor.check()?;
    }
    Ok(())
}

/// Decides one position from what it leads to.
fn decide(work: &PairWork, kernel: &mut Kernel, mover: Mover, placed: &Placed) {
    let entry = work.layout.entry(placed.location);
    let (word, bit) = work.layout.bit(placed.location);
    let cells = &work.cells[mover as usize];
    if kernel.can_capture(mover, placed) {
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
    let best = best_step(work, kernel, mover, placed);
    cells[word].set(bit, best.value);
    if best.value != Value::Draw {
        for (distances, distance) in [(&work.dtc, best.dtc), (&work.dtw, best.dtw)] {
            if let Some(distances) = distances {
                distances[mover as usize].set(entry, distance);
            }
        }
    }
}

/// What the steps of a position come to. A distance that is not worked on has no meaning.
struct Best {
    value: Value,
    dtc: u16,
    dtw: u16,
}

fn best_step(work: &PairWork, kernel: &Kernel, mover: Mover, placed: &Placed) -> Best {
    let other = mover.other() as usize;
    let with_distances = work.dtc.is_some() || work.dtw.is_some();
    // Without any step the side to move has lost.
    let mut best = Best { value: Value::Loss, dtc: 0, dtw: 0 };
    let _ = kernel.for_each_step(mover, placed, |step| {
        let reply = value_at(work.layout, &work.cells[other], step.location).unwrap_or(Value::Draw);
        let value = reply.reversed();
        if with_distances && value >= best.value {
            let entry = work.layout.entry(step.location);
            let distance = |of: &Option<[super::cells::Distances; 2]>| {
                of.as_ref().map_or(0, |distances| distances[other].get(entry)).saturating_add(1)
            };
            let (dtc, dtw) = (distance(&work.dtc), distance(&work.dtw));
            best = if value > best.value {
                Best { value, dtc, dtw }
            } else {
                let choose = |one, another| sooner_or_later(value, one, another);
                Best { value, dtc: choose(best.dtc, dtc), dtw: choose(best.dtw, dtw) }
            };
        }
        best.value = best.value.max(value);
        let done = best.value == Value::Win && !with_distances;
        if done { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    best
}
