//! `mine`: positions of a kind in a whole slice.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use alquerque::json;
use alquerque::material::Material;
use alquerque::study::{
    Condition, Motif, Quantity, Query, Study, StudyError, html_sheet, mine, parse_conditions, svg_sheet,
};
use alquerque::table::{Metric, Value};
use alquerque::tablebase::Tablebase;
use clap::Args;

use super::failure::Failure;
use super::interrupt;
use super::options::{DirOption, RulesOption};
use super::output::{Output, json_line};
use super::progress::ScanProgress;
use super::rows;

/// Find positions in whole slices: zugzwangs, only moves, the longest wins
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Mine {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// The slice: stones of the side to move, then of the other side
    #[arg(long, value_name = "3v2")]
    material: Material,
    #[command(flatten)]
    motif: MotifOptions,
    /// With --only-move: require N only moves in a row along best play
    #[arg(long, value_name = "N", requires = "only_move", default_value_t = 1, value_parser = length_parser())]
    length: u64,
    /// With --longest: only positions with this value
    #[arg(long, requires = "longest", value_parser = value_parser())]
    value: Option<Value>,
    /// With --longest: the distance to compare [default: dtw, or dtc without a dtw table]
    #[arg(long, requires = "longest", value_parser = metric_parser())]
    metric: Option<Metric>,
    /// More conditions, for example 'quiet, dtw>=20'
    #[arg(long = "where", value_name = "CONDITIONS", value_parser = parse_conditions)]
    conditions: Vec<Vec<Condition>>,
    /// Print at most N positions
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Print N of the matching positions, chosen at random
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    sample: Option<usize>,
    /// Seed of the random choice; the same seed chooses the same positions
    #[arg(long, value_name = "S", requires = "sample", default_value_t = 0)]
    seed: u64,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Also draw the positions, 1000 at most, as an .svg image or an .html page
    #[arg(long, value_name = "FILE", value_parser = parse_sheet)]
    sheet: Option<PathBuf>,
}

/// What is looked for.
#[derive(Args)]
#[group(required = true, multiple = false)]
#[allow(clippy::struct_excessive_bools)]
struct MotifOptions {
    /// Positions in which the side to move does worse than it would if the other side had the move
    #[arg(long)]
    zugzwang: bool,
    /// Positions in which one of several moves alone keeps the win or draw
    #[arg(long)]
    only_move: bool,
    /// The positions with the largest distances, longest first; without --limit all that share the largest
    #[arg(long)]
    longest: bool,
    /// Positions that the side with fewer stones wins
    #[arg(long)]
    outnumbered: bool,
    /// All positions
    #[arg(long)]
    all: bool,
}

const HELP: &str = "\
Positions that are equal by symmetry are given once. Each line has the position,
its value, dtc and dtw in plies ('-' where there is none) and the moves that keep
the value. Conditions: quiet (no capture on the next ply), capture, value=win, and
own, opponent, stones, moves, dtc or dtw compared with a number; several are
separated by commas.

Examples:
  alquerque mine --rules classic --material 2v2 --zugzwang --where quiet
  alquerque mine --rules classic --material 3v2 --only-move --length 3 --limit 10
  alquerque mine --rules classic --material 3v2 --longest --value win --limit 5 --json
  alquerque mine --rules classic --material 2v2 --all --sample 100 --seed 7
  alquerque mine --rules qirkat --material 2v2 --zugzwang --limit 12 --sheet zugzwang.html";

/// The most diagrams of a sheet: more would be of no use to a reader, and take memory.
const MOST_DIAGRAMS: usize = 1000;

impl Mine {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let tables = Tablebase::open(&self.dir.dir, self.rules.rules).map_err(Failure::failed)?;
        let quantity = match (self.sample, self.limit) {
            (Some(count), _) => Quantity::Sample(count, self.seed),
            (None, Some(count)) => Quantity::First(count),
            (None, None) => Quantity::All,
        };
        let query = Query { motif: self.motif(&tables), conditions: self.conditions.concat(), quantity };
        let stop = interrupt::watch()?;
        let progress = ScanProgress::new("entries");
        let mut drawn = Vec::new();
        let mut written = Ok(());
        let mined = mine(&tables, self.material, &query, &progress, stop, |study| {
            if written.is_ok() {
                written = progress.suspend(|| self.print(&study, out));
                // Without a reader there is no reason to go on.
                if written.is_err() {
                    stop.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            }
            if self.sheet.is_some() && drawn.len() < MOST_DIAGRAMS {
                drawn.push(study);
            }
        });
        progress.finish();
        written?;
        match mined {
            Err(StudyError::Stopped) => {
                return Err(Failure::failed("stopped before all positions were found"));
            }
            mined => mined.map_err(Failure::failed)?,
        }
        match &self.sheet {
            Some(path) => self.draw(path, &drawn),
            None => Ok(()),
        }
    }

    fn motif(&self, tables: &Tablebase) -> Motif {
        let metric = self.metric.unwrap_or_else(|| tables.ranking_metric(self.material));
        match () {
            () if self.motif.zugzwang => Motif::Zugzwang,
            () if self.motif.only_move => Motif::OnlyMove(self.length as usize),
            () if self.motif.longest => Motif::Longest(metric, self.value),
            () if self.motif.outnumbered => Motif::Outnumbered,
            () => Motif::Any,
        }
    }

    fn print(&self, study: &Study, out: &mut Output) -> Result<(), Failure> {
        if self.json {
            return json_line(out, &json::Study::new(study));
        }
        let moves: Vec<String> = study.moves.iter().map(ToString::to_string).collect();
        let verdict = &study.verdict;
        let plies = rows::distances(verdict, "\t");
        Ok(writeln!(out, "{}\t{}{plies}\t{}", study.position, verdict.value, moves.join(" "))?)
    }

    fn draw(&self, path: &PathBuf, studies: &[Study]) -> Result<(), Failure> {
        let title = format!("{} {}", self.rules.rules.name(), self.material);
        let attempt = || {
            let mut file = BufWriter::new(File::create(path)?);
            match path.extension() {
                Some(extension) if extension == "svg" => svg_sheet(&mut file, &title, studies)?,
                _ => html_sheet(&mut file, &title, studies)?,
            }
            file.flush()
        };
        attempt().map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
    }
}

fn parse_sheet(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_known = path.extension().is_some_and(|extension| extension == "svg" || extension == "html");
    if is_known { Ok(path) } else { Err("the name of the sheet must end in .svg or .html".to_owned()) }
}

fn length_parser() -> clap::builder::RangedU64ValueParser<u64> {
    clap::value_parser!(u64).range(1..=100)
}

fn value_parser() -> impl clap::builder::TypedValueParser<Value = Value> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(["win", "loss"])
        .map(|name| if name == "win" { Value::Win } else { Value::Loss })
}

fn metric_parser() -> impl clap::builder::TypedValueParser<Value = Metric> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Metric::shown_distances().map(Metric::name))
        .try_map(|name| name.parse::<Metric>())
}
