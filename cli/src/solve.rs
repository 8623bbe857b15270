//! `solve`: the proven value of a position with any number of stones.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use alquerque::certificate::{Summary, can_write_certificate, write_certificate};
use alquerque::moves::playable_moves;
use alquerque::position::Position;
use alquerque::proof::{Request, Snapshot, Solved, Solver};
use alquerque::table::{TableError, Value};
use alquerque::tablebase::Tablebase;
use clap::Args;
use indicatif::BinaryBytes;

use super::failure::Failure;
use super::json::SolvedMove;
use super::message::message;
use super::options::{RulesOption, ThreadsOption, dir_parser, parse_position, parse_seconds};
use super::output::{Output, flush, json_line};
use super::{interrupt, json, memory, pool, words};

/// Memory for positions searched already, where there is enough.
const DEFAULT_HASH: u64 = 1 << 30;

/// Prove the value of a position with any number of stones, and write the proof to a file
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Solve {
    #[command(flatten)]
    rules: RulesOption,
    /// Memory for positions already searched: 4G, 256M or bytes; units are powers of 1024. It affects the
    /// speed, never the value [default: 1G, or less if little memory is available]
    #[arg(long, value_name = "BYTES", value_parser = memory::parse_bytes)]
    hash: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Directory of the tables to use, with one folder per rule set
    #[arg(long, alias = "dir", value_name = "DIR", env = "ALQUERQUE_TABLES", default_value = "tables",
          value_parser = dir_parser())]
    tables: PathBuf,
    /// Use no tables; the certificate then stands alone
    #[arg(long)]
    no_tables: bool,
    /// Write the proof to FILE as a certificate; `alquerque check` verifies it
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Also prove the value of each move
    #[arg(long)]
    moves: bool,
    /// Visit at most N positions, for the position and again for each move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Spend at most this many seconds, for example 60 or 0.5, on the position and again on each move
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The position, quoted, or `start`; see `alquerque help`
    position: String,
}

const HELP: &str = "\
The search goes on until the value is proven, or until --nodes, --time or Ctrl-C
ends it; the value is then unknown. Tables, where they exist, end its lines.
Standard error shows how far it has come: positions visited, how many positions
are still to be won and to be refuted for a proof, and the line that looks best.

A certificate is the proof in a file: a reply to every move of the opponent. If
tables helped to make it, the same tables are needed to check it. Put beside the
tables, as DIR/RULES/NAME.proof, it is used by probe, line, play and engine.

Examples:
  alquerque solve --rules qirkat --no-tables '5/bb3/2b2/1ww2/3w1 w'
  alquerque solve --rules brainking --no-tables --hash 4G --certificate start.proof start
  alquerque solve --rules classic --tables /srv/tables --moves --json start";

impl Solve {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let position = parse_position(rules, &self.position)?;
        // Better before the work than after it.
        self.certificate.as_deref().map(can_write_certificate).transpose().map_err(Failure::failed)?;
        let hash = memory::given_or_default("--hash", self.hash, DEFAULT_HASH)?;
        let tables = if self.no_tables { None } else { self.open(hash)? };
        pool::prepare()?;
        let stop = interrupt::watch()?;
        let request = Request::default()
            .with_tables(tables.as_ref())
            .with_nodes(self.nodes)
            .with_time(self.time)
            .with_stop(stop);
        let mut solver =
            Solver::new(rules, hash).map_err(Failure::failed)?.with_threads(self.threads.count());
        let mut watch = Watch::new();
        let solved =
            solver.solve(&position, &request, |so_far| watch.show(so_far)).map_err(Failure::failed)?;
        drop(watch);
        tell_why_unknown(&solved);
        let written = match (&self.certificate, solved.value) {
            (Some(path), Some(value)) => {
                let strategies = solver.certify(&position, value, &request).map_err(Failure::failed)?;
                let written =
                    write_certificate(path, rules, &position, &strategies, tables.as_ref(), Some(stop));
                Some((path, written.map_err(Failure::failed)?))
            }
            _ => None,
        };
        let moves = if self.moves { Some(solve_moves(&mut solver, &position, &request)?) } else { None };
        if self.json {
            json_line(out, &json::Solve::new(rules, &position, &solved, moves.as_deref(), written))?;
        } else {
            self.print(&position, &solved, moves.as_deref(), written, out)?;
        }
        if self.certificate.is_some() && solved.value.is_none() {
            flush(out)?;
            return Err(Failure::failed("nothing was proven, so no certificate was written"));
        }
        Ok(())
    }

    /// Opens the tables. A proof can do without them, so a missing directory is no failure.
    fn open(&self, hash: u64) -> Result<Option<Tablebase>, Failure> {
        // Leaves are looked up at random: the blocks in use should all stay decoded.
        let cache = (hash / 4).clamp(memory::default(64 << 20), 2 << 30);
        match Tablebase::with_cache(&self.tables, self.rules.rules, cache) {
            Ok(tables) => Ok(Some(tables)),
            Err(error @ TableError::NoFolder { .. }) => {
                message(format!("{error}; solving without tables"));
                Ok(None)
            }
            Err(error) => Err(Failure::failed(error)),
        }
    }

    fn print(
        &self,
        position: &Position,
        solved: &Solved,
        moves: Option<&[SolvedMove]>,
        written: Option<(&PathBuf, Summary)>,
        out: &mut Output,
    ) -> Result<(), Failure> {
        writeln!(out, "{position}\n\n{}\n", position.diagram())?;
        writeln!(out, "{} to move", position.side())?;
        writeln!(out, "{}", words::solved(position.side(), solved.value))?;
        let seconds = solved.time.as_secs_f64();
        writeln!(out, "{} in {seconds:.1} s", words::count(solved.nodes, "position", "positions"))?;
        for SolvedMove { mv, value, .. } in moves.unwrap_or_default() {
            writeln!(out, "  {mv}  {}", words::value_or_unknown(*value))?;
        }
        if let Some((path, Summary { entries, bytes })) = written {
            let entries = words::count(entries, "reply", "replies");
            writeln!(out, "Certificate: {}, {entries}, {}", path.display(), BinaryBytes(bytes))?;
        }
        Ok(())
    }
}

/// Without a limit a value is unknown only where memory ran out.
fn tell_why_unknown(solved: &Solved) {
    if solved.exhausted {
        message("there is too little memory for a proof; give more with --hash, or tables with more stones");
    } else if solved.value.is_none() {
        message("the search was ended by a limit or a signal");
    }
}

/// The value of every move for its player.
fn solve_moves(
    solver: &mut Solver,
    position: &Position,
    request: &Request<'_>,
) -> Result<Vec<SolvedMove>, Failure> {
    let rules = solver.rules();
    let mut moves = Vec::new();
    for mv in playable_moves(rules, position) {
        let after = position.play(rules, &mv);
        let mut watch = Watch::new();
        let solved = solver.solve(&after, request, |so_far| watch.show(so_far)).map_err(Failure::failed)?;
        drop(watch);
        tell_why_unknown(&solved);
        let value = solved.value.map(Value::reversed);
        moves.push(SolvedMove { mv, after, value });
    }
    Ok(moves)
}

/// Shows how far a search has come, to who watches.
struct Watch {
    /// The last line of a file was written then.
    told: Option<Instant>,
}

/// Time between two lines in a file.
const PAUSE: Duration = Duration::from_secs(10);

impl Watch {
    fn new() -> Watch {
        Watch { told: None }
    }

    /// On a terminal one line that changes; in a file a new line now and then.
    fn show(&mut self, so_far: &Snapshot) {
        let mut stderr = io::stderr();
        if stderr.is_terminal() {
            let line: String = words::snapshot(so_far).chars().take(150).collect();
            let _ = write!(stderr, "\r\x1b[2K{line}");
            let _ = stderr.flush();
        } else if self.told.is_none_or(|told| told.elapsed() >= PAUSE) {
            self.told = Some(Instant::now());
            let _ = writeln!(stderr, "{}", words::snapshot(so_far));
        }
    }
}

impl Drop for Watch {
    /// Takes the line off the terminal.
    fn drop(&mut self) {
        if io::stderr().is_terminal() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}
