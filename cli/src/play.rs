//! `play`: a board in the terminal.

use std::env;
use std::io::{self, BufRead, IsTerminal, Read, Write};
use std::time::Duration;

use alquerque::game::{Game, GameEnd};
use alquerque::knowledge::{Effort, Insight, Knowledge, Prospect, Worth};
use alquerque::moves::Move;
use alquerque::position::Position;
use alquerque::rules::Side;
use alquerque::search::Score;
use alquerque::table::{Metric, Value};
use alquerque::tablebase::LineEnd;
use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::message::message;
use super::options::{DirOption, RulesOption, parse_position};
use super::output::{Output, flush};
use super::{rows, words};

/// Play on a board in the terminal, against the program or for both sides
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Play {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Which side you play; the program plays the other one [default: the side to move]
    #[arg(long, value_name = "SIDE")]
    you: Option<You>,
    /// Do not show the values of moves
    #[arg(long)]
    no_values: bool,
    /// Time to search where tables do not cover the position, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    movetime: u64,
    /// Where play begins, quoted; see `alquerque help`
    #[arg(default_value = "start")]
    position: String,
}

/// The sides that are not played by the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum You {
    White,
    Black,
    Both,
    Nobody,
}

const HELP: &str = "\
Type a move, c2-c3 or c3xc5xe3, or its number in the list. Other commands:
  best      play the best move         undo    take your last move back
  line      show best play to the end  values  show or hide the values of moves
  you SIDE  change sides (white, black, both, nobody)
  new       begin again                quit    leave; the end of the input, too

Examples:
  alquerque play --rules classic
  alquerque play --rules qirkat --you both '5/3b1/5/2w2/3w1 w'";

/// Longer than any command; what follows on the line is skipped.
const MAX_LINE: u64 = 1 << 10;

impl Play {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let first = parse_position(rules, &self.position)?;
        let knowledge = Knowledge::open_or_empty(&self.dir.dir, rules).map_err(Failure::failed)?;
        if knowledge.tables().is_none() {
            let (rules, dir) = (rules.name(), self.dir.dir.display());
            message(format!(
                "there are no tables for '{rules}' in {dir}; moves are searched, not known to be best"
            ));
        }
        let you = self.you.unwrap_or(match first.side() {
            Side::White => You::White,
            Side::Black => You::Black,
        });
        let table = Table {
            first,
            game: Game::from_position(rules, first),
            knowledge,
            you,
            values: !self.no_values,
            time: Duration::from_millis(self.movetime),
            colours: io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none(),
        };
        table.sit(&mut io::stdin().lock(), out)
    }
}

/// The board and who sits at it.
struct Table {
    first: Position,
    game: Game,
    knowledge: Knowledge,
    you: You,
    values: bool,
    time: Duration,
    colours: bool,
}

/// What a player has asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Command {
    Play(Move),
    Best,
    Line,
    Undo,
    Values,
    You(You),
    New,
    Help,
    Quit,
}

impl Table {
    fn sit(mut self, input: &mut impl BufRead, out: &mut Output) -> Result<(), Failure> {
        loop {
            let insight = self.insight()?;
            self.show(&insight, out)?;
            let to_play = insight.moves.first().filter(|_| self.game.end().is_none());
            match to_play {
                Some(best) if !self.is_yours() => self.play(best.mv, out)?,
                _ if self.you == You::Nobody => return Ok(()),
                _ => {
                    if self.converse(&insight, input, out)?.is_none() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// What is known about the board.
    fn insight(&self) -> Result<Insight, Failure> {
        let effort = Effort::within(self.time);
        self.knowledge.consult_game(&self.game, Some(effort)).map_err(Failure::failed)
    }

    /// Whether you are to move.
    fn is_yours(&self) -> bool {
        match self.you {
            You::White => self.game.position().side() == Side::White,
            You::Black => self.game.position().side() == Side::Black,
            You::Both => true,
            You::Nobody => false,
        }
    }

    fn show(&self, insight: &Insight, out: &mut Output) -> Result<(), Failure> {
        let position = self.game.position();
        let diagram = position.diagram().to_string();
        writeln!(out, "\n{}\n", if self.colours { coloured(&diagram) } else { diagram })?;
        if let Some(end) = self.game.end() {
            return Ok(writeln!(out, "{}", self.words_of(end))?);
        }
        writeln!(out, "{} to move", position.side())?;
        if !self.values {
            return Ok(());
        }
        if let Some(known) = insight.in_game {
            writeln!(out, "{}", self.words(known.worth))?;
        }
        if let Some(known) =
            insight.known.filter(|known| insight.in_game.is_none_or(|here| here.worth != known.worth))
        {
            writeln!(out, "Without the repeated positions of this game: {}", self.words(known.worth))?;
        }
        Ok(())
    }

    /// Reads commands until one changes the board; `None` when there are no more.
    fn converse(
        &mut self,
        insight: &Insight,
        input: &mut impl BufRead,
        out: &mut Output,
    ) -> Result<Option<()>, Failure> {
        self.list(&insight.moves, out)?;
        loop {
            write!(out, "> ")?;
            flush(out)?;
            let Some(line) = read_line(input)? else {
                writeln!(out)?;
                return Ok(None);
            };
            match self.parse(&line, &insight.moves) {
                Err(reason) => writeln!(out, "{reason}")?,
                Ok(None) => {}
                Ok(Some(Command::Help)) => writeln!(out, "{HELP}")?,
                Ok(Some(Command::Line)) => self.show_line(insight, out)?,
                Ok(Some(Command::Quit)) => return Ok(None),
                Ok(Some(Command::Values)) => {
                    self.values = !self.values;
                    return Ok(Some(()));
                }
                Ok(Some(Command::You(you))) => {
                    self.you = you;
                    return Ok(Some(()));
                }
                Ok(Some(Command::New)) => {
                    self.game = Game::from_position(self.game.rules(), self.first);
                    return Ok(Some(()));
                }
                Ok(Some(Command::Undo)) => {
                    if self.undo() {
                        return Ok(Some(()));
                    }
                    writeln!(out, "there is no move of yours to take back")?;
                }
                Ok(Some(Command::Best)) => match insight.moves.first() {
                    Some(best) => {
                        self.play(best.mv, out)?;
                        return Ok(Some(()));
                    }
                    None => writeln!(out, "the game is over")?,
                },
                Ok(Some(Command::Play(mv))) => {
                    self.play(mv, out)?;
                    return Ok(Some(()));
                }
            }
        }
    }

    fn play(&mut self, mv: Move, out: &mut Output) -> Result<(), Failure> {
        writeln!(out, "\n{} plays {mv}", self.game.position().side())?;
        flush(out)?;
        self.game.play(mv);
        Ok(())
    }

    /// Takes back to where you were to move; `false`, and nothing is taken back, when you were not before.
    fn undo(&mut self) -> bool {
        let before = self.game.clone();
        while self.game.take_back() {
            if self.is_yours() {
                return true;
            }
        }
        self.game = before;
        false
    }

    fn list(&self, moves: &[Prospect], out: &mut Output) -> Result<(), Failure> {
        for (index, prospect) in moves.iter().enumerate() {
            let known = prospect.in_game.filter(|_| self.values);
            let worth = known.map(|known| short(known.worth)).unwrap_or_default();
            let line = format!("{:>4}  {:<12} {worth}", index + 1, prospect.mv.to_string());
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }

    fn show_line(&self, insight: &Insight, out: &mut Output) -> Result<(), Failure> {
        let position = self.game.position();
        let (line, end) = match self.knowledge.tables().map(|tables| tables.main_line(position)) {
            Some(Ok(line)) => (line.moves.iter().map(|ranked| ranked.mv).collect(), Some(line.end)),
            _ => (insight.line.clone(), None),
        };
        let text = if line.is_empty() { "there is none".to_owned() } else { words::line(&line) };
        writeln!(out, "{text}")?;
        if let Some(end @ LineEnd::NoDistances) = end {
            writeln!(out, "{}", words::line_end(self.game.rules(), position, &end))?;
        }
        Ok(())
    }

    fn parse(&self, line: &str, moves: &[Prospect]) -> Result<Option<Command>, String> {
        let mut parts = line.split_whitespace();
        let Some(first) = parts.next() else { return Ok(None) };
        let command = match first {
            "q" | "quit" | "exit" => Command::Quit,
            "h" | "help" | "?" => Command::Help,
            "u" | "undo" => Command::Undo,
            "b" | "best" => Command::Best,
            "l" | "line" => Command::Line,
            "v" | "values" => Command::Values,
            "n" | "new" => Command::New,
            "you" => {
                let side = parts.next().and_then(|side| You::from_str(side, true).ok());
                Command::You(side.ok_or("write: you white, you black, you both or you nobody")?)
            }
            text if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let picked = number.and_then(|index| moves.get(index));
                Command::Play(picked.ok_or_else(|| format!("there is no move {text}"))?.mv)
            }
            text if !is_like_a_move(text) => {
                return Err(format!(
                    "'{text}' is neither a move nor a command; 'help' lists what can be typed"
                ));
            }
            text => {
                let mv = Move::parse(self.game.rules(), self.game.position(), text);
                Command::Play(mv.map_err(|error| format!("{error}; 'help' lists what can be typed"))?)
            }
        };
        Ok(Some(command))
    }

    fn words(&self, worth: Worth) -> String {
        let position = self.game.position();
        match worth {
            Worth::Exact(verdict) => words::verdict(self.game.rules(), position, &verdict),
            Worth::Proven(proven) => words::score(position.side(), Score::Proven(proven)),
            Worth::Estimate(hundredths) => words::score(position.side(), Score::Estimate(hundredths)),
        }
    }

    fn words_of(&self, end: GameEnd) -> String {
        let finished = words::finished(self.game.rules(), self.game.position());
        match (end, finished) {
            (GameEnd::Repetition, _) | (_, None) => "Draw: the position has occurred three times".to_owned(),
            (_, Some(text)) => text,
        }
    }
}

/// Whether what was typed is meant as a move: it begins with a file, and names ranks.
fn is_like_a_move(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.contains(|c: char| c.is_ascii_digit())
}

/// What a move is worth to its mover, in few letters.
fn short(worth: Worth) -> String {
    match worth {
        Worth::Exact(verdict) if verdict.value == Value::Draw => "draw".to_owned(),
        Worth::Exact(verdict) => {
            let plies = |metric: Metric| format!("{metric} {:>3}", rows::distance(verdict.distance(metric)));
            let plies: Vec<String> = Metric::shown_distances().map(plies).collect();
            format!("{:<5} {}", verdict.value.to_string(), plies.join("  "))
        }
        Worth::Proven(proven) => match proven.within() {
            Some(plies) => format!("{} within {}", proven.value(), words::plies(plies)),
            None => proven.value().to_string(),
        },
        Worth::Estimate(hundredths) => format!("about {:+.2}", f64::from(hundredths) / 100.0),
    }
}

/// A diagram with stones that stand out, on dark and on light terminals.
fn coloured(diagram: &str) -> String {
    let (board, files) = diagram.rsplit_once('\n').unwrap_or((diagram, ""));
    let board = board.replace('w', "\x1b[1;30;47mw\x1b[0m").replace('b', "\x1b[1;37;44mb\x1b[0m");
    format!("{board}\n{files}")
}

/// The next line of input without its end; `None` when there is none.
fn read_line(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let failed = |error: io::Error| Failure::Failed(format!("cannot read standard input: {error}"));
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).map_err(failed)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
        input.skip_until(b'\n').map_err(failed)?;
    }
    Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
}
