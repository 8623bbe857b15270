//! Whether the entries of one claim prove it.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::book::Book;
use super::leaves::Leaves;
use super::{CheckError, CheckOptions, Flaw, Place, broken};
use crate::canonical::Canonical;
use crate::certificate::{Certificate, Claim, Goal, successors};
use crate::moves::{has_legal_move, legal_moves};
use crate::rules::Rules;
use crate::table::Value;

/// Plies that are left before the ply counter, or the bound of an entry, ends the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Left {
    /// Nothing counts plies.
    Endless,
    /// This many, perhaps 0.
    Plies(u16),
}

impl Left {
    /// What is left after one more ply without a capture; `None` if none was left.
    fn after_one(self) -> Option<Left> {
        match self {
            Left::Endless => Some(Left::Endless),
            Left::Plies(plies) => plies.checked_sub(1).map(Left::Plies),
        }
    }
}

/// Checks one claim.
pub(super) struct Checker<'a> {
    pub rules: &'static Rules,
    pub root: Canonical,
    pub claim: Claim,
    pub leaves: &'a Leaves<'a>,
    pub book: &'a Book,
    pub options: &'a CheckOptions<'a>,
    left_at_root: Left,
    /// What is left after a capture.
    most: Left,
    /// Which entries are needed.
    needed: Vec<AtomicBool>,
}

impl<'a> Checker<'a> {
    pub fn new(
        certificate: &Certificate,
        claim: Claim,
        leaves: &'a Leaves<'a>,
        book: &'a Book,
        options: &'a CheckOptions<'a>,
    ) -> Checker<'a> {
        let (rules, root) = (certificate.rules(), certificate.root());
        let (left_at_root, most) = match rules.ply_limit() {
            None => (Left::Endless, Left::Endless),
            // A root is a legal position: its counter is not above the limit.
            Some(limit) => {
                (Left::Plies(limit.saturating_sub(root.plies()).into()), Left::Plies(limit.into()))
            }
        };
        let needed = book.keys.iter().map(|_| AtomicBool::new(false)).collect();
        let root = Canonical::of(rules, root);
        Checker { rules, root, claim, leaves, book, options, left_at_root, most, needed }
    }

    /// Plays from the root, all positions of the same distance at once.
    pub fn check(&self) -> Result<(), CheckError> {
        let mut found = Vec::new();
        if self.claim.by_mover {
            self.require(self.root, self.left_at_root, &mut found)?;
        } else {
            self.answer(self.root, self.left_at_root, &mut found)?;
        }
        while !found.is_empty() {
            let follow = |mut next: Vec<Place>, &place: &Place| {
                self.options.go_on()?;
                self.follow(place, &mut next)?;
                Ok::<_, CheckError>(next)
            };
            found = found.par_iter().try_fold(Vec::new, follow).try_reduce(Vec::new, |mut a, b| {
                a.extend(b);
                Ok(a)
            })?;
        }
        match self.needed.iter().position(|needed| !needed.load(Ordering::Relaxed)) {
            Some(place) => Err(broken(Canonical::from_key(self.book.keys[place]), Flaw::NotNeeded)),
            None => Ok(()),
        }
    }

    /// Checks an entry; adds the entries that must hold for it to hold.
    fn follow(&self, place: Place, next: &mut Vec<Place>) -> Result<(), CheckError> {
        let (canonical, bound) = (self.canonical(place), self.book.bounds[place as usize]);
        let counts = self.most != Left::Endless;
        match self.claim.goal {
            Goal::Win if bound == 0 => return Err(broken(canonical, Flaw::TooLate)),
            // The game is drawn here, as long as it is not lost.
            Goal::Hold if counts && bound == 0 => {
                let moves = has_legal_move(self.rules, &canonical.position(0));
                return if moves { Ok(()) } else { Err(broken(canonical, Flaw::NoSuchMove)) };
            }
            _ => {}
        }
        let (after, captures) = self.reply(place)?;
        let left = match self.claim.goal {
            _ if captures => Some(self.most),
            Goal::Hold if !counts => Some(Left::Endless),
            _ => Left::Plies(bound).after_one(),
        };
        self.answer(after, left.ok_or_else(|| broken(canonical, Flaw::TooLate))?, next)
    }

    fn canonical(&self, place: Place) -> Canonical {
        Canonical::from_key(self.book.keys[place as usize])
    }

    /// The position after the reply of an entry, and whether that captures.
    pub fn reply(&self, place: Place) -> Result<(Canonical, bool), CheckError> {
        let canonical = self.canonical(place);
        let position = Canonical::position_of(self.rules, canonical.key())
            .ok()
            .filter(|position| Canonical::of(self.rules, position) == canonical)
            .ok_or_else(|| broken(canonical, Flaw::NotCanonical))?;
        let successors = successors(self.rules, &position);
        let after = successors.get(usize::from(self.book.replies[place as usize]));
        let after = *after.ok_or_else(|| broken(canonical, Flaw::NoSuchMove))?;
        Ok((after, after.own().count() < canonical.opponent().count()))
    }

    /// The prover has moved, `left` plies are left, and all answers of the other side must lead to entries.
    fn answer(&self, canonical: Canonical, left: Left, next: &mut Vec<Place>) -> Result<(), CheckError> {
        if self.is_right_leaf(canonical, left, false)? {
            return Ok(());
        }
        let position = canonical.position(0);
        let moves = legal_moves(self.rules, &position);
        let Some(left_after) = left.after_one() else {
            // The bound is used up, or the game is drawn; unless it is over.
            let fails = self.claim.goal == Goal::Win && !moves.is_empty();
            return if fails { Err(broken(canonical, Flaw::TooLate)) } else { Ok(()) };
        };
        for mv in &moves {
            let left = if mv.is_capture() { self.most } else { left_after };
            self.require(Canonical::of(self.rules, &position.play(self.rules, mv)), left, next)?;
        }
        Ok(())
    }

    /// The prover is to move with `left` plies left: there must be an entry that holds, unless tables know
    /// the position.
    fn require(&self, canonical: Canonical, left: Left, next: &mut Vec<Place>) -> Result<(), CheckError> {
        if self.is_right_leaf(canonical, left, true)? {
            return Ok(());
        }
        let place = self.book.find(canonical.key()).ok_or_else(|| broken(canonical, Flaw::NoEntry))?;
        let bound = self.book.bounds[place as usize];
        if let Left::Plies(left) = left {
            let fits = match self.claim.goal {
                Goal::Win => bound <= left,
                Goal::Hold => bound >= left,
            };
            if !fits {
                return Err(broken(canonical, Flaw::Bound { bound, left }));
            }
        }
        if !self.needed[place as usize].swap(true, Ordering::Relaxed) {
            next.push(place);
        }
        Ok(())
    }

    /// Whether tables know the position; an error if they know the claim to be wrong.
    fn is_right_leaf(&self, canonical: Canonical, left: Left, by_prover: bool) -> Result<bool, CheckError> {
        let plies = match (self.most, left) {
            (Left::Plies(most), Left::Plies(left)) => {
                let plies = most.checked_sub(left).and_then(|plies| u8::try_from(plies).ok());
                plies.ok_or_else(|| broken(canonical, Flaw::TooManyLeft { left }))?
            }
            // No counter: whatever is left of the bound, the tables know the way.
            _ => 0,
        };
        let Some(value) = self.leaves.value(canonical, plies)? else { return Ok(false) };
        let value = if by_prover { value } else { value.reversed() };
        let right = match self.claim.goal {
            Goal::Win => value == Value::Win,
            Goal::Hold => value != Value::Loss,
        };
        if right { Ok(true) } else { Err(broken(canonical, Flaw::Table)) }
    }
}
