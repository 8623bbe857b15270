//! Solving one pair by its method.

use crate::solve::GenerateError;
use crate::solve::method::Method;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Distances, PairWork};
use crate::solve::{planes, single};
use crate::table::Metric;

/// Solves a pair. Each distance, once it is known for all positions, is handed to `done` before the next one
/// takes memory; the values come first.
pub fn solve(
    work: &mut PairWork,
    method: Method,
    wanted: &dyn Fn(Metric) -> bool,
    monitor: &Monitor,
    mut done: impl FnMut(&PairWork, Metric) -> Result<(), GenerateError>,
) -> Result<(), GenerateError> {
    let entries = work.layout.entries();
    let distances = |metric| wanted(metric).then(|| Distances::of_both(entries)).transpose();
    work.dtc = distances(Metric::Dtc)?;
    match method {
        Method::Planes => planes::solve(work, monitor)?,
        Method::Sweep => {
            work.dtw = distances(Metric::Dtw)?;
            single::sweep(work, monitor)?;
        }
    }
    done(work, Metric::Wdl)?;
    if work.dtc.is_some() {
        done(work, Metric::Dtc)?;
        work.dtc = None;
    }
    if wanted(Metric::Dtw) {
        if method == Method::Planes {
            single::solve_dtw(work, monitor)?;
        }
        done(work, Metric::Dtw)?;
    }
    Ok(())
}

/// Decides what captures decide, and positions without a legal move. Where captures are optional tables hold
/// all that.
pub fn resolve(work: &PairWork, method: Method, monitor: &Monitor) -> Result<(), GenerateError> {
    if !work.layout.rules().captures_are_compulsory() {
        return Ok(());
    }
    match method {
        Method::Planes => planes::resolve(work, monitor),
        Method::Sweep => single::resolve(work, monitor),
    }
}
