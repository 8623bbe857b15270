//! `generate`: solving slices and writing their tables.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use alquerque::material::Material;
use alquerque::solve::{GenerateError, Job, Metrics, Plan, Target};
use alquerque::table::Metric;
use clap::Args;
use indicatif::{BinaryBytes, HumanCount, HumanDuration};

use super::failure::Failure;
use super::options::{DirOption, RulesOption, ThreadsOption};
use super::output::Output;
use super::progress::JobProgress;
use super::{interrupt, memory, pool, words};

/// Solve endgames and write their tables; existing tables are kept
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Generate {
    #[command(flatten)]
    rules: RulesOption,
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
    dir: DirOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Memory limit: 4G, 1.5G, 500M or bytes; units are powers of 1024 [default: what is available]
    #[arg(long, value_parser = memory::parse_bytes)]
    memory: Option<u64>,
    /// Solve existing slices again and overwrite their tables
    #[arg(long)]
    force: bool,
    /// Print the results as JSON, one object per slice and line
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
A slice is all positions of one material, such as 3v2: the side to move has 3
stones, the other side 2. Each slice gets one file for each metric,
DIR/RULES/MATERIAL.METRIC, for instance tables/classic/3v2.wdl. The bytes of the
files do not depend on threads, memory or interruptions.

Before it starts, the command shows how many entries it will solve (positions up
to symmetry) and a prediction of the time, memory and disk space that it needs.
Finished slices that do not fit in memory are kept in files beside the tables.
For each slice it prints one line: counts for the side to move, the longest win
and loss in plies, and the size of the files.

Ctrl-C stops cleanly; the same command then continues from there. A second Ctrl-C
stops at once.

Examples:
  alquerque generate --rules classic --stones 6
  alquerque generate --rules qirkat --material 3v2 --metrics wdl,dtc
  alquerque generate --rules youzai --stones 8 --threads 8 --memory 12G";

impl Generate {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let json = self.json;
        let stop = interrupt::watch()?;
        let job = self.into_job()?;
        pool::prepare()?;
        let plan = Plan::new(&job).map_err(failure)?;
        announce(&plan);
        let progress = JobProgress::new(job.rules, json, out);
        let started = Instant::now();
        let predicted = plan.memory();
        let something_to_do = plan.pairs() > 0;
        let result = plan.run(&progress, stop);
        let written = progress.finish();
        if something_to_do {
            conclude(started.elapsed(), predicted);
        }
        match result {
            Ok(()) => written,
            Err(error) => Err(failure(error)),
        }
    }

    fn into_job(self) -> Result<Job, Failure> {
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
            force: self.force,
            dir: self.dir.dir,
        })
    }
}

/// What went wrong, and the option that helps.
fn failure(error: GenerateError) -> Failure {
    let hint = match &error {
        error if error.is_usage() => return Failure::Usage(error.to_string()),
        GenerateError::Stopped => "run the same command again to continue",
        GenerateError::Memory { .. } => "--memory sets the limit",
        GenerateError::Existing(_) => "--force makes its table again",
        GenerateError::Inconsistent(_) => "run verify --full",
        _ => return Failure::failed(error),
    };
    Failure::failed(format!("{error}; {hint}"))
}

/// One slice, or all up to a number of stones; clap makes sure that one of them is given.
fn target(stones: Option<u8>, material: Option<Material>) -> Result<Target, Failure> {
    let stones = stones.map(|stones| Target::Stones(stones.into()));
    let target = material.map(Target::Material).or(stones);
    target.ok_or_else(|| Failure::Usage("give --stones or --material".to_owned()))
}

/// Tells what is going to be done and what it will take.
fn announce(plan: &Plan) {
    let pairs = words::count(plan.pairs() as u64, "pair of slices", "pairs of slices");
    let entries = HumanCount(plan.positions());
    let (memory, disk) = (BinaryBytes(plan.memory()), BinaryBytes(plan.disk()));
    let time = HumanDuration(Duration::from_secs_f64(plan.seconds()));
    let mut text = format!("{pairs}, {entries} entries to solve");
    if plan.pairs() > 0 {
        text += &format!("; predicted: {time}, peak memory {memory}, {disk} of disk");
    }
    if plan.slices_on_disk() > 0 {
        let slices = words::count(plan.slices_on_disk() as u64, "finished slice", "finished slices");
        text += &format!("\n{slices} will wait in files, because memory may not hold them");
    }
    let _ = writeln!(io::stderr(), "{text}");
}

/// Tells what it took.
fn conclude(time: Duration, predicted: u64) {
    let memory = memory::peak().map_or(String::new(), |peak| {
        format!(", peak memory {} of {} predicted", BinaryBytes(peak), BinaryBytes(predicted))
    });
    let _ = writeln!(io::stderr(), "{:.1} s{memory}", time.as_secs_f64());
}

fn parse_material(text: &str) -> Result<Material, String> {
    text.parse::<Material>().map_err(|error| error.to_string())
}

fn parse_metric(text: &str) -> Result<Metric, String> {
    text.trim().parse::<Metric>().map_err(|error| error.to_string())
}
