//! Whose turn it is, as seen from the layout of a pair.

use crate::material::Material;

/// Who is to move in a slice of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    /// The side with more stones.
    RowSide,
    /// The side with fewer stones.
    ColumnSide,
}

impl Mover {
    /// Both.
    pub const BOTH: [Mover; 2] = [Mover::RowSide, Mover::ColumnSide];

    /// Who is to move in the slice of `material`.
    pub fn of(material: Material) -> Mover {
        if material.mover() >= material.opponent() { Mover::RowSide } else { Mover::ColumnSide }
    }

    /// The other one.
    pub fn other(self) -> Mover {
        match self {
            Mover::RowSide => Mover::ColumnSide,
            Mover::ColumnSide => Mover::RowSide,
        }
    }
}
