//! A position: the stones, the side to move, forbidden steps and the ply counter.

mod bits;
mod diagram;
mod picture;
mod svg;
mod text;

pub use bits::PositionBits;
pub use diagram::Diagram;
pub use svg::Svg;
pub use text::ParsePositionError;
pub(crate) use text::parse_count;

pub(crate) use crate::board::text::shown;
use crate::board::{Bitboard, Direction, MAX_STONES, OffBoardError, Point, Transform, neighbour};
use crate::rules::{Parameters, Rules, Side};

/// A position under one of the rule sets. It does not store which one: functions that depend on the rules
/// take them as an argument.
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
#[non_exhaustive]
pub enum PositionError {
    #[error(transparent)]
    OffBoard(#[from] OffBoardError),
    #[error("the side to move must be 0 (White) or 1 (Black), not {0}")]
    NoSide(u8),
    #[error("both sides have a stone on {0}")]
    Overlap(Point),
    #[error("{side} has {count} stones; a side has at most {MAX_STONES}")]
    TooManyStones { side: Side, count: usize },
    #[error("there are no stones on the board")]
    NoStones,
    #[error("'{0}' has no forbidden steps; write - instead")]
    NoForbiddenSteps(&'static str),
    #[error("the step {from}-{to} cannot be forbidden: there is no stone on {from}")]
    ForbiddenWithoutStone { from: Point, to: Point },
    #[error("the step {from}-{to} cannot be forbidden: {to} is not the next point on the same rank")]
    ForbiddenNotSideways { from: Point, to: Point },
    #[error("a step off the board cannot be forbidden: there is no point beside {0} on that side")]
    ForbiddenOffBoard(Point),
    #[error("the step {from}-{to} cannot be forbidden: a stone on its far rank never steps")]
    ForbiddenOnFarRank { from: Point, to: Point },
    #[error("the stone on {0} has two forbidden steps; it can have only one")]
    ForbiddenTwice(Point),
    #[error("'{0}' has no ply counter; leave it out or write 0")]
    NoPlyCounter(&'static str),
    #[error("the ply counter is {count}; it runs from 0 to {limit}")]
    PlyCounter { count: u64, limit: u8 },
}

impl PositionError {
    /// The reason why these stones, which are known to be wrong, are no position.
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
    /// [`PositionError`] if the two sets share a point, a side has more than 12 stones, or both are empty.
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
    /// [`PositionError`] if `rules` have no forbidden steps or this step cannot be forbidden: there is no
    /// stone on `from`, the step is not sideways, the stone is on its far rank, or it already has a
    /// forbidden step.
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

    /// The position with its ply counter set: `plies` plies without a capture so far.
    ///
    /// # Errors
    /// [`PositionError`] if the count exceeds the limit of `rules`, or is not 0 under rules without a limit.
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

    /// The start position; the side to move is the one that starts under `rules`.
    pub fn start(rules: &Rules) -> Position {
        let none = Bitboard::EMPTY;
        let Parameters { start: [white, black], first_to_move, .. } = *rules.parameters();
        Position { white, black, side: first_to_move, no_west: none, no_east: none, plies: 0 }
    }

    /// A position from parts that are known to be sound: for moves, which keep a position sound.
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

    /// Checks that the position fits `rules`: its forbidden steps and its ply counter are possible there.
    ///
    /// # Errors
    /// The first [`PositionError`] found.
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

    /// The steps that `rules` could forbid here, whether or not they are forbidden: sideways steps of stones
    /// that are not on their far rank. None under rules without forbidden steps.
    pub fn forbiddable_steps(&self, rules: &Rules) -> impl Iterator<Item = (Point, Point)> {
        let free = Position { no_west: Bitboard::EMPTY, no_east: Bitboard::EMPTY, ..*self };
        let steps = (self.white | self.black).iter().flat_map(|from| {
            [Direction::West, Direction::East].map(|direction| Some((from, neighbour(from, direction)?)))
        });
        steps.flatten().filter(move |&(from, to)| free.forbid(rules, from, to).is_ok())
    }

    /// The position on a transformed board. It has the same value if the transform belongs to
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

    /// The position seen from the other side: the board is turned by 180°, every stone changes its colour,
    /// and the other side is to move. The value for the side to move stays the same under all rule sets.
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
