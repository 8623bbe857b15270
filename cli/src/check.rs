//! `check`: whether a certificate holds.

use std::io::Write;
use std::path::{Path, PathBuf};

use alquerque::certificate::Certificate;
use alquerque::check::{CheckError, Report, check};
use alquerque::table::TableError;
use alquerque::tablebase::{ProbeError, Tablebase};
use clap::Args;
use indicatif::BinaryBytes;

use super::failure::Failure;
use super::options::{DirOption, ThreadsOption};
use super::output::{Output, json_line};
use super::{json, words};

/// Check a certificate that `solve` has written
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Check {
    /// The certificate
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    dir: DirOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
Plays by the certificate from its position on, against every answer, and tells
the value that it proves. The exit code is 1 if it proves nothing, with the
position where it fails, or cannot be checked. A certificate that rests on
tables needs the same tables, in the directory given by --dir; their checksums
are compared.

Examples:
  alquerque check start.proof
  alquerque check --dir /srv/tables classic.proof";

impl Check {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let certificate = Certificate::open(&self.file).map_err(Failure::failed)?;
        let report = examine(&certificate, &self.dir.dir, &self.threads)?;
        if self.json {
            return json_line(out, &json::Check::new(&certificate, &report));
        }
        let position = certificate.root();
        writeln!(out, "{}: {position}", certificate.rules().name())?;
        writeln!(out, "{}", words::solved(position.side(), Some(report.value)))?;
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
            certificate.checksum()
        )?;
        Ok(())
    }
}

/// Checks a certificate, with the tables below `dir` if it rests on some.
pub fn examine(certificate: &Certificate, dir: &Path, threads: &ThreadsOption) -> Result<Report, Failure> {
    let name = certificate.path().display();
    let tables = match certificate.tables() {
        [] => None,
        _ => Some(Tablebase::open(dir, certificate.rules()).map_err(Failure::failed)?),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.count()).build();
    let pool = pool.map_err(|error| Failure::Failed(format!("cannot start threads: {error}")))?;
    pool.install(|| check(certificate, tables.as_ref())).map_err(|error| match error {
        CheckError::Certificate(error) => Failure::failed(error),
        // Without its tables it may be as good as ever.
        CheckError::Probe(ProbeError::Table(TableError::NoTable { .. })) | CheckError::OtherTable { .. } => {
            Failure::Failed(format!("{name} cannot be checked without the tables that it rests on: {error}"))
        }
        error => Failure::Failed(format!("{name} proves nothing: {error}")),
    })
}
