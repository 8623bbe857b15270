//! `engine`: play by the Universal Game Interface.

use std::io;
use std::path::PathBuf;

use alquerque::engine::{Settings, serve};
use alquerque::rules::Rules;
use clap::Args;

use super::failure::Failure;
use super::options::{DirOption, rules_parser};

/// Play as an engine, by the Universal Game Interface (UGI)
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Engine {
    /// Rule set at first
    #[arg(long = "rules", value_name = "RULES", default_value = "classic", value_parser = rules_parser())]
    rules: &'static Rules,
    #[command(flatten)]
    dir: DirOption,
}

const HELP: &str = "\
For match runners and interfaces: commands on standard input, answers on
standard output. Options: Rules, TablePath, Hash (MiB) and Threads, which start
as this command line says. Where tables cover the position, the engine plays by
them; where there are none, it searches.

Commands: ugi, isready, setoption name NAME value VALUE, uginewgame,
position startpos|fen FEN [moves MOVE...], query gameover|p1turn|result,
go [p1time|p2time|p1inc|p2inc|wtime|btime|winc|binc|movetime MS] [depth PLIES]
[nodes N] [infinite], stop, quit.

Examples:
  alquerque engine
  printf 'position startpos\\ngo movetime 500\\n' | alquerque engine --rules youzai";

impl Engine {
    pub fn run(self) -> Result<(), Failure> {
        let table_path: PathBuf = self.dir.dir;
        let settings = Settings { rules: self.rules, table_path, ..Settings::default() };
        serve(io::stdin().lock(), io::stdout(), settings);
        Ok(())
    }
}
