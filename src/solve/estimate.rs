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
    let nanoseconds = |metric| match (sweep::applies(index), metric) {
        (false, Metric::Wdl) => 25.0,
        (false, Metric::Dtc) => 20.0,
        (false, Metric::Dtw) => 900.0,
        (true, Metric::Wdl) => 120.0,
        (true, Metric::Dtc) => 100.0,
        (true, Metric::Dtw) => 230.0,
    };
    metrics.iter().map(|metric| entries * nanoseconds(metric) * 1e-9).sum()
}

/// Bits of a table's file for each entry.
pub fn bits(index: &Index, metric: Metric) -> f64 {
    match (sweep::applies(index), metric) {
        (false, Metric::Wdl) => 0.03,
        (false, Metric::Dtc) => 0.25,
        (false, Metric::Dtw) => 1.0,
        (true, Metric::Wdl) => 0.06,
        (true, Metric::Dtc) => 0.5,
        (true, Metric::Dtw) => 0.6,
    }
}
