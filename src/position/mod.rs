//! A position: the stones, the side to move, forbidden steps and the ply counter.

mod bits;
mod diagram;
mod svg;
mod text;

pub(crate) use crate::board::text::shown;
pub use bits::PositionBits;
pub use diagram::Diagram;
pub use svg::Svg;
pub use text::ParsePositionError;

use crate::board::{Bitboard, Direction, MAX_STONES, Point, Transform, neighbour};
use crate::rules::{Parameters, Rules, Side};

/// A position under one of the rule sets. It does not remember under which; functions that depend on the rules
/// take them.
///
/// ```
/// use alquerque::position::Position;
/// use alquerque::rules::CLASSIC;
///
/// let start = Position::parse(&CLASSIC, "start").unwrap();
/// assert_eq!(start.to_string(), "bbbbb/bbbbb/bb1ww/wwwww/wwwww w - 0");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    white: Bitboard,
    black: Bitboard,
    side: Side,
    no_west: Bitboard,
    no_east: Bitboard,
    plies: u8,
}

/// Why stones and states do not make a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum PositionError {
    #[error("the set {0:#x} has bits outside the board, which has points 0 to 24")]
    OffBoard(u32),
    #[error("the side to move is 0 (White) or 1 (Black), not {0}")]
    NoSide(u8),
    #[error("two stones on {0}")]
    Overlap(Point),
    #[error("{side} has {count} stones; a side has at most {MAX_STONES}")]
    TooManyStones { side: Side, count: usize },
    #[error("there is no stone on the board")]
    NoStones,
    #[error("the rules '{0}' have no forbidden steps; write - instead")]
    NoForbiddenSteps(&'static str),
    #[error("the step {from}-{to} is forbidden, but {from} has no stone")]
    ForbiddenWithoutStone { from: Point, to: Point },
    #[error("the step {from}-{to} is forbidden, but it does not lead to the next point on the same rank")]
    ForbiddenNotSideways { from: Point, to: Point },
    #[error("a step is forbidden that would leave the board: there is no point beside {0} on that side")]
    ForbiddenOffBoard(Point),
    #[error("the step {from}-{to} is forbidden, but a stone on its far rank cannot step at all")]
    ForbiddenOnFarRank { from: Point, to: Point },
    #[error("two forbidden steps for the stone on {0}; it can have one at most")]
    ForbiddenTwice(Point),
    #[error("the rules '{0}' have no ply counter; leave it out or write 0")]
    NoPlyCounter(&'static str),
    #[error("the ply counter is {count}; it runs from 0 to {limit}")]
    PlyCounter { count: u64, limit: u8 },
}

impl PositionError {
    /// What is wrong with these stones, of which something is.
    #[cold]
    fn of_stones(white: Bitboard, black: Bitboard) -> PositionError {
        if let Some(point) = (white & black).iter().next() {
            return PositionError::Overlap(point);
        }
        for (side, stones) in [(Side::White, white), (Side::Black, black)] {
            if stones.count() > MAX_STONES {
                return PositionError::TooManyStones { side, count: stones.count() };
            }
        }
        PositionError::NoStones
    }
}

impl Position {
    /// The position with these stones, no forbidden steps and a ply counter of 0.
    ///
    /// # Errors
    /// [`PositionError`] when the two sets share a point, a side has more than 12 stones, or both have none.
    #[inline]
    pub fn new(white: Bitboard, black: Bitboard, side: Side) -> Result<Position, PositionError> {
        let sound = (white & black).is_empty()
            && white.count().max(black.count()) <= MAX_STONES
            && !(white | black).is_empty();
        if !sound {
            return Err(PositionError::of_stones(white, black));
        }
        let none = Bitboard::EMPTY;
        Ok(Position { white, black, side, no_west: none, no_east: none, plies: 0 })
    }

    /// The position with the step `from`–`to` forbidden as well.
    ///
    /// # Errors
    /// [`PositionError`] when `rules` know no forbidden steps, or the step is none that could be forbidden: no
    /// stone there, no sideways step, a stone on its far rank, a second one for the same stone.
    pub fn forbid(mut self, rules: &Rules, from: Point, to: Point) -> Result<Position, PositionError> {
        if !rules.no_return() {
            return Err(PositionError::NoForbiddenSteps(rules.name()));
        }
        let side = match (self.white.contains(from), self.black.contains(from)) {
            (true, _) => Side::White,
            (_, true) => Side::Black,
            _ => return Err(PositionError::ForbiddenWithoutStone { from, to }),
        };
        let set = match to {
            _ if neighbour(from, Direction::West) == Some(to) => &mut self.no_west,
            _ if neighbour(from, Direction::East) == Some(to) => &mut self.no_east,
            _ => return Err(PositionError::ForbiddenNotSideways { from, to }),
        };
        if !rules.side(side).steps(from).contains(to) {
            return Err(PositionError::ForbiddenOnFarRank { from, to });
        }
        *set = set.with(from);
        let twice = (self.no_west & self.no_east).contains(from);
        if twice { Err(PositionError::ForbiddenTwice(from)) } else { Ok(self) }
    }

    /// The position after `plies` plies without a capture.
    ///
    /// # Errors
    /// [`PositionError`] when the count is above the limit of `rules`, or they have none and it is not 0.
    pub fn with_plies(mut self, rules: &Rules, plies: u64) -> Result<Position, PositionError> {
        match rules.ply_limit() {
            None if plies != 0 => return Err(PositionError::NoPlyCounter(rules.name())),
            Some(limit) if plies > limit.into() => {
                return Err(PositionError::PlyCounter { count: plies, limit });
            }
            _ => self.plies = plies as u8,
        }
        Ok(self)
    }

    /// The start position of `rules`, with the side to move that starts.
    pub fn start(rules: &Rules) -> Position {
        let none = Bitboard::EMPTY;
        let Parameters { start: [white, black], first_to_move, .. } = *rules.parameters();
        Position { white, black, side: first_to_move, no_west: none, no_east: none, plies: 0 }
    }

    /// The position after other stones, states and counter: for moves, which keep a position sound.
    pub(crate) fn from_parts(
        [white, black]: [Bitboard; 2],
        side: Side,
        no_west: Bitboard,
        no_east: Bitboard,
        plies: u8,
    ) -> Position {
        Position { white, black, side, no_west, no_east, plies }
    }

    /// White's stones.
    pub fn white(&self) -> Bitboard {
        self.white
    }

    /// Black's stones.
    pub fn black(&self) -> Bitboard {
        self.black
    }

    /// The side to move.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The stones of `side`.
    pub fn stones(&self, side: Side) -> Bitboard {
        match side {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }

    /// The stones of the side to move.
    pub fn own(&self) -> Bitboard {
        self.stones(self.side)
    }

    /// The stones of the side that is not to move.
    pub fn opponent(&self) -> Bitboard {
        self.stones(self.side.other())
    }

    /// Stones of either side that may not step to the next lower file.
    pub fn no_west(&self) -> Bitboard {
        self.no_west
    }

    /// Stones of either side that may not step to the next higher file.
    pub fn no_east(&self) -> Bitboard {
        self.no_east
    }

    /// Plies without a capture so far; always 0 under rules that do not count them.
    pub fn plies(&self) -> u8 {
        self.plies
    }

    /// Whether the ply counter has reached the limit of `rules`. The game is then a draw, unless the side to
    /// move has no legal move.
    pub fn is_drawn_by_counter(&self, rules: &Rules) -> bool {
        rules.ply_limit().is_some_and(|limit| self.plies >= limit)
            && crate::moves::has_legal_move(rules, self)
    }

    /// Whether the position can occur under `rules` at all: forbidden steps and the counter fit them.
    ///
    /// # Errors
    /// The first [`PositionError`] that says why not.
    pub fn check(&self, rules: &Rules) -> Result<(), PositionError> {
        let mut position = Position::new(self.white, self.black, self.side)?;
        for (from, to) in self.forbidden_steps() {
            position = position.forbid(rules, from, to)?;
        }
        position.with_plies(rules, self.plies.into()).map(drop)
    }

    /// The forbidden steps, ordered by the point where the stone stands.
    pub fn forbidden_steps(&self) -> impl Iterator<Item = (Point, Point)> {
        (self.no_west | self.no_east).iter().filter_map(|from| {
            let west = self.no_west.contains(from);
            let direction = if west { Direction::West } else { Direction::East };
            Some((from, neighbour(from, direction)?))
        })
    }

    /// The steps that could be forbidden under `rules`, whether they are or not: sideways ones to a point of the
    /// board, of stones that can step at all. None under rules without forbidden steps.
    pub fn forbiddable_steps(&self, rules: &Rules) -> impl Iterator<Item = (Point, Point)> {
        let free = Position { no_west: Bitboard::EMPTY, no_east: Bitboard::EMPTY, ..*self };
        let steps = (self.white | self.black).iter().flat_map(|from| {
            [Direction::West, Direction::East].map(|direction| Some((from, neighbour(from, direction)?)))
        });
        steps.flatten().filter(move |&(from, to)| free.forbid(rules, from, to).is_ok())
    }

    /// The position with the board transformed. Its value is the same when the transform is one of
    /// [`Rules::symmetry`].
    #[must_use]
    pub fn transformed(&self, transform: Transform) -> Position {
        let image = |set: Bitboard| set.iter().map(|point| transform.apply(point)).collect();
        let (mut no_west, mut no_east) = (image(self.no_west), image(self.no_east));
        if transform.swaps_sideways() {
            (no_west, no_east) = (no_east, no_west);
        }
        Position { white: image(self.white), black: image(self.black), no_west, no_east, ..*self }
    }

    /// The same stones, states and counter with the other side to move.
    #[must_use]
    pub fn with_other_side(&self) -> Position {
        Position { side: self.side.other(), ..*self }
    }

    /// The same position with colours swapped: the board turned by 180° and every stone and the move given to
    /// the other side. The value for the side to move is the same under all rule sets.
    #[must_use]
    pub fn colours_swapped(&self) -> Position {
        Position {
            white: self.black.rotated(),
            black: self.white.rotated(),
            side: self.side.other(),
            no_west: self.no_east.rotated(),
            no_east: self.no_west.rotated(),
            plies: self.plies,
        }
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
