//! `generate`: solving slices and writing their tables.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use alquerque::solve::{GenerateError, Plan};
use clap::Args;
use indicatif::{BinaryBytes, HumanCount, HumanDuration};

use super::failure::Failure;
use super::job::JobOptions;
use super::output::Output;
use super::progress::JobProgress;
use super::{interrupt, memory, plan, pool, words};

/// Solve endgames and write their tables; existing tables are kept
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Generate {
    #[command(flatten)]
    job: JobOptions,
    /// Solve existing slices again and overwrite their tables
    #[arg(long)]
    force: bool,
    /// Print the plan, as the command plan does, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the results as JSON, one object per slice and line; with --dry-run, the plan as one object
    #[arg(long)]
    json: bool,
    /// Solve each pair together with the other programs that the launcher of MPI started
    #[cfg(feature = "mpi")]
    #[arg(long, conflicts_with = "dry_run")]
    mpi: bool,
}

const HELP: &str = "\
A slice is all positions of one material, such as 3v2: the side to move has 3
stones, the other side 2. Each slice gets one file for each metric,
DIR/RULES/MATERIAL.METRIC, for instance tables/classic/3v2.wdl. The bytes of the
files do not depend on threads, memory or interruptions.

Before it starts, the command shows how many entries it will solve (positions up
to symmetry) and a prediction of the time, memory and disk space that it needs.
What does not fit in memory is kept in files, in the folder that --scratch names:
pairs of slices are then cut into shards that are worked on one after the other.
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
        let job = self.job.into_job(self.force)?;
        pool::prepare()?;
        if self.dry_run {
            return plan::print(&Plan::new(&job).map_err(failure)?, job.rules, json, out);
        }
        #[cfg(feature = "mpi")]
        if self.mpi {
            return over_mpi(&job, json, stop, out);
        }
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
}

/// Generates together with the other ranks. The first one reports. One that fails ends them all.
#[cfg(feature = "mpi")]
fn over_mpi(
    job: &alquerque::solve::Job,
    json: bool,
    stop: &'static std::sync::atomic::AtomicBool,
    out: &mut Output,
) -> Result<(), Failure> {
    use alquerque::solve::{MpiWorld, World};
    let world = MpiWorld::start().map_err(Failure::failed)?;
    let is_first = world.rank() == 0;
    let planned = Plan::for_ranks(job, world.size());
    // What is wrong with the job is wrong for all.
    let failed = |error: GenerateError| {
        let stopped = matches!(error, GenerateError::Stopped);
        let failure = failure(error);
        if stopped {
            return failure;
        }
        failure.report();
        world.abort()
    };
    let plan = planned.map_err(failed)?;
    if is_first {
        let ranks = words::count(world.size() as u64, "rank", "ranks");
        let _ = writeln!(io::stderr(), "{ranks}; for each:");
        announce(&plan);
    }
    let started = Instant::now();
    let predicted = plan.memory();
    let written = if is_first {
        let progress = JobProgress::new(job.rules, json, out);
        let result = plan.run_in_ranks(&world, &progress, stop);
        let written = progress.finish();
        conclude(started.elapsed(), predicted);
        result.map(|()| written)
    } else {
        plan.run_in_ranks(&world, &(), stop).map(Ok)
    };
    written.map_err(failed)?
}

/// What went wrong, and the option that helps.
pub fn failure(error: GenerateError) -> Failure {
    let hint = match &error {
        error if error.is_usage() => return Failure::Usage(error.to_string()),
        GenerateError::Stopped => "run the same command again to continue",
        GenerateError::Memory { need, exact, fits, .. } => {
            return Failure::failed(format!("{error}; {}", within_reach(*need, *exact, *fits)));
        }
        GenerateError::Disk { fits: Some(stones), .. } => {
            return Failure::failed(format!("{error}; try --stones {stones}"));
        }
        GenerateError::Existing(_) => "--force makes its table again",
        GenerateError::Inconsistent(_) => "run verify --full",
        _ => return Failure::failed(error),
    };
    Failure::failed(format!("{error}; {hint}"))
}

/// The options with which a job fits into memory: as much as it needs, or fewer stones.
fn within_reach(need: u64, exact: bool, fits: Option<usize>) -> String {
    let more = format!("--memory {}", memory::as_option(need));
    match (exact, fits) {
        (true, Some(stones)) => format!("try --stones {stones}, or {more}"),
        (false, Some(stones)) => format!("try --stones {stones}; --memory sets the limit"),
        (true, None) => format!("try {more}"),
        (false, None) => "--memory sets the limit".to_owned(),
    }
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
    if let Some(shards) = plan.shards() {
        let (scratch, traffic) = (BinaryBytes(plan.scratch()), BinaryBytes(plan.traffic()));
        text += &format!(
            "\nin up to {}: {scratch} of intermediate files, {traffic} written and read",
            words::count(shards as u64, "shard", "shards")
        );
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
