//! A position drawn as an SVG image.

use std::fmt;

use super::Position;
use crate::board::{Point, SIDE_LENGTH, lines};

/// The distance between neighbouring points, in user units.
const STEP: usize = 40;
/// From the edge of the image to the outer points: room for the names of ranks and files.
const MARGIN: usize = 36;
const WIDTH: usize = 2 * MARGIN + (SIDE_LENGTH - 1) * STEP;
/// A line below the board shows whose move it is.
const HEIGHT: usize = WIDTH + 20;

/// Draws a position as an SVG image: the board with its lines, the stones, a red bar for every forbidden
/// step, and whose move it is. Made by [`Position::svg`].
#[derive(Clone, Copy, Debug)]
pub struct Svg<'a>(&'a Position);

impl Position {
    /// A drawing of the position as an SVG image.
    ///
    /// ```
    /// use alquerque::{position::Position, rules::CLASSIC};
    ///
    /// let svg = Position::start(&CLASSIC).svg().to_string();
    /// assert_eq!(svg.matches("<circle").count(), 24);
    /// ```
    pub fn svg(&self) -> Svg<'_> {
        Svg(self)
    }
}

fn x(file: usize) -> usize {
    MARGIN + file * STEP
}

fn y(rank: usize) -> usize {
    MARGIN + (SIDE_LENGTH - 1 - rank) * STEP
}

fn place(point: Point) -> (usize, usize) {
    (x(point.file()), y(point.rank()))
}

impl fmt::Display for Svg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.0;
        write!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\
             <title>{position}</title>\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#f3e3c3\"/><path d=\""
        )?;
        for [(x1, y1), (x2, y2)] in lines().map(|ends| ends.map(place)) {
            write!(f, "M{x1} {y1}L{x2} {y2}")?;
        }
        f.write_str("\" stroke=\"#6b4f2a\" stroke-width=\"2\" fill=\"none\"/>")?;
        for index in 0..SIDE_LENGTH {
            let file = (b'a' + index as u8) as char;
            write!(f, "<text x=\"{}\" y=\"{}\">{file}</text>", x(index), y(0) + 30)?;
            write!(f, "<text x=\"12\" y=\"{}\">{}</text>", y(index) + 4, index + 1)?;
        }
        for (stones, fill) in [(position.white, "#fff"), (position.black, "#222")] {
            for (x, y) in stones.iter().map(place) {
                write!(f, "<circle cx=\"{x}\" cy=\"{y}\" r=\"14\" fill=\"{fill}\" stroke=\"#222\"/>")?;
            }
        }
        for (from, to) in position.forbidden_steps() {
            let ((from, y), (to, _)) = (place(from), place(to));
            // Just outside the stone, on the side of the step.
            let x = if to > from { from + 18 } else { from - 18 };
            write!(f, "<path d=\"M{x} {}V{}\" stroke=\"#c00\" stroke-width=\"4\"/>", y - 9, y + 9)?;
        }
        write!(f, "<text x=\"{}\" y=\"{}\">{} to move</text></svg>", WIDTH / 2, HEIGHT - 8, position.side)
    }
}
