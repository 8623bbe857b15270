//! What the positions of a slice add up to.

use crate::metric::{Longest, Metric, Value};

/// Positions by value, and the longest distances by metric.
#[derive(Clone, Copy, Default, Debug)]
pub struct Totals {
    /// By value; symmetric images count separately.
    pub positions: [u64; 3],
    /// By metric.
    pub longest: [Longest; Metric::ALL.len()],
}

impl Totals {
    /// Adds positions of this value, so many times.
    pub fn add(&mut self, value: Value, times: u64) {
        self.positions[value as usize] += times;
    }

    /// Takes a distance into account.
    pub fn reach(&mut self, metric: Metric, value: Value, plies: u16) {
        self.longest[metric as usize].add(value, plies);
    }

    /// Both together.
    pub fn merged(self, other: Totals) -> Totals {
        let positions = std::array::from_fn(|value| self.positions[value] + other.positions[value]);
        let longest = std::array::from_fn(|metric| self.longest[metric].merged(other.longest[metric]));
        Totals { positions, longest }
    }
}
