//! `check`: whether a certificate holds.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use alquerque::certificate::{Certificate, CheckError, CheckOptions, CheckReport, check_with};
use alquerque::rules::Rules;
use alquerque::table::TableError;
use alquerque::tablebase::{DEFAULT_CACHE, ProbeError, Tablebase};
use clap::Args;
use indicatif::BinaryBytes;

use super::failure::Failure;
use super::options::{DirOption, ThreadsOption, parse_position, rules_parser};
use super::output::{Output, json_line};
use super::{interrupt, json, memory, words};

/// Check a proof: a certificate written by `solve`
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Check {
    /// The certificate, as written by `alquerque solve --certificate`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    dir: DirOption,
    /// Fail unless the certificate is for these rules; required if they come from a rule file
    #[arg(long, value_name = "RULES", value_parser = rules_parser())]
    rules: Option<&'static Rules>,
    /// Fail unless the certificate is about this position, quoted; `start` is the start of the game
    #[arg(long, value_name = "POSITION")]
    position: Option<String>,
    /// Memory for the replies of a claim, about 40 bytes each: 4G, 256M or bytes [default: a quarter of what
    /// is available]
    #[arg(long, value_parser = memory::parse_bytes)]
    memory: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
A certificate is a file that proves the value of one position: it has a reply to
every move of the opponent. The check plays all of them and prints the rules, the
position, the claims and the value that they prove. Any position can have a
certificate: look at the one that is printed, or demand one with --position. If
the certificate proves nothing, a message names the position where it fails, and
the exit code is 1.

A certificate that rests on tables can be checked only with the same tables, in
the directory given by --dir; their checksums are compared.

Examples:
  alquerque check --position start tables/qirkat/start.proof
  alquerque check --dir /srv/tables classic.proof";

impl Check {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let stop = interrupt::watch()?;
        let certificate = Certificate::open(&self.file).map_err(Failure::failed)?;
        if let Some(rules) = self.rules.filter(|&rules| rules != certificate.rules()) {
            let (path, of) = (certificate.path().display(), certificate.rules().name());
            return Err(Failure::Failed(format!("{path} is for the rules '{of}', not '{}'", rules.name())));
        }
        if let Some(text) = &self.position {
            demand(&certificate, text)?;
        }
        let examiner = Examiner::new(&self.dir.dir, &self.threads, self.memory, stop);
        let report = examiner.examine(&certificate)?;
        let checksum = certificate.checksum_unless(Some(stop)).map_err(Failure::failed)?;
        let checksum = checksum.ok_or_else(|| stopped(&certificate))?;
        if self.json {
            return json_line(out, &json::Check::new(&certificate, &report, checksum));
        }
        let position = certificate.root();
        writeln!(out, "{}: {position}", certificate.rules().name())?;
        writeln!(out, "{}", words::solved(position.side(), Some(report.value)))?;
        for info in certificate.claims() {
            writeln!(out, "Claim: {}", words::claim(position.side(), info))?;
        }
        if let Some(plies) = report.plies {
            writeln!(out, "Within {}", words::count(plies.into(), "ply", "plies"))?;
        }
        let tables = match certificate.tables().len() {
            0 => "no tables".to_owned(),
            count => words::count(count as u64, "table", "tables"),
        };
        writeln!(
            out,
            "The certificate holds: {}, {}, {tables}, XXH3-128 {:032x}",
            words::count(report.entries, "reply", "replies"),
            BinaryBytes(certificate.file_bytes()),
            checksum
        )?;
        Ok(())
    }
}

/// Fails unless a certificate is about the position that is written `text`.
fn demand(certificate: &Certificate, text: &str) -> Result<(), Failure> {
    let (rules, root) = (certificate.rules(), certificate.root());
    let wanted = parse_position(rules, text)?;
    if wanted == *root {
        return Ok(());
    }
    let (name, rules) = (certificate.path().display(), rules.name());
    Err(Failure::Failed(format!("{name} is about another position of '{rules}': {root}, not {wanted}")))
}

fn stopped(certificate: &Certificate) -> Failure {
    Failure::Failed(format!("stopped before {} was checked", certificate.path().display()))
}

/// Checks certificates, with the tables below a directory where they rest on some.
pub struct Examiner<'a> {
    dir: &'a Path,
    threads: usize,
    memory: u64,
    stop: &'a AtomicBool,
}

impl<'a> Examiner<'a> {
    /// With this much memory for the replies of a claim; by default a quarter of what is available.
    pub fn new(
        dir: &'a Path,
        threads: &ThreadsOption,
        memory: Option<u64>,
        stop: &'a AtomicBool,
    ) -> Examiner<'a> {
        let memory = memory.or_else(|| memory::available().map(|bytes| bytes / 4));
        let memory = memory.unwrap_or(CheckOptions::default().memory);
        Examiner { dir, threads: threads.count(), memory, stop }
    }

    /// Checks a certificate.
    pub fn examine(&self, certificate: &Certificate) -> Result<CheckReport, Failure> {
        let name = certificate.path().display();
        let tables = match certificate.tables() {
            [] => None,
            _ => {
                let cache = memory::default(DEFAULT_CACHE);
                Some(Tablebase::with_cache(self.dir, certificate.rules(), cache).map_err(Failure::failed)?)
            }
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let pool = pool.map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))?;
        let mut options = CheckOptions::default();
        (options.memory, options.stop) = (self.memory, Some(self.stop));
        let checked = pool.install(|| check_with(certificate, tables.as_ref(), &options));
        checked.map_err(|error| match error {
            CheckError::Certificate(error) => Failure::failed(error),
            CheckError::Stopped => stopped(certificate),
            CheckError::Memory { .. } => {
                Failure::Failed(format!("{name} was not checked: {error}; give more with --memory"))
            }
            // Without its tables it may be as good as ever.
            CheckError::Probe(ProbeError::Table(TableError::NoTable { .. }))
            | CheckError::OtherTable { .. } => {
                let without = "cannot be checked without the tables that it rests on";
                Failure::Failed(format!("{name} {without}: {error}; give their directory with --dir"))
            }
            error => Failure::Failed(format!("{name} proves nothing: {error}")),
        })
    }
}
