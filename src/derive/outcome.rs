//! What is known of positions: as bits of a word for 64 positions at a time, and one by one.
//!
//! A word of 64 positions has `2 + digits` planes, one word each: those that are won, those that are not
//! lost, and the binary digits of the distance, the lowest first. The distance of a draw is 0. Outcomes have
//! an order, the one in which the opponent of the side to move prefers them: first losses, the sooner the
//! better, then draws, then wins, the later the better. The outcome of a position follows from the least
//! among its successors, in which the other side is to move.

/// Planes before the digits: won, and not lost.
pub const VALUES: usize = 2;

/// The most planes that there can be.
pub const MOST_PLANES: usize = VALUES + u16::BITS as usize;

/// How many digits distances up to `longest` take.
pub fn digits(longest: u16) -> usize {
    (u16::BITS - longest.leading_zeros()) as usize
}

/// The outcome of one position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Outcome(u32);

/// The largest distance there is room for.
const MOST: u32 = 1 << 16;

impl Outcome {
    pub const DRAW: Outcome = Outcome(MOST);

    pub const fn lost(distance: u16) -> Outcome {
        Outcome(distance as u32)
    }

    const fn won(distance: u32) -> Outcome {
        Outcome(2 * MOST - distance)
    }

    /// The outcome that bit `place` of the planes of a word stands for.
    #[inline(always)]
    pub fn read(planes: &[u64], place: u32) -> Outcome {
        let bit = |plane: u64| (plane >> place & 1) as u32;
        let [won, held, digits @ ..] = planes else { return Outcome::DRAW };
        let (won, held) = (bit(*won), bit(*held));
        if won != held {
            return Outcome::DRAW;
        }
        let digits = digits.iter().enumerate();
        let distance = digits.fold(0, |distance, (digit, &plane)| distance | bit(plane) << digit);
        if won != 0 { Outcome::won(distance) } else { Outcome(distance) }
    }

    /// What a position is worth from which the best move leads to this outcome for the other side. Without
    /// distances all are 0.
    #[inline(always)]
    pub fn before(self, distances: bool) -> Outcome {
        let ply = u32::from(distances);
        match self.0 {
            MOST => self,
            lost if lost < MOST => Outcome::won(lost + ply),
            won => Outcome(2 * MOST - won + ply),
        }
    }
}

/// For each column of a row the least outcome that was offered, as planes.
#[derive(Default)]
pub struct Least {
    words: usize,
    /// The columns that have an offer.
    pub seen: Vec<u64>,
    /// The planes, one after the other. Digits are inverted where the outcome is a win, so that the smaller
    /// number is less.
    planes: Vec<u64>,
}

impl Least {
    /// Forgets all offers; there will be some for rows of so many words with so many digits.
    pub fn reset(&mut self, words: usize, digits: usize) {
        self.words = words;
        self.seen.clear();
        self.seen.resize(words, 0);
        self.planes.clear();
        // Nothing is more than a win in 0.
        self.planes.resize((VALUES + digits) * words, u64::MAX);
    }

    /// Offers the outcomes in `planes` to `columns` of a word.
    #[inline(always)]
    pub fn offer(&mut self, word: usize, columns: u64, planes: &[u64]) {
        let at = |plane: usize| plane * self.words + word;
        let (won, held) = (planes[0], planes[1]);
        let (own_won, own_held) = (self.planes[at(0)], self.planes[at(1)]);
        let mut less = !held & own_held | !won & own_won;
        let mut equal = !(held ^ own_held | won ^ own_won);
        for plane in (VALUES..planes.len()).rev() {
            let (digit, own) = (planes[plane] ^ won, self.planes[at(plane)]);
            less |= equal & !digit & own;
            equal &= !(digit ^ own);
        }
        let take = less & columns;
        self.seen[word] |= columns;
        if take == 0 {
            return;
        }
        for (plane, &offered) in planes.iter().enumerate() {
            let offered = if plane < VALUES { offered } else { offered ^ won };
            let own = &mut self.planes[plane * self.words + word];
            *own = *own & !take | offered & take;
        }
    }

    /// The least outcome of one column, which must have an offer.
    #[inline]
    pub fn outcome(&self, word: usize, place: u32) -> Outcome {
        let mut planes = [0; MOST_PLANES];
        let planes = &mut planes[..self.planes.len() / self.words];
        self.get(word, planes);
        Outcome::read(planes, place)
    }

    /// The least outcomes of a word, as planes; of columns without an offer they mean nothing.
    #[inline(always)]
    pub fn get(&self, word: usize, into: &mut [u64]) {
        let won = self.planes[word];
        for (plane, into) in into.iter_mut().enumerate() {
            let own = self.planes[plane * self.words + word];
            *into = if plane < VALUES { own } else { own ^ won };
        }
    }
}

/// Turns planes of outcomes for the other side after a move into those before it. Returns the columns whose
/// distance has no room. With no `distances` there are none to count.
#[inline(always)]
pub fn before(planes: &mut [u64]) -> u64 {
    let [won, held, digits @ ..] = planes else { return 0 };
    (*won, *held) = (!*held, !*won);
    let mut carry = !(*won ^ *held);
    for digit in digits.iter_mut() {
        (*digit, carry) = (*digit ^ carry, *digit & carry);
    }
    if digits.is_empty() { 0 } else { carry }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Planes of 64 outcomes: a value and a distance each.
    fn planes(outcomes: &[(u8, u16)], digits: usize) -> Vec<u64> {
        let mut planes = vec![0; VALUES + digits];
        for (place, &(value, distance)) in outcomes.iter().enumerate() {
            planes[0] |= u64::from(value == 2) << place;
            planes[1] |= u64::from(value >= 1) << place;
            for digit in 0..digits {
                let distance = if value == 1 { 0 } else { distance };
                planes[VALUES + digit] |= u64::from(distance >> digit & 1) << place;
            }
        }
        planes
    }

    proptest! {
        #[test]
        fn words_and_single_outcomes_agree(
            digits in 0..6_usize,
            offers in prop::collection::vec((prop::collection::vec((0..3_u8, 0..31_u16), 64), any::<u64>()), 1..6),
        ) {
            let mut least = Least::default();
            least.reset(1, digits);
            let mut singly = [None; 64];
            for (outcomes, columns) in &offers {
                let offered = planes(outcomes, digits);
                least.offer(0, *columns, &offered);
                for place in (0..64).filter(|place| columns >> place & 1 != 0) {
                    let outcome = Outcome::read(&offered, place);
                    let known = &mut singly[place as usize];
                    *known = Some(known.map_or(outcome, |known: Outcome| known.min(outcome)));
                }
            }
            let mut found = vec![0; VALUES + digits];
            least.get(0, &mut found);
            let after = found.clone();
            let full = before(&mut found);
            for (place, single) in singly.iter().enumerate() {
                let place = place as u32;
                prop_assert_eq!(least.seen[0] >> place & 1 != 0, single.is_some());
                let Some(single) = *single else { continue };
                prop_assert_eq!(Outcome::read(&after, place), single);
                if full >> place & 1 == 0 {
                    prop_assert_eq!(Outcome::read(&found, place), single.before(digits > 0));
                }
            }
        }
    }
}
