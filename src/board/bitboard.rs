//! A set of points in one word.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::{POINTS, Point};

/// A set of points: bit *n* stands for point *n*.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bitboard(u32);

impl Bitboard {
    /// No point.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// All 25 points.
    pub const ALL: Bitboard = Bitboard((1 << POINTS) - 1);

    /// The set with these bits; bits above the 25th are dropped.
    pub const fn new(bits: u32) -> Bitboard {
        Bitboard(bits & Self::ALL.0)
    }

    /// The set with these bits, or `None` when one above the 25th is set.
    pub const fn from_bits(bits: u32) -> Option<Bitboard> {
        if bits & !Self::ALL.0 == 0 { Some(Bitboard(bits)) } else { None }
    }

    /// The set of one point.
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

    /// The points of this set that are not in `other`.
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
    pub fn iter(self) -> impl Iterator<Item = Point> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let point = Point::new(rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(point)
        })
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Bitboard;
    fn not(self) -> Bitboard {
        Bitboard(!self.0 & Self::ALL.0)
    }
}

impl FromIterator<Point> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Bitboard {
        points.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
