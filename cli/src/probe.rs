//! `probe`: the value of positions and of their moves.

use std::io::Write;

use alquerque::json;
use alquerque::knowledge::{Knowledge, Known};
use alquerque::position::Position;
use alquerque::table::blocks_decoded;
use clap::Args;

use super::failure::Failure;
use super::options::{DirOption, RulesOption, parse_position};
use super::output::{Output, flush, json_line};
use super::{rows, stdin, words};

/// Show who wins a position, how soon, and what each move is worth
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Probe {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Read positions from standard input, one on each line, and answer each with one line
    #[arg(long, conflicts_with = "positions")]
    stdin: bool,
    /// Print one JSON object per position
    #[arg(long)]
    json: bool,
    /// Positions to look up, each quoted, or `start`; see `alquerque help`
    #[arg(value_name = "POSITION", required_unless_present = "stdin")]
    positions: Vec<String>,
}

const HELP: &str = "\
Values (win, draw, loss) are for the side to move. Distances are in plies:
  dtc  to the next capture, that move included, or to the end of the game
  dtw  to the end of the game; 0 means that the side to move has lost
The figures of a move are for the side that plays it, and count it: the best move
shows the figures of the position. Best moves come first: quickest wins, then
draws, then slowest losses. '-' means that there is no distance: a draw, or no
such table.

Where tables do not cover the position, a certificate beside them
(DIR/RULES/NAME.proof, see 'solve') gives the value, without distances. All legal
moves are listed; '?' marks a move about which nothing is proven.

With --stdin, each answer is 'value<TAB>dtc<TAB>dtw', or 'error: ' and the reason.
With --json, too, it is an object, {\"error\": \"…\"} for an error. The exit code
is 1 if any line was answered by an error.

Examples:
  alquerque probe --rules classic '5/1b3/2w2/5/2w2 w'
  alquerque probe --rules brainking --json '5/5/2w2/5/b4 w c3-b3'
  alquerque probe --rules youzai --stdin < positions.txt";

impl Probe {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        if self.stdin {
            let knowledge = self.open()?;
            return stdin::probe_lines(&knowledge, self.json, out);
        }
        // Opened for the first sound position: a malformed one needs no tables.
        let mut knowledge = None;
        let mut worst = 0;
        for (index, text) in self.positions.iter().enumerate() {
            let answered = parse_position(self.rules.rules, text).and_then(|position| {
                let knowledge = match &mut knowledge {
                    Some(knowledge) => knowledge,
                    none => none.insert(self.open()?),
                };
                self.answer(knowledge, &position, index > 0, out)
            });
            match answered {
                Ok(()) => {}
                Err(Failure::ReaderGone) => return Err(Failure::ReaderGone),
                Err(failure) => {
                    flush(out)?;
                    failure.report();
                    worst = worst.max(failure.code());
                }
            }
        }
        if worst == 0 { Ok(()) } else { Err(Failure::Reported(worst)) }
    }

    fn open(&self) -> Result<Knowledge, Failure> {
        Knowledge::open(&self.dir.dir, self.rules.rules).map_err(Failure::failed)
    }

    fn answer(
        &self,
        knowledge: &Knowledge,
        position: &Position,
        set_apart: bool,
        out: &mut Output,
    ) -> Result<(), Failure> {
        let rules = knowledge.rules();
        let before = blocks_decoded();
        let insight = knowledge.look_up(position, &[]).map_err(Failure::failed)?;
        if self.json {
            let blocks = blocks_decoded() - before;
            return json_line(out, &json::Probe::new(rules, position, &insight).with_blocks(blocks));
        }
        let verdict_of = |known: Option<Known>| known.and_then(|known| known.worth.verdict());
        if set_apart {
            writeln!(out)?;
        }
        writeln!(out, "{position}\n\n{}\n", position.diagram())?;
        writeln!(out, "{} to move", position.side())?;
        if let Some(verdict) = verdict_of(insight.known) {
            writeln!(out, "{}", words::verdict(rules, position, &verdict))?;
        }
        if !insight.moves.is_empty() {
            let width = rows::move_width(insight.moves.iter().map(|prospect| &prospect.mv));
            writeln!(out, "\n  {}", rows::ranked_move_header(width))?;
            for prospect in &insight.moves {
                let row = rows::ranked_move(&prospect.mv, verdict_of(prospect.known), width);
                writeln!(out, "  {row}")?;
            }
        }
        Ok(())
    }
}
