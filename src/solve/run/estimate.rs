//! What a run will take, predicted from earlier ones.
//!
//! Measured on two cores of an AMD EPYC at 2.6 GHz, see `benches/README.md`. Rates differ by a factor of two
//! between slices and more between machines: this is for choosing between minutes and hours.

use super::job::Metrics;
use crate::material::Pair;
use crate::metric::{Cost, Metric};
use crate::solve::method::Method;

/// Seconds that one thread takes for so many entries.
pub fn seconds(method: Method, metrics: Metrics, entries: f64) -> f64 {
    metrics.iter().map(|metric| entries * nanoseconds(method, metric) * 1e-9).sum()
}

/// Nanoseconds that one thread takes for an entry of a large pair.
fn nanoseconds(method: Method, metric: Metric) -> f64 {
    cost(method, metric).nanoseconds
}

/// Nanoseconds that one thread takes for an entry of this pair. The more stones there are, the more positions
/// are decided by captures, whole words at a time.
pub fn nanoseconds_of(method: Method, metric: Metric, pair: Pair) -> f64 {
    // From 64 ns with 6 stones to 35 ns with 8.
    const FOR_A_STONE_MORE: f64 = 0.78;
    let stones = (pair.larger() + pair.smaller()) as i32;
    let large = nanoseconds(method, metric);
    match (method, metric) {
        (Method::Planes, Metric::Wdl | Metric::Dtc) => large * FOR_A_STONE_MORE.powi(stones - 10).max(1.0),
        _ => large,
    }
}

/// Bits of a table's file for each entry.
pub fn bits(method: Method, metric: Metric) -> f64 {
    cost(method, metric).bits
}

fn cost(method: Method, metric: Metric) -> Cost {
    metric.cost(method == Method::Sweep)
}
