//! Rule files: a rule set as TOML.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Captures, Chains, NoMoves, Parameters, Rules, RulesBuilder, RulesError, Side, UnknownRules};
use crate::board::text::{parse_points, parse_ranks, ranks, shown};
use crate::board::{Bitboard, Direction, Directions, ParseBoardError};
use crate::file::{FileError, read_whole};

/// Bytes of the longest rule file. A real one has less than a thousand.
const MAX_BYTES: usize = 64 << 10;

/// The keys of a rule file, in the order in which they are printed.
const KEYS: [&str; 13] = [
    "name",
    "title",
    "steps",
    "steps-on-far-rank",
    "captures",
    "first-jumps",
    "later-jumps",
    "chains",
    "no-return",
    "ply-limit",
    "no-moves",
    "start",
    "first-to-move",
];

/// What other draughts games have and this program does not, by words that a key for it may contain.
const NOT_COVERED: [(&str, &str); 7] = [
    ("huff", "huffing"),
    ("fly", "flying kings"),
    ("king", "kings"),
    ("promot", "promotion"),
    ("queen", "queens"),
    ("board", "other boards"),
    ("size", "other boards"),
];

/// Why a text is not a rule file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct RuleFileError {
    line: usize,
    fault: Fault,
}

impl RuleFileError {
    /// The line that it is about, the first being 1.
    pub fn line(&self) -> usize {
        self.line
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("a rule file has at most {MAX_BYTES} bytes")]
    TooLong,
    #[error("{0}")]
    Toml(String),
    #[error("unknown key '{key}'; known keys are {}", KEYS.join(", "))]
    UnknownKey { key: String },
    #[error("'{key}': this program does not cover {what}")]
    NotCovered { key: String, what: &'static str },
    #[error("{key} must be {wanted}, not {found}")]
    Type { key: &'static str, wanted: &'static str, found: String },
    #[error("the name is missing; write for instance name = \"my-rules\"")]
    NoName,
    #[error("'{0}' is not a direction; directions are n, ne, e, se, s, sw, w and nw")]
    Direction(String),
    #[error("the direction '{0}' is there twice")]
    Twice(&'static str),
    #[error("start: {0}")]
    Board(ParseBoardError),
    #[error(transparent)]
    Rules(#[from] RulesError),
}

/// Why there is no rule set of a name or in a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesSourceError {
    /// No built-in rule set has the name.
    #[error(transparent)]
    Unknown(#[from] UnknownRules),
    /// The file cannot be read.
    #[error("cannot read the rule file '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The text of a rule file does not describe a rule set.
    #[error("rule file, {0}")]
    Text(#[from] RuleFileError),
    /// The file does not describe a rule set.
    #[error("'{}', {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: RuleFileError,
    },
}

impl Rules {
    /// Makes a rule set in a program.
    pub fn builder(name: impl Into<String>) -> RulesBuilder {
        RulesBuilder::new(name.into())
    }

    /// Reads a rule set from the text of a rule file, as `docs/rules.md` describes it. The rule set is kept
    /// to the end of the process; equal ones are kept once.
    ///
    /// ```
    /// use alquerque::rules::Rules;
    ///
    /// let rules = Rules::from_toml("name = \"lenient\"\ncaptures = \"optional\"")?;
    /// assert_eq!(rules.name(), "lenient");
    /// let error = Rules::from_toml("name = \"lenient\"\nhuffing = true").unwrap_err();
    /// assert_eq!(error.to_string(), "line 2: 'huffing': this program does not cover huffing");
    /// # Ok::<(), alquerque::rules::RuleFileError>(())
    /// ```
    ///
    /// # Errors
    /// [`RuleFileError`] with the line that is wrong.
    pub fn from_toml(text: &str) -> Result<&'static Rules, RuleFileError> {
        RuleFile { text }.read()
    }

    /// Reads a rule set from a rule file.
    ///
    /// # Errors
    /// [`RulesSourceError`] when the file cannot be read or is not a rule file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<&'static Rules, RulesSourceError> {
        let path = path.as_ref();
        let unreadable = |source| RulesSourceError::Read { path: path.to_owned(), source };
        let faulty = |source| RulesSourceError::File { path: path.to_owned(), source };
        let bytes = read_whole(path, MAX_BYTES as u64).map_err(|error| match error {
            FileError::TooLong { .. } => unreadable(io::Error::other(Fault::TooLong.to_string())),
            FileError::NotRegular => unreadable(io::Error::other("it is not a regular file")),
            FileError::Io(error) => unreadable(error),
        })?;
        let text = String::from_utf8(bytes)
            .map_err(|_| unreadable(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text")))?;
        Rules::from_toml(&text).map_err(faulty)
    }

    /// The built-in rule set called `name`, or that of a rule file: what contains `/` or ends in `.toml` is
    /// the path of one.
    ///
    /// # Errors
    /// [`RulesSourceError`] when there is none.
    pub fn by_name_or_file(name: &str) -> Result<&'static Rules, RulesSourceError> {
        if name.contains('/') || name.ends_with(".toml") {
            Rules::from_file(name)
        } else {
            Ok(Rules::by_name(name)?)
        }
    }

    /// The built-in rule set called `name`, or that of the text of a rule file, which has a `=` in it.
    ///
    /// # Errors
    /// [`RulesSourceError`] when there is none.
    pub fn by_name_or_toml(text: &str) -> Result<&'static Rules, RulesSourceError> {
        if text.contains('=') { Ok(Rules::from_toml(text)?) } else { Ok(Rules::by_name(text)?) }
    }

    /// The rule set as a rule file, with every key. [`from_toml`](Self::from_toml) reads it, unless a
    /// built-in rule set has the name.
    pub fn to_toml(&self) -> String {
        let p = self.parameters();
        let value = |key: &str| match key {
            "name" => Some(quoted(p.name)),
            "title" => Some(quoted(p.title)),
            "steps" => Some(direction_text(p.steps)),
            "steps-on-far-rank" => Some(p.steps_on_far_rank.to_string()),
            "captures" => Some(quoted(match p.captures {
                Captures::Compulsory => "compulsory",
                Captures::Optional => "optional",
            })),
            "first-jumps" => Some(direction_text(p.first_jumps)),
            "later-jumps" => Some(direction_text(p.later_jumps)),
            "chains" => Some(quoted(match p.chains {
                Chains::MustContinue => "must-continue",
                Chains::MayStop => "may-stop",
            })),
            "no-return" => Some(p.no_return.to_string()),
            "ply-limit" => p.ply_limit.map(|limit| limit.to_string()),
            "no-moves" => Some(quoted(match p.no_moves {
                NoMoves::Loss => "loss",
                NoMoves::Draw => "draw",
            })),
            "start" => Some(quoted(&ranks(p.start))),
            _ => Some(quoted(match p.first_to_move {
                Side::White => "white",
                Side::Black => "black",
            })),
        };
        let line = |key: &str| value(key).map(|value| format!("{key} = {value}\n"));
        KEYS.into_iter().filter_map(line).collect()
    }
}

/// A TOML string. Titles have no control characters.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn direction_text(directions: Directions) -> String {
    match directions {
        Directions::ALL => quoted("all"),
        Directions::FORWARD_AND_SIDEWAYS => quoted("forward"),
        Directions::NONE => quoted("none"),
        some => format!("[{}]", some.names().map(quoted).collect::<Vec<_>>().join(", ")),
    }
}

/// The text of a rule file.
struct RuleFile<'t> {
    text: &'t str,
}

/// A value and where it stands.
type Value<'t> = Spanned<DeValue<'t>>;

impl RuleFile<'_> {
    fn read(&self) -> Result<&'static Rules, RuleFileError> {
        if self.text.len() > MAX_BYTES {
            return Err(self.fault(Some(MAX_BYTES..MAX_BYTES), Fault::TooLong));
        }
        let table = DeTable::parse(self.text).map_err(|error| {
            // The parser may add what it expected on lines of its own.
            let message = error.message().lines().next().unwrap_or("this is not TOML").to_owned();
            self.fault(error.span(), Fault::Toml(message))
        })?;
        let mut entries: Vec<_> = table.get_ref().iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, _) in &entries {
            if !KEYS.contains(&&**key.get_ref()) {
                return Err(self.fault(Some(key.span()), unknown(key.get_ref())));
            }
        }
        let find = |wanted: &str| {
            entries.iter().find(|(key, _)| key.get_ref() == wanted).map(|(key, value)| (key.span(), *value))
        };
        let value = |key| find(key).map(|(_, value)| value);
        let name = value("name").ok_or_else(|| self.fault(None, Fault::NoName))?;
        let name = self.string("name", name)?;
        let defaults = Parameters::CLASSIC;
        let directions = |key, default| value(key).map_or(Ok(default), |value| self.directions(key, value));
        let flag = |key, default| value(key).map_or(Ok(default), |value| self.flag(key, value));
        let mut builder = Rules::builder(name)
            .steps(
                directions("steps", defaults.steps)?,
                flag("steps-on-far-rank", defaults.steps_on_far_rank)?,
            )
            .jumps(
                directions("first-jumps", defaults.first_jumps)?,
                directions("later-jumps", defaults.later_jumps)?,
            )
            .no_return(flag("no-return", defaults.no_return)?);
        if let Some(value) = value("title") {
            builder = builder.title(self.string("title", value)?);
        }
        if let Some(value) = value("captures") {
            let captures = [("compulsory", Captures::Compulsory), ("optional", Captures::Optional)];
            builder =
                builder.captures(self.word("captures", value, captures, "\"compulsory\" or \"optional\"")?);
        }
        if let Some(value) = value("chains") {
            let chains = [("must-continue", Chains::MustContinue), ("may-stop", Chains::MayStop)];
            builder =
                builder.chains(self.word("chains", value, chains, "\"must-continue\" or \"may-stop\"")?);
        }
        if let Some(value) = value("ply-limit") {
            builder = builder.ply_limit(Some(self.ply_limit(value)?));
        }
        if let Some(value) = value("no-moves") {
            let no_moves = [("loss", NoMoves::Loss), ("draw", NoMoves::Draw)];
            builder = builder.no_moves(self.word("no-moves", value, no_moves, "\"loss\" or \"draw\"")?);
        }
        let start = value("start").map_or(Ok(defaults.start), |value| self.board(value))?;
        let first = match value("first-to-move") {
            None => defaults.first_to_move,
            Some(value) => {
                let sides = [("white", Side::White), ("black", Side::Black)];
                self.word("first-to-move", value, sides, "\"white\" or \"black\"")?
            }
        };
        builder.start(start, first).build().map_err(|error| {
            let place = find(error.key()).map(|(key, _)| key);
            self.fault(place, error.into())
        })
    }

    /// `fault` on the line where `span` begins, or on the first.
    fn fault(&self, span: Option<Range<usize>>, fault: Fault) -> RuleFileError {
        let before = self.text.as_bytes().iter().take(span.map_or(0, |span| span.start));
        RuleFileError { line: 1 + before.filter(|&&byte| byte == b'\n').count(), fault }
    }

    fn wrong_type(&self, key: &'static str, value: &Value<'_>, wanted: &'static str) -> RuleFileError {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("\"{}\"", shown(text)),
            DeValue::Integer(number) => shown(number.as_str()),
            other => format!("of the type {}", other.type_str()),
        };
        self.fault(Some(value.span()), Fault::Type { key, wanted, found })
    }

    fn string<'v>(&self, key: &'static str, value: &'v Value<'_>) -> Result<&'v str, RuleFileError> {
        value.get_ref().as_str().ok_or_else(|| self.wrong_type(key, value, "a string"))
    }

    fn flag(&self, key: &'static str, value: &Value<'_>) -> Result<bool, RuleFileError> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong_type(key, value, "true or false"))
    }

    /// What one of some words stands for; `wanted` lists them.
    fn word<T: Copy>(
        &self,
        key: &'static str,
        value: &Value<'_>,
        words: [(&str, T); 2],
        wanted: &'static str,
    ) -> Result<T, RuleFileError> {
        let found = value.get_ref().as_str().and_then(|text| words.iter().find(|(word, _)| *word == text));
        found.map(|&(_, meaning)| meaning).ok_or_else(|| self.wrong_type(key, value, wanted))
    }

    fn ply_limit(&self, value: &Value<'_>) -> Result<u8, RuleFileError> {
        let number = value.get_ref().as_integer();
        let number = number.ok_or_else(|| self.wrong_type("ply-limit", value, "a whole number"))?;
        let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
        let limit = number.and_then(|number| u8::try_from(number).ok());
        limit.ok_or_else(|| self.fault(Some(value.span()), RulesError::PlyLimit.into()))
    }

    fn directions(&self, key: &'static str, value: &Value<'_>) -> Result<Directions, RuleFileError> {
        let wanted = if key == "later-jumps" {
            "\"all\", \"forward\", \"none\" or a list of directions like [\"n\", \"ne\"]"
        } else {
            "\"all\", \"forward\" or a list of directions like [\"n\", \"ne\"]"
        };
        let list = match value.get_ref() {
            DeValue::Array(list) => list,
            DeValue::String(word) => {
                return match &**word {
                    "all" => Ok(Directions::ALL),
                    "forward" => Ok(Directions::FORWARD_AND_SIDEWAYS),
                    "none" => Ok(Directions::NONE),
                    _ => Err(self.wrong_type(key, value, wanted)),
                };
            }
            _ => return Err(self.wrong_type(key, value, wanted)),
        };
        let mut bits = 0;
        for item in list.iter() {
            let text = item.get_ref().as_str().ok_or_else(|| self.wrong_type(key, item, wanted))?;
            let number = Direction::ALL.iter().position(|direction| direction.name() == text);
            let number =
                number.ok_or_else(|| self.fault(Some(item.span()), Fault::Direction(shown(text))))?;
            if bits >> number & 1 != 0 {
                return Err(self.fault(Some(item.span()), Fault::Twice(Direction::ALL[number].name())));
            }
            bits |= 1 << number;
        }
        Ok(Directions::from_bits(bits))
    }

    fn board(&self, value: &Value<'_>) -> Result<[Bitboard; 2], RuleFileError> {
        let text = self.string("start", value)?;
        let stones =
            if text.contains('/') { parse_ranks(text) } else { parse_points(&text.replace(' ', "")) };
        stones.map_err(|error| self.fault(Some(value.span()), Fault::Board(error)))
    }
}

fn unknown(key: &str) -> Fault {
    let lower = key.to_ascii_lowercase();
    match NOT_COVERED.into_iter().find(|(word, _)| lower.contains(word)) {
        Some((_, what)) => Fault::NotCovered { key: shown(key), what },
        None => Fault::UnknownKey { key: shown(key) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_read() {
        let text = r#"
            name = "all-keys"
            title = "Alquerque de \"doze\""
            steps = ["n", "ne", "e", "w", "nw"]   # as "forward"
            steps-on-far-rank = false
            captures = "optional"
            first-jumps = "forward"
            later-jumps = "none"
            chains = "may-stop"
            no-return = true
            ply-limit = 0x20
            no-moves = "draw"
            start = "bbbbb/5/5/5/wwww1"
            first-to-move = "black"
        "#;
        let rules = Rules::from_toml(text).unwrap();
        let [white, black] = [0b1111, 0b11111 << 20].map(Bitboard::new);
        let expected = Parameters {
            name: "all-keys",
            title: "Alquerque de \"doze\"",
            steps: Directions::FORWARD_AND_SIDEWAYS,
            steps_on_far_rank: false,
            captures: Captures::Optional,
            first_jumps: Directions::FORWARD_AND_SIDEWAYS,
            later_jumps: Directions::NONE,
            chains: Chains::MayStop,
            no_return: true,
            ply_limit: Some(32),
            no_moves: NoMoves::Draw,
            start: [white, black],
            first_to_move: Side::Black,
        };
        assert_eq!(*rules.parameters(), expected);
        assert_eq!(Rules::from_toml(&rules.to_toml()), Ok(rules));
    }

    #[test]
    fn what_is_left_out_is_as_in_classic() {
        let rules = Rules::from_toml("name = \"plain\"").unwrap();
        assert_eq!(*rules.parameters(), Parameters { name: "plain", ..Parameters::CLASSIC });
        for built_in in Rules::ALL {
            let text = built_in.to_toml().replace(&format!("\"{}\"", built_in.name()), "\"copy\"");
            let copy = Rules::from_toml(&text).unwrap();
            assert_eq!(*copy.parameters(), Parameters { name: "copy", ..*built_in.parameters() });
        }
    }

    #[test]
    fn faults_are_told_with_their_line() {
        let start = "bbbbb/bbbbb/bb1ww/wwwww/wwwww";
        for (text, message) in [
            ("", "line 1: the name is missing"),
            ("title = \"x\"", "line 1: the name is missing"),
            ("\nname = \"classic\"", "line 2: a built-in rule set has this name"),
            ("name = \"Alfonso\"", "line 1: the name of a rule set has"),
            ("name = \"x\"\ntitle = \"\\u0007\"", "line 2: a title has"),
            ("name = 3", "line 1: name must be a string, not 3"),
            ("name = \"x\"\n\nsteps = []", "line 3: there must be a direction in which stones step"),
            ("name = \"x\"\nsteps = \"none\"", "line 2: there must be a direction in which stones step"),
            ("name = \"x\"\nfirst-jumps = []", "line 2: there must be a direction in which stones jump"),
            ("name = \"x\"\nsteps = [\n  \"n\",\n  \"up\",\n]", "line 4: 'up' is not a direction"),
            ("name = \"x\"\nsteps = [\"n\", \"n\"]", "line 2: the direction 'n' is there twice"),
            ("name = \"x\"\nsteps = [1]", "line 2: steps must be"),
            ("name = \"x\"\nsteps = \"back\"", "line 2: steps must be"),
            ("name = \"x\"\ncaptures = true", "line 2: captures must be \"compulsory\" or \"optional\""),
            ("name = \"x\"\nchains = \"stop\"", "line 2: chains must be"),
            ("name = \"x\"\nno-return = \"yes\"", "line 2: no-return must be true or false, not \"yes\""),
            ("name = \"x\"\nply-limit = 0", "line 2: the ply limit must lie between 1 and 250"),
            ("name = \"x\"\nply-limit = 300", "line 2: the ply limit must"),
            ("name = \"x\"\nply-limit = -1", "line 2: the ply limit must"),
            ("name = \"x\"\nply-limit = 99999999999999999999", "line 2: "),
            ("name = \"x\"\nply-limit = 1.5", "line 2: ply-limit must be a whole number"),
            ("name = \"x\"\nname = \"y\"", "line 2: duplicate key"),
            ("name = \"x\"\njumps = \"all\"", "line 2: unknown key 'jumps'; known keys are name,"),
            ("name = \"x\"\nflying-kings = true", "line 2: 'flying-kings': this program does not cover"),
            ("name = \"x\"\n[steps]\nn = true", "line 2: steps must be"),
            ("name = \"x", "line 1: "),
            ("name = \"x\"\nstart = \"5/5\"", "line 2: start: the board has 2 ranks"),
            ("name = \"x\"\nstart = \"5/5/5/5/5\"", "line 2: each side starts with"),
            ("name = \"x\"\nstart = 5", "line 2: start must be a string"),
            ("name = \"x\"\nfirst-to-move = \"w\"", "line 2: first-to-move must be"),
            ("\u{0}", "line 1: "),
        ] {
            let error = Rules::from_toml(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{text:?}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
        for (board, message) in [(start.to_owned() + "w", "6 points"), ("w".repeat(26), "26 points")] {
            let error = Rules::from_toml(&format!("name = \"x\"\nstart = \"{board}\"")).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(error.line(), 2);
        }
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe.toml");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
            .unwrap();
        for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
            let error = Rules::from_file(path).unwrap_err().to_string();
            assert!(error.ends_with("it is not a regular file"), "{error}");
        }
    }

    #[test]
    fn long_files_are_refused_at_once() {
        let text = "# nothing\n".repeat(1 << 20);
        let error = Rules::from_toml(&text).unwrap_err();
        assert_eq!(error.to_string(), "line 6554: a rule file has at most 65536 bytes");
        let path = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(path.path(), text).unwrap();
        let error = Rules::from_file(path.path()).unwrap_err().to_string();
        assert!(error.ends_with("a rule file has at most 65536 bytes"), "{error}");
        assert!(Rules::by_name_or_file("no/such/file").unwrap_err().to_string().contains("cannot read"));
        assert!(Rules::by_name_or_file("chess").unwrap_err().to_string().contains("known are classic"));
        assert_eq!(Rules::by_name_or_file("qirkat").unwrap().name(), "qirkat");
    }
}
