//! The options of the engine.

use std::fmt;
use std::path::PathBuf;

use crate::position::{parse_count, shown};
use crate::rules::{CLASSIC, Rules, RulesSourceError};

/// The options of the engine and their initial values.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The rules of the games.
    pub rules: &'static Rules,
    /// The directory of the tables, with one folder per rule set. It need not exist.
    pub table_path: PathBuf,
    /// Mebibytes of memory for positions searched already.
    pub hash: u64,
    /// The most that `hash` can be set to, in mebibytes.
    pub most_hash: u64,
    /// Search threads.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            rules: &CLASSIC,
            table_path: PathBuf::from("tables"),
            hash: 32,
            most_hash: MOST_HASH,
            threads: 1,
        }
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
    #[error("unknown option '{0}'; the options are Rules, TablePath, Hash and Threads")]
    Unknown(String),
    #[error("{0}")]
    Rules(String),
    #[error("{name} must be a whole number from 1 to {most}")]
    Number { name: &'static str, most: u64 },
}

impl Settings {
    /// Sets the option `name`, in upper or lower case. The rules are a name or the path of a rule file.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<Changed, SettingError> {
        let number = |name, most| {
            let number = parse_count(value).filter(|number| (1..=most).contains(number));
            number.ok_or(SettingError::Number { name, most })
        };
        match name.to_ascii_lowercase().as_str() {
            "rules" => {
                // Names may be written in capitals; paths are taken as they are.
                let found = Rules::by_name(&value.to_ascii_lowercase());
                let found = found.or_else(|_| Rules::by_name_or_file(value));
                self.rules =
                    found.map_err(|error: RulesSourceError| SettingError::Rules(error.to_string()))?;
                Ok(Changed::Rules)
            }
            "tablepath" => {
                self.table_path = PathBuf::from(value);
                Ok(Changed::Tables)
            }
            "hash" => {
                self.hash = number("Hash", self.most_hash.max(1))?;
                Ok(Changed::Search)
            }
            "threads" => {
                self.threads = number("Threads", MOST_THREADS)? as usize;
                Ok(Changed::Search)
            }
            _ => Err(SettingError::Unknown(shown(name))),
        }
    }

    /// The memory for positions searched already, in bytes.
    pub(super) fn hash_bytes(&self) -> u64 {
        self.hash.saturating_mul(1 << 20)
    }
}

/// The lines by which an engine announces its options.
impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name Rules type combo default {}", self.rules.name())?;
        for rules in Rules::ALL {
            write!(f, " var {}", rules.name())?;
        }
        let (hash, most_hash) = (self.hash, self.most_hash.max(1));
        writeln!(f, "\noption name TablePath type string default {}", self.table_path.display())?;
        writeln!(f, "option name Hash type spin default {hash} min 1 max {most_hash}")?;
        write!(f, "option name Threads type spin default {} min 1 max {MOST_THREADS}", self.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_set_or_refused() {
        let mut settings = Settings { most_hash: 64, ..Settings::default() };
        assert_eq!(settings.set("rules", "Qirkat"), Ok(Changed::Rules));
        assert_eq!(settings.rules.name(), "qirkat");
        assert_eq!(settings.set("Hash", "64"), Ok(Changed::Search));
        assert_eq!(settings.hash_bytes(), 64 << 20);
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "x"),
            ("Hash", "+2"),
            ("Hash", "65"),
            ("Threads", "-1"),
            ("Rules", "chess"),
            ("Contempt", "1"),
        ] {
            assert!(settings.set(name, value).is_err(), "{name} {value}");
        }
        assert_eq!(settings.hash, 64);
    }
}
