//! A position drawn with letters and lines.

use std::fmt;

use super::Position;
use crate::board::{Point, SIDE_LENGTH};

/// Draws a position for a terminal: `w`, `b` and `.` on the lines of the board, with files and ranks named.
/// Made by [`Position::diagram`].
#[derive(Clone, Copy, Debug)]
pub struct Diagram<'a>(&'a Position);

impl Position {
    /// A drawing of the position, eleven lines.
    pub fn diagram(&self) -> Diagram<'_> {
        Diagram(self)
    }
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..SIDE_LENGTH).rev() {
            let letter = |point| match () {
                () if self.0.white.contains(point) => "w",
                () if self.0.black.contains(point) => "b",
                () => ".",
            };
            let row: Vec<_> = (0..SIDE_LENGTH).filter_map(|file| Point::at(file, rank)).map(letter).collect();
            writeln!(f, "{} {}", rank + 1, row.join("---"))?;
            if rank > 0 {
                // Diagonals alternate along and across: they join strong points only.
                let between = if rank % 2 == 0 { "| \\ | / | \\ | / |" } else { "| / | \\ | / | \\ |" };
                writeln!(f, "  {between}")?;
            }
        }
        f.write_str("  a   b   c   d   e")
    }
}
