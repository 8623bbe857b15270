//! A move and its text form.

use std::fmt;

use super::chain::Chain;
use super::generate::playable_moves;
use crate::board::{Bitboard, MAX_STONES, ParsePointError, Point};
use crate::position::{Position, shown};
use crate::rules::Rules;

/// A step or a capture chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    path: [Point; MAX_STONES + 1],
    len: u8,
    captured: Bitboard,
}

impl Move {
    pub(super) fn step(from: Point, to: Point) -> Move {
        let mut path = [from; MAX_STONES + 1];
        path[1] = to;
        Move { path, len: 2, captured: Bitboard::EMPTY }
    }

    pub(crate) fn capture(chain: &Chain) -> Move {
        let mut path = [chain.from(); MAX_STONES + 1];
        let mut len = 0;
        for point in chain.path() {
            path[len] = point;
            len += 1;
        }
        Move { path, len: len as u8, captured: chain.captured() }
    }

    /// The move along these points; a capture jumps over the points halfway. `None` if there are too few or
    /// too many points, or a jump has no point halfway. The move need not be legal.
    pub fn from_path(points: &[Point], is_capture: bool) -> Option<Move> {
        let (&first, length) = (points.first()?, points.len());
        if !(2..=MAX_STONES + 1).contains(&length) || (!is_capture && length > 2) {
            return None;
        }
        let mut path = [first; MAX_STONES + 1];
        path[..length].copy_from_slice(points);
        let mut captured = Bitboard::EMPTY;
        for jump in points.windows(2).filter(|_| is_capture) {
            let (files, ranks) = (jump[0].file() + jump[1].file(), jump[0].rank() + jump[1].rank());
            if jump[0] == jump[1] || files % 2 != 0 || ranks % 2 != 0 {
                return None;
            }
            captured = captured.with(Point::at(files / 2, ranks / 2)?);
        }
        Some(Move { path, len: length as u8, captured })
    }

    /// The point that the stone leaves.
    pub fn from(&self) -> Point {
        self.path[0]
    }

    /// The point where the stone ends.
    pub fn to(&self) -> Point {
        self.path[usize::from(self.len) - 1]
    }

    /// The starting point and every landing point: two points or more.
    pub fn path(&self) -> &[Point] {
        &self.path[..usize::from(self.len)]
    }

    /// The points of the captured stones; empty for a step.
    pub fn captured(&self) -> Bitboard {
        self.captured
    }

    /// The jumps of a capture chain in order: the point jumped over and the landing point. None for a step.
    pub fn jumps(&self) -> impl Iterator<Item = (Point, Point)> {
        let jumps = if self.is_capture() { self.path() } else { &[] };
        jumps.windows(2).filter_map(|jump| {
            // A jump is straight: the jumped stone lies halfway.
            let over = Point::new((jump[0].index() + jump[1].index()) / 2)?;
            Some((over, jump[1]))
        })
    }

    /// Whether the move is a capture chain.
    pub fn is_capture(&self) -> bool {
        !self.captured.is_empty()
    }

    /// The legal move of `position` that is written `text`: `c2-c3` for a step, `c3xc5xe3` for a chain with
    /// every landing point; `-` is taken for `x` too. None is legal once the ply counter has ended the game.
    ///
    /// # Errors
    /// [`ParseMoveError`] when the text has another form or names no legal move.
    pub fn parse(rules: &Rules, position: &Position, text: &str) -> Result<Move, ParseMoveError> {
        let text = text.trim();
        let path: Vec<Point> =
            text.split(['-', 'x']).map(str::parse).collect::<Result<_, ParsePointError>>()?;
        let found = playable_moves(rules, position).into_iter().find(|mv| mv.path() == path);
        found.ok_or_else(|| ParseMoveError::NotLegal(shown(text)))
    }
}

/// Why a text is not a move of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseMoveError {
    /// A part of the text is not a point.
    #[error(transparent)]
    Point(#[from] ParsePointError),
    /// The move is not legal here.
    #[error("'{0}' is not a legal move here; moves are written c2-c3 or, with every landing point, c3xc5xe3")]
    NotLegal(String),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let separator = if self.is_capture() { "x" } else { "-" };
        for (index, point) in self.path().iter().enumerate() {
            if index > 0 {
                f.write_str(separator)?;
            }
            fmt::Display::fmt(point, f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
