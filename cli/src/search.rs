//! `search`: the best move above the tables.

use std::io::{self, Write};
use std::time::Duration;

use alquerque::json;
use alquerque::search::{Found, Limits, MAX_DEPTH, Request, Searcher};
use alquerque::table::TableError;
use alquerque::tablebase::Tablebase;
use clap::Args;

use super::failure::Failure;
use super::message::message;
use super::options::{DirOption, RulesOption, parse_position};
use super::output::{Output, json_line};
use super::{interrupt, memory, words};

/// Memory for positions searched already, where there is enough.
const DEFAULT_HASH: u64 = 64 << 20;

/// Find the best move by searching ahead, with tables where they exist
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
    /// Look D plies ahead, 1 to 100; capture chains at the end do not count
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=i64::from(MAX_DEPTH)))]
    depth: Option<u8>,
    /// Visit at most about N positions
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Search for at most MS milliseconds [default: 1000 if there is no other limit]
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,
    /// Memory for positions already searched: 64M, 1.5G or bytes; units are powers of 1024 [default: 64M,
    /// or less if little memory is available]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_bytes)]
    hash: Option<u64>,
    /// Worker threads, 1 to 1024
    #[arg(long, value_name = "T", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The position, quoted, or `start`; see `alquerque help`
    position: String,
}

const HELP: &str = "\
The answer is either proven or an estimate. A proven win or loss names the
number of plies within which the game ends, if the search found one. An estimate
is in stones, for the side to move: +1.00 is one stone ahead. Where tables cover
the position, they are the answer.

After each depth a line on standard error shows what is known so far. Ctrl-C ends
the search; the result is what it has found until then.

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
        let request = Request::within(self.limits()).with_tables(tables.as_ref()).with_stop(stop);
        let hash = memory::given_or_default("--hash", self.hash, DEFAULT_HASH)?;
        let searcher = Searcher::new(rules, hash).map_err(Failure::failed)?;
        let mut searcher = searcher.with_threads(self.threads.into());
        let found = searcher.search(&position, &request, show).map_err(Failure::failed)?;
        if searcher.threads_started() < self.threads.into() {
            let (started, threads) = (searcher.threads_started(), self.threads);
            message(format!("the system let only {started} of {threads} threads start"));
        }
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
        let mut limits = Limits::NONE;
        (limits.depth, limits.nodes) = (self.depth, self.nodes);
        limits.time = time.map(Duration::from_millis);
        limits
    }

    /// Opens the tables. A search can do without them, so a missing directory is no failure.
    fn open(&self) -> Result<Option<Tablebase>, Failure> {
        match Tablebase::open(&self.dir.dir, self.rules.rules) {
            Ok(tables) => Ok(Some(tables)),
            Err(error @ TableError::NoFolder { .. }) => {
                message(format!("{error}; searching without tables"));
                Ok(None)
            }
            Err(error) => Err(Failure::failed(error)),
        }
    }
}

/// Shows what is known after an iteration.
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
