//! `plan`: what `generate` would do, and the same as a graph of jobs for other programs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use alquerque::material::{Material, Pair};
use alquerque::rules::Rules;
use alquerque::solve::{Job, Plan as Planned, PlannedPair};
use clap::Args;
use indicatif::{BinaryBytes, HumanCount, HumanDuration};
use serde::Serialize;
use serde_json::json;

use super::failure::Failure;
use super::generate::failure;
use super::job::JobOptions;
use super::output::{Output, json_line};

/// Show what generate would do: pairs, what each needs, memory, disk space and time
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Plan {
    #[command(flatten)]
    job: JobOptions,
    /// Print the plan as one JSON object
    #[arg(long)]
    json: bool,
    /// Print a job file for HyperQueue: one task for each pair
    #[arg(long, conflicts_with = "json")]
    hyperqueue: bool,
}

const HELP: &str = "\
A pair of slices, such as 3v2 and 2v3, is solved together. The plan lists the pairs
in the order of work. A pair needs the slices to which its captures lead; memory,
intermediate files and time are those of a job for this pair alone, run when the
slices that it needs exist. Nothing is written.

--hyperqueue prints a job file for 'hq job submit-file'. docs/cluster.md explains
how to run a plan on several machines.

Examples:
  alquerque plan --rules classic --stones 10
  alquerque plan --rules youzai --material 6v5 --memory 4G --json
  alquerque plan --rules classic --stones 12 --hyperqueue > classic-12.toml";

#[derive(Serialize)]
struct PlanJson<'a> {
    rules: &'a str,
    entries: u64,
    memory: u64,
    scratch: u64,
    disk: u64,
    seconds: f64,
    pairs: Vec<PairJson>,
}

#[derive(Serialize)]
struct PairJson {
    pair: String,
    slices: Vec<String>,
    needs: Vec<String>,
    task: &'static str,
    entries: u64,
    memory: u64,
    scratch: u64,
    seconds: f64,
}

fn names(materials: impl IntoIterator<Item = Material>) -> Vec<String> {
    materials.into_iter().map(|material| material.to_string()).collect()
}

impl From<PlannedPair> for PairJson {
    fn from(pair: PlannedPair) -> PairJson {
        PairJson {
            pair: pair.pair.to_string(),
            slices: names(pair.pair.slices()),
            needs: names(pair.needs),
            task: pair.task,
            entries: pair.entries,
            memory: pair.memory,
            scratch: pair.scratch,
            seconds: pair.seconds,
        }
    }
}

impl Plan {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let job = self.job.into_job(false)?;
        let plan = Planned::new(&job).map_err(failure)?;
        if self.hyperqueue {
            return hyperqueue(&rules_argument(job.rules), &job, &plan.planned(), out);
        }
        print(&plan, job.rules, self.json, out)
    }
}

/// Prints a plan, as a table or as one JSON object.
pub fn print(plan: &Planned, rules: &Rules, json: bool, out: &mut Output) -> Result<(), Failure> {
    if !json {
        return table(plan, out);
    }
    let plan = PlanJson {
        rules: rules.name(),
        entries: plan.positions(),
        memory: plan.memory(),
        scratch: plan.scratch(),
        disk: plan.disk(),
        seconds: plan.seconds(),
        pairs: plan.planned().into_iter().map(PairJson::from).collect(),
    };
    json_line(out, &plan)
}

fn time(seconds: f64) -> HumanDuration {
    HumanDuration(Duration::from_secs_f64(seconds))
}

fn table(plan: &Planned, out: &mut Output) -> Result<(), Failure> {
    for pair in plan.planned() {
        writeln!(
            out,
            "{:<6} {:<5} {:>16} entries  memory {:>12}  files {:>12}  {}",
            pair.pair.to_string(),
            pair.task,
            HumanCount(pair.entries).to_string(),
            BinaryBytes(pair.memory).to_string(),
            BinaryBytes(pair.scratch).to_string(),
            time(pair.seconds)
        )?;
    }
    writeln!(
        out,
        "all: {} entries to solve, memory {}, intermediate files {}, tables {}, {}",
        HumanCount(plan.positions()),
        BinaryBytes(plan.memory()),
        BinaryBytes(plan.scratch()),
        BinaryBytes(plan.disk()),
        time(plan.seconds())
    )?;
    Ok(())
}

/// Prints a job file with a task for each pair that is to be solved. A task asks for as many processors as the
/// job has threads, and for its memory in MiB. Strings and arrays have the same form in TOML as in JSON.
fn hyperqueue(rules: &str, job: &Job, pairs: &[PlannedPair], out: &mut Output) -> Result<(), Failure> {
    let to_solve = || pairs.iter().filter(|pair| pair.task == "solve");
    let ids: BTreeMap<Pair, u32> = to_solve().map(|pair| pair.pair).zip(1..).collect();
    let folder = |path: &Path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        path.display().to_string()
    };
    writeln!(out, "name = {}", json!(format!("alquerque-{}", job.rules.name())))?;
    for pair in to_solve() {
        let slice = pair.pair.slices().map(|slice| slice.to_string()).next().unwrap_or_default();
        let metrics: Vec<String> = job.metrics.iter().map(|metric| metric.to_string()).collect();
        let mebibytes = pair.memory.div_ceil(1 << 20);
        let mut command: Vec<String> = ["alquerque", "generate", "--rules", rules].map(str::to_owned).into();
        let mut option = |name: &str, value: String| command.extend([name.to_owned(), value]);
        option("--material", slice);
        option("--metrics", metrics.join(","));
        option("--dir", folder(&job.dir));
        option("--threads", job.threads.to_string());
        option("--memory", format!("{mebibytes}M"));
        if let Some(scratch) = &job.scratch {
            option("--scratch", folder(scratch));
        }
        // Pairs that are there already need not be waited for.
        let needs = pair.needs.iter().filter_map(|material| ids.get(&material.pair()));
        let deps: BTreeSet<u32> = needs.copied().collect();
        let id = ids.get(&pair.pair);
        writeln!(
            out,
            "\n[[task]]\nid = {}\ncommand = {}\ndeps = {}",
            json!(id),
            json!(command),
            json!(deps)
        )?;
        let (cpus, memory) = (job.threads.to_string(), mebibytes.to_string());
        writeln!(out, "[[task.request]]\nresources = {{ cpus = {}, mem = {} }}", json!(cpus), json!(memory))?;
    }
    Ok(())
}

/// The rules as they were named on the command line; the path of a file is made absolute.
fn rules_argument(rules: &Rules) -> String {
    let mut arguments = std::env::args();
    let mut named = None;
    while let Some(argument) = arguments.next() {
        match argument.strip_prefix("--rules") {
            Some("") => named = arguments.next(),
            Some(value) => named = value.strip_prefix('=').map(str::to_owned).or(named),
            None => {}
        }
    }
    match named {
        Some(path) if Rules::by_name(rules.name()).is_err() => {
            std::path::absolute(&path).map_or(path, |path| path.display().to_string())
        }
        _ => rules.name().to_owned(),
    }
}
