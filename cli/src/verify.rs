//! `verify`: whether the tables are sound.

use std::io::Write;
use std::iter;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use alquerque::certificate::{Certificate, Certificates};
use alquerque::rules::Rules;
use alquerque::tablebase::DEFAULT_CACHE;
use alquerque::verify::{Derived, VerifyOptions, VerifyReport, verify};
use clap::Args;

use super::check::Examiner;
use super::failure::Failure;
use super::options::{AnyRulesOption, DirOption, ThreadsOption};
use super::output::{Output, flush};
use super::progress::ScanProgress;
use super::{interrupt, memory, words};

/// Check tables, by checksums or value by value, and the certificates beside them
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Verify {
    #[command(flatten)]
    rules: AnyRulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Also derive every value again from the values of the positions after each move
    #[arg(long)]
    full: bool,
    /// Also derive the values of N entries again: the same number in each slice, at least one, and always
    /// the same entries
    #[arg(long, value_name = "N", conflicts_with = "full", value_parser = clap::value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Memory for decoded blocks of tables: 500M, 4G or bytes, at least 1M [default: a quarter of what is
    /// available]
    #[arg(long, value_parser = parse_cache)]
    cache: Option<u64>,
    /// Memory for --full, apart from --cache: 500M, 4G or bytes. Slices that need more are derived one entry
    /// after the other, which is slow [default: half of what is available]
    #[arg(long, value_parser = memory::parse_bytes)]
    memory: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
}

const HELP: &str = "\
Checksums find files that were damaged after they were written. --full also finds
values that were wrong from the beginning. Without forbidden steps it derives whole
rows at a time, which takes about as long as generating the tables; with them, or
without enough --memory, it derives one entry after the other, which takes much
longer. --sample does the same for some of the entries.
Certificates beside the tables are always checked, as by 'check'. The exit code is
1 if anything is wrong.

Examples:
  alquerque verify
  alquerque verify --sample 1000000
  alquerque verify --rules classic --full --threads 4";

impl Verify {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        self.dir.one()?;
        let all = self.rules.in_dir(&self.dir.dir)?;
        let stop = interrupt::watch()?;
        let mut worst = 0;
        for rules in all {
            let tables = iter::once_with(|| self.check(rules, stop).map(|report| sentence(rules, &report)));
            let certificates = Certificates::paths(&self.dir.dir, rules);
            let certificates = certificates.iter().map(|path| self.check_certificate(rules, path, stop));
            for checked in tables.chain(certificates) {
                match checked {
                    _ if stop.load(Ordering::Relaxed) => {
                        return Err(Failure::failed("stopped before everything was checked"));
                    }
                    Ok(sentence) => {
                        writeln!(out, "{sentence}")?;
                        flush(out)?;
                    }
                    Err(failure) => {
                        failure.report();
                        worst = worst.max(failure.code());
                    }
                }
            }
        }
        if worst == 0 { Ok(()) } else { Err(Failure::Reported(worst)) }
    }

    /// Checks a certificate and tells what it proves.
    fn check_certificate(
        &self,
        rules: &'static Rules,
        path: &Path,
        stop: &AtomicBool,
    ) -> Result<String, Failure> {
        let certificate = Certificate::open_for(path, rules).map_err(Failure::failed)?;
        let report = Examiner::new(&self.dir.dir, &self.threads, None, stop).examine(&certificate)?;
        let replies = words::count(report.entries, "reply", "replies");
        let side = certificate.root().side();
        let proven = words::solved(side, Some(report.value));
        let name = path.file_name().unwrap_or_default().display();
        Ok(format!("{}: {name} with {replies} holds, for {}. {proven}", rules.name(), certificate.root()))
    }

    fn check(&self, rules: &'static Rules, stop: &AtomicBool) -> Result<VerifyReport, Failure> {
        let derived = match self.sample {
            Some(entries) => Derived::Sample(entries),
            None if self.full => Derived::All,
            None => Derived::None,
        };
        let cache =
            self.cache.unwrap_or_else(|| memory::available().map_or(0, |bytes| bytes / 4).max(DEFAULT_CACHE));
        let memory = match (self.memory, memory::available()) {
            (None, Some(available)) => available / 2,
            (given, _) => memory::given_or_default("--memory", given, DEFAULT_MEMORY)?,
        };
        let options = VerifyOptions { derived, threads: self.threads.count(), cache, memory };
        let progress = ScanProgress::of_rules(rules);
        let result = verify(&self.dir.dir, rules, &options, &progress, stop);
        progress.finish();
        result.map_err(Failure::failed)
    }
}

/// What whole rows may take where the system does not tell how much there is.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// With less, the same blocks would be decoded over and over again.
const LEAST_CACHE: u64 = 1 << 20;

fn parse_cache(text: &str) -> Result<u64, String> {
    let bytes = memory::parse_bytes(text)?;
    if bytes < LEAST_CACHE {
        Err("with less than 1M the check would take too long".to_owned())
    } else {
        Ok(bytes)
    }
}

fn sentence(rules: &Rules, report: &VerifyReport) -> String {
    let files = words::count(report.files, "file", "files");
    let blocks = words::count(report.blocks, "block", "blocks");
    let name = rules.name();
    match report.positions {
        0 => format!("{name}: {files} with {blocks} checked, all sound"),
        count => {
            let entries = words::count(count, "entry", "entries");
            let way = match report.in_rows {
                0 => "one by one".to_owned(),
                rows if rows == count => "in whole rows".to_owned(),
                rows => format!("{} of them in whole rows", words::count(rows, "entry", "entries")),
            };
            let seconds = report.deriving.as_secs_f64();
            format!(
                "{name}: {files} with {blocks} checked and {entries} derived again in {seconds:.1} s, {way}; \
                 all sound"
            )
        }
    }
}
