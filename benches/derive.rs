//! How fast `verify --full` derives tables again: `cargo bench --bench derive -- DIR classic`.
//!
//! Checks the tables of one rule set in a directory that `generate` has filled, and prints the time from the
//! moment when checksums have been compared, entries per second, and how many of the entries were derived in
//! whole rows. Compare with the processor time of `generate` for the same tables, on the same machine in turn.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use alquerque::progress::{Progress, Stage};
use alquerque::rules::Rules;
use alquerque::verify::{Derived, VerifyOptions, verify};

const USAGE: &str = "usage: cargo bench --bench derive -- DIR [RULES [THREADS [MEBIBYTES]]], by default classic 2 1024; \
                     0 MEBIBYTES: entry by entry";

/// When the first slice was begun.
#[derive(Default)]
struct Clock(Mutex<Option<Instant>>);

impl Progress for Clock {
    fn stage(&self, stage: Stage) {
        if matches!(stage, Stage::Deriving(_)) {
            self.0.lock().unwrap().get_or_insert_with(Instant::now);
        }
        if std::env::var_os("VERBOSE").is_some() {
            eprintln!("{stage}");
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let [dir, rest @ ..] = &arguments[..] else { return println!("{USAGE}") };
    let number =
        |place: usize, default: u64| rest.get(place).map_or(default, |text| text.parse().expect(USAGE));
    let rules = Rules::by_name(rest.first().map_or("classic", String::as_str)).expect(USAGE);
    let (threads, memory) = (number(1, 2) as usize, number(2, 1 << 10) << 20);
    let clock = Clock::default();
    let options = VerifyOptions { derived: Derived::All, threads, cache: 64 << 20, memory };
    let report = verify(Path::new(dir), rules, &options, &clock, &AtomicBool::new(false)).unwrap();
    let seconds = clock.0.lock().unwrap().map_or(0.0, |begun| begun.elapsed().as_secs_f64());
    println!(
        "{} entries in {seconds:.2} s, {:.2} million a second; {} in whole rows",
        report.positions,
        report.positions as f64 / seconds / 1e6,
        report.in_rows
    );
}
