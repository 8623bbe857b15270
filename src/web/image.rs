//! A position drawn as a PNG image, for previews of links: the programs that show them read no SVG.

use tiny_skia::{FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};

use crate::board::{Point, SIDE_LENGTH, lines};
use crate::position::Position;
use crate::rules::Side;

/// Pixels: the form of image that previews show without cutting it.
pub const WIDTH: u32 = 1200;
/// See [`WIDTH`].
pub const HEIGHT: u32 = 630;

/// From a point to the next.
const STEP: f32 = 120.0;
const RADIUS: f32 = 44.0;
/// From the left edge to file a, and from the upper edge to rank 5: the board is in the middle.
const LEFT: f32 = (WIDTH as f32 - (SIDE_LENGTH - 1) as f32 * STEP) / 2.0;
const TOP: f32 = (HEIGHT as f32 - (SIDE_LENGTH - 1) as f32 * STEP) / 2.0;

const BACKGROUND: [u8; 3] = [0xf3, 0xe3, 0xc3];
const LINES: [u8; 3] = [0x6b, 0x4f, 0x2a];
const WHITE: [u8; 3] = [0xff, 0xff, 0xff];
const BLACK: [u8; 3] = [0x22, 0x22, 0x22];
const FORBIDDEN: [u8; 3] = [0xcc, 0, 0];

/// Draws a position: the lines of the board, the stones, a red bar for every forbidden step. A stone beside the
/// board, at the home of its colour, shows whose move it is. `None` if there is no memory for it.
pub fn png(position: &Position) -> Option<Vec<u8>> {
    let mut image = Image(Pixmap::new(WIDTH, HEIGHT)?);
    let whole = Rect::from_xywh(0.0, 0.0, WIDTH as f32, HEIGHT as f32)?;
    image.fill(&PathBuilder::from_rect(whole), BACKGROUND);
    let mut board = PathBuilder::new();
    for [(from_x, from_y), (to_x, to_y)] in lines().map(|ends| ends.map(place)) {
        board.move_to(from_x, from_y);
        board.line_to(to_x, to_y);
    }
    image.stroke(&board.finish()?, LINES, 5.0);
    for (stones, colour) in [(position.white(), WHITE), (position.black(), BLACK)] {
        stones.iter().map(place).try_for_each(|at| image.stone(at, RADIUS, colour))?;
    }
    for (from, to) in position.forbidden_steps() {
        let ((from, y), (to, _)) = (place(from), place(to));
        // Just outside the stone, on the side of the step.
        let x = from + (RADIUS + 10.0).copysign(to - from);
        let mut bar = PathBuilder::new();
        bar.move_to(x, y - 26.0);
        bar.line_to(x, y + 26.0);
        image.stroke(&bar.finish()?, FORBIDDEN, 12.0);
    }
    let (colour, rank) = match position.side() {
        Side::White => (WHITE, 0),
        Side::Black => (BLACK, SIDE_LENGTH - 1),
    };
    image.stone((LEFT / 2.0, y(rank)), RADIUS / 2.0, colour)?;
    image.0.encode_png().ok()
}

fn y(rank: usize) -> f32 {
    TOP + (SIDE_LENGTH - 1 - rank) as f32 * STEP
}

fn place(point: Point) -> (f32, f32) {
    (LEFT + point.file() as f32 * STEP, y(point.rank()))
}

struct Image(Pixmap);

impl Image {
    fn fill(&mut self, path: &Path, colour: [u8; 3]) {
        self.0.fill_path(path, &paint(colour), FillRule::Winding, Transform::identity(), None);
    }

    fn stroke(&mut self, path: &Path, colour: [u8; 3], width: f32) {
        let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
        self.0.stroke_path(path, &paint(colour), &stroke, Transform::identity(), None);
    }

    fn stone(&mut self, (x, y): (f32, f32), radius: f32, colour: [u8; 3]) -> Option<()> {
        let circle = PathBuilder::from_circle(x, y, radius)?;
        self.fill(&circle, colour);
        self.stroke(&circle, BLACK, 3.0);
        Some(())
    }
}

fn paint([red, green, blue]: [u8; 3]) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, 0xff);
    paint
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CLASSIC, QIRKAT, Rules};

    fn drawn(rules: &'static Rules, text: &str) -> Pixmap {
        let position = Position::parse(rules, text).unwrap();
        Pixmap::decode_png(&png(&position).unwrap()).unwrap()
    }

    fn colour(image: &Pixmap, (x, y): (f32, f32)) -> [u8; 3] {
        let pixel = image.pixel(x as u32, y as u32).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    #[test]
    fn every_point_shows_its_stone() {
        for text in ["start", "5/b4/3w1/3w1/5 w", "b1bbb/5/2w2/1w3/wwwww b"] {
            let position = Position::parse(&CLASSIC, text).unwrap();
            let image = drawn(&CLASSIC, text);
            assert_eq!((image.width(), image.height()), (WIDTH, HEIGHT));
            for point in Point::all() {
                let expected = match point {
                    _ if position.white().contains(point) => WHITE,
                    _ if position.black().contains(point) => BLACK,
                    _ => LINES,
                };
                assert_eq!(colour(&image, place(point)), expected, "{text}: {point}");
            }
            let [white, black] = [0, SIDE_LENGTH - 1].map(|rank| colour(&image, (LEFT / 2.0, y(rank))));
            let expected = match position.side() {
                Side::White => [WHITE, BACKGROUND],
                Side::Black => [BACKGROUND, BLACK],
            };
            assert_eq!([white, black], expected, "{text}");
        }
    }

    #[test]
    fn forbidden_steps_are_barred() {
        let image = drawn(&QIRKAT, "5/b4/3w1/5/5 w d3-c3 0");
        let (x, y) = place("d3".parse().unwrap());
        assert_eq!(colour(&image, (x - RADIUS - 10.0, y)), FORBIDDEN);
        assert_ne!(colour(&image, (x + RADIUS + 10.0, y)), FORBIDDEN);
    }

    #[test]
    fn lines_join_neighbours_only() {
        let image = drawn(&CLASSIC, "5/b4/3w1/3w1/5 w");
        for (from, to, joined) in [("a1", "b2", true), ("b1", "a2", false), ("a1", "b1", true)] {
            let [(x1, y1), (x2, y2)] = [from, to].map(|name| place(name.parse().unwrap()));
            // Not in the middle, where another diagonal may cross.
            let between = (x1 + (x2 - x1) * 0.3, y1 + (y2 - y1) * 0.3);
            assert_eq!(colour(&image, between), if joined { LINES } else { BACKGROUND }, "{from}-{to}");
        }
    }
}
