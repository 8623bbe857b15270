//! The facts of `tests/data`, established with programs that have nothing to do with this one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use alquerque::rules::Rules;

/// Paths from the start position.
pub const PERFT: &str = include_str!("../../data/perft.tsv");
/// Facts about legal moves.
pub const MOVES: &str = include_str!("../../data/moves.tsv");
/// Counts and longest distances of whole slices.
pub const SLICES: &str = include_str!("../../data/slices.tsv");
/// Values of single positions.
pub const POSITIONS: &str = include_str!("../../data/positions.tsv");

/// Paths from the start position under rule files.
pub const VARIANTS_PERFT: &str = include_str!("../../data/variants-perft.tsv");
/// Counts and longest distances of whole slices under rule files.
pub const VARIANTS: &str = include_str!("../../data/variants.tsv");

/// The rule files of `tests/data/rules`: path and text.
pub fn rule_files() -> Vec<(PathBuf, String)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/rules");
    let entries = std::fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The rule set called `name`: a built-in one, or that of a rule file of `tests/data/rules`.
pub fn rules_called(name: &str) -> &'static Rules {
    Rules::by_name(name).unwrap_or_else(|_| {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/rules");
        Rules::from_file(dir.join(format!("{name}.toml"))).unwrap_or_else(|e| panic!("{e}"))
    })
}

/// One line of a table, its fields by column name.
pub struct Row {
    /// The line number in the file, for messages.
    pub line: usize,
    fields: HashMap<&'static str, &'static str>,
}

impl Row {
    /// The field of this column.
    pub fn get(&self, column: &str) -> &'static str {
        self.fields.get(column).unwrap_or_else(|| panic!("line {} has no column '{column}'", self.line))
    }

    /// The field of this column as a number.
    pub fn number(&self, column: &str) -> u64 {
        let field = self.get(column);
        field.parse().unwrap_or_else(|_| panic!("line {}: '{field}' is no {column}", self.line))
    }

    /// The field of this column as a distance in plies: `None` when it is not given, `Some(None)` for a draw.
    pub fn distance(&self, column: &str) -> Option<Option<u16>> {
        match self.get(column) {
            "-" => None,
            "-1" => Some(None),
            _ => Some(Some(self.number(column) as u16)),
        }
    }
}

/// The rows of a table: fields between tabs, names in the first line that is no comment.
pub fn rows(text: &'static str) -> Vec<Row> {
    let mut lines =
        text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty());
    let Some((_, header)) = lines.next() else { panic!("the table has no header") };
    let names: Vec<&str> = header.split('\t').collect();
    lines
        .map(|(index, line)| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), names.len(), "line {}: {line}", index + 1);
            Row { line: index + 1, fields: names.iter().copied().zip(fields).collect() }
        })
        .collect()
}

/// How many stones stand on the board of a position text.
pub fn stones(position: &str) -> usize {
    let board = position.split(' ').next().unwrap_or_default();
    board.chars().filter(|&letter| letter == 'w' || letter == 'b').count()
}

/// Whole games with the value of every move.
pub const GAMES: &str = include_str!("../../data/games.txt");

/// A game of [`GAMES`].
pub struct Game {
    /// The moves.
    pub plies: Vec<GamePly>,
    /// `1-0`, `0-1` or `1/2-1/2`.
    pub result: &'static str,
}

/// A move of a game, with what it is worth to its mover: `win`, `draw` or `loss`.
pub struct GamePly {
    /// The move.
    pub mv: &'static str,
    /// The value before the move and after it.
    pub values: [&'static str; 2],
    /// How many moves keep the value, and how many are legal.
    pub keeping: [usize; 2],
}

/// The games of [`GAMES`].
pub fn games() -> Vec<Game> {
    let value = |letter: char| match letter {
        'w' => "win",
        'd' => "draw",
        'l' => "loss",
        other => panic!("'{other}' is no value"),
    };
    let ply = |field: &'static str| {
        let parts: Vec<&str> = field.split(':').collect();
        let values: Vec<char> = parts[1].chars().collect();
        let (keeping, legal) = parts[2].split_once('/').unwrap();
        GamePly {
            mv: parts[0],
            values: [value(values[0]), value(values[1])],
            keeping: [keeping, legal].map(|number| number.parse().unwrap()),
        }
    };
    let lines = GAMES.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let (moves, result) = line.split_once(" #").unwrap();
            Game { plies: moves.split(' ').map(ply).collect(), result }
        })
        .collect()
}
