//! The command line: it reads arguments and prints answers; the answers come from the library. One file for
//! each command, and what the commands share.

mod allocator;
mod check;
mod completions;
mod engine;
mod export;
mod failure;
mod generate;
mod info;
mod input;
mod interrupt;
mod job;
mod json;
mod line;
mod memory;
mod message;
mod mine;
mod moves;
mod options;
mod output;
mod pack;
mod perft;
mod plan;
mod play;
mod pool;
mod probe;
mod progress;
mod review;
mod rows;
mod rules;
mod search;
#[cfg(feature = "serve")]
mod serve;
mod solve;
mod stats;
mod stdin;
mod verify;
mod words;

use std::env;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use output::Output;

/// Solves endgames of Alquerque, the 5x5 ancestor of draughts, and answers from the tables.
#[derive(Parser)]
#[command(name = "alquerque", version = VERSION, max_term_width = 100, after_help = HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The version, the commit it was built from where that is known, and the optional parts that are built in.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("ALQUERQUE_BUILD"));

const HELP: &str = "\
A POSITION is one quoted argument: the board from rank 5 to rank 1 (w, b, and
digits for runs of empty points), the side to move (w or b) and, under rules that
have them, the forbidden steps and the number of plies without a capture. The
start of the game is
  'bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0'    or, in short,    start
Two other forms of the board are understood: 25 letters from a1 to e5 on one line
('wwwww wwwww bb-ww bbbbb bbbbb w'), or one rank on each line, rank 5 first.

RULES is classic, brainking, youzai, qirkat, or the path of a rule file. A ply is
a move by one side.

Examples:
  alquerque generate --rules classic --stones 5
  alquerque probe --rules classic '5/1b3/2w2/5/2w2 w'
  alquerque line --rules classic '5/1b3/5/5/2w1w w'
  alquerque search --rules classic --movetime 5000 start
  alquerque solve --rules classic --moves '5/bb3/2b2/1ww2/3w1 w'
  alquerque perft --rules qirkat --depth 6
  alquerque play --rules classic
  alquerque serve

'alquerque COMMAND --help' explains a command, with examples.

Exit codes: 0 done; 1 failed, or a check found a fault; 2 wrong usage. Error
messages go to standard error, with --json, too.";

#[derive(Subcommand)]
enum Command {
    Generate(generate::Generate),
    Plan(plan::Plan),
    Probe(probe::Probe),
    Line(line::Line),
    Moves(moves::Moves),
    Perft(perft::Perft),
    Rules(rules::RulesCommand),
    Search(search::Search),
    Play(play::Play),
    Solve(solve::Solve),
    Check(check::Check),
    Engine(engine::Engine),
    #[cfg(feature = "serve")]
    Serve(serve::Serve),
    Info(info::Info),
    Verify(verify::Verify),
    Review(review::Review),
    Mine(mine::Mine),
    Stats(stats::Stats),
    Export(export::Export),
    Pack(pack::Pack),
    Completions(completions::Completions),
    Manpages(completions::Manpages),
}

/// Runs the command that the arguments of the process name.
fn main() -> ExitCode {
    interrupt::let_writes_fail();
    let cli = Cli::parse_from(env::args_os().map(options::shield_position));
    let mut out = output::stdout();
    let result = match cli.command {
        Command::Generate(command) => command.run(&mut out),
        Command::Plan(command) => command.run(&mut out),
        Command::Probe(command) => command.run(&mut out),
        Command::Line(command) => command.run(&mut out),
        Command::Moves(command) => command.run(&mut out),
        Command::Perft(command) => command.run(&mut out),
        Command::Rules(command) => command.run(&mut out),
        Command::Search(command) => command.run(&mut out),
        Command::Play(command) => command.run(&mut out),
        Command::Solve(command) => command.run(&mut out),
        Command::Check(command) => command.run(&mut out),
        Command::Engine(command) => command.run(),
        #[cfg(feature = "serve")]
        Command::Serve(command) => command.run(&mut out),
        Command::Info(command) => command.run(&mut out),
        Command::Verify(command) => command.run(&mut out),
        Command::Review(command) => command.run(&mut out),
        Command::Mine(command) => command.run(&mut out),
        Command::Stats(command) => command.run(&mut out),
        Command::Export(command) => command.run(&mut out),
        Command::Pack(command) => command.run(&mut out),
        Command::Completions(command) => command.run(Cli::command(), &mut out),
        Command::Manpages(command) => command.run(Cli::command(), &mut out),
    };
    conclude(result, &mut out)
}

/// Writes out all answers before the message that says why there are no more.
fn conclude(result: Result<(), Failure>, out: &mut Output) -> ExitCode {
    let flushed = output::flush(out);
    match result.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.report();
            failure.exit_code()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn generate_needs_a_target() {
        assert!(Cli::try_parse_from(["alquerque", "generate", "--rules", "classic"]).is_err());
        assert!(
            Cli::try_parse_from(["alquerque", "generate", "--rules", "classic", "--stones", "25"]).is_err()
        );
        assert!(
            Cli::try_parse_from(["alquerque", "generate", "--rules", "classic", "--stones", "4"]).is_ok()
        );
    }
}
