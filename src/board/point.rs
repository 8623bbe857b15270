//! A point of the board and its name.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::{POINTS, SIDE_LENGTH};

/// One of the 25 points, numbered from `a1` = 0 along the ranks to `e5` = 24.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

impl Point {
    /// The point with this number, or `None` when `index` is 25 or more.
    pub const fn new(index: usize) -> Option<Point> {
        if index < POINTS { Some(Point(index as u8)) } else { None }
    }

    /// The point at `file` 0–4 (a–e) and `rank` 0–4 (1–5), or `None` when either lies off the board.
    pub const fn at(file: usize, rank: usize) -> Option<Point> {
        if file < SIDE_LENGTH && rank < SIDE_LENGTH {
            Some(Point((rank * SIDE_LENGTH + file) as u8))
        } else {
            None
        }
    }

    /// All points, from `a1` to `e5`.
    pub fn all() -> impl DoubleEndedIterator<Item = Point> {
        (0..POINTS as u8).map(Point)
    }

    /// The number of the point, 0 to 24.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// File 0–4, from a to e.
    pub const fn file(self) -> usize {
        self.0 as usize % SIDE_LENGTH
    }

    /// Rank 0–4, from White's home rank up.
    pub const fn rank(self) -> usize {
        self.0 as usize / SIDE_LENGTH
    }

    /// Whether the diagonals of this point are lines too: file plus rank is even.
    pub const fn is_strong(self) -> bool {
        (self.file() + self.rank()).is_multiple_of(2)
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char((b'a' + self.file() as u8) as char)?;
        f.write_char((b'1' + self.rank() as u8) as char)
    }
}

impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a point `a1` to `e5`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not a point; points are a1 to e5", .0.chars().take(20).flat_map(char::escape_debug).collect::<String>())]
pub struct ParsePointError(pub(crate) String);

impl FromStr for Point {
    type Err = ParsePointError;

    fn from_str(text: &str) -> Result<Point, ParsePointError> {
        let error = || ParsePointError(text.to_owned());
        let &[file, rank] = text.as_bytes() else { return Err(error()) };
        let file = file.checked_sub(b'a').ok_or_else(error)?;
        let rank = rank.checked_sub(b'1').ok_or_else(error)?;
        Point::at(file.into(), rank.into()).ok_or_else(error)
    }
}
