//! `stats`: figures of whole slices.

use std::io::Write;
use std::path::{Path, PathBuf};

use alquerque::json;
use alquerque::material::Material;
use alquerque::study::{Stats as Figures, StudyError, stats};
use alquerque::table::{Metric, Value};
use alquerque::tablebase::Tablebase;
use clap::Args;

use super::failure::Failure;
use super::interrupt;
use super::options::{DirOption, RulesOption};
use super::output::{Output, flush, json_line};
use super::progress::ScanProgress;

/// Show statistics of whole slices: distances, only moves, legal moves
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Stats {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// One slice [default: all slices that have tables]
    #[arg(long, value_name = "3v2")]
    material: Option<Material>,
    /// Print the histograms of distances as comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON object a slice
    #[arg(long)]
    json: bool,
    /// Draw the histogram of the slice as an .svg image
    #[arg(long, value_name = "FILE", requires = "material")]
    svg: Option<PathBuf>,
}

const HELP: &str = "\
Counts are of all positions, no symmetry taken out. 'only' is the share of won and
drawn positions with several moves in which one move alone keeps the value, 'moves'
the number of legal moves on average.

Examples:
  alquerque stats --rules classic
  alquerque stats --rules classic --material 3v2 --csv
  alquerque stats --rules classic --material 3v2 --svg 3v2.svg";

impl Stats {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let tables = Tablebase::open(&self.dir.dir, self.rules.rules).map_err(Failure::failed)?;
        let slices: Vec<Material> = match self.material {
            Some(material) => vec![material],
            None => {
                tables.open_all().map_err(Failure::failed)?;
                let slices = tables.slices().into_iter().map(|slice| slice.material);
                slices.filter(|&material| tables.has_table(material, Metric::Wdl)).collect()
            }
        };
        let stop = interrupt::watch()?;
        for (index, material) in slices.into_iter().enumerate() {
            let progress = ScanProgress::new("entries");
            let figures = stats(&tables, material, &progress, stop);
            progress.finish();
            let figures = match figures {
                Err(StudyError::Stopped) => {
                    return Err(Failure::failed("stopped before all slices were read"));
                }
                figures => figures.map_err(Failure::failed)?,
            };
            if index == 0 {
                self.print_header(out)?;
            }
            self.print(&figures, out)?;
            flush(out)?;
            if let Some(path) = &self.svg {
                draw(path, &figures)?;
            }
        }
        Ok(())
    }

    fn print_header(&self, out: &mut Output) -> Result<(), Failure> {
        if self.csv {
            writeln!(out, "material,metric,plies,won,lost")?;
        } else if !self.json {
            writeln!(
                out,
                "{:<6} {:>14} {:>7} {:>7} {:>7} {:>8} {:>6} {:>5} {:>7}",
                "slice", "positions", "win", "draw", "loss", "capture", "moves", "most", "only"
            )?;
        }
        Ok(())
    }

    fn print(&self, figures: &Figures, out: &mut Output) -> Result<(), Failure> {
        if self.json {
            return json_line(out, &json::Stats::new(self.rules.rules, figures));
        }
        if self.csv {
            for metric in Metric::shown_distances() {
                for (plies, won, lost) in
                    figures.histogram(metric).iter().flat_map(|histogram| histogram.rows())
                {
                    writeln!(out, "{},{metric},{plies},{won},{lost}", figures.material)?;
                }
            }
            return Ok(());
        }
        let percent = |count: u64| 100.0 * count as f64 / figures.positions().max(1) as f64;
        let value = |value: Value| percent(figures.values[value as usize]);
        Ok(writeln!(
            out,
            "{:<6} {:>14} {:>6.2}% {:>6.2}% {:>6.2}% {:>7.2}% {:>6.2} {:>5} {:>6.2}%",
            figures.material.to_string(),
            figures.positions(),
            value(Value::Win),
            value(Value::Draw),
            value(Value::Loss),
            percent(figures.captures),
            figures.branching(),
            figures.most_moves,
            100.0 * figures.only_move_share()
        )?)
    }
}

fn draw(path: &Path, figures: &Figures) -> Result<(), Failure> {
    std::fs::write(path, figures.chart().to_string())
        .map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
}
