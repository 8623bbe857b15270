//! What a run will take, predicted from earlier ones.
//!
//! Measured on two cores of an AMD EPYC at 2.6 GHz, see `benches/README.md`. Rates differ by a factor of two between
//! slices and more between machines: this is for choosing between minutes and hours.

use super::job::Metrics;
use crate::metric::{Cost, Metric};
use crate::solve::method::Method;

/// Seconds that one thread takes for so many entries.
pub fn seconds(method: Method, metrics: Metrics, entries: f64) -> f64 {
    metrics.iter().map(|metric| entries * nanoseconds(method, metric) * 1e-9).sum()
}

/// Nanoseconds that one thread takes for an entry.
pub fn nanoseconds(method: Method, metric: Metric) -> f64 {
    cost(method, metric).nanoseconds
}

/// Bits of a table's file for each entry.
pub fn bits(method: Method, metric: Metric) -> f64 {
    cost(method, metric).bits
}

fn cost(method: Method, metric: Metric) -> Cost {
    metric.cost(method == Method::Sweep)
}
