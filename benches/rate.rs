//! How fast tables are made, and where the time goes: `cargo bench --bench rate -- classic 8`.
//!
//! Generates the WDL tables of one rule set up to a number of stones in a temporary folder and prints positions a second, over all and
//! by kind of work. Runs of two builds in turn on the same machine can be compared; those of different machines or
//! times of day cannot.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use alquerque::material::Material;
use alquerque::rules::Rules;
use alquerque::solve::{Job, Metrics, Plan, Progress, Target};
use alquerque::table::Metric;

const USAGE: &str =
    "usage: cargo bench --bench rate -- [RULES [STONES [THREADS [dtc]]]], by default classic 8 2";

/// What is being done, and since when; and the time that each kind of work took.
struct Clock(Mutex<(&'static str, Instant, BTreeMap<&'static str, Duration>)>);

impl Clock {
    fn new() -> Clock {
        Clock(Mutex::new(("planning", Instant::now(), BTreeMap::new())))
    }

    fn begin(&self, kind: &'static str) {
        let (before, since, times) = &mut *self.0.lock().unwrap();
        *times.entry(before).or_default() += since.elapsed();
        (*before, *since) = (kind, Instant::now());
    }
}

impl Progress for Clock {
    fn pair_started(&self, _: &[Material], _: u64) {
        self.begin("other");
    }

    fn stage(&self, text: &str) {
        self.begin(match text {
            "captures" => "captures",
            "pass 1" | "pass 2" => "first passes",
            _ if text.starts_with("pass ") => "later passes",
            _ if text.starts_with("level ") => "sweep",
            _ if text.starts_with("writing ") => "writing",
            _ => "other",
        });
    }

    fn slice_done(&self, _: &alquerque::tablebase::SliceSummary, _: bool) {
        self.begin("other");
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
    };
    let (started, clock) = (Instant::now(), Clock::new());
    let plan = Plan::new(&job).unwrap();
    let positions = plan.positions() as f64;
    clock.begin("other");
    plan.run(&clock, &AtomicBool::new(false)).unwrap();
    clock.begin("other");
    let total = started.elapsed().as_secs_f64();
    println!("{} up to {stones} stones, {threads} threads: {positions} positions", rules.name());
    let (_, _, times) = clock.0.into_inner().unwrap();
    for (kind, time) in times {
        let seconds = time.as_secs_f64();
        let (share, each) = (100.0 * seconds / total, 1e9 * seconds * threads as f64 / positions);
        println!("{kind:>14} {seconds:8.2} s {share:5.1}% {each:7.1} ns of a thread for each position");
    }
    println!("{:>14} {total:8.2} s, {:.2} million positions/s", "all", positions / total / 1e6);
}
