//! `search`: the best move above the tables.

use std::io::{self, Write};
use std::time::Duration;

use alquerque::json;
use alquerque::search::{Found, Limits, MAX_DEPTH, Request, Searcher};
use alquerque::table::TableError;
use alquerque::tablebase::Tablebase;
use clap::Args;

use super::failure::Failure;
use super::options::{DirOption, RulesOption, parse_position};
use super::output::{Output, json_line, message};
use super::{interrupt, memory, words};

/// Look for the best move by searching ahead, with tables where there are some
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Search {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Search without tables
    #[arg(long)]
    no_tables: bool,
    /// Look at most D plies ahead, 1 to 100; forced captures at the end come on top
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<u8>,
    /// Visit about N positions at most
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Search for MS milliseconds at most [default: 1000, if there is no other limit]
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Memory for positions that were searched already: 64M, 1.5G or bytes
    #[arg(long, default_value = "64M", value_parser = memory::parse_bytes)]
    hash: u64,
    /// Worker threads, 1 to 1024
    #[arg(long, value_name = "T", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The position, quoted; `start` is the start of the game
    position: String,
}

const HELP: &str = "\
The answer is either proven (a win or loss, if possible within how many plies,
or a draw that tables prove) or an estimate in stones for the side to move.
Where tables cover the position they are the answer, without a search. What is
known after each depth goes to standard error. Ctrl-C ends the search with what
it has found so far.

Examples:
  alquerque search --rules classic start
  alquerque search --rules youzai --no-tables --depth 12 start
  alquerque search --rules qirkat --movetime 5000 --json '5/bb3/2b2/1ww2/3w1 w'";

impl Search {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let position = parse_position(rules, &self.position)?;
        let tables = if self.no_tables { None } else { self.open()? };
        let stop = interrupt::watch()?;
        let request = Request {
            tables: tables.as_ref(),
            limits: self.limits(),
            stop: Some(stop),
            ..Request::default()
        };
        let mut searcher = Searcher::new(rules, self.hash).with_threads(self.threads.into());
        let found = searcher.search(&position, &request, show).map_err(Failure::failed)?;
        if self.json {
            return json_line(out, &json::Search::new(rules, &position, &found));
        }
        writeln!(out, "{position}\n\n{}\n", position.diagram())?;
        writeln!(out, "{} to move", position.side())?;
        if let Some(text) = words::finished(rules, &position) {
            return Ok(writeln!(out, "{text}")?);
        }
        writeln!(out, "{}", words::score(position.side(), found.score))?;
        writeln!(out, "Best line: {}", words::line(&found.line))?;
        Ok(())
    }

    fn limits(&self) -> Limits {
        let unlimited = self.depth.is_none() && self.nodes.is_none();
        let time = self.movetime.or(unlimited.then_some(1000));
        Limits { depth: self.depth, nodes: self.nodes, time: time.map(Duration::from_millis) }
    }

    /// The tables; a search can do without, so that it is no failure if there are none at all.
    fn open(&self) -> Result<Option<Tablebase>, Failure> {
        match Tablebase::open(&self.dir.dir, self.rules.rules) {
            Ok(tables) => Ok(Some(tables)),
            Err(error @ TableError::NoFolder { .. }) => {
                message(format!("{error}; searching without"));
                Ok(None)
            }
            Err(error) => Err(Failure::failed(error)),
        }
    }
}

/// What is known after an iteration, for who watches.
fn show(found: &Found) {
    let _ = writeln!(
        io::stderr(),
        "depth {:>3}  {:<24} {:>12} nodes  {:>7} ms  {}",
        found.depth,
        found.score.to_string(),
        found.nodes,
        found.time.as_millis(),
        words::line(&found.line)
    );
}
