//! Making a rule set in a program.

use std::sync::{Mutex, PoisonError};

use super::{Captures, Chains, NoMoves, Parameters, Rules, RulesError, Side};
use crate::board::{Bitboard, Directions};

/// Makes a rule set. Whatever is not set is as in `classic`.
///
/// ```
/// use alquerque::rules::{Captures, Rules};
///
/// let rules = Rules::builder("lenient").captures(Captures::Optional).ply_limit(Some(40)).build()?;
/// assert!(!rules.captures_are_compulsory());
/// # Ok::<(), alquerque::rules::RulesError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct RulesBuilder {
    name: String,
    title: String,
    parameters: Parameters,
}

/// The rule sets that were made so far: each is kept once and for good.
static MADE: Mutex<Vec<&'static Rules>> = Mutex::new(Vec::new());

/// The rule sets of this name that were made so far.
pub(super) fn made(name: &str) -> Vec<&'static Rules> {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.iter().filter(|rules| rules.name() == name).copied().collect()
}

impl RulesBuilder {
    pub(super) fn new(name: String) -> RulesBuilder {
        RulesBuilder { name, title: String::new(), parameters: Parameters::CLASSIC }
    }

    /// The name for people, at most 80 bytes.
    pub fn title(mut self, title: &str) -> RulesBuilder {
        self.title = title.to_owned();
        self
    }

    /// Where White's stones may step, and whether they may on the far rank.
    pub fn steps(mut self, steps: Directions, on_far_rank: bool) -> RulesBuilder {
        (self.parameters.steps, self.parameters.steps_on_far_rank) = (steps, on_far_rank);
        self
    }

    /// Whether captures are compulsory.
    pub fn captures(mut self, captures: Captures) -> RulesBuilder {
        self.parameters.captures = captures;
        self
    }

    /// Where the first and the later jumps of White's stones may go; without a direction for later ones a
    /// move has one jump.
    pub fn jumps(mut self, first: Directions, later: Directions) -> RulesBuilder {
        (self.parameters.first_jumps, self.parameters.later_jumps) = (first, later);
        self
    }

    /// Whether chains must go on.
    pub fn chains(mut self, chains: Chains) -> RulesBuilder {
        self.parameters.chains = chains;
        self
    }

    /// Whether a stone that stepped sideways may not step straight back.
    pub fn no_return(mut self, no_return: bool) -> RulesBuilder {
        self.parameters.no_return = no_return;
        self
    }

    /// After how many plies without a capture the game is a draw.
    pub fn ply_limit(mut self, limit: Option<u8>) -> RulesBuilder {
        self.parameters.ply_limit = limit;
        self
    }

    /// What the side to move gets that has stones but no legal move.
    pub fn no_moves(mut self, no_moves: NoMoves) -> RulesBuilder {
        self.parameters.no_moves = no_moves;
        self
    }

    /// White's and Black's stones at the start, and who moves first.
    pub fn start(mut self, [white, black]: [Bitboard; 2], first: Side) -> RulesBuilder {
        (self.parameters.start, self.parameters.first_to_move) = ([white, black], first);
        self
    }

    /// The rule set. It is kept to the end of the process; equal ones are kept once.
    ///
    /// # Errors
    /// [`RulesError`] when a built-in rule set has the name, or the parameters make no rule set.
    pub fn build(self) -> Result<&'static Rules, RulesError> {
        if Rules::by_name(&self.name).is_ok() {
            return Err(RulesError::Taken);
        }
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |rules: &Rules| {
            let known = rules.parameters();
            let parameters = Parameters { name: known.name, title: known.title, ..self.parameters };
            *known == parameters && known.name == self.name && known.title == self.title
        };
        if let Some(known) = made.iter().find(|rules| is_same(rules)) {
            return Ok(known);
        }
        // Names that make no rule set are not worth keeping.
        if let Some(fault) = self.parameters.fault_with(&self.name, &self.title) {
            return Err(fault);
        }
        let parameters = Parameters { name: self.name.leak(), title: self.title.leak(), ..self.parameters };
        let rules: &'static Rules = Box::leak(Box::new(Rules::new(parameters)?));
        made.push(rules);
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rules_are_kept_once() {
        let make = |limit| Rules::builder("kept-once").ply_limit(Some(limit)).build().unwrap();
        assert!(std::ptr::eq(make(17), make(17)));
        assert_ne!(make(17), make(18));
        assert_eq!(Rules::known_as("kept-once"), [make(17), make(18)]);
        assert_eq!(Rules::known_as("qirkat").len(), 1);
        assert!(Rules::known_as("never-made").is_empty());
        assert_eq!(Rules::builder("qirkat").build().err(), Some(RulesError::Taken));
        assert_eq!(Rules::builder("Kept").build().err(), Some(RulesError::Name));
    }
}
