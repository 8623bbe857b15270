//! What a rule set can set, and what makes no game.

use super::Side;
use crate::board::{Bitboard, Direction, Directions, MAX_STONES, POINTS, SIDE_LENGTH, SymmetryGroup};

/// Whether a side that can capture must.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Captures {
    /// While a capture exists no step is legal.
    Compulsory,
    /// Captures and steps are legal beside each other.
    Optional,
}

/// Whether a stone that has captured must go on capturing while it can.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chains {
    /// The move ends where no further jump is possible.
    MustContinue,
    /// The move may end after every jump.
    MayStop,
}

/// What the side to move gets that has stones but no legal move. Without stones it has lost in any case.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoMoves {
    /// It has lost.
    Loss,
    /// The game is a draw.
    Draw,
}

/// What distinguishes one rule set of the family from another. Directions are White's; Black's are the same
/// turned by 180°.
///
/// [`Rules::builder`](super::Rules::builder) makes a rule set; whatever is not set is as in `classic`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// The name by which files and commands call the rule set: 1 to 16 lower-case ASCII letters, digits and
    /// hyphens.
    pub name: &'static str,
    /// The name for people; may be empty.
    pub title: &'static str,
    /// Where a stone may step.
    pub steps: Directions,
    /// Whether a stone on its far rank may step; it may capture in any case.
    pub steps_on_far_rank: bool,
    /// Whether captures are compulsory.
    pub captures: Captures,
    /// Where the first jump of a chain may go.
    pub first_jumps: Directions,
    /// Where the later jumps of a chain may go; with no direction a move has one jump.
    pub later_jumps: Directions,
    /// Whether chains must go on.
    pub chains: Chains,
    /// Whether a stone that stepped sideways may not step straight back until it has moved otherwise.
    pub no_return: bool,
    /// After how many plies without a capture the game is a draw, 1 to [`MAX_PLY_LIMIT`].
    pub ply_limit: Option<u8>,
    /// What the side to move gets that has stones but no legal move.
    pub no_moves: NoMoves,
    /// White's and Black's stones in the start position.
    pub start: [Bitboard; 2],
    /// Who moves first in the start position.
    pub first_to_move: Side,
}

/// Bytes of the longest name.
pub(super) const MAX_NAME: usize = 16;
/// Bytes of the longest title.
pub(super) const MAX_TITLE: usize = 80;
/// The largest ply limit.
pub const MAX_PLY_LIMIT: u8 = 250;

/// White on ranks 1 and 2 and right of the centre; Black the same turned by 180°.
const START: [Bitboard; 2] = {
    const CENTRE: usize = POINTS / 2;
    let white = Bitboard::new(((1 << (2 * SIDE_LENGTH)) - 1) | (0b11 << (CENTRE + 1)));
    [white, white.rotated()]
};

/// Why parameters make no rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The name has other characters, or too many.
    #[error("the name of a rule set has 1 to {MAX_NAME} lower-case letters, digits and hyphens")]
    Name,
    /// A built-in rule set has the name.
    #[error("a built-in rule set has this name; choose another")]
    Taken,
    /// The title is too long or would disturb a terminal.
    #[error("a title has at most {MAX_TITLE} bytes and no control characters")]
    Title,
    /// No stone could ever step.
    #[error("there must be a direction in which stones step")]
    NoSteps,
    /// No stone could ever be captured.
    #[error("there must be a direction in which stones jump")]
    NoJumps,
    /// The ply limit is 0 or too large.
    #[error("the ply limit must lie between 1 and {MAX_PLY_LIMIT}")]
    PlyLimit,
    /// A side has no stone at the start, or too many.
    #[error("each side starts with 1 to {MAX_STONES} stones")]
    Start,
}

impl RulesError {
    /// The key of a rule file that it is about.
    pub(super) const fn key(self) -> &'static str {
        match self {
            RulesError::Name | RulesError::Taken => "name",
            RulesError::Title => "title",
            RulesError::NoSteps => "steps",
            RulesError::NoJumps => "first-jumps",
            RulesError::PlyLimit => "ply-limit",
            RulesError::Start => "start",
        }
    }
}

impl Parameters {
    /// Those of `classic`, which are the defaults of all others.
    pub const CLASSIC: Parameters = Parameters {
        name: "classic",
        title: "",
        steps: Directions::ALL,
        steps_on_far_rank: true,
        captures: Captures::Compulsory,
        first_jumps: Directions::ALL,
        later_jumps: Directions::ALL,
        chains: Chains::MustContinue,
        no_return: false,
        ply_limit: None,
        no_moves: NoMoves::Loss,
        start: START,
        first_to_move: Side::White,
    };

    /// Whether stones carry forbidden steps: only a stone that can step both ways along its rank can step
    /// back.
    pub(super) const fn marks_stones(&self) -> bool {
        self.no_return && self.steps.contains(Direction::West) && self.steps.contains(Direction::East)
    }

    /// The symmetries of the board that leave the rules unchanged.
    pub(super) const fn symmetry(&self) -> SymmetryGroup {
        let sets = [self.steps, self.first_jumps, self.later_jumps];
        let (mut square, mut mirror) = (self.steps_on_far_rank && !self.marks_stones(), true);
        let mut index = 0;
        while index < sets.len() {
            square &= sets[index].is_square();
            mirror &= sets[index].is_mirrored();
            index += 1;
        }
        match (square, mirror) {
            (true, _) => SymmetryGroup::Square,
            (_, true) => SymmetryGroup::Mirror,
            _ => SymmetryGroup::Trivial,
        }
    }

    /// Why no game can be played under these parameters, or none that this program handles.
    pub(super) const fn fault(&self) -> Option<RulesError> {
        self.fault_with(self.name, self.title)
    }

    /// As [`fault`](Self::fault), for these names.
    pub(super) const fn fault_with(&self, name: &str, title: &str) -> Option<RulesError> {
        let [white, black] = [self.start[0].count(), self.start[1].count()];
        if !is_name(name) {
            Some(RulesError::Name)
        } else if !is_title(title) {
            Some(RulesError::Title)
        } else if self.steps.is_empty() {
            Some(RulesError::NoSteps)
        } else if self.first_jumps.is_empty() {
            Some(RulesError::NoJumps)
        } else if matches!(self.ply_limit, Some(limit) if limit == 0 || limit > MAX_PLY_LIMIT) {
            Some(RulesError::PlyLimit)
        } else if white == 0
            || black == 0
            || white > MAX_STONES
            || black > MAX_STONES
            || self.start[0].bits() & self.start[1].bits() != 0
        {
            Some(RulesError::Start)
        } else {
            None
        }
    }
}

/// Whether `name` has 1 to 16 lower-case ASCII letters, digits and hyphens.
const fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        if !matches!(bytes[index], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        index += 1;
    }
    !bytes.is_empty() && bytes.len() <= MAX_NAME
}

/// Whether a terminal can show `title` on a line.
const fn is_title(title: &str) -> bool {
    let bytes = title.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        // C1 controls are U+0080 to U+009F: C2 80 to C2 9F.
        let c1 = index + 1 < bytes.len() && bytes[index] == 0xc2 && bytes[index + 1] < 0xa0;
        if bytes[index] < b' ' || bytes[index] == 0x7f || c1 {
            return false;
        }
        index += 1;
    }
    bytes.len() <= MAX_TITLE
}
