//! The rule sets, as data.
//!
//! A rule set is a set of [`Parameters`] and nothing else: move generation, text forms, the index and the
//! solver read what they need from it. Users write their own as [rule files](Rules::from_toml). The sources
//! of the built-in rules, and the readings chosen where sources are silent, are described in `docs/rules.md`.

mod builder;
mod built_in;
mod file;
mod geometry;
mod motion;
mod parameters;
mod side;
mod words;

pub use builder::RulesBuilder;
pub use built_in::{ALFONSO, BRAINKING, CLASSIC, MURRAY, QIRKAT, YOUZAI};
pub use file::{RuleFileError, RulesSourceError};
pub use geometry::{Jump, SideGeometry};
pub use motion::StoneState;
pub use parameters::{Captures, Chains, MAX_PLY_LIMIT, NoMoves, Parameters, RulesError};
pub use side::Side;

use std::fmt;

use crate::board::{MAX_STONES, Point, SymmetryGroup};
use motion::{Motion, seen_by_white};

/// A rule set: its parameters and the move geometry that follows from them.
pub struct Rules {
    parameters: Parameters,
    sides: [SideGeometry; 2],
    symmetry: SymmetryGroup,
    /// `None` when a stone can step in a circle.
    motion: Option<Motion>,
}

/// No known rule set has the name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown rules '{0}'; known are classic, brainking, youzai, qirkat, alfonso and murray")]
pub struct UnknownRules(String);

impl Rules {
    /// The built-in rule sets.
    pub const ALL: [&'static Rules; 6] = [&CLASSIC, &BRAINKING, &YOUZAI, &QIRKAT, &ALFONSO, &MURRAY];

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

    /// The built-in rule set called `name`.
    ///
    /// # Errors
    /// [`UnknownRules`] if no rule set has that name.
    pub fn by_name(name: &str) -> Result<&'static Rules, UnknownRules> {
        let found = Self::ALL.into_iter().find(|rules| rules.name() == name);
        found.ok_or_else(|| UnknownRules(name.to_owned()))
    }

    /// The rule sets called `name` that this process knows: the built-in one, or all that were made so far
    /// from files and builders.
    pub fn known_as(name: &str) -> Vec<&'static Rules> {
        Self::by_name(name).map_or_else(|_| builder::made(name), |rules| vec![rules])
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

    /// Whether a side that can capture must.
    pub const fn captures_are_compulsory(&self) -> bool {
        matches!(self.parameters.captures, Captures::Compulsory)
    }

    /// What the side to move gets that has stones but no legal move.
    pub const fn no_moves(&self) -> NoMoves {
        self.parameters.no_moves
    }

    /// What these rules have that proofs cannot represent, if anything.
    pub(crate) const fn unsolved(&self) -> Option<&'static str> {
        match self.parameters.no_moves {
            NoMoves::Draw => Some("draws for want of a legal move"),
            NoMoves::Loss => None,
        }
    }

    /// Whether stones carry forbidden steps.
    pub const fn no_return(&self) -> bool {
        self.parameters.marks_stones()
    }

    /// Whether tables can number the states of stones: a side has at most 64 pairs of a point and a state.
    /// With forbidden steps on all five ranks there are 65.
    pub(crate) const fn states_have_numbers(&self) -> bool {
        self.no_return() && !self.parameters.steps_on_far_rank
    }

    /// After how many plies without a capture the game is a draw, if ever.
    pub const fn ply_limit(&self) -> Option<u8> {
        self.parameters.ply_limit
    }

    /// Whether the distance to win is a number of plies that depends on the placement alone. It does not
    /// where a counter of plies without a capture can take a win away.
    pub const fn has_distance_to_win(&self) -> bool {
        self.parameters.ply_limit.is_none()
    }

    /// Whether no placement, with the states of its stones, can occur twice in a game: a stone never returns
    /// by steps to a point where it stood in the same state.
    pub const fn is_acyclic(&self) -> bool {
        self.motion.is_some()
    }

    /// Whether a position can occur again in a game. A ply counter is part of the position and prevents that.
    pub const fn can_repeat(&self) -> bool {
        self.parameters.ply_limit.is_none() && !self.is_acyclic()
    }

    /// Whether a game can be drawn.
    pub const fn has_draws(&self) -> bool {
        self.parameters.ply_limit.is_some() || self.can_repeat() || matches!(self.no_moves(), NoMoves::Draw)
    }

    /// The most steps that a stone of `side` in `state` can make from `point` on, with all other points
    /// empty; `None` when some stone can step in a circle.
    pub const fn longest_path(&self, side: Side, point: Point, state: StoneState) -> Option<u8> {
        match &self.motion {
            Some(motion) => {
                let (point, state) = seen_by_white(side, point, state);
                Some(motion.longest(point, state))
            }
            None => None,
        }
    }

    /// No game has more plies in a row without a capture; `None` where such play has no end. A bound, not the
    /// exact number: every stone is taken to walk its longest path.
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

    /// A line of text from which two programs can tell that they mean the same rules. Names, the start
    /// position and who moves first change no value, and are not in it.
    pub fn description(&self) -> String {
        let p = &self.parameters;
        let mut line = format!(
            "steps={:02x} far-rank-steps={} first-jumps={:02x} later-jumps={:02x} no-return={} ply-limit={}",
            p.steps.bits(),
            u8::from(p.steps_on_far_rank),
            p.first_jumps.bits(),
            p.later_jumps.bits(),
            u8::from(p.no_return),
            p.ply_limit.unwrap_or(0),
        );
        // Tables made before these could be set have a line without them.
        if p.captures == Captures::Optional {
            line.push_str(" captures=optional");
        }
        if p.chains == Chains::MayStop {
            line.push_str(" chains=may-stop");
        }
        if p.no_moves == NoMoves::Draw {
            line.push_str(" no-moves=draw");
        }
        line
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
    use crate::board::{Bitboard, Directions};

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
        assert_eq!(Rules::ALL.map(Rules::is_acyclic), [false, true, false, true, false, false]);
        assert_eq!(Rules::ALL.map(Rules::can_repeat), [true, false, false, false, true, true]);
        assert_eq!(Rules::ALL.map(Rules::has_draws), [true, false, true, false, true, true]);
        // Four steps sideways on each of four ranks, and four forward.
        assert_eq!(
            Rules::ALL.map(Rules::longest_quiet_play),
            [None, Some(24 * 20), Some(50), Some(24 * 20), None, None]
        );
        assert_eq!(YOUZAI.longest_game(), Some(24 * 50 + 23));
    }

    #[test]
    fn free_steps_have_the_symmetries_of_the_square() {
        let orders = Rules::ALL.map(|rules| rules.symmetry().order());
        assert_eq!(orders, [8, 2, 2, 2, 8, 8]);
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
        let classic = Parameters::CLASSIC;
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
        for title in ["\u{7}", "a\nb", "\u{9b}31m", &*"x".repeat(81).leak()] {
            assert_eq!(refused(Parameters { title, ..classic }), Some(RulesError::Title), "{title:?}");
        }
        let [white, black] = classic.start;
        for start in [[white, white], [white, Bitboard::EMPTY], [!black, black]] {
            assert_eq!(refused(Parameters { start, ..classic }), Some(RulesError::Start));
        }
        assert!(Rules::new(Parameters { later_jumps: none, title: "Alquerque à douze", ..classic }).is_ok());
    }

    #[test]
    fn tables_of_the_built_in_rules_keep_their_description() {
        let known = [
            "steps=ff far-rank-steps=1 first-jumps=ff later-jumps=ff no-return=0 ply-limit=0",
            "steps=c7 far-rank-steps=0 first-jumps=c7 later-jumps=ff no-return=1 ply-limit=0",
            "steps=c7 far-rank-steps=0 first-jumps=ff later-jumps=ff no-return=0 ply-limit=50",
            "steps=c7 far-rank-steps=0 first-jumps=ff later-jumps=ff no-return=1 ply-limit=0",
            "steps=ff far-rank-steps=1 first-jumps=ff later-jumps=00 no-return=0 ply-limit=0 captures=optional",
            "steps=ff far-rank-steps=1 first-jumps=ff later-jumps=ff no-return=0 ply-limit=0 captures=optional chains=may-stop",
        ];
        assert_eq!(Rules::ALL.map(Rules::description), known);
        let changed = Parameters {
            captures: Captures::Optional,
            chains: Chains::MayStop,
            no_moves: NoMoves::Draw,
            ..Parameters::CLASSIC
        };
        let line = Rules::new(changed).unwrap().description();
        assert_eq!(line, format!("{} captures=optional chains=may-stop no-moves=draw", known[0]));
    }
}
