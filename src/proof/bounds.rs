//! What is known about a question: proven bounds, and numbers that guide the search.

/// An unknown number of plies, or more than any count reaches.
const NEVER: u16 = 1023;
/// The most plies without a capture that a search can allow.
pub(super) const MOST_PLIES: u16 = NEVER - 1;

/// How many plies without a capture there can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Plies {
    /// Plies that the search allows after each capture.
    pub allowed: u16,
    /// The most plies that the rules ever leave.
    pub limit: u16,
}

/// What is proven about "does the attacker win, if the game is drawn after *n* more plies without a
/// capture?". More plies make it easier, so two bounds are enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// The attacker wins with at least this many plies left; [`NEVER`] if nothing is known.
    pub won_from: u16,
    /// The attacker does not win with fewer plies left than this; [`NEVER`]: with any number of plies; 0 if
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

    /// The attacker wins with at least `plies` plies left.
    pub const fn won_from(plies: u16) -> Bounds {
        Bounds { won_from: plies, not_won_below: 0 }
    }

    /// The attacker does not win with fewer plies left.
    pub const fn not_won_below(plies: u16) -> Bounds {
        Bounds { won_from: NEVER, not_won_below: plies }
    }

    /// Whether the attacker wins with `left` plies left, if the bounds tell.
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

    /// Whether the attacker wins after a capture, if the search then allows `most` plies. A known win counts
    /// even if it takes longer than the search allows: no bound exceeds what the rules leave.
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
            // The count starts again: all that matters is that one ply was left.
            return match self.settle_after_capture(plies.allowed) {
                Some(true) => Bounds::won_from(1),
                Some(false) => Bounds::NOT_WON,
                None => Bounds::UNKNOWN,
            };
        }
        // Nothing can take more plies than the rules ever leave.
        let one_more = |bound: u16| if bound < plies.limit { bound + 1 } else { NEVER };
        Bounds {
            won_from: one_more(self.won_from),
            not_won_below: if self.not_won_below == 0 { 0 } else { one_more(self.not_won_below) },
        }
    }

    /// The bounds of a choice between positions with these bounds. `attacking`: the mover is the
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

/// How much is left to do: about how many positions must be won, or not won, to settle a question.
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

    /// The number for what the mover wants, then that for what the mover fears.
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

/// What is known about a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Knowledge {
    /// The latest numbers, for any number of plies left. At least 1 each; they prove nothing.
    pub numbers: Numbers,
    /// What is proven.
    pub bounds: Bounds,
    /// Four times the binary logarithm of the number of positions visited for it.
    pub work: u8,
}

/// The [`Knowledge::work`] of this many positions.
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
        // One ply earlier, even the position right after a capture is not won.
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
