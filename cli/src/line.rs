//! `line`: best play from a position to the end.

use std::io::Write;

use alquerque::json;
use alquerque::knowledge::Knowledge;
use clap::Args;

use super::failure::Failure;
use super::options::{DirOption, RulesOption, parse_position};
use super::output::{Output, json_line};
use super::{rows, words};

/// Show best play from a position to the end of the game
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Line {
    #[command(flatten)]
    rules: RulesOption,
    #[command(flatten)]
    dir: DirOption,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// The position where play begins, quoted, or `start`; see `alquerque help`
    position: String,
}

const HELP: &str = "\
Each move is shown with its ply number, its value to the side that plays it, and
the number of plies left, that move included: dtc to the next capture or the end
of the game, dtw to the end of the game, '-' where there is none. A drawn line
ends when a position occurs again.

Where tables do not cover a position, the line follows a certificate beside them
(DIR/RULES/NAME.proof, see 'solve'). It stops before the end of the game where
neither covers a position, or where a win is known but no distance; 'play' and
'engine' search for the way to win there.

Examples:
  alquerque line --rules classic '5/1b3/5/5/2w1w w'
  alquerque line --rules qirkat --json '5/5/3b1/5/3w1 b d1-e1'";

impl Line {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let position = parse_position(rules, &self.position)?;
        let knowledge = Knowledge::open(&self.dir.dir, rules).map_err(Failure::failed)?;
        let verdict = knowledge.verdict(&position).map_err(Failure::failed)?;
        let line = knowledge.main_line(&position).map_err(Failure::failed)?;
        if self.json {
            return json_line(out, &json::Line::new(rules, &position, &verdict, &line));
        }
        writeln!(out, "{position}\n\n{}\n", position.diagram())?;
        writeln!(out, "{} to move", position.side())?;
        writeln!(out, "{}", words::verdict(rules, &position, &verdict))?;
        let Some(last) = line.moves.last() else { return Ok(()) };
        let width = rows::move_width(line.moves.iter().map(|ranked| &ranked.mv));
        writeln!(out, "\n{:>4}  {:<5}  {}", "ply", "side", rows::ranked_move_header(width))?;
        let mut side = position.side();
        for (index, ranked) in line.moves.iter().enumerate() {
            let row = rows::ranked_move(&ranked.mv, Some(ranked.verdict), width);
            writeln!(out, "{:>4}  {:<5}  {row}", index + 1, side.to_string())?;
            side = ranked.position.side();
        }
        writeln!(out, "\n{}\n{}", last.position, words::line_end(rules, &last.position, &line.end))?;
        Ok(())
    }
}
