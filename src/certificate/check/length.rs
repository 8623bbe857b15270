//! How long a win takes at most.

use rayon::prelude::*;

use super::claim::Checker;
use super::{CheckError, Place};
use crate::canonical::{Canonical, Key};
use crate::moves::legal_moves;

/// The plies are not known, because tables do not tell.
const UNKNOWN: u32 = u32::MAX;

impl Checker<'_> {
    /// The plies from the root to the end if the winner plays by the entries, which must have been checked,
    /// and the loser delays. Entries are looked at in the order in which each follows those that it leads
    /// to: by stones, then by bound.
    pub(super) fn length(&self) -> Result<Option<u32>, CheckError> {
        let mut order: Vec<Place> = (0..self.book.keys.len() as Place).collect();
        let rank =
            |place: &Place| (stones_of(self.book.keys[*place as usize]), self.book.bounds[*place as usize]);
        order.par_sort_unstable_by_key(rank);
        let mut lengths = vec![UNKNOWN; order.len()];
        for equals in order.chunk_by(|a, b| rank(a) == rank(b)) {
            let length = |&place: &Place| {
                self.options.go_on()?;
                Ok(self.after_reply(self.reply(place)?.0, &lengths)?.saturating_add(1))
            };
            let found: Vec<u32> = equals.par_iter().map(length).collect::<Result<_, CheckError>>()?;
            for (&place, length) in equals.iter().zip(found) {
                lengths[place as usize] = length;
            }
        }
        let length = match self.claim.by_mover {
            true => self.of_entry(self.root, &lengths)?,
            false => self.after_reply(self.root, &lengths)?,
        };
        Ok((length < UNKNOWN).then_some(length))
    }

    fn after_reply(&self, canonical: Canonical, lengths: &[u32]) -> Result<u32, CheckError> {
        if let Some(plies) = self.leaves.plies(canonical)? {
            return Ok(plies.map_or(UNKNOWN, u32::from));
        }
        let position = canonical.position(0);
        let mut longest = 0;
        for mv in legal_moves(self.rules, &position) {
            let next = Canonical::of(self.rules, &position.play(self.rules, &mv));
            longest = longest.max(self.of_entry(next, lengths)?.saturating_add(1));
        }
        Ok(longest)
    }

    fn of_entry(&self, canonical: Canonical, lengths: &[u32]) -> Result<u32, CheckError> {
        match self.leaves.plies(canonical)? {
            Some(plies) => Ok(plies.map_or(UNKNOWN, u32::from)),
            None => Ok(self.book.find(canonical.key()).map_or(UNKNOWN, |place| lengths[place as usize])),
        }
    }
}

const fn stones_of(key: Key) -> u32 {
    key.stones.count_ones()
}
