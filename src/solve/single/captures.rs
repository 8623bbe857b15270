//! What captures are worth, from the smaller slices.

use std::ops::ControlFlow;

use super::kernel::{Captured, Kernel, Placed};
use crate::index::Mover;
use crate::solve::values::Slices;
use crate::table::Value;

/// The best value that `mover`, who can capture, gets by a capture.
#[inline]
pub fn best_value(kernel: &mut Kernel, mover: Mover, placed: &Placed, slices: &Slices) -> Value {
    let mut best = Value::Loss;
    let _ = kernel.for_each_capture(mover, placed, |captured| {
        let value = match captured {
            Captured::All => Value::Win,
            Captured::Smaller(material, location) => slices.get(material).value(location).reversed(),
        };
        best = best.max(value);
        if best == Value::Win { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    best
}

/// The distance to win of a won or lost position in which `mover` can capture: of the captures that keep the value, the
/// shortest for a win and the longest for a loss.
pub fn distance_to_win(
    kernel: &mut Kernel,
    mover: Mover,
    placed: &Placed,
    value: Value,
    slices: &Slices,
) -> u16 {
    let mut best = None;
    let _: ControlFlow<()> = kernel.for_each_capture(mover, placed, |captured| {
        let (reply, distance) = match captured {
            Captured::All => (Value::Loss, 0),
            Captured::Smaller(material, location) => {
                let slice = slices.get(material);
                (slice.value(location), slice.dtw(location))
            }
        };
        if reply == value.reversed() {
            best = Some(best.map_or(distance + 1, |best| sooner_or_later(value, best, distance + 1)));
        }
        ControlFlow::Continue(())
    });
    best.unwrap_or(0)
}

/// The distance that the mover prefers of two for the same value: the shorter for a win, the longer for a loss.
#[inline]
pub fn sooner_or_later(value: Value, one: u16, other: u16) -> u16 {
    if value == Value::Win { one.min(other) } else { one.max(other) }
}
