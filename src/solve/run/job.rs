//! What to generate.

use std::path::PathBuf;

use crate::material::{Material, Pair};
use crate::rules::Rules;
use crate::solve::error::{GenerateError, MAX_THREADS};
use crate::table::Metric;

/// A set of metrics. WDL is always among them, since the distances mean nothing without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metrics([bool; Metric::ALL.len()]);

impl Metrics {
    /// All metrics that `rules` have.
    pub fn all_of(rules: &Rules) -> Metrics {
        Metric::ALL.into_iter().filter(|metric| metric.exists_under(rules)).collect()
    }

    /// Whether `metric` is in the set.
    pub fn contains(self, metric: Metric) -> bool {
        metric == Metric::Wdl || self.0[metric as usize]
    }

    /// The metrics in the order in which they are written.
    pub fn iter(self) -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(move |&metric| self.contains(metric))
    }
}

impl FromIterator<Metric> for Metrics {
    fn from_iter<I: IntoIterator<Item = Metric>>(metrics: I) -> Metrics {
        let mut set = Metrics(Metric::ALL.map(|metric| metric == Metric::Wdl));
        metrics.into_iter().for_each(|metric| set.0[metric as usize] = true);
        set
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

/// What to generate, where, and with what.
#[derive(Clone, Debug)]
pub struct Job {
    /// The rule set.
    pub rules: &'static Rules,
    /// The folder that holds a folder for each rule set.
    pub dir: PathBuf,
    /// Which slices.
    pub target: Target,
    /// Which metrics.
    pub metrics: Metrics,
    /// The number of threads, 1 to 1024. The tables do not depend on it.
    pub threads: usize,
    /// The most memory to use, in bytes.
    pub memory: u64,
    /// Whether to make tables again that exist.
    pub force: bool,
    /// The folder for intermediate results that exceed the memory; that of the tables if there is none.
    pub scratch: Option<PathBuf>,
    /// Into how many shards pairs are cut, each worked on by itself; as many as the memory demands if `None`.
    /// The tables do not depend on it.
    pub shards: Option<usize>,
}

impl Job {
    /// Whether the job makes sense, on any machine.
    pub(super) fn check(&self) -> Result<(), GenerateError> {
        if let Target::Stones(stones) = self.target
            && !(2..=24).contains(&stones)
        {
            return Err(GenerateError::Stones(stones));
        }
        if self.metrics.iter().any(|metric| !metric.exists_under(self.rules)) {
            return Err(GenerateError::NoDistanceToWin(self.rules.name()));
        }
        if !(1..=MAX_THREADS).contains(&self.threads) {
            return Err(GenerateError::Threads(self.threads));
        }
        Ok(())
    }
}
