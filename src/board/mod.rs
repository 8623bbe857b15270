//! The board: 25 points, the lines between them, and its symmetries.
//!
//! Points are numbered `a1` = 0, `b1` = 1, …, `e5` = 24 (rank by rank, White's home rank first). A set of
//! points is a [`Bitboard`], bit *n* for point *n*.

mod bitboard;
mod lines;
mod point;
mod symmetry;
pub(crate) mod text;

pub use bitboard::{Bitboard, OffBoardError, Points};
pub use lines::{Direction, Directions, jump, lines, neighbour};
pub use point::{ParsePointError, Point};
pub use symmetry::{SymmetryGroup, Transform};
pub use text::ParseBoardError;

/// Points in a row or column of the board.
pub const SIDE_LENGTH: usize = 5;
/// Points of the board.
pub const POINTS: usize = SIDE_LENGTH * SIDE_LENGTH;
/// Most stones a side can have: half of all points but the centre.
pub const MAX_STONES: usize = 12;
