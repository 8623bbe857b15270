//! What can be set.

use std::fmt;
use std::path::PathBuf;

use crate::rules::{CLASSIC, Rules, UnknownRules};

/// The options of the engine and their values at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The rules of the games.
    pub rules: &'static Rules,
    /// The directory of the tables, with one folder per rule set. It need not exist.
    pub table_path: PathBuf,
    /// Mebibytes for positions that were searched already.
    pub hash: u64,
    /// Threads that search.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { rules: &CLASSIC, table_path: PathBuf::from("tables"), hash: 32, threads: 1 }
    }
}

const MOST_HASH: u64 = 1 << 16;
const MOST_THREADS: u64 = 1024;

/// An option that has been set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Changed {
    Rules,
    Tables,
    Search,
}

/// Why an option cannot be set.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(super) enum SettingError {
    #[error("unknown option '{0}'; known are Rules, TablePath, Hash and Threads")]
    Unknown(String),
    #[error(transparent)]
    Rules(#[from] UnknownRules),
    #[error("{name} is a whole number from 1 to {most}")]
    Number { name: &'static str, most: u64 },
}

impl Settings {
    /// Sets the option `name`, in whatever case it is written.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<Changed, SettingError> {
        let number = |name, most| {
            let number = value.parse().ok().filter(|number| (1..=most).contains(number));
            number.ok_or(SettingError::Number { name, most })
        };
        match name.to_ascii_lowercase().as_str() {
            "rules" => {
                self.rules = Rules::by_name(&value.to_ascii_lowercase())?;
                Ok(Changed::Rules)
            }
            "tablepath" => {
                self.table_path = PathBuf::from(value);
                Ok(Changed::Tables)
            }
            "hash" => {
                self.hash = number("Hash", MOST_HASH)?;
                Ok(Changed::Search)
            }
            "threads" => {
                self.threads = number("Threads", MOST_THREADS)? as usize;
                Ok(Changed::Search)
            }
            _ => Err(SettingError::Unknown(name.to_owned())),
        }
    }

    /// The memory for positions that were searched already.
    pub(super) fn hash_bytes(&self) -> u64 {
        self.hash << 20
    }
}

/// The lines by which an engine tells its options.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name Rules type combo default {}", self.rules.name())?;
        for rules in Rules::ALL {
            write!(f, " var {}", rules.name())?;
        }
        writeln!(f, "\noption name TablePath type string default {}", self.table_path.display())?;
        writeln!(f, "option name Hash type spin default {} min 1 max {MOST_HASH}", self.hash)?;
        write!(f, "option name Threads type spin default {} min 1 max {MOST_THREADS}", self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_or_refused() {
        let mut settings = Settings::default();
        assert_eq!(settings.set("rules", "Qirkat"), Ok(Changed::Rules));
        assert_eq!(settings.rules.name(), "qirkat");
        assert_eq!(settings.set("Hash", "2"), Ok(Changed::Search));
        assert_eq!(settings.hash_bytes(), 2 << 20);
        for (name, value) in
            [("Hash", "0"), ("Hash", "x"), ("Threads", "-1"), ("Rules", "chess"), ("Contempt", "1")]
        {
            assert!(settings.set(name, value).is_err(), "{name} {value}");
        }
    }
}
