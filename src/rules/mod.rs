//! The rule sets, as data.
//!
//! A rule set is a [`Parameters`] constant and nothing else: move generation, text forms, the index and the
//! solver read what they need from it. The sources of the rules, and the readings chosen where sources are
//! silent, are described in `docs/rules.md`.

mod geometry;

pub use geometry::{Jump, SideGeometry};

use crate::board::{Directions, SymmetryGroup};
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

/// A rule set: its parameters and the move geometry that follows from them.
pub struct Rules {
    parameters: Parameters,
    sides: [SideGeometry; 2],
    symmetry: SymmetryGroup,
}

/// All directions, endless play is a draw.
pub static CLASSIC: Rules = Rules::new(Parameters {
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
pub static BRAINKING: Rules = Rules::new(Parameters {
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
pub static YOUZAI: Rules = Rules::new(Parameters {
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
pub static QIRKAT: Rules = Rules::new(Parameters {
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
    pub const fn new(parameters: Parameters) -> Rules {
        let all = Directions::ALL.bits();
        let square = parameters.steps.bits() == all
            && parameters.first_jumps.bits() == all
            && parameters.later_jumps.bits() == all
            && parameters.steps_on_far_rank
            && !parameters.no_return;
        Rules {
            sides: [SideGeometry::new(&parameters, Side::White), SideGeometry::new(&parameters, Side::Black)],
            symmetry: if square { SymmetryGroup::Square } else { SymmetryGroup::Mirror },
            parameters,
        }
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
        self.parameters.no_return
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

    /// Whether a position can occur again in a game. It cannot where a ply counter is part of it, nor where no step leads
    /// back and none sideways can be taken back.
    pub const fn can_repeat(&self) -> bool {
        let p = &self.parameters;
        let leads_back = p.steps.bits() & !Directions::FORWARD_AND_SIDEWAYS.bits() != 0;
        p.ply_limit.is_none() && (leads_back || !p.no_return)
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
    fn only_classic_can_go_round_in_circles() {
        assert_eq!(Rules::ALL.map(Rules::can_repeat), [true, false, false, false]);
    }

    #[test]
    fn only_classic_has_the_symmetries_of_the_square() {
        let orders = Rules::ALL.map(|rules| rules.symmetry().order());
        assert_eq!(orders, [8, 2, 2, 2]);
    }
}
