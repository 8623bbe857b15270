//! `pack`: one archive of the tables of a rule set.

use std::io::Write;
use std::path::PathBuf;

use alquerque::pack::{PackError, Package, Selection};
use alquerque::table::Metric;
use clap::Args;
use indicatif::BinaryBytes;
use serde::Serialize;

use super::failure::Failure;
use super::job::parse_metric;
use super::message::message;
use super::options::{DirOption, RulesOption};
use super::output::{Output, json_line};
use super::progress::ScanProgress;
use super::{interrupt, words};

/// Pack the tables of a rule set into one archive, to hand them out
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Pack {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Only slices with at most N stones in total [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=24))]
    stones: Option<u8>,
    /// Only tables of these metrics [default: all]
    #[arg(long, value_name = "METRICS", value_delimiter = ',', value_parser = parse_metric)]
    metrics: Vec<Metric>,
    /// The archive, a .tar file
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Print a JSON object instead of the line for sha256sum
    #[arg(long)]
    json: bool,
}

const HELP: &str = "\
The archive holds a folder with the name of the rules: tables, their manifest, the
certificates beside them, the file formats, licences and how to cite the tables.
Every table must have the checksum that the manifest lists. The same tables give the
same bytes, whoever packs them, so that checksums can be compared. The checksum goes
to standard output, in the form that 'sha256sum -c' checks.

Examples:
  alquerque pack --rules classic --output classic.tar
  alquerque pack --rules classic --stones 12 --metrics wdl --output classic-12.tar
  tar -xf classic.tar -C tables        # and probe with --dir tables";

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    output: String,
    tables: u64,
    certificates: u64,
    bytes: u64,
    sha256: String,
}

impl Pack {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        self.dir.one()?;
        let mut selection = Selection::all();
        if let Some(stones) = self.stones {
            selection.stones = stones.into();
        }
        if !self.metrics.is_empty() {
            selection.metrics.clone_from(&self.metrics);
        }
        let (dir, rules) = (&self.dir.dir, self.rules.rules);
        let package = Package::of(dir, rules, &selection).map_err(failure)?;
        let stop = interrupt::watch()?;
        let progress = ScanProgress::with_total("bytes", package.bytes());
        let packed = package.write(&self.output, &progress, stop);
        progress.finish();
        let packed = packed.map_err(failure)?;
        let output = self.output.display().to_string();
        let tables = words::count(packed.tables, "table", "tables");
        let certificates = words::count(packed.certificates, "certificate", "certificates");
        message(format!("{tables} and {certificates} in {output}, {}", BinaryBytes(packed.bytes)));
        if self.json {
            let (tables, certificates, bytes) = (packed.tables, packed.certificates, packed.bytes);
            return json_line(out, &Report { output, tables, certificates, bytes, sha256: packed.digits() });
        }
        writeln!(out, "{}  {output}", packed.digits())?;
        Ok(())
    }
}

fn failure(error: PackError) -> Failure {
    match error {
        PackError::Stopped => Failure::failed("stopped: nothing was packed"),
        error => Failure::failed(error),
    }
}
