//! Game records: a text format close to PGN and PDN, read and written.
//!
//! A record has tags in brackets, numbered moves, comments in braces, variations in parentheses, annotation
//! glyphs (NAGs) and a result. `docs/records.md` describes the format and what else is accepted.
//!
//! ```
//! use alquerque::record::{Record, Records};
//!
//! let text = "[Event \"Example\"]\n\n1. d2-c3 {the usual mistake} b4xd2 2. e1xc3 *\n";
//! let game = Records::new(text.as_bytes()).next().unwrap()?;
//! assert_eq!(game.record.plies.len(), 3);
//! assert_eq!(game.record.plies[0].comments, ["the usual mistake"]);
//! assert!(game.fault.is_none());
//! assert!(game.record.to_string().ends_with("1. d2-c3 {the usual mistake} 1... b4xd2 2. e1xc3 *\n"));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! [`Records`] streams: it holds one game at a time, and refuses games and lines beyond its limits without
//! holding them.

mod build;
mod fault;
mod lex;
mod notation;
mod read;
mod split;
mod write;

pub use fault::{Fault, FaultKind};
pub use notation::{NotationError, find_move};
pub use read::{Records, open_games};
pub use split::{MAX_GAME_BYTES, MAX_LINE_BYTES};

use crate::game::{Game, GameEnd, GameResult};
use crate::moves::Move;
use crate::position::Position;
use crate::rules::{Rules, Side};

/// The most variations that can be nested in each other.
pub const MAX_NESTING: usize = 64;

/// A game with what was said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The rules.
    pub rules: &'static Rules,
    /// Tags in the order in which they are written, without `Rules`, `FEN` and `Result`, which the other
    /// fields hold.
    pub tags: Vec<Tag>,
    /// The first position.
    pub start: Position,
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves of the game.
    pub plies: Vec<Ply>,
    /// How the game ended; `None` when it is unfinished or nobody knows.
    pub result: Option<GameResult>,
}

/// A game as it was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadGame {
    /// Its number in the stream, from 1.
    pub number: u64,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The game, up to the fault if that makes the rest unreadable.
    pub record: Record,
    /// The first thing that is wrong with it.
    pub fault: Option<Fault>,
}

/// A tag: `[Event "Example"]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tag {
    /// The name: a letter followed by letters, digits and underscores.
    pub name: String,
    /// The value: any text.
    pub value: String,
}

/// A move with what was said about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// Annotation glyphs by number: 1 `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?`, 6 `?!`, others as PGN defines
    /// them.
    pub nags: Vec<u8>,
    /// Comments on the move.
    pub comments: Vec<String>,
    /// What could have been played instead.
    pub variations: Vec<Variation>,
}

/// Moves that could have been played instead of another move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Variation {
    /// Comments before the first move.
    pub comments: Vec<String>,
    /// The moves; at least one.
    pub plies: Vec<Ply>,
}

impl Ply {
    /// A move without any annotation.
    pub fn new(mv: Move) -> Ply {
        Ply { mv, nags: Vec::new(), comments: Vec::new(), variations: Vec::new() }
    }
}

impl Record {
    /// A record without tags, comments and moves, from the start position.
    pub fn new(rules: &'static Rules) -> Record {
        Record::from_position(rules, Position::start(rules))
    }

    /// A record that begins with `start`.
    pub fn from_position(rules: &'static Rules, start: Position) -> Record {
        Record { rules, tags: Vec::new(), start, comments: Vec::new(), plies: Vec::new(), result: None }
    }

    /// The value of the tag called `name`, unless the record holds it in a field of its own.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str())
    }

    /// Sets a tag.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|tag| tag.name == name) {
            Some(tag) => tag.value = value.to_owned(),
            None => self.tags.push(Tag { name: name.to_owned(), value: value.to_owned() }),
        }
    }

    /// The positions of the game, the first one included: one more than there are moves.
    pub fn positions(&self) -> Vec<Position> {
        let mut positions = vec![self.start];
        let mut position = self.start;
        for ply in &self.plies {
            position = position.play(self.rules, &ply.mv);
            positions.push(position);
        }
        positions
    }

    /// The game up to the ply where the rules end it, which is given too if they do: the number of plies
    /// played by then, and why.
    pub fn game(&self) -> (Game, Option<(usize, GameEnd)>) {
        let mut game = Game::from_position(self.rules, self.start);
        for (number, ply) in self.plies.iter().enumerate() {
            if let Some(end) = game.end() {
                return (game, Some((number, end)));
            }
            game.play(ply.mv);
        }
        let end = game.end().map(|end| (self.plies.len(), end));
        (game, end)
    }
}

impl From<&Game> for Record {
    fn from(game: &Game) -> Record {
        let start = *game.history().first().unwrap_or(game.position());
        let mut record = Record::from_position(game.rules(), start);
        record.plies = game.moves().iter().map(|&mv| Ply::new(mv)).collect();
        record.result = game.result();
        record
    }
}

/// How records write a result: `1-0`, `0-1`, `1/2-1/2` or `*`.
pub const fn result_text(result: Option<GameResult>) -> &'static str {
    match result {
        Some(GameResult::Won(Side::White)) => "1-0",
        Some(GameResult::Won(Side::Black)) => "0-1",
        Some(GameResult::Drawn) => "1/2-1/2",
        None => "*",
    }
}
