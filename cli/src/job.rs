//! The options of a job: what to generate, where, and with what. `generate` and `plan` share them.

use std::path::PathBuf;

use alquerque::material::Material;
use alquerque::solve::{Job, Metrics, Target};
use alquerque::table::Metric;
use clap::Args;

use super::failure::Failure;
use super::memory;
use super::options::{DirOption, RulesOption, ThreadsOption};

/// The options of a job.
#[derive(Args)]
pub struct JobOptions {
    #[command(flatten)]
    pub rules: RulesOption,
    /// All slices with at most N stones in total, 2 to 24, smaller ones first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=24),
          required_unless_present = "material")]
    stones: Option<u8>,
    /// This slice and those that it depends on; 3v2 is 3 stones for the side to move, 2 for the other
    #[arg(long, value_name = "MATERIAL", value_parser = parse_material, conflicts_with = "stones")]
    material: Option<Material>,
    /// What to store, separated by commas: wdl (win, draw, loss), dtc (distance to conversion), dtw
    /// (distance to win); wdl is always included [default: all that the rules have]
    #[arg(long, value_name = "METRICS", value_delimiter = ',', value_parser = parse_metric)]
    metrics: Option<Vec<Metric>>,
    #[command(flatten)]
    pub dir: DirOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Memory limit: 4G, 1.5G, 500M or bytes; units are powers of 1024 [default: what is available]
    #[arg(long, value_parser = memory::parse_bytes)]
    memory: Option<u64>,
    /// Where intermediate results lie when they exceed the memory [default: beside the tables]
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Cut each pair of slices into N shards, however much memory there is
    #[arg(long, value_name = "N", hide = true, value_parser = clap::value_parser!(u16).range(1..=4096))]
    shards: Option<u16>,
}

impl JobOptions {
    /// The job. `force` tells whether to make tables again that exist.
    ///
    /// # Errors
    /// [`Failure`] if an option makes no sense.
    pub fn into_job(self, force: bool) -> Result<Job, Failure> {
        let rules = self.rules.rules;
        self.dir.one()?;
        Ok(Job {
            rules,
            target: target(self.stones, self.material)?,
            metrics: self.metrics.map_or_else(|| Metrics::all_of(rules), Metrics::from_iter),
            threads: self.threads.count(),
            memory: self.memory.or_else(memory::available).ok_or_else(|| {
                Failure::failed("cannot tell how much memory is available; give it with --memory")
            })?,
            force,
            scratch: self.scratch,
            shards: self.shards.map(usize::from),
            dir: self.dir.dir,
        })
    }
}

/// One slice, or all with so many stones; clap sees to it that one of them is given.
fn target(stones: Option<u8>, material: Option<Material>) -> Result<Target, Failure> {
    let stones = stones.map(|stones| Target::Stones(stones.into()));
    let target = material.map(Target::Material).or(stones);
    target.ok_or_else(|| Failure::Usage("give --stones or --material".to_owned()))
}

fn parse_material(text: &str) -> Result<Material, String> {
    text.parse::<Material>().map_err(|error| error.to_string())
}

pub fn parse_metric(text: &str) -> Result<Metric, String> {
    text.trim().parse::<Metric>().map_err(|error| error.to_string())
}
