//! `engine`: play by the Universal Game Interface.

use std::io;
use std::path::PathBuf;

use alquerque::engine::{Settings, serve};
use alquerque::rules::Rules;
use clap::Args;

use super::failure::Failure;
use super::memory;
use super::options::{DirOption, rules_parser};

/// Play as an engine: the Universal Game Interface (UGI) on standard input and output
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Engine {
    /// Rule set to begin with; the option Rules changes it
    #[arg(long = "rules", value_name = "RULES", default_value = "classic", value_parser = rules_parser())]
    rules: &'static Rules,
    #[command(flatten)]
    dir: DirOption,
}

const HELP: &str = "\
For match runners and graphical interfaces. UGI is the counterpart of chess's
UCI for other board games. The engine plays by tables and certificates where they
cover the position; elsewhere it searches.

Commands:
  ugi                                     names the engine and its options
  isready                                 answers readyok
  setoption name NAME value VALUE         Rules, TablePath, Hash (MiB), Threads
  uginewgame                              forgets earlier games
  position startpos [moves MOVE...]       sets up a position
  position fen POSITION [moves MOVE...]
  query gameover|p1turn|result            answers response VALUE
  go [LIMIT...] [searchmoves MOVE...]     thinks, then answers bestmove MOVE
  stop                                    ends thinking
  quit

The LIMITs of go are movetime MS, depth PLIES, nodes N, infinite, and the clocks
p1time, p2time, p1inc, p2inc or wtime, btime, winc, binc in milliseconds. Without
any, the engine thinks until stop. Errors come as 'info string error: ...'.

Examples:
  alquerque engine
  printf 'position startpos\\ngo movetime 500\\n' | alquerque engine --rules youzai";

impl Engine {
    pub fn run(self) -> Result<(), Failure> {
        let table_path: PathBuf = self.dir.dir;
        let mut settings = Settings::default();
        (settings.rules, settings.table_path) = (self.rules, table_path);
        settings.hash = memory::default(settings.hash << 20) >> 20;
        if let Some(available) = memory::available() {
            settings.most_hash = settings.most_hash.min(available >> 20).max(settings.hash);
        }
        serve(io::stdin().lock(), io::stdout(), settings);
        Ok(())
    }
}
