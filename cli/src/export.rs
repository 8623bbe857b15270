//! `export`: positions with values and distances for other programs.

use std::path::{Path, PathBuf};

use alquerque::export::{ExportError, Format, Selection, count_rows, export, export_csv};
use alquerque::material::Material;
use alquerque::study::StudyError;
use alquerque::table::Metric;
use alquerque::tablebase::Tablebase;
use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::message::message;
use super::options::{DirOption, RulesOption};
use super::output::Output;
use super::progress::ScanProgress;
use super::{interrupt, words};

/// Write positions with values, distances and best moves as CSV, Parquet or NumPy arrays
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Export {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    #[command(flatten)]
    slices: SliceOptions,
    /// Export N positions, chosen at random from all slices together
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Seed of the random choice; the same seed chooses the same positions
    #[arg(long, value_name = "S", requires = "sample", default_value_t = 0)]
    seed: u64,
    /// Export each table entry once, without the positions that are equal to it by symmetry
    #[arg(long)]
    distinct: bool,
    /// File format [default: by the extension of the file]
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// The file; - is standard output, for csv
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// Which slices are exported.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct SliceOptions {
    /// One slice: stones of the side to move, then of the other side
    #[arg(long, value_name = "3v2")]
    material: Option<Material>,
    /// All slices with tables and at most N stones in total
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=24))]
    stones: Option<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    Csv,
    Parquet,
    Npz,
}

const HELP: &str = "\
Columns: white and black (bit n is point n, a1 = 0), no_west and no_east under rules
with forbidden steps, side (0 White, 1 Black), value (1, 0, -1 for the side to move),
dtc and dtw in plies (-1 for none), best (bit n is the n-th legal move, in the order
in which 'moves' lists them). The file is written whole or not at all, in memory that
does not depend on its size.

Examples:
  alquerque export --rules classic --material 3v1 --output 3v1.parquet
  alquerque export --rules classic --stones 4 --sample 10000 --seed 1 --output sample.npz
  alquerque export --rules qirkat --material 1v1 --format csv --output -";

impl Export {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let is_stdout = self.output == Path::new("-");
        let format = self.format(is_stdout)?;
        let tables = Tablebase::open(&self.dir.dir, self.rules.rules).map_err(Failure::failed)?;
        let slices = match (self.slices.material, self.slices.stones) {
            (Some(material), _) => vec![material],
            (None, stones) => {
                let stones = stones.map_or(24, usize::from);
                tables.open_all().map_err(Failure::failed)?;
                let slices = tables.slices().into_iter().map(|slice| slice.material);
                let is_wanted = |material: &Material| {
                    material.total() <= stones && tables.has_table(*material, Metric::Wdl)
                };
                slices.filter(is_wanted).collect()
            }
        };
        if slices.is_empty() {
            return Err(Failure::failed("there are no tables with so few stones"));
        }
        let selection =
            Selection { slices, distinct: self.distinct, sample: self.sample.map(|size| (size, self.seed)) };
        let rows = count_rows(&tables, &selection).map_err(Failure::failed)?;
        let stop = interrupt::watch()?;
        let progress = ScanProgress::with_total("rows", rows);
        let result = if is_stdout {
            export_csv(&tables, &selection, out, &progress, stop).map_err(Failure::from)
        } else {
            Ok(export(&tables, &selection, format, &self.output, &progress, stop))
        };
        progress.finish();
        match result? {
            Err(ExportError::Study(StudyError::Stopped)) => {
                Err(Failure::failed("stopped: nothing was exported"))
            }
            Err(error) => Err(Failure::failed(error)),
            Ok(rows) => {
                if !is_stdout {
                    message(format!(
                        "{} written to {}",
                        words::count(rows, "position", "positions"),
                        self.output.display()
                    ));
                }
                Ok(())
            }
        }
    }

    fn format(&self, is_stdout: bool) -> Result<Format, Failure> {
        let extension = self.output.extension().and_then(|extension| extension.to_str());
        let format = match (self.format, extension) {
            (Some(FormatName::Csv), _) => Format::Csv,
            (Some(FormatName::Parquet), _) => Format::Parquet,
            (Some(FormatName::Npz), _) => Format::Npz,
            (None, _) if is_stdout => Format::Csv,
            (None, Some("csv")) => Format::Csv,
            (None, Some("parquet")) => Format::Parquet,
            (None, Some("npz")) => Format::Npz,
            (None, _) => {
                return Err(Failure::Usage(
                    "the name of the file does not tell its form; give it with --format".to_owned(),
                ));
            }
        };
        if is_stdout && format != Format::Csv {
            return Err(Failure::Usage("only csv can be written to standard output".to_owned()));
        }
        Ok(format)
    }
}
