//! The lines of the board: where a stone can go from a point, and what it jumps over.

use super::Point;

/// One of the eight directions of the board, as White sees them: north is towards rank 5, east towards file
/// e.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Direction {
    North,
    NorthEast,
    East,
    SouthEast,
    South,
    SouthWest,
    West,
    NorthWest,
}

impl Direction {
    /// All eight, clockwise from north.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];

    /// Change of file and of rank.
    const fn delta(self) -> (isize, isize) {
        match self {
            Direction::North => (0, 1),
            Direction::NorthEast => (1, 1),
            Direction::East => (1, 0),
            Direction::SouthEast => (1, -1),
            Direction::South => (0, -1),
            Direction::SouthWest => (-1, -1),
            Direction::West => (-1, 0),
            Direction::NorthWest => (-1, 1),
        }
    }

    /// The name on a compass: `n`, `ne` and so on, with rank 5 in the north.
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; 8] = ["n", "ne", "e", "se", "s", "sw", "w", "nw"];
        NAMES[self as usize]
    }

    const fn is_diagonal(self) -> bool {
        (self as u8) % 2 == 1
    }

    /// The direction on a board turned by 180°.
    #[must_use]
    pub const fn reversed(self) -> Direction {
        Self::ALL[(self as usize + 4) % 8]
    }

    /// How far a point's number changes along this direction: −6 to 6.
    pub const fn offset(self) -> isize {
        let (file, rank) = self.delta();
        rank * super::SIDE_LENGTH as isize + file
    }
}

/// A set of directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Directions(u8);

impl Directions {
    /// No direction.
    pub const NONE: Directions = Directions(0);
    /// All eight directions.
    pub const ALL: Directions = Directions(0xff);
    /// Forward, diagonally forward and sideways, as White sees it.
    pub const FORWARD_AND_SIDEWAYS: Directions = Directions(
        1 << Direction::North as u8
            | 1 << Direction::NorthEast as u8
            | 1 << Direction::East as u8
            | 1 << Direction::West as u8
            | 1 << Direction::NorthWest as u8,
    );

    /// Whether `direction` is in the set.
    pub const fn contains(self, direction: Direction) -> bool {
        self.0 >> direction as u8 & 1 != 0
    }

    /// The set with these bits, bit *n* for the *n*-th of [`Direction::ALL`].
    pub const fn from_bits(bits: u8) -> Directions {
        Directions(bits)
    }

    /// The names of the directions, clockwise from north.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Direction::ALL.into_iter().filter(move |&direction| self.contains(direction)).map(Direction::name)
    }

    /// Whether there is no direction in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is the same with east and west swapped.
    pub const fn is_mirrored(self) -> bool {
        // Clockwise from north, what lies west of a direction lies counter-clockwise.
        self.0.reverse_bits().rotate_left(1) == self.0
    }

    /// Whether all symmetries of the square leave the set unchanged.
    pub const fn is_square(self) -> bool {
        self.0.rotate_left(2) == self.0
    }

    /// The bits of the set, bit *n* for the *n*-th of [`Direction::ALL`].
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The set on a board turned by 180°: Black's directions, when this set holds White's.
    #[must_use]
    pub const fn reversed(self) -> Directions {
        Directions(self.0.rotate_left(4))
    }
}

const fn towards(point: Point, direction: Direction, distance: isize) -> Option<Point> {
    if direction.is_diagonal() && !point.is_strong() {
        return None;
    }
    let (file, rank) = direction.delta();
    let file = point.file() as isize + file * distance;
    let rank = point.rank() as isize + rank * distance;
    if file < 0 || rank < 0 {
        return None;
    }
    Point::at(file as usize, rank as usize)
}

/// The lines of the board between neighbouring points, each once.
pub fn lines() -> impl Iterator<Item = [Point; 2]> {
    // Each of the other directions is the reverse of one of these.
    const FORWARD: [Direction; 4] =
        [Direction::North, Direction::NorthEast, Direction::East, Direction::SouthEast];
    let from =
        |point| FORWARD.into_iter().filter_map(move |direction| Some([point, neighbour(point, direction)?]));
    Point::all().flat_map(from)
}

/// The next point along the line from `point` in `direction`, or `None` where no line runs that way.
pub const fn neighbour(point: Point, direction: Direction) -> Option<Point> {
    towards(point, direction, 1)
}

/// The point jumped over and the landing point of a jump from `point` in `direction`, or `None` where no line
/// of that length runs that way.
pub const fn jump(point: Point, direction: Direction) -> Option<(Point, Point)> {
    match (neighbour(point, direction), towards(point, direction, 2)) {
        (Some(over), Some(landing)) => Some((over, landing)),
        _ => None,
    }
}
