//! `rules`: the rule sets, as files and in words.

use std::io::Write;
use std::path::PathBuf;

use alquerque::board::MAX_STONES;
use alquerque::rules::{Rules, RulesSourceError};
use clap::Args;

use super::failure::Failure;
use super::options::rules_parser;
use super::output::Output;

/// List the rule sets, print one as a rule file, or explain a rule file
#[derive(Args)]
#[command(name = "rules", after_help = HELP)]
pub struct RulesCommand {
    /// Print this rule set as a rule file, as a starting point for a new one
    #[arg(value_name = "NAME", value_parser = rules_parser(), conflicts_with = "check")]
    name: Option<&'static Rules>,
    /// Check a rule file and explain what it means and what follows from it
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
}

const HELP: &str = "\
A rule file is TOML with one key a line; docs/rules.md describes the keys. Wherever
a command takes --rules NAME it also takes --rules FILE: whatever contains '/' or
ends in '.toml' is a file.

Examples:
  alquerque rules
  alquerque rules murray > mine.toml
  alquerque rules --check mine.toml
  alquerque perft --rules mine.toml --depth 6";

/// Stones up to which the sizes of tables are shown.
const SIZES: [usize; 6] = [4, 6, 8, 10, 12, 2 * MAX_STONES];

impl RulesCommand {
    pub fn run(self, out: &mut Output) -> Result<(), Failure> {
        match (self.name, &self.check) {
            (Some(rules), _) => print_file(rules, out),
            (None, Some(path)) => explain(read(path)?, out),
            (None, None) => list(out),
        }
    }
}

/// Reads a rule file. One that is wrong is a failed check, not a wrong use of the command.
fn read(path: &PathBuf) -> Result<&'static Rules, Failure> {
    Rules::from_file(path).map_err(|error: RulesSourceError| Failure::failed(error))
}

fn list(out: &mut Output) -> Result<(), Failure> {
    for rules in Rules::ALL {
        let title = rules.parameters().title;
        writeln!(out, "{}{}{title}", rules.name(), if title.is_empty() { "" } else { "\t" })?;
    }
    Ok(())
}

fn print_file(rules: &Rules, out: &mut Output) -> Result<(), Failure> {
    if Rules::by_name(rules.name()).is_err() {
        return Ok(out.write_all(rules.to_toml().as_bytes())?);
    }
    // A file must not take a built-in name.
    let line = format!("name = \"{}\"\n", rules.name());
    writeln!(
        out,
        "# '{}' with a name of your own: 1 to 16 lower-case letters, digits and hyphens.",
        rules.name()
    )?;
    let renamed = rules.to_toml().replacen(&line, &format!("name = \"my-{}\"\n", rules.name()), 1);
    Ok(out.write_all(renamed.as_bytes())?)
}

fn explain(rules: &Rules, out: &mut Output) -> Result<(), Failure> {
    let title = rules.parameters().title;
    writeln!(out, "{}{}{title}", rules.name(), if title.is_empty() { "" } else { ": " })?;
    for sentence in rules.sentences() {
        writeln!(out, "  {sentence}")?;
    }
    writeln!(out, "\nConsequences")?;
    for sentence in rules.consequences() {
        writeln!(out, "  {sentence}")?;
    }
    writeln!(out, "\nTables: positions, and entries with symmetries taken out (about)")?;
    for stones in SIZES {
        let slices = (1..stones).map(|mover| (mover, stones - mover));
        let slices = slices.filter(|&(mover, other)| mover.max(other) <= MAX_STONES);
        let exactly =
            |stones: usize| -> u128 { (1..stones).map(|mover| rules.positions(mover, stones - mover)).sum() };
        let positions: u128 = (2..=stones).map(exactly).sum();
        let largest = slices.max_by_key(|&(mover, other)| rules.positions(mover, other)).unwrap_or((1, 1));
        let entries = positions / rules.symmetry().order() as u128;
        writeln!(
            out,
            "  up to {stones:2} stones {positions:>26} {entries:>26}   largest with {stones}: {}v{}",
            largest.0, largest.1
        )?;
    }
    Ok(())
}
