//! `perft`: counts of move sequences.

use std::io::Write;

use alquerque::moves::{divide, perft};
use clap::Args;

use super::failure::Failure;
use super::options::{RulesOption, parse_position};
use super::output::{Output, flush};

/// Count move sequences from a position, to compare move generators; needs no tables
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Perft {
    #[command(flatten)]
    rules: RulesOption,
    /// Length of the sequences in plies, 1 to 30; each further ply takes several times as long
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=30))]
    depth: u32,
    /// Count for depth D alone, split by first move: the move, a tab and its paths, then the total
    #[arg(long)]
    divide: bool,
    /// The position where the sequences begin, quoted
    #[arg(default_value = "start")]
    position: String,
}

const HELP: &str = "\
Prints depth<TAB>paths for every depth from 1 to D, as soon as it is counted.
Different paths to the same position all count; a game that is over goes no
further. Another move generator is right if it gets the same numbers.

Examples:
  alquerque perft --rules classic --depth 8
  alquerque perft --rules qirkat --depth 5 --divide '5/1b3/2w2/5/2w2 w'";

impl Perft {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        let rules = self.rules.rules;
        let position = parse_position(rules, &self.position)?;
        if self.divide {
            let counts = divide(rules, &position, self.depth);
            for (mv, paths) in &counts {
                writeln!(out, "{mv}\t{paths}")?;
            }
            let total: u64 = counts.iter().map(|(_, paths)| paths).sum();
            writeln!(out, "total\t{total}")?;
            return Ok(());
        }
        for depth in 1..=self.depth {
            writeln!(out, "{depth}\t{}", perft(rules, &position, depth))?;
            flush(out)?;
        }
        Ok(())
    }
}
