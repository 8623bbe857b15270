//! A bounded cache of positions with captures, whose values are in no table: what was worked out by playing
//! the captures.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Verdict;
use crate::position::Position;
use crate::rules::Side;
use crate::table::{Metric, Value};

/// What is known of the value of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    Exact(Value),
    /// A draw or a win.
    DrawOrMore,
    /// A draw or a loss.
    DrawOrLess,
}

impl Bound {
    const ALL: [Bound; 5] = [
        Bound::Exact(Value::Loss),
        Bound::Exact(Value::Draw),
        Bound::Exact(Value::Win),
        Bound::DrawOrMore,
        Bound::DrawOrLess,
    ];

    /// What a search says that was asked which side of `low` and `high` the value lies on: it is exact
    /// between them.
    pub(super) fn of(value: Value, low: Value, high: Value) -> Bound {
        match value {
            Value::Draw if low >= Value::Draw => Bound::DrawOrLess,
            Value::Draw if high <= Value::Draw => Bound::DrawOrMore,
            value => Bound::Exact(value),
        }
    }

    /// The answer to such a question, if this is enough for one.
    pub(super) fn answers(self, low: Value, high: Value) -> Option<Value> {
        match self {
            Bound::Exact(value) => Some(value),
            Bound::DrawOrMore => (high <= Value::Draw).then_some(Value::Draw),
            Bound::DrawOrLess => (low >= Value::Draw).then_some(Value::Draw),
        }
    }
}

/// Positions by the low bits of a hash: a new one takes the place of an old one. A place is one number, so
/// that threads never see half of one: the stones of both sides in 50 bits, the bound in 3, a distance in 11.
pub(super) struct Known {
    size: usize,
    /// Made when something is first put in.
    places: OnceLock<Box<[AtomicU64]>>,
}

const KEY_BITS: u32 = 50;
const BOUND_BITS: u32 = 3;
/// Stands for "no distance".
const NO_DISTANCE: u64 = (1 << (u64::BITS - KEY_BITS - BOUND_BITS)) - 1;

/// Which position: the stones of the side to move, seen by it, and those of the other.
#[derive(Clone, Copy)]
pub(super) struct Key(u64);

impl Key {
    /// The key of a position in which no stone has a state. The ply counter does not matter where there are
    /// captures.
    #[inline]
    pub(super) fn of(position: &Position) -> Key {
        let seen = |stones: crate::board::Bitboard| match position.side() {
            Side::White => stones,
            Side::Black => stones.rotated(),
        };
        Key(u64::from(seen(position.own()).bits())
            | u64::from(seen(position.opponent()).bits()) << (KEY_BITS / 2))
    }
}

impl Known {
    /// Room for about `bytes` bytes of positions.
    pub(super) fn new(bytes: u64) -> Known {
        const PLACE_BYTES: u64 = size_of::<AtomicU64>() as u64;
        let places = bytes / PLACE_BYTES;
        let size = places.checked_ilog2().and_then(|bits| 1_usize.checked_shl(bits)).unwrap_or(0);
        Known { size, places: OnceLock::new() }
    }

    /// Where a key belongs, if there is room for any.
    #[inline]
    fn number(&self, key: Key) -> usize {
        (key.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & self.size.wrapping_sub(1)
    }

    #[inline]
    fn find(&self, key: Key) -> Option<(Bound, Option<u16>)> {
        let found = self.places.get()?.get(self.number(key))?.load(Ordering::Relaxed);
        if found & ((1 << KEY_BITS) - 1) != key.0 {
            return None;
        }
        let bound = Bound::ALL.get((found >> KEY_BITS & ((1 << BOUND_BITS) - 1)) as usize)?;
        let distance = found >> (KEY_BITS + BOUND_BITS);
        Some((*bound, (distance != NO_DISTANCE).then_some(distance as u16)))
    }

    fn insert(&self, key: Key, bound: Bound, distance: u64) {
        let places = self.places.get_or_init(|| (0..self.size).map(|_| AtomicU64::new(0)).collect());
        let Some(place) = places.get(self.number(key)) else { return };
        let code = Bound::ALL.iter().position(|known| *known == bound).unwrap_or_default() as u64;
        place.store(key.0 | code << KEY_BITS | distance << (KEY_BITS + BOUND_BITS), Ordering::Relaxed);
    }

    /// Forgets all positions.
    pub(super) fn forget(&self) {
        let places = self.places.get().into_iter().flatten();
        places.for_each(|place| place.store(0, Ordering::Relaxed));
    }

    /// What is known of the value.
    #[inline]
    pub(super) fn value(&self, key: Key) -> Option<Bound> {
        self.find(key).map(|(bound, _)| bound)
    }

    /// Remembers a value.
    pub(super) fn insert_value(&self, key: Key, bound: Bound) {
        self.insert(key, bound, NO_DISTANCE);
    }

    /// The verdict on a position with captures, if its value and its distance past them are known.
    #[inline]
    pub(super) fn verdict(&self, key: Key) -> Option<Verdict> {
        match self.find(key)? {
            (Bound::Exact(Value::Draw), _) => Some(Verdict::without_distances(Value::Draw)),
            (Bound::Exact(value), Some(plies)) => Some(Verdict::new(value, |metric| match metric {
                Metric::TO_END => Some(plies),
                _ => metric.before_move(None, true),
            })),
            _ => None,
        }
    }

    /// Remembers a verdict, with its distance if there is room for it.
    pub(super) fn insert_verdict(&self, key: Key, verdict: &Verdict) {
        let distance = verdict.distance(Metric::TO_END).map(u64::from).filter(|&plies| plies < NO_DISTANCE);
        self.insert(key, Bound::Exact(verdict.value), distance.unwrap_or(NO_DISTANCE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_comes_out() {
        let known = Known::new(1 << 12);
        for number in 1..2000_u64 {
            let key = Key(number.wrapping_mul(0x1234_5678_9abc_def1) & ((1 << KEY_BITS) - 1));
            assert!(known.value(key).is_none());
            let bound = Bound::ALL[number as usize % Bound::ALL.len()];
            known.insert_value(key, bound);
            assert_eq!(known.value(key), Some(bound));
            // A draw needs no distance.
            assert_eq!(known.verdict(key).is_some(), bound == Bound::Exact(Value::Draw));
            let plies = |metric| if metric == Metric::TO_END { Some(number as u16) } else { Some(1) };
            let verdict = Verdict::new(Value::Win, plies);
            known.insert_verdict(key, &verdict);
            assert_eq!(known.value(key), Some(Bound::Exact(Value::Win)));
            assert_eq!(known.verdict(key), Some(verdict));
        }
        let none = Known::new(0);
        none.insert_value(Key(1), Bound::DrawOrMore);
        assert!(none.value(Key(1)).is_none());
    }

    #[test]
    fn bounds_answer_what_they_can() {
        use Value::{Draw, Loss, Win};
        for low in [Loss, Draw] {
            for high in [Draw, Win].into_iter().filter(|&high| high > low) {
                for truth in [Loss, Draw, Win] {
                    // What a search within the window may return.
                    let found = truth.clamp(low, high);
                    if found != truth && found != Draw {
                        continue;
                    }
                    let bound = Bound::of(found, low, high);
                    let holds = match bound {
                        Bound::Exact(value) => value == truth,
                        Bound::DrawOrMore => truth >= Draw,
                        Bound::DrawOrLess => truth <= Draw,
                    };
                    assert!(holds, "{truth} within {low} and {high}: {bound:?}");
                    assert!(bound.answers(low, high).is_some());
                }
            }
        }
        assert_eq!(Bound::DrawOrMore.answers(Loss, Win), None);
        assert_eq!(Bound::DrawOrLess.answers(Loss, Draw), None);
    }
}
