//! Solving one position after the other: the sweep for rules under which no stone can step for ever, and
//! distances to win for the others.

mod captures;
mod dtw;
mod kernel;
mod resolve;
mod sweep;

#[cfg(test)]
pub use captures::{best_value, without_moves};
pub use dtw::{from_captures, solve as solve_dtw};
#[cfg(test)]
pub use kernel::{Kernel, Placed, for_each_arrangement};
pub use resolve::resolve;
pub use sweep::{level_bytes, solve as sweep};
