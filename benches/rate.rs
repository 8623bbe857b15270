//! How fast tables are made, and where the time goes: `cargo bench --bench rate -- classic 8`.
//!
//! Generates the WDL tables of one rule set up to a number of stones in a temporary folder. Prints positions
//! per second and how the time divides by kind of work. Read the division with one thread only: several
//! threads work on several pairs side by side. Compare runs of two builds in turn on the same machine; runs
//! on different machines or at different times of day cannot be compared.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use alquerque::material::Pair;
use alquerque::progress::{Progress, Stage};
use alquerque::rules::Rules;
use alquerque::solve::{Job, Metrics, Plan, Target};
use alquerque::table::Metric;

const USAGE: &str =
    "usage: cargo bench --bench rate -- [RULES [STONES [THREADS [dtc]]]], by default classic 8 2";

/// What is being done for each pair, and since when; and the time that each kind of work took.
struct Clock(Mutex<State>);

#[derive(Default)]
struct State {
    pairs: BTreeMap<Pair, (&'static str, Instant)>,
    times: BTreeMap<&'static str, Duration>,
}

impl State {
    fn end(&mut self, pair: Pair) {
        if let Some((kind, since)) = self.pairs.remove(&pair) {
            *self.times.entry(kind).or_default() += since.elapsed();
        }
    }
}

impl Progress for Clock {
    fn stage(&self, stage: Stage) {
        let kind = match stage {
            Stage::Captures(_) => "captures",
            Stage::Pass { pass: 1 | 2, .. } => "first passes",
            Stage::Pass { .. } => "later passes",
            Stage::Level { .. } => "sweep",
            Stage::Distance { .. } => "distances",
            Stage::Writing { .. } => "writing",
            _ => "other",
        };
        let state = &mut *self.0.lock().unwrap();
        state.end(stage.pair());
        state.pairs.insert(stage.pair(), (kind, Instant::now()));
    }

    fn slice_done(&self, summary: &alquerque::tablebase::SliceSummary, _: bool) {
        self.0.lock().unwrap().end(summary.material.pair());
    }
}

fn main() {
    // Cargo adds --bench.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let argument = |index: usize, default: &str| arguments.get(index).cloned().unwrap_or(default.to_owned());
    let number = |index, default| argument(index, default).parse::<usize>().expect(USAGE);
    let rules = Rules::by_name(&argument(0, "classic")).expect(USAGE);
    let (stones, threads) = (number(1, "8"), number(2, "2"));
    let metrics = (argument(3, "wdl") == "dtc").then_some(Metric::Dtc);
    let dir = tempfile::tempdir().unwrap();
    let job = Job {
        rules,
        dir: dir.path().to_owned(),
        target: Target::Stones(stones),
        metrics: Metrics::from_iter(metrics),
        threads,
        memory: u64::MAX,
        force: false,
        scratch: None,
        shards: None,
    };
    let (started, clock) = (Instant::now(), Clock(Mutex::default()));
    let plan = Plan::new(&job).unwrap();
    let positions = plan.positions() as f64;
    plan.run(&clock, &AtomicBool::new(false)).unwrap();
    let total = started.elapsed().as_secs_f64();
    println!("{} up to {stones} stones, {threads} threads: {positions} positions", rules.name());
    // Pairs may be in work side by side: their times together are longer than the run.
    let times = clock.0.into_inner().unwrap().times;
    let all: f64 = times.values().map(Duration::as_secs_f64).sum();
    for (kind, time) in times {
        println!("{kind:>14} {:5.1}%", 100.0 * time.as_secs_f64() / all);
    }
    println!("{:>14} {total:8.2} s, {:.2} million positions/s", "all", positions / total / 1e6);
}
