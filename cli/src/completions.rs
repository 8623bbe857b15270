//! `alquerque completions` and `alquerque manpages`: what shells and manual readers need, made from the
//! definitions of the commands.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use super::failure::Failure;
use super::output::Output;

/// Prints completions for a shell
#[derive(Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const COMPLETIONS_HELP: &str = "\
Examples:
  alquerque completions bash > ~/.local/share/bash-completion/completions/alquerque
  alquerque completions zsh > ~/.zfunc/_alquerque
  alquerque completions fish > ~/.config/fish/completions/alquerque.fish";

impl Completions {
    /// Writes the completions of `program`.
    pub fn run(self, mut program: Command, out: &mut Output) -> Result<(), Failure> {
        // The generator ends the process if it cannot write; a buffer always takes it.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut program, "alquerque", &mut script);
        out.write_all(&script)?;
        Ok(())
    }
}

/// Writes the manual pages into a directory
#[derive(Args)]
pub struct Manpages {
    /// The directory; it is created if it does not exist
    dir: PathBuf,
}

impl Manpages {
    /// Writes one page for `program` and one for each command.
    pub fn run(self, program: Command, out: &mut Output) -> Result<(), Failure> {
        let unwritable = |error: std::io::Error| {
            Failure::failed(format_args!("cannot write to {}: {error}", self.dir.display()))
        };
        fs::create_dir_all(&self.dir).map_err(unwritable)?;
        clap_mangen::generate_to(program, &self.dir).map_err(unwritable)?;
        writeln!(out, "{}", self.dir.display())?;
        Ok(())
    }
}
