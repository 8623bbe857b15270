//! What captures are worth, from the smaller slices.

use std::ops::ControlFlow;

use super::kernel::{Captured, Kernel, Placed};
use crate::index::Mover;
use crate::rules::{NoMoves, Rules};
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

/// The value of a position in which the side to move, which has stones, has no legal move.
pub fn without_moves(rules: &Rules) -> Value {
    match rules.no_moves() {
        NoMoves::Loss => Value::Loss,
        NoMoves::Draw => Value::Draw,
    }
}

/// The distance to win of a won or lost position in which `mover` can capture: of the captures that keep the
/// value, the shortest for a win and the longest for a loss.
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

/// The best value and distance to win that `mover` gets by a capture; `None` when there is no capture. The
/// distance of a draw, or where the smaller slices have none, means nothing.
pub fn best_capture(
    kernel: &mut Kernel,
    mover: Mover,
    placed: &Placed,
    slices: &Slices,
) -> Option<(Value, u16)> {
    let mut best: Option<(Value, u16)> = None;
    let _: ControlFlow<()> = kernel.for_each_capture(mover, placed, |captured| {
        let (reply, distance) = match captured {
            Captured::All => (Value::Loss, 0),
            Captured::Smaller(material, location) => {
                let slice = slices.get(material);
                (slice.value(location), slice.dtw(location))
            }
        };
        let (value, distance) = (reply.reversed(), distance.saturating_add(1));
        best = Some(match best {
            Some((known, least)) if known == value => (value, sooner_or_later(value, least, distance)),
            Some((known, least)) if known > value => (known, least),
            _ => (value, distance),
        });
        ControlFlow::Continue(())
    });
    best
}

/// The distance that the mover prefers of two for the same value: the shorter for a win, the longer for a
/// loss.
#[inline]
pub fn sooner_or_later(value: Value, one: u16, other: u16) -> u16 {
    if value == Value::Win { one.min(other) } else { one.max(other) }
}
