//! Options that several commands share, and how their values are read.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use alquerque::position::Position;
use alquerque::rules::Rules;
use alquerque::table::{roots, url_of};
use alquerque::tablebase::Tablebase;
use clap::Args;
use clap::builder::{OsStringValueParser, PossibleValue, StringValueParser, TypedValueParser};

use super::failure::Failure;

/// Which rules are played.
#[derive(Args)]
pub struct RulesOption {
    /// Rule set: classic, brainking, youzai, qirkat, or the path of a rule file
    #[arg(long = "rules", value_name = "RULES", value_parser = rules_parser())]
    pub rules: &'static Rules,
}

/// Which rules are played; all if none is given.
#[derive(Args)]
pub struct AnyRulesOption {
    /// Rule set: classic, brainking, youzai, qirkat, or the path of a rule file [default: all that have
    /// tables]
    #[arg(long = "rules", value_name = "RULES", value_parser = rules_parser())]
    rules: Option<&'static Rules>,
}

/// Where the tables are.
#[derive(Args)]
pub struct DirOption {
    /// Directory of the tables, with one folder per rule set. Commands that only probe take several, A:B, and
    /// URLs of web servers
    #[arg(long, env = "ALQUERQUE_TABLES", default_value = DEFAULT_DIR, value_parser = dir_parser())]
    pub dir: PathBuf,
}

const DEFAULT_DIR: &str = "tables";

impl DirOption {
    /// Makes sure that it names one directory only, of this machine.
    pub fn one(&self) -> Result<(), Failure> {
        let roots = roots(&self.dir);
        if roots.iter().any(|root| url_of(root).is_some()) {
            return Err(Failure::Usage(
                "this command works on a directory of this machine; give one with --dir".to_owned(),
            ));
        }
        if roots.len() > 1 {
            return Err(Failure::Usage(
                "this command works on one directory; give one with --dir".to_owned(),
            ));
        }
        Ok(())
    }
}

/// A directory. An empty name, as of an environment variable that is set to nothing, is the default.
pub fn dir_parser() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new()
        .map(|name| if name.is_empty() { DEFAULT_DIR.into() } else { PathBuf::from(name) })
}

/// The longest time that can be asked for, in seconds: three years.
const MOST_SECONDS: f64 = 1e8;

/// A time in seconds, with a fraction or without.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| (0.001..=MOST_SECONDS).contains(seconds));
    let seconds = seconds.ok_or("write a number of seconds, as in 60 or 0.5, from 0.001 to 100000000")?;
    Ok(Duration::from_secs_f64(seconds))
}

/// How many threads work.
#[derive(Args)]
pub struct ThreadsOption {
    /// Worker threads, 1 to 1024 [default: one for each processor]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,
}

const MAX_THREADS: i64 = 1024;

impl AnyRulesOption {
    /// The rule set given, else all that have a folder in `dir`.
    pub fn in_dir(&self, dir: &Path) -> Result<Vec<&'static Rules>, Failure> {
        if let Some(rules) = self.rules {
            return Ok(vec![rules]);
        }
        let found = Tablebase::rule_sets_in(dir);
        if found.is_empty() {
            return Err(Failure::Failed(format!(
                "there are no tables in '{}'; give their directory with --dir, or generate some",
                dir.display()
            )));
        }
        Ok(found)
    }
}

impl ThreadsOption {
    /// The number given, else that of the processors this process may use.
    pub fn count(&self) -> usize {
        let available = || thread::available_parallelism().map_or(1, |count| count.get());
        self.threads.map_or_else(available, usize::from).min(MAX_THREADS as usize)
    }
}

/// How much of a malformed position the message repeats.
const LONGEST_SHOWN: usize = 80;

/// Reads a POSITION given as an argument.
pub fn parse_position(rules: &Rules, text: &str) -> Result<Position, Failure> {
    Position::parse(rules, text).map_err(|error| {
        let text = text.trim();
        let shown: String = text.chars().take(LONGEST_SHOWN).flat_map(char::escape_debug).collect();
        let cut = if text.chars().count() > LONGEST_SHOWN { "…" } else { "" };
        Failure::Usage(format!("'{shown}{cut}': {error}"))
    })
}

/// A position in one of the forms with a letter for each point may begin with an empty point, `-`, and would
/// be taken for an option. A space in front, which means nothing to the position, prevents that.
pub fn shield_position(argument: OsString) -> OsString {
    let is_position = argument.to_str().is_some_and(|text| {
        text.starts_with('-')
            && text.contains(char::is_whitespace)
            && text.len() > 25
            && text.bytes().take(5).all(|byte| b"-wb ".contains(&byte))
    });
    if !is_position {
        return argument;
    }
    let mut shielded = OsString::from(" ");
    shielded.push(argument);
    shielded
}

/// Reads the name of a rule set, or the path of a rule file.
pub fn rules_parser() -> impl TypedValueParser<Value = &'static Rules> {
    RulesParser
}

/// As [`rules_parser`]: names are offered, files are taken too.
#[derive(Clone)]
struct RulesParser;

impl TypedValueParser for RulesParser {
    type Value = &'static Rules;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<&'static Rules, clap::Error> {
        StringValueParser::new()
            .try_map(|name| Rules::by_name_or_file(&name))
            .parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Rules::ALL.into_iter().map(|rules| PossibleValue::new(rules.name()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_may_have_a_fraction() {
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_seconds("60"), Ok(Duration::from_secs(60)));
        for text in ["", "0", "-1", "1e9", "inf", "nan", "a minute"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_positions_are_shielded() {
        for (argument, shielded) in [
            ("--w-- ----- ----- --b-- ----- w", " --w-- ----- ----- --b-- ----- w"),
            ("--w--------------b------- w", " --w--------------b------- w"),
            ("- - w - -\n----\n----\n----\n----\nw", " - - w - -\n----\n----\n----\n----\nw"),
            ("--json", "--json"),
            ("--dir=a folder with a long name", "--dir=a folder with a long name"),
            ("5/5/5/5/w3b w", "5/5/5/5/w3b w"),
            ("--", "--"),
        ] {
            assert_eq!(shield_position(argument.into()), OsString::from(shielded));
        }
    }
}
