//! The symmetries of the board.

use super::{Point, SIDE_LENGTH};

/// A symmetry of the square: bit 0 mirrors left and right, then bit 1 mirrors up and down, then bit 2 swaps
/// files with ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transform(u8);

impl Transform {
    /// Leaves every point where it is.
    pub const IDENTITY: Transform = Transform(0);
    /// Mirrors left and right: file a becomes file e.
    pub const MIRROR: Transform = Transform(1);
    /// Turns the board by 180°.
    pub const HALF_TURN: Transform = Transform(3);

    /// Where `point` goes.
    #[must_use]
    pub const fn apply(self, point: Point) -> Point {
        let (mut file, mut rank) = (point.file(), point.rank());
        if self.0 & 1 != 0 {
            file = SIDE_LENGTH - 1 - file;
        }
        if self.0 & 2 != 0 {
            rank = SIDE_LENGTH - 1 - rank;
        }
        if self.0 & 4 != 0 {
            (file, rank) = (rank, file);
        }
        match Point::at(file, rank) {
            Some(image) => image,
            None => unreachable!(),
        }
    }

    /// Whether the transform maps left to right (so that "to the left" becomes "to the right"). Only
    /// meaningful for transforms that keep ranks parallel.
    pub const fn swaps_sideways(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The symmetries under which a rule set does not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryGroup {
    /// All eight symmetries of the square.
    Square,
    /// The mirror that swaps left and right.
    Mirror,
    /// None but the identity.
    Trivial,
}

impl SymmetryGroup {
    /// The transforms of the group, the identity first.
    pub const fn transforms(self) -> &'static [Transform] {
        const ALL: [Transform; 8] = [
            Transform(0),
            Transform(1),
            Transform(2),
            Transform(3),
            Transform(4),
            Transform(5),
            Transform(6),
            Transform(7),
        ];
        match self {
            SymmetryGroup::Square => &ALL,
            SymmetryGroup::Mirror => ALL.split_at(2).0,
            SymmetryGroup::Trivial => ALL.split_at(1).0,
        }
    }

    /// How many transforms the group has.
    pub const fn order(self) -> usize {
        self.transforms().len()
    }
}
