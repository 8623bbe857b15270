//! `review`: games with what every move was worth.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use alquerque::knowledge::Knowledge;
use alquerque::record::{ReadGame, Records, open_games};
use alquerque::review::{DEFAULT_THRESHOLD, Options, Review as Reviewed, ReviewJson, annotated, review};
use alquerque::rules::{Rules, Side};
use clap::Args;

use super::failure::Failure;
use super::input::StandardInput;
use super::interrupt;
use super::message::message;
use super::options::{DirOption, parse_seconds, rules_parser};
use super::output::{Output, flush};

/// Annotate game records: the value of every move, and where the result was thrown away
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Review {
    /// Rule set of all games [default: the one that each game's Rules tag names, or classic]
    #[arg(long = "rules", value_name = "RULES", value_parser = rules_parser())]
    rules: Option<&'static Rules>,
    #[command(flatten)]
    dir: DirOption,
    /// Mark a winning move with ? if it makes the win at least N plies longer than necessary
    #[arg(long, value_name = "PLIES", default_value_t = DEFAULT_THRESHOLD, value_parser = clap::value_parser!(u16).range(1..))]
    threshold: u16,
    /// Seconds of search per game for positions that no table or certificate covers; 0 for none
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = parse_time)]
    time: Duration,
    /// Print a JSON array with an object for each game
    #[arg(long)]
    json: bool,
    /// Draw the values over the game as an .svg image; of several games, FILE-2.svg and so on after the
    /// first
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// The file with the games; - is standard input
    file: PathBuf,
}

const HELP: &str = "\
Reads games in a format like PGN or as bare lists of moves, and prints them with
marks and comments: ?? where a win became a draw or loss, or a draw a loss; ? where a
win got longer than necessary; ! for the only move that keeps the value. Every value
names its source: rules, tables, certificate or search. A sentence for each player
goes to standard error. A game with a fault is reviewed up to the fault, the rest of
the file is still processed, and the exit code is 1.

Examples:
  alquerque review game.pgn
  alquerque review --rules classic --json --time 0.5 games.pgn
  alquerque review --svg game.svg - < game.pgn";

impl Review {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let stop = interrupt::watch()?;
        let stopped = || stop.load(Ordering::Relaxed);
        let input: Box<dyn BufRead> = if self.file == Path::new("-") {
            Box::new(StandardInput::new(stop)?)
        } else {
            Box::new(open_games(&self.file).map_err(|error| self.unreadable(&error))?)
        };
        let mut games = Records::new(input);
        if let Some(rules) = self.rules {
            games = games.with_rules(rules);
        }
        let options = Options { time: self.time, threshold: self.threshold, stop: Some(stop) };
        let mut known: Vec<Knowledge> = Vec::new();
        let (mut count, mut faults) = (0_u64, 0_u64);
        if self.json {
            out.write_all(b"[")?;
        }
        for game in games {
            let game = match game {
                Err(_) if stopped() => {
                    return Err(Failure::Failed("stopped before the last game".to_owned()));
                }
                game => game.map_err(|error| self.unreadable(&error))?,
            };
            if let Some(fault) = &game.fault {
                message(format!("{}: {fault}", self.file.display()));
                faults += 1;
            }
            let rules = game.record.rules;
            if !known.iter().any(|knowledge| knowledge.rules() == rules) {
                known.push(Knowledge::open_or_empty(&self.dir.dir, rules).map_err(Failure::failed)?);
            }
            let Some(knowledge) = known.iter().find(|knowledge| knowledge.rules() == rules) else { continue };
            let reviewed = review(&game.record, knowledge, &options).map_err(Failure::failed)?;
            if stopped() {
                return Err(Failure::Failed(format!("stopped before game {} was reviewed", game.number)));
            }
            self.print(&game, &reviewed, count, out)?;
            if let Some(path) = &self.svg {
                draw(&numbered(path, count + 1), &reviewed)?;
            }
            flush(out)?;
            count += 1;
        }
        if self.json {
            out.write_all(b"]\n")?;
        }
        match faults {
            0 if count == 0 => Err(Failure::Failed(format!("{} holds no game", self.file.display()))),
            0 => Ok(()),
            _ => Err(Failure::Reported(1)),
        }
    }

    fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::Failed(format!("cannot read {}: {error}", self.file.display()))
    }

    fn print(
        &self,
        game: &ReadGame,
        reviewed: &Reviewed,
        before: u64,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if self.json {
            if before > 0 {
                out.write_all(b",\n")?;
            }
            serde_json::to_writer(&mut *out, &ReviewJson::new(&game.record, reviewed, game.fault.as_ref()))?;
            return Ok(());
        }
        if game.fault.as_ref().is_some_and(|fault| fault.kind.leaves_nothing()) {
            return Ok(());
        }
        if before > 0 {
            out.write_all(b"\n")?;
        }
        write!(out, "{}", annotated(&game.record, reviewed))?;
        flush(out)?;
        for (side, summary) in [Side::White, Side::Black].iter().zip(&reviewed.summaries) {
            message(format!("game {}, {side}: {summary}", game.number));
        }
        Ok(())
    }
}

/// The name of the image of the game with this number: as given for the first.
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension =
        path.extension().map_or(String::new(), |extension| format!(".{}", extension.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{extension}"))
}

fn draw(path: &Path, reviewed: &Reviewed) -> Result<(), Failure> {
    std::fs::write(path, reviewed.chart().to_string())
        .map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
}

/// A time in seconds, or none at all.
fn parse_time(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { parse_seconds(text) }
}
