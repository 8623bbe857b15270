//! What a run is going to take, from what earlier ones took.
//!
//! Measured on two cores of an AMD EPYC at 2.6 GHz, see `benches/README.md`. Rates differ by a factor of two between slices and
//! more between machines: this is for choosing between minutes and hours.

use super::Metrics;
use super::sweep;
use crate::index::Index;
use crate::table::Metric;

/// Seconds that one thread takes for so many entries.
pub fn seconds(index: &Index, metrics: Metrics, entries: f64) -> f64 {
    let by_sweep = sweep::applies(index);
    metrics.iter().map(|metric| entries * metric.cost(by_sweep).nanoseconds * 1e-9).sum()
}

/// Bits of a table's file for each entry.
pub fn bits(index: &Index, metric: Metric) -> f64 {
    metric.cost(sweep::applies(index)).bits
}
