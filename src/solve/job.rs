//! What to generate, and what can go wrong.

use std::path::PathBuf;

use crate::material::{Material, Pair};
use crate::rules::Rules;
use crate::table::{Metric, TableError};

/// A set of metrics. WDL is always among them, since the distances mean nothing without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metrics {
    dtc: bool,
    dtw: bool,
}

impl Metrics {
    /// All that `rules` have: DTW only where it is a number of the placement alone.
    pub fn all_of(rules: &Rules) -> Metrics {
        Metrics { dtc: true, dtw: rules.has_distance_to_win() }
    }

    /// Whether `metric` is in the set.
    pub fn contains(self, metric: Metric) -> bool {
        match metric {
            Metric::Wdl => true,
            Metric::Dtc => self.dtc,
            Metric::Dtw => self.dtw,
        }
    }

    /// The metrics in the order in which they are written.
    pub fn iter(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(move |&metric| self.contains(metric))
    }
}

impl FromIterator<Metric> for Metrics {
    fn from_iter<I: IntoIterator<Item = Metric>>(metrics: I) -> Metrics {
        metrics.into_iter().fold(Metrics { dtc: false, dtw: false }, |set, metric| Metrics {
            dtc: set.dtc || metric == Metric::Dtc,
            dtw: set.dtw || metric == Metric::Dtw,
        })
    }
}

/// Which slices to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// All with at most this many stones together, 2 to 24.
    Stones(usize),
    /// One slice and all that it needs: its pair and every pair that captures lead to.
    Material(Material),
}

impl Target {
    /// The pairs, in the order of work.
    pub(super) fn pairs(self) -> Vec<Pair> {
        match self {
            Target::Stones(stones) => Pair::up_to(stones),
            Target::Material(material) => {
                let all = Pair::up_to(material.total());
                let mut wanted = vec![material.pair()];
                for &pair in all.iter().rev() {
                    if wanted.contains(&pair) {
                        wanted.extend(pair.captures_lead_to().into_iter().map(Material::pair));
                    }
                }
                all.into_iter().filter(|pair| wanted.contains(pair)).collect()
            }
        }
    }
}

/// Something to generate.
#[derive(Clone, Debug)]
pub struct Job {
    /// The rule set.
    pub rules: &'static Rules,
    /// The folder that holds one folder for each rule set.
    pub dir: PathBuf,
    /// Which slices.
    pub target: Target,
    /// Which metrics.
    pub metrics: Metrics,
    /// How many threads work, at least 1. The tables do not depend on it.
    pub threads: usize,
    /// How many bytes of memory may be used.
    pub memory: u64,
    /// Whether tables that exist are made again.
    pub force: bool,
}

/// Why tables could not be generated. Each is one sentence.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum GenerateError {
    #[error("{0} stones are none that the game can have: the total runs from 2 to 24")]
    Stones(usize),
    #[error("{0} has too many arrangements of stones and forbidden steps to be numbered")]
    TooLarge(Pair),
    #[error("the rules '{rules}' cannot be solved: {lack} are not supported")]
    Unsupported { rules: &'static str, lack: &'static str },
    #[error(
        "the rules '{0}' have no distance to win: their ply counter can end the game first; choose wdl and dtc"
    )]
    NoDistanceToWin(&'static str),
    #[error("{0} threads are none to work with; choose 1 to {MAX_THREADS}")]
    Threads(usize),
    #[error(
        "this needs {}{} of memory and may use {}; raise --memory, choose fewer stones or fewer metrics",
        if *exact { "" } else { "at least " }, Bytes(*need), Bytes(*limit)
    )]
    Memory { need: u64, limit: u64, exact: bool },
    #[error("the system does not give {} of memory: {error}", Bytes(*bytes))]
    Allocation { bytes: u64, error: std::io::Error },
    #[error("{0}; --force makes its table again")]
    Existing(TableError),
    #[error("another program is generating tables in {}", .0.display())]
    Locked(PathBuf),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("the threads could not be started: {0}")]
    ThreadPool(#[from] rayon::ThreadPoolBuildError),
    #[error("the tables that captures from {0} lead to contradict each other; run verify --full")]
    Inconsistent(Pair),
    #[error("stopped")]
    Stopped,
}

impl GenerateError {
    /// What it means when the system does not give memory for so many items.
    pub(super) fn allocation<T>(items: u64) -> impl FnOnce(std::io::Error) -> GenerateError {
        move |error| GenerateError::Allocation { bytes: items.saturating_mul(size_of::<T>() as u64), error }
    }

    /// What is wrong with a file that exists. A folder that cannot be read is not cured by making a table again.
    pub(super) fn existing(error: TableError) -> GenerateError {
        match error {
            TableError::Io { .. }
            | TableError::NotAFile(_)
            | TableError::BrokenLink(_)
            | TableError::TooLong { .. } => GenerateError::Table(error),
            error => GenerateError::Existing(error),
        }
    }

    /// Whether the job itself makes no sense, on any machine.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            GenerateError::Stones(_)
                | GenerateError::TooLarge(_)
                | GenerateError::NoDistanceToWin(_)
                | GenerateError::Unsupported { .. }
                | GenerateError::Threads(_)
        )
    }
}

/// More threads than any machine can use are taken for a mistake.
pub(super) const MAX_THREADS: usize = 1024;

struct Bytes(u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            bytes if bytes >= 1 << 30 => write!(f, "{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
            bytes if bytes >= 1 << 20 => write!(f, "{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
            bytes => write!(f, "{bytes} bytes"),
        }
    }
}
