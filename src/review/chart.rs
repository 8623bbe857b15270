//! The values of a game as a chart.

use std::fmt;

use super::annotate::described;
use super::{Mark, Review, ReviewedMove};
use crate::knowledge::Source;
use crate::rules::Side;
use crate::table::Value;

const WIDTH: usize = 800;
const HEIGHT: usize = 260;
const LEFT: usize = 96;
const RIGHT: usize = 16;
const TOP: usize = 24;
const BOTTOM: usize = 44;

/// Draws the values of a reviewed game as an SVG image: White's win at the top, Black's at the bottom, a
/// point for each move, hollow where the value is an estimate. Colours tell the sources apart, and marks
/// stand at their moves.
pub struct Chart<'a>(&'a Review);

crate::debug::debug_as!(Chart<'_>, |chart| review = chart.0);

impl Review {
    /// A chart of the values over the game.
    pub fn chart(&self) -> Chart<'_> {
        Chart(self)
    }
}

/// The value of a move as White sees it, from -1 to 1, and whether it is proven.
fn height(mv: &ReviewedMove) -> Option<(f64, bool)> {
    let sign = if mv.side == Side::White { 1.0 } else { -1.0 };
    match (mv.value.value(), mv.value.estimate) {
        (Some(Value::Win), _) => Some((sign, true)),
        (Some(Value::Draw), _) => Some((0.0, true)),
        (Some(Value::Loss), _) => Some((-sign, true)),
        // An estimate never reaches a proven win: three stones are half of the way.
        (None, Some(hundredths)) => {
            let stones = sign * f64::from(hundredths) / 100.0;
            Some((0.9 * stones / (stones.abs() + 3.0), false))
        }
        (None, None) => None,
    }
}

fn colour(source: Option<Source>) -> &'static str {
    match source {
        Some(Source::Rules) => "#444",
        Some(Source::Tables) => "#1764ab",
        Some(Source::Certificate) => "#2a7d2a",
        Some(Source::Search) => "#b35c00",
        None => "#999",
    }
}

impl fmt::Display for Chart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moves = &self.0.moves;
        let x = |ply: usize| {
            let plies = moves.len().max(1);
            LEFT as f64 + (WIDTH - LEFT - RIGHT) as f64 * ply as f64 / plies as f64
        };
        let y = |value: f64| TOP as f64 + (HEIGHT - TOP - BOTTOM) as f64 * (1.0 - value) / 2.0;
        write!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\"><title>Value over the game</title>\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>"
        )?;
        for (value, name) in [(1.0, "White wins"), (0.0, "draw"), (-1.0, "Black wins")] {
            write!(
                f,
                "<path d=\"M{LEFT} {0:.1}H{1}\" stroke=\"#ccc\"/>\
                 <text x=\"{2}\" y=\"{3:.1}\" text-anchor=\"end\">{name}</text>",
                y(value),
                WIDTH - RIGHT,
                LEFT - 8,
                y(value) + 4.0,
            )?;
        }
        let step = (moves.len() / 10).max(1).next_multiple_of(if moves.len() > 20 { 5 } else { 1 });
        for ply in (step..=moves.len()).step_by(step) {
            write!(
                f,
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{ply}</text>",
                x(ply),
                HEIGHT - BOTTOM + 18
            )?;
        }
        let mut points = String::new();
        for (index, mv) in moves.iter().enumerate() {
            if let Some((value, _)) = height(mv) {
                let command = if points.is_empty() { 'M' } else { 'L' };
                points += &format!("{command}{:.1} {:.1}", x(index + 1), y(value));
            }
        }
        write!(f, "<path d=\"{points}\" fill=\"none\" stroke=\"#888\"/>")?;
        for (index, mv) in moves.iter().enumerate() {
            let Some((value, is_proven)) = height(mv) else { continue };
            let (x, y, colour) = (x(index + 1), y(value), colour(mv.value.source));
            let fill = if is_proven { colour } else { "#fff" };
            write!(
                f,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{fill}\" stroke=\"{colour}\">\
                 <title>{}. {} {}: {}</title></circle>",
                mv.ply,
                mv.side,
                mv.mv,
                described(&mv.value)
            )?;
            if let Some(mark) = mv.mark {
                let (fill, above) = match mark {
                    Mark::Only => ("#2a7d2a", -8.0),
                    Mark::Slow | Mark::Blunder => ("#c00", -8.0),
                };
                write!(
                    f,
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-weight=\"bold\" \
                     fill=\"{fill}\">{mark}</text>",
                    y + above
                )?;
            }
        }
        let mut at = LEFT;
        for source in Source::ALL {
            write!(
                f,
                "<circle cx=\"{at}\" cy=\"{0}\" r=\"4\" fill=\"{1}\"/><text x=\"{2}\" y=\"{3}\">{4}</text>",
                HEIGHT - 12,
                colour(Some(source)),
                at + 8,
                HEIGHT - 8,
                source.name()
            )?;
            at += 90;
        }
        write!(f, "<text x=\"{at}\" y=\"{}\">hollow: an estimate</text></svg>", HEIGHT - 8)
    }
}
