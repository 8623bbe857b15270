//! What can go wrong.

use std::path::PathBuf;

use crate::material::Pair;
use crate::table::TableError;

/// Why tables could not be generated. Each is one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum GenerateError {
    #[error("stone count {0} is out of range (2 to 24)")]
    Stones(usize),
    #[error(
        "the rules '{0}' cannot be solved: with the no-return rule, stones may step only forward and sideways, and not on \
         their far rank"
    )]
    NoMethod(&'static str),
    #[error(
        "the rules '{0}' have no distance to win, because their ply counter can end the game first; choose wdl and dtc"
    )]
    NoDistanceToWin(&'static str),
    #[error("thread count {0} is out of range (1 to {MAX_THREADS})")]
    Threads(usize),
    /// `need` bytes are more than the `limit`. If `exact`, that much is enough; otherwise it may take more.
    /// `fits` is the largest number of stones, fewer than those of the job, with which the same job fits.
    #[error(
        "this needs {}{} of memory, and the limit is {}{}", if *exact { "" } else { "at least " }, Bytes(*need),
        Bytes(*limit), Fits(*fits, "choose fewer metrics")
    )]
    Memory { need: u64, limit: u64, exact: bool, fits: Option<usize> },
    /// The files take `need` bytes, and `free` are left on the disk that holds `folder`. `fits` as for memory.
    #[error(
        "this needs {} of disk space in {}, and {} are free{}", Bytes(*need), folder.display(), Bytes(*free),
        Fits(*fits, "free some space")
    )]
    Disk { need: u64, free: u64, folder: PathBuf, fits: Option<usize> },
    #[error("pairs cannot be cut into shards under the rules '{0}', because their stones have states")]
    StatesInShards(&'static str),
    #[error("the ranks do not agree on version, rules, what exists or what to make; start them all alike")]
    RanksDiffer,
    #[error("distances to win cannot be found in shards yet; choose wdl and dtc")]
    DistanceToWinInShards,
    #[error("the system does not provide {} of memory: {error}", Bytes(*bytes))]
    Allocation {
        bytes: u64,
        #[source]
        error: std::io::Error,
    },
    #[error(transparent)]
    Existing(TableError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("the threads could not be started: {0}")]
    ThreadPool(#[from] rayon::ThreadPoolBuildError),
    #[error("the tables of the slices that captures from {0} lead to contradict each other")]
    Inconsistent(Pair),
    #[error("stopped")]
    Stopped,
}

impl GenerateError {
    /// The error when the system does not provide memory for this many items.
    pub(super) fn allocation<T>(items: u64) -> impl FnOnce(std::io::Error) -> GenerateError {
        move |error| GenerateError::Allocation { bytes: items.saturating_mul(size_of::<T>() as u64), error }
    }

    /// The error for a file that exists. Making a table again does not help if its folder cannot be read.
    pub(super) fn existing(error: TableError) -> GenerateError {
        match error {
            TableError::Io { .. }
            | TableError::NotAFile(_)
            | TableError::BrokenLink(_)
            | TableError::TooLong { .. } => GenerateError::Table(error),
            error => GenerateError::Existing(error),
        }
    }

    /// Whether the job itself is at fault: it fails in the same way on any machine.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            GenerateError::Stones(_)
                | GenerateError::NoMethod(_)
                | GenerateError::NoDistanceToWin(_)
                | GenerateError::Threads(_)
                | GenerateError::StatesInShards(_)
                | GenerateError::DistanceToWinInShards
        )
    }
}

/// The most threads that a job may use: more are taken for a mistake.
pub(super) const MAX_THREADS: usize = 1024;

/// Advice: how many stones fit, or else what helps.
struct Fits(Option<usize>, &'static str);

impl std::fmt::Display for Fits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fits(Some(stones), _) => write!(f, "; the largest job that fits has {stones} stones"),
            Fits(None, advice) => write!(f, "; {advice}"),
        }
    }
}

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
