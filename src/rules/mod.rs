//! The rule sets, as data.
//!
//! A rule set is a [`Parameters`] constant and nothing else: move generation, text forms, the index and the
//! solver read what they need from it. The sources of the rules, and the readings chosen where sources are
//! silent, are described in `README.md`.

mod geometry;
mod motion;

pub use geometry::{Jump, SideGeometry};
pub use motion::StoneState;

use crate::board::{Direction, Directions, MAX_STONES, Point, SymmetryGroup};
use motion::{Motion, seen_by_white};
use std::fmt;

/// The two sides. White's home rank is 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Side {
    White,
    Black,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::White => "White",
            Side::Black => "Black",
        })
    }
}

/// What distinguishes one rule set of the family from another. Directions are White's; Black's are the same
/// turned by 180°.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// The name by which files and commands call the rule set: lower-case ASCII, at most 16 bytes.
    pub name: &'static str,
    /// Where a stone may step.
    pub steps: Directions,
    /// Whether a stone on its far rank may step; it may capture in any case.
    pub steps_on_far_rank: bool,
    /// Where the first jump of a chain may go.
    pub first_jumps: Directions,
    /// Where the later jumps of a chain may go.
    pub later_jumps: Directions,
    /// Whether a stone that stepped sideways may not step straight back until it has moved otherwise.
    pub no_return: bool,
    /// After how many plies without a capture the game is a draw.
    pub ply_limit: Option<u8>,
    /// Who moves first in the start position.
    pub first_to_move: Side,
}

impl Parameters {
    /// Whether stones carry forbidden steps: only a stone that can step both ways along its rank can step back.
    const fn marks_stones(&self) -> bool {
        self.no_return && self.steps.contains(Direction::West) && self.steps.contains(Direction::East)
    }

    /// The symmetries of the board that leave the rules unchanged.
    const fn symmetry(&self) -> SymmetryGroup {
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
    const fn fault(&self) -> Option<RulesError> {
        if !is_name(self.name) {
            Some(RulesError::Name)
        } else if self.steps.is_empty() {
            Some(RulesError::NoSteps)
        } else if self.first_jumps.is_empty() {
            Some(RulesError::NoJumps)
        } else if matches!(self.ply_limit, Some(limit) if limit == 0 || limit > MAX_PLY_LIMIT) {
            Some(RulesError::PlyLimit)
        } else {
            None
        }
    }
}

/// Bytes of the longest name.
const MAX_NAME: usize = 16;
/// The largest ply limit.
pub const MAX_PLY_LIMIT: u8 = 250;

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

/// Why parameters make no rule set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The name has other characters, or too many.
    #[error("the name of a rule set has 1 to {MAX_NAME} lower-case letters, digits and hyphens")]
    Name,
    /// No stone could ever step.
    #[error("there must be a direction in which stones step")]
    NoSteps,
    /// No stone could ever be captured.
    #[error("there must be a direction in which stones jump")]
    NoJumps,
    /// The ply limit is 0 or too large.
    #[error("the ply limit must lie between 1 and {MAX_PLY_LIMIT}")]
    PlyLimit,
}

/// A rule set: its parameters and the move geometry that follows from them.
pub struct Rules {
    parameters: Parameters,
    sides: [SideGeometry; 2],
    symmetry: SymmetryGroup,
    /// `None` when a stone can step in a circle.
    motion: Option<Motion>,
}

/// A built-in rule set. Evaluated by the compiler, so that a fault does not compile.
const fn built_in(parameters: Parameters) -> Rules {
    match Rules::new(parameters) {
        Ok(rules) => rules,
        Err(_) => panic!("the parameters make no rule set"),
    }
}

/// All directions, endless play is a draw.
pub static CLASSIC: Rules = built_in(Parameters {
    name: "classic",
    steps: Directions::ALL,
    steps_on_far_rank: true,
    first_jumps: Directions::ALL,
    later_jumps: Directions::ALL,
    no_return: false,
    ply_limit: None,
    first_to_move: Side::White,
});

/// Forward moves only, with the no-return rule; the first jump of a chain is restricted like a step.
pub static BRAINKING: Rules = built_in(Parameters {
    name: "brainking",
    steps: Directions::FORWARD_AND_SIDEWAYS,
    steps_on_far_rank: false,
    first_jumps: Directions::FORWARD_AND_SIDEWAYS,
    later_jumps: Directions::ALL,
    no_return: true,
    ply_limit: None,
    first_to_move: Side::White,
});

/// Forward steps, jumps in all directions, a draw after 50 plies without a capture; Black starts.
pub static YOUZAI: Rules = built_in(Parameters {
    name: "youzai",
    steps: Directions::FORWARD_AND_SIDEWAYS,
    steps_on_far_rank: false,
    first_jumps: Directions::ALL,
    later_jumps: Directions::ALL,
    no_return: false,
    ply_limit: Some(50),
    first_to_move: Side::Black,
});

/// Forward steps with the no-return rule, jumps in all directions.
pub static QIRKAT: Rules = built_in(Parameters {
    name: "qirkat",
    steps: Directions::FORWARD_AND_SIDEWAYS,
    steps_on_far_rank: false,
    first_jumps: Directions::ALL,
    later_jumps: Directions::ALL,
    no_return: true,
    ply_limit: None,
    first_to_move: Side::White,
});

/// The name is none of the known rule sets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown rules '{0}'; known are classic, brainking, youzai and qirkat")]
pub struct UnknownRules(String);

impl Rules {
    /// All rule sets.
    pub const ALL: [&'static Rules; 4] = [&CLASSIC, &BRAINKING, &YOUZAI, &QIRKAT];

    /// The rule set with these parameters.
    ///
    /// # Errors
    /// [`RulesError`] when no game can be played under them, or none that this program handles.
    pub const fn new(parameters: Parameters) -> Result<Rules, RulesError> {
        if let Some(fault) = parameters.fault() {
            return Err(fault);
        }
        let sides =
            [SideGeometry::new(&parameters, Side::White), SideGeometry::new(&parameters, Side::Black)];
        let motion = Motion::new(&parameters, &sides[Side::White as usize]);
        Ok(Rules { symmetry: parameters.symmetry(), sides, motion, parameters })
    }

    /// The rule set called `name`.
    ///
    /// # Errors
    /// [`UnknownRules`] when there is none of that name.
    pub fn by_name(name: &str) -> Result<&'static Rules, UnknownRules> {
        let found = Self::ALL.into_iter().find(|rules| rules.name() == name);
        found.ok_or_else(|| UnknownRules(name.to_owned()))
    }

    /// The parameters of the rule set.
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The name of the rule set.
    pub const fn name(&self) -> &'static str {
        self.parameters.name
    }

    /// Where the stones of `side` may go.
    pub const fn side(&self, side: Side) -> &SideGeometry {
        &self.sides[side as usize]
    }

    /// The symmetries of the board under which values do not change.
    pub const fn symmetry(&self) -> SymmetryGroup {
        self.symmetry
    }

    /// Whether stones carry forbidden steps.
    pub const fn no_return(&self) -> bool {
        self.parameters.marks_stones()
    }

    /// After how many plies without a capture the game is a draw, if ever.
    pub const fn ply_limit(&self) -> Option<u8> {
        self.parameters.ply_limit
    }

    /// Whether the distance to win is a number of plies that depends on the placement alone. It does not where
    /// a counter of plies without a capture can take a win away.
    pub const fn has_distance_to_win(&self) -> bool {
        self.parameters.ply_limit.is_none()
    }

    /// Whether no placement, with the states of its stones, can occur twice in a game: a stone never returns by
    /// steps to a point where it stood in the same state.
    pub const fn is_acyclic(&self) -> bool {
        self.motion.is_some()
    }

    /// Whether a position can occur again in a game. A ply counter is part of the position and prevents that.
    pub const fn can_repeat(&self) -> bool {
        self.parameters.ply_limit.is_none() && !self.is_acyclic()
    }

    /// Whether a game can be drawn.
    pub const fn has_draws(&self) -> bool {
        self.parameters.ply_limit.is_some() || self.can_repeat()
    }

    /// The most steps that a stone of `side` in `state` can make from `point` on, with all other points empty; `None`
    /// when some stone can step in a circle.
    pub const fn longest_path(&self, side: Side, point: Point, state: StoneState) -> Option<u8> {
        match &self.motion {
            Some(motion) => {
                let (point, state) = seen_by_white(side, point, state);
                Some(motion.longest(point, state))
            }
            None => None,
        }
    }

    /// No game has more plies in a row without a capture; `None` where such play has no end. A bound, not the exact
    /// number: every stone is taken to walk its longest path.
    pub const fn longest_quiet_play(&self) -> Option<u16> {
        let by_steps = match &self.motion {
            Some(motion) => Some(2 * MAX_STONES as u16 * motion.most() as u16),
            None => None,
        };
        match (by_steps, self.parameters.ply_limit) {
            (Some(steps), Some(limit)) if steps < limit as u16 => Some(steps),
            (_, Some(limit)) => Some(limit as u16),
            (steps, None) => steps,
        }
    }

    /// No game has more plies; `None` where a game can go on for ever. A bound as for
    /// [`longest_quiet_play`](Self::longest_quiet_play).
    pub const fn longest_game(&self) -> Option<u32> {
        // The last capture but one leaves a stone on each side.
        const CAPTURES: u32 = 2 * MAX_STONES as u32 - 1;
        match self.longest_quiet_play() {
            Some(quiet) => Some((CAPTURES + 1) * quiet as u32 + CAPTURES),
            None => None,
        }
    }

    /// A line of text from which two programs can tell that they mean the same rules.
    pub fn description(&self) -> String {
        let p = &self.parameters;
        format!(
            "steps={:02x} far-rank-steps={} first-jumps={:02x} later-jumps={:02x} no-return={} ply-limit={}",
            p.steps.bits(),
            u8::from(p.steps_on_far_rank),
            p.first_jumps.bits(),
            p.later_jumps.bits(),
            u8::from(p.no_return),
            p.ply_limit.unwrap_or(0),
        )
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        self.parameters == other.parameters
    }
}

impl Eq for Rules {}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Rules").field(&self.name()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_rules() {
        for rules in Rules::ALL {
            assert_eq!(Rules::by_name(rules.name()), Ok(rules));
            assert!(rules.name().len() <= 16);
        }
        assert!(Rules::by_name("chess").is_err());
    }

    #[test]
    fn cycles_and_bounds_of_the_built_in_rules() {
        assert_eq!(Rules::ALL.map(Rules::is_acyclic), [false, true, false, true]);
        assert_eq!(Rules::ALL.map(Rules::can_repeat), [true, false, false, false]);
        assert_eq!(Rules::ALL.map(Rules::has_draws), [true, false, true, false]);
        // Four steps sideways on each of four ranks, and four forward.
        assert_eq!(Rules::ALL.map(Rules::longest_quiet_play), [None, Some(24 * 20), Some(50), Some(24 * 20)]);
        assert_eq!(YOUZAI.longest_game(), Some(24 * 50 + 23));
    }

    #[test]
    fn only_classic_has_the_symmetries_of_the_square() {
        let orders = Rules::ALL.map(|rules| rules.symmetry().order());
        assert_eq!(orders, [8, 2, 2, 2]);
    }

    #[test]
    fn symmetries_leave_the_steps_unchanged() {
        for bits in 1..=u8::MAX {
            for (far, no_return) in [(true, false), (false, false), (true, true)] {
                let steps = Directions::from_bits(bits);
                let parameters =
                    Parameters { steps, steps_on_far_rank: far, no_return, ..CLASSIC.parameters };
                let rules = Rules::new(parameters).unwrap();
                for &transform in rules.symmetry().transforms() {
                    for point in Point::all() {
                        let steps = |point| rules.side(Side::White).steps(point);
                        let images = steps(point).iter().map(|to| transform.apply(to)).collect();
                        assert_eq!(steps(transform.apply(point)), images, "{bits:08b} {transform:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn impossible_parameters_are_refused() {
        let classic = *CLASSIC.parameters();
        let none = Directions::NONE;
        let refused = |parameters| Rules::new(parameters).err();
        assert_eq!(refused(Parameters { steps: none, ..classic }), Some(RulesError::NoSteps));
        assert_eq!(refused(Parameters { first_jumps: none, ..classic }), Some(RulesError::NoJumps));
        for limit in [0, 251] {
            assert_eq!(refused(Parameters { ply_limit: Some(limit), ..classic }), Some(RulesError::PlyLimit));
        }
        for name in ["", "Classic", "a b", "seventeen-letters"] {
            assert_eq!(refused(Parameters { name, ..classic }), Some(RulesError::Name), "{name}");
        }
        assert!(Rules::new(Parameters { later_jumps: none, ..classic }).is_ok());
    }
}
