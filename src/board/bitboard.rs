//! A set of points in one word.

use std::fmt::{self, Write};
use std::iter::FusedIterator;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign};

use super::{POINTS, Point};

/// A set of points: bit *n* stands for point *n*.
///
/// ```
/// use alquerque::board::{Bitboard, Point};
///
/// let [a1, c3]: [Point; 2] = ["a1".parse()?, "c3".parse()?];
/// let both = Bitboard::from(a1) | Bitboard::from(c3);
/// assert_eq!(both, [a1, c3].into_iter().collect());
/// assert_eq!(both - Bitboard::from(a1), c3.into());
/// assert_eq!(both.to_string(), "{a1, c3}");
/// assert_eq!(both.into_iter().next_back(), Some(c3));
/// assert_eq!(Bitboard::from_bits(1 << 25), None, "the board has 25 points");
/// # Ok::<(), alquerque::board::ParsePointError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(u32);

/// The bits are not a set of points: one above the 25th is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the set {0:#x} has bits outside the board, which has points 0 to 24")]
pub struct OffBoardError(pub u32);

impl Bitboard {
    /// No point.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 25 points.
    pub const ALL: Bitboard = Bitboard((1 << POINTS) - 1);

    /// The set with these bits; bits above the 25th are dropped. Code outside this crate says which it
    /// means: [`from_bits`](Self::from_bits) or [`from_bits_truncate`](Self::from_bits_truncate).
    #[inline]
    pub(crate) const fn new(bits: u32) -> Bitboard {
        Bitboard::from_bits_truncate(bits)
    }

    /// The set with these bits, or `None` when one above the 25th is set.
    #[inline]
    pub const fn from_bits(bits: u32) -> Option<Bitboard> {
        if bits & !Self::ALL.0 == 0 { Some(Bitboard(bits)) } else { None }
    }

    /// The set with those of these bits that are points of the board; the others are dropped.
    #[inline]
    pub const fn from_bits_truncate(bits: u32) -> Bitboard {
        Bitboard(bits & Self::ALL.0)
    }

    /// The set of one point, like `Bitboard::from(point)` but usable in constants.
    pub const fn of(point: Point) -> Bitboard {
        Bitboard(1 << point.index())
    }

    /// The bits of the set, at most 25.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How many points the set has.
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set has no point.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `point` is in the set.
    pub const fn contains(self, point: Point) -> bool {
        self.0 >> point.index() & 1 != 0
    }

    /// The set with `point` added.
    #[must_use]
    pub const fn with(self, point: Point) -> Bitboard {
        Bitboard(self.0 | 1 << point.index())
    }

    /// The points of this set that are not in `other`, like `self - other` but usable in constants.
    #[must_use]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// The set turned by 180°, which maps White's view to Black's.
    #[must_use]
    pub const fn rotated(self) -> Bitboard {
        Bitboard(self.0.reverse_bits() >> (u32::BITS as usize - POINTS))
    }

    /// The points of the set in rising order.
    #[inline]
    pub fn iter(self) -> Points {
        Points(self.0)
    }
}

/// The points of a [`Bitboard`] in rising order. Made by [`Bitboard::iter`].
#[derive(Clone, Debug)]
pub struct Points(u32);

impl Iterator for Points {
    type Item = Point;

    #[inline]
    fn next(&mut self) -> Option<Point> {
        let point = Point::new(self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(point)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl DoubleEndedIterator for Points {
    fn next_back(&mut self) -> Option<Point> {
        let point = Point::new(self.0.checked_ilog2()? as usize)?;
        self.0 ^= Bitboard::of(point).0;
        Some(point)
    }
}

impl ExactSizeIterator for Points {}
impl FusedIterator for Points {}

impl IntoIterator for Bitboard {
    type Item = Point;
    type IntoIter = Points;

    #[inline]
    fn into_iter(self) -> Points {
        self.iter()
    }
}

impl From<Point> for Bitboard {
    fn from(point: Point) -> Bitboard {
        Bitboard::of(point)
    }
}

impl From<Bitboard> for u32 {
    fn from(set: Bitboard) -> u32 {
        set.0
    }
}

impl TryFrom<u32> for Bitboard {
    type Error = OffBoardError;

    fn try_from(bits: u32) -> Result<Bitboard, OffBoardError> {
        Bitboard::from_bits(bits).ok_or(OffBoardError(bits))
    }
}

impl FromIterator<Point> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Bitboard {
        points.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl Extend<Point> for Bitboard {
    fn extend<I: IntoIterator<Item = Point>>(&mut self, points: I) {
        *self |= points.into_iter().collect();
    }
}

/// An operator on sets, and the one that assigns its result.
macro_rules! operator {
    ($trait:ident $method:ident, $assign:ident $assign_method:ident, $compute:expr) => {
        impl $trait for Bitboard {
            type Output = Bitboard;

            #[inline]
            fn $method(self, other: Bitboard) -> Bitboard {
                let compute: fn(u32, u32) -> u32 = $compute;
                Bitboard(compute(self.0, other.0))
            }
        }

        impl $assign for Bitboard {
            #[inline]
            fn $assign_method(&mut self, other: Bitboard) {
                *self = self.$method(other);
            }
        }
    };
}

operator!(BitAnd bitand, BitAndAssign bitand_assign, |a, b| a & b);
operator!(BitOr bitor, BitOrAssign bitor_assign, |a, b| a | b);
operator!(BitXor bitxor, BitXorAssign bitxor_assign, |a, b| a ^ b);
operator!(Sub sub, SubAssign sub_assign, |a, b| a & !b);

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Self::ALL.0)
    }
}

/// The points in braces: `{a1, c3}`.
impl fmt::Display for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        for (index, point) in self.iter().enumerate() {
            write!(f, "{}{point}", if index == 0 { "" } else { ", " })?;
        }
        f.write_char('}')
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Binary for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Binary::fmt(&self.0, f)
    }
}

impl fmt::LowerHex for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sets_are_their_points(bits in any::<u32>(), others in any::<u32>()) {
            let [set, other] = [bits, others].map(Bitboard::from_bits_truncate);
            prop_assert_eq!(set.iter().collect::<Bitboard>(), set);
            prop_assert_eq!(set.iter().len(), set.count());
            prop_assert!(set.iter().rev().eq(set.iter().collect::<Vec<_>>().into_iter().rev()));
            prop_assert!(set.iter().all(|point| set.contains(point)));
            let by_points = |keep: fn(bool, bool) -> bool| -> Bitboard {
                Point::all().filter(|&point| keep(set.contains(point), other.contains(point))).collect()
            };
            prop_assert_eq!(set & other, by_points(|a, b| a && b));
            prop_assert_eq!(set | other, by_points(|a, b| a || b));
            prop_assert_eq!(set ^ other, by_points(|a, b| a != b));
            prop_assert_eq!(set - other, by_points(|a, b| a && !b));
            prop_assert_eq!(set.without(other), set - other);
            prop_assert_eq!(!set, by_points(|a, _| !a));
            prop_assert_eq!(set.rotated().rotated(), set);
            let mut changed = set;
            changed ^= other;
            changed |= set;
            changed -= other;
            changed &= set;
            prop_assert_eq!(changed, set - other);
        }

        #[test]
        fn bits_off_the_board_are_refused_or_dropped_on_request(bits in any::<u32>()) {
            let fits = bits < 1 << POINTS;
            prop_assert_eq!(Bitboard::from_bits(bits).map(Bitboard::bits), fits.then_some(bits));
            prop_assert_eq!(Bitboard::try_from(bits).map(u32::from), if fits { Ok(bits) } else { Err(OffBoardError(bits)) });
            prop_assert_eq!(Bitboard::from_bits_truncate(bits).bits(), bits % (1 << POINTS));
        }
    }

    #[test]
    fn sets_are_shown_by_their_points() {
        let [a1, c3, e5] = [0, 12, 24].map(|index| Point::new(index).unwrap());
        let mut set = Bitboard::from(a1);
        set.extend([c3, e5]);
        assert_eq!(set.to_string(), "{a1, c3, e5}");
        assert_eq!(format!("{set:?}"), "{a1, c3, e5}");
        assert_eq!(format!("{set:#x} {set:b}"), "0x1001001 1000000000001000000000001");
        assert_eq!(Bitboard::EMPTY.to_string(), "{}");
    }
}
