//! Positions in which captures decide, and those without a legal move, one after the other.

use rayon::prelude::*;

use super::captures::{best_value, without_moves};
use super::kernel::{Kernel, for_each_arrangement};
use crate::index::{Mover, RowBlock};
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::PairWork;

/// Decides all positions in which the side to move can capture, from the smaller slices, and those in which
/// it has no legal move.
pub fn resolve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    for mover in Mover::BOTH {
        let resolve_block = |kernel: &mut Kernel, block: &RowBlock| {
            if monitor.stopped() {
                return;
            }
            for_each_arrangement(kernel, block, |kernel| {
                for number in 0..kernel.len() {
                    let placed = kernel.placed(number);
                    let value = if kernel.can_capture(mover, &placed) {
                        best_value(kernel, mover, &placed, work.slices)
                    } else if kernel.has_step(mover, &placed) {
                        continue;
                    } else {
                        without_moves(work.layout.rules())
                    };
                    let (word, bit) = work.layout.bit(placed.location);
                    work.cells[mover as usize][word].set(bit, value);
                }
            });
        };
        work.blocks.par_iter().for_each_init(|| Kernel::of(work), resolve_block);
        monitor.check()?;
    }
    Ok(())
}
