//! Progress of long work: what is being done, how far it is, and how long it will take.

use std::fmt;
use std::time::Duration;

use crate::material::{Material, Pair};
use crate::table::{Metric, SliceSummary, file_name};

/// Receives reports about the progress of long work. Calls come from any thread. Every method has a default
/// that does nothing.
pub trait Progress: Sync {
    /// Work on a pair begins; its slices have `entries` entries together.
    fn pair_started(&self, _materials: &[Material], _entries: u64) {}
    /// A stage begins. Several pairs may be in work at a time, each in a stage of its own.
    fn stage(&self, _stage: Stage) {}
    /// This many more entries are done.
    fn advanced(&self, _entries: u64) {}
    /// What is left to do, whenever that is known better than before.
    fn forecast(&self, _forecast: Forecast) {}
    /// A slice is on disk; it was there before if `kept`.
    fn slice_done(&self, _summary: &SliceSummary, _kept: bool) {}
}

impl Progress for () {}

/// How much of the work is done and how long the rest will take.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Forecast {
    /// The part of the work that is done, 0 to 1.
    pub done: f64,
    /// The time left; `None` until enough is done to tell.
    pub left: Option<Duration>,
}

/// What is being done. The text form is for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// The values of a slice are read for a scan of another.
    Reading(Material),
    /// The positions of a slice are scanned.
    Scanning(Material),
    /// The values of a pair are taken from its tables.
    Loading(Pair),
    /// The positions of a pair in which captures decide are solved.
    Captures(Pair),
    /// A pass over the open positions of a pair.
    Pass {
        /// The pair.
        pair: Pair,
        /// The number of the pass, from 1: the distance to conversion that it finds.
        pass: u16,
    },
    /// A sweep over the positions of a pair.
    Level {
        /// The pair.
        pair: Pair,
        /// The number of the level, from 1.
        level: usize,
        /// How many levels there are.
        of: usize,
    },
    /// The positions of a pair with this distance to win are found.
    Distance {
        /// The pair.
        pair: Pair,
        /// The distance, from 0.
        plies: u16,
    },
    /// The tables of a pair are written.
    Writing {
        /// The pair.
        pair: Pair,
        /// Which tables.
        metric: Metric,
    },
    /// The checksums of a table are compared.
    Checksums {
        /// The slice.
        material: Material,
        /// Which table.
        metric: Metric,
    },
    /// The values of a slice are derived again.
    Deriving(Material),
}

impl Stage {
    /// The pair in work.
    pub fn pair(self) -> Pair {
        match self {
            Stage::Loading(pair) | Stage::Captures(pair) => pair,
            Stage::Pass { pair, .. }
            | Stage::Level { pair, .. }
            | Stage::Distance { pair, .. }
            | Stage::Writing { pair, .. } => pair,
            Stage::Reading(material)
            | Stage::Scanning(material)
            | Stage::Checksums { material, .. }
            | Stage::Deriving(material) => material.pair(),
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Stage::Reading(material) => write!(f, "values of {material}"),
            Stage::Scanning(material) => write!(f, "positions of {material}"),
            Stage::Loading(pair) => write!(f, "{pair}: loading"),
            Stage::Captures(pair) => write!(f, "{pair}: captures"),
            Stage::Pass { pair, pass } => write!(f, "{pair}: pass {pass}"),
            Stage::Level { pair, level, of } => write!(f, "{pair}: level {level} of {of}"),
            Stage::Distance { pair, plies } => write!(f, "{pair}: distance {plies}"),
            Stage::Writing { pair, metric } => {
                let names: Vec<String> = pair.slices().map(|material| file_name(material, metric)).collect();
                write!(f, "{pair}: writing {}", names.join(" and "))
            }
            Stage::Checksums { material, metric } => {
                write!(f, "checksums of {}", file_name(material, metric))
            }
            Stage::Deriving(material) => write!(f, "values of {material}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_read_as_text() {
        let even = Material::new(3, 3).unwrap();
        let pair = Material::new(2, 3).unwrap().pair();
        for (stage, text) in [
            (Stage::Pass { pair, pass: 7 }, "3v2: pass 7"),
            (Stage::Level { pair, level: 2, of: 9 }, "3v2: level 2 of 9"),
            (Stage::Writing { pair, metric: Metric::Dtc }, "3v2: writing 3v2.dtc and 2v3.dtc"),
            (Stage::Writing { pair: even.pair(), metric: Metric::Wdl }, "3v3: writing 3v3.wdl"),
            (Stage::Checksums { material: even, metric: Metric::Wdl }, "checksums of 3v3.wdl"),
        ] {
            assert_eq!(stage.to_string(), text);
        }
        assert_eq!(Stage::Deriving(pair.slices().last().unwrap()).pair(), pair);
    }
}
