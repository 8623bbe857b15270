//! What can be wrong with a game in a file.

use std::fmt;

use super::notation::NotationError;
use super::split::{MAX_GAME_BYTES, MAX_LINE_BYTES};
use super::{MAX_NESTING, result_text};
use crate::game::{GameEnd, GameResult};
use crate::position::ParsePositionError;

/// What is wrong with a game. It is one sentence that names the game, the line and, where there is one, the
/// move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct Fault {
    /// The number of the game in its file, from 1.
    pub game: u64,
    /// The line in the file, from 1.
    pub line: u64,
    /// The ply, from 1, and the move as it is written. In a variation it counts from the start of the game.
    pub ply: Option<(usize, String)>,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong with a game.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum FaultKind {
    #[error("the line is longer than {} MiB", MAX_LINE_BYTES >> 20)]
    LongLine,
    #[error("the game is longer than {} MiB", MAX_GAME_BYTES >> 20)]
    LongGame,
    #[error("a tag must have the form [Name \"value\"]")]
    Tag,
    #[error("a comment is not closed; the file may be cut off")]
    OpenComment,
    #[error("a variation is not closed; the file may be cut off")]
    OpenVariation,
    #[error("a ) closes no variation")]
    NoVariation,
    #[error("a variation must follow a move")]
    VariationFirst,
    #[error("a variation has no move")]
    EmptyVariation,
    #[error("more than {MAX_NESTING} variations are nested")]
    Nesting,
    #[error("an annotation must follow a move and have a number from 0 to 255, as in $4")]
    Nag,
    #[error("'{0}' is not a move, comment, variation or result")]
    Unknown(String),
    #[error("unknown rules '{0}'; name them with the rules of the file")]
    UnknownRules(String),
    #[error("the game has the rules '{found}', not '{wanted}'")]
    OtherRules { found: String, wanted: &'static str },
    #[error("the FEN tag is not a position: {0}")]
    Start(ParsePositionError),
    #[error("{0}")]
    Move(NotationError),
    #[error("the game was over before this move: {}", describe(*.0))]
    AfterEnd(GameEnd),
    #[error("the Result tag '{0}' is unknown; write 1-0, 0-1, 1/2-1/2 or *")]
    ResultTag(String),
    #[error("the Result tag says {tag}, but the moves end with {end}")]
    TwoResults { tag: &'static str, end: &'static str },
    #[error("the result is {}, but by the rules the game ended {}", result_text(*.found), result_text(Some(*.actual)))]
    WrongResult { found: Option<GameResult>, actual: GameResult },
    #[error("the moves end without a result; the file may be cut off")]
    NoResult,
}

impl FaultKind {
    /// Whether nothing of the game can be read: its rules or its first position are not known.
    pub fn leaves_nothing(&self) -> bool {
        matches!(self, FaultKind::UnknownRules(_) | FaultKind::OtherRules { .. } | FaultKind::Start(_))
    }
}

fn describe(end: GameEnd) -> &'static str {
    match end {
        GameEnd::NoStone => "the side to move has no stone",
        GameEnd::NoMove => "the side to move has no legal move",
        GameEnd::PlyLimit => "the ply counter reached its limit",
        GameEnd::Repetition => "the position occurred for the third time",
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}, line {}", self.game, self.line)?;
        if let Some((ply, text)) = &self.ply {
            write!(f, ", ply {ply} ({text})")?;
        }
        write!(f, ": {}", self.kind)
    }
}
