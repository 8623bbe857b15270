//! `moves`: the legal moves of a position.

use std::io::Write;

use alquerque::json;
use alquerque::moves::legal_moves;
use clap::Args;

use super::failure::Failure;
use super::message::message;
use super::options::{RulesOption, parse_position};
use super::output::{Output, json_line};
use super::words;

/// List the legal moves of a position; needs no tables
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Moves {
    #[command(flatten)]
    rules: RulesOption,
    /// Print a JSON array of {"move","position"}, the position being the one after the move
    #[arg(long)]
    json: bool,
    /// The position, quoted, or `start`; see `alquerque help`
    position: String,
}

const HELP: &str = "\
A step is written c2-c3. A capture names every landing point: c3xc5xe3. Two
capture chains that lead to the same position are two moves.

Examples:
  alquerque moves --rules classic start
  alquerque moves --rules brainking --json '5/5/2w2/5/b4 w c3-b3'";

impl Moves {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let position = parse_position(rules, &self.position)?;
        let moves = match words::finished(rules, &position) {
            None => legal_moves(rules, &position),
            Some(text) => {
                message(text);
                Vec::new()
            }
        };
        if self.json {
            let moves: Vec<_> = moves.iter().map(|mv| json::Legal::new(rules, &position, mv)).collect();
            return json_line(out, &moves);
        }
        for mv in moves {
            writeln!(out, "{mv}")?;
        }
        Ok(())
    }
}
