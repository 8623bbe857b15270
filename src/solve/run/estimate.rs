//! What a run will take, predicted from earlier ones.
//!
//! Measured on two cores of an AMD EPYC at 2.6 GHz, see `benches/README.md`. Rates differ by a factor of two between
//! slices and more between machines: this is for choosing between minutes and hours.

use super::job::Metrics;
use crate::solve::method::Method;
use crate::table::Metric;

/// Seconds that one thread takes for so many entries.
pub fn seconds(method: Method, metrics: Metrics, entries: f64) -> f64 {
    let nanoseconds = |metric| match (method, metric) {
        (Method::Planes, Metric::Wdl) => 25.0,
        (Method::Planes, Metric::Dtc) => 20.0,
        (Method::Planes, Metric::Dtw) => 900.0,
        (Method::Sweep, Metric::Wdl) => 120.0,
        (Method::Sweep, Metric::Dtc) => 100.0,
        (Method::Sweep, Metric::Dtw) => 230.0,
    };
    metrics.iter().map(|metric| entries * nanoseconds(metric) * 1e-9).sum()
}

/// Bits of a table's file for each entry.
pub fn bits(method: Method, metric: Metric) -> f64 {
    match (method, metric) {
        (Method::Planes, Metric::Wdl) => 0.03,
        (Method::Planes, Metric::Dtc) => 0.25,
        (Method::Planes, Metric::Dtw) => 1.0,
        (Method::Sweep, Metric::Wdl) => 0.06,
        (Method::Sweep, Metric::Dtc) => 0.5,
        (Method::Sweep, Metric::Dtw) => 0.6,
    }
}
