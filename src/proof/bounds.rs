//! What is known of a question: bounds that are proven, and numbers that guide the search.

/// A number of plies that is not known, or that no count reaches.
const NEVER: u16 = 1023;
/// The most plies without a capture that a search can allow.
pub(super) const MOST_PLIES: u16 = NEVER - 1;

/// How many plies without a capture there can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plies {
    /// The search looks for wins with so many left after each capture, no more.
    pub allowed: u16,
    /// The rules never leave more.
    pub limit: u16,
}

/// What is proven of "does the attacker win, if the game is drawn after so many more plies without a
/// capture?". The more plies are left, the easier: two bounds say it all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// The attacker wins with at least so many plies left; [`NEVER`] if nothing is known.
    pub won_from: u16,
    /// The attacker does not win with fewer plies left than this; [`NEVER`] = with however many; 0 if
    /// nothing is known.
    pub not_won_below: u16,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Bounds = Bounds { won_from: NEVER, not_won_below: 0 };
    /// The attacker has won.
    pub const WON: Bounds = Bounds::won_from(0);
    /// The attacker does not win, however many plies are left.
    pub const NOT_WON: Bounds = Bounds::not_won_below(NEVER);

    /// The attacker wins with so many plies left.
    pub const fn won_from(plies: u16) -> Bounds {
        Bounds { won_from: plies, not_won_below: 0 }
    }

    /// The attacker does not win with fewer plies left.
    pub const fn not_won_below(plies: u16) -> Bounds {
        Bounds { won_from: NEVER, not_won_below: plies }
    }

    /// What the bounds say with `left` plies left: whether the attacker wins.
    #[inline]
    pub const fn settle(self, left: u16) -> Option<bool> {
        if left >= self.won_from {
            Some(true)
        } else if left < self.not_won_below {
            Some(false)
        } else {
            None
        }
    }

    /// What the bounds say after a capture, if the search allows `most` plies then. A win that is known is
    /// one, even if it takes longer than the search allows: no bound is above what the rules leave.
    #[inline]
    pub const fn settle_after_capture(self, most: u16) -> Option<bool> {
        if self.won_from < NEVER { Some(true) } else { self.settle(most) }
    }

    /// Both what `self` and what `other` says.
    #[inline]
    #[must_use]
    pub fn and(self, other: Bounds) -> Bounds {
        Bounds {
            won_from: self.won_from.min(other.won_from),
            not_won_below: self.not_won_below.max(other.not_won_below),
        }
    }

    /// What the bounds of the position after a move say of the position before it.
    #[inline]
    #[must_use]
    pub fn before(self, by_capture: bool, plies: Plies) -> Bounds {
        if by_capture {
            // The count begins anew: it matters only that one ply was left.
            return match self.settle_after_capture(plies.allowed) {
                Some(true) => Bounds::won_from(1),
                Some(false) => Bounds::NOT_WON,
                None => Bounds::UNKNOWN,
            };
        }
        // What takes more plies than the rules ever leave does not happen.
        let one_more = |bound: u16| if bound < plies.limit { bound + 1 } else { NEVER };
        Bounds {
            won_from: one_more(self.won_from),
            not_won_below: if self.not_won_below == 0 { 0 } else { one_more(self.not_won_below) },
        }
    }

    /// What is proven when the mover may choose between what has these bounds. `attacking`: the mover is the
    /// attacker.
    #[inline]
    #[must_use]
    pub fn or(self, other: Bounds, attacking: bool) -> Bounds {
        let choose = |a: u16, b: u16| if attacking { a.min(b) } else { a.max(b) };
        Bounds {
            won_from: choose(self.won_from, other.won_from),
            not_won_below: choose(self.not_won_below, other.not_won_below),
        }
    }
}

/// How much is still to do: about so many positions must be won, or not won, to settle a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// To prove that the attacker wins.
    pub proof: u32,
    /// To prove that he does not.
    pub disproof: u32,
}

/// More than any number.
pub(super) const INFINITE: u32 = u32::MAX;

impl Numbers {
    /// No limit for either.
    pub const UNLIMITED: Numbers = Numbers { proof: INFINITE, disproof: INFINITE };

    /// The number of what the mover wants, and of what he fears.
    #[inline]
    pub const fn for_mover(self, attacking: bool) -> (u32, u32) {
        if attacking { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    /// The inverse of [`for_mover`](Self::for_mover).
    #[inline]
    pub const fn of_mover(wanted: u32, feared: u32, attacking: bool) -> Numbers {
        if attacking {
            Numbers { proof: wanted, disproof: feared }
        } else {
            Numbers { proof: feared, disproof: wanted }
        }
    }
}

/// What is known of a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Knowledge {
    /// The last numbers found, with whatever number of plies left: at least 1 each, no proof of anything.
    pub numbers: Numbers,
    /// What is proven.
    pub bounds: Bounds,
    /// Four times the binary logarithm of the positions visited for it.
    pub work: u8,
}

/// The [`Knowledge::work`] of so many positions.
#[inline]
pub(super) fn work_of(positions: u64) -> u8 {
    let positions = positions.max(1) << 2;
    let log = positions.ilog2();
    ((log - 2) * 4 + (positions >> (log - 2) & 3) as u32) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLIES: Plies = Plies { allowed: 16, limit: 50 };

    #[test]
    fn a_win_that_comes_after_the_limit_is_none() {
        let last = Bounds { won_from: 49, not_won_below: 49 };
        let before = last.before(false, PLIES);
        assert_eq!(before, Bounds { won_from: 50, not_won_below: 50 });
        assert_eq!(before.settle_after_capture(50), Some(true));
        // One ply earlier not even the position right after a capture is won.
        let too_late = before.before(false, PLIES);
        assert_eq!(too_late, Bounds { won_from: NEVER, not_won_below: NEVER });
        assert_eq!(too_late.settle_after_capture(50), Some(false));
        assert_eq!(too_late.before(true, PLIES), Bounds::NOT_WON);
    }

    #[test]
    fn a_capture_begins_the_count_anew() {
        assert_eq!(Bounds::won_from(40).before(true, PLIES), Bounds::won_from(1));
        assert_eq!(Bounds::not_won_below(17).before(true, PLIES), Bounds::NOT_WON);
        assert_eq!(Bounds::not_won_below(16).before(true, PLIES), Bounds::UNKNOWN);
        assert_eq!(Bounds::UNKNOWN.before(false, PLIES), Bounds::UNKNOWN);
    }
}
