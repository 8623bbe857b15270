//! Values and metrics: what tables say about a position.

use std::fmt;
use std::str::FromStr;

use crate::position::Position;
use crate::rules::{NoMoves, Rules};

/// The result with best play, for the side to move. The worse is the smaller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Value {
    Loss,
    Draw,
    Win,
}

impl Value {
    /// The same result seen from the other side.
    #[must_use]
    pub const fn reversed(self) -> Value {
        match self {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        }
    }

    /// The value of a position without a legal move, for the side to move.
    pub fn without_moves(rules: &Rules, position: &Position) -> Value {
        match rules.no_moves() {
            NoMoves::Draw if !position.own().is_empty() => Value::Draw,
            _ => Value::Loss,
        }
    }

    /// The value in a word: `loss`, `draw` or `win`.
    pub const fn name(self) -> &'static str {
        match self {
            Value::Loss => "loss",
            Value::Draw => "draw",
            Value::Win => "win",
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a table holds. This module says all there is to say about each metric; what solves a metric is in
/// `solve`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Distance to conversion: plies up to and including the next capture, or until the end of the game, when
    /// the winner hurries towards a conversion that keeps the win and the loser delays it.
    Dtc,
    /// Distance to win: plies until the end of the game, when the winner hurries and the loser delays.
    Dtw,
}

/// What generating a table costs, measured (`benches/README.md`): once by passes, once by a sweep, which is
/// how pairs are solved under rules without cycles.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Nanoseconds of one thread for each entry.
    pub nanoseconds: f64,
    /// Bits of the file for each entry.
    pub bits: f64,
}

impl Metric {
    /// All metrics, in the order in which they are written.
    pub const ALL: [Metric; 3] = [Metric::Wdl, Metric::Dtc, Metric::Dtw];

    /// Those that are distances, the one by which moves are ranked first.
    pub const DISTANCES: [Metric; 2] = [Metric::Dtw, Metric::Dtc];

    /// The name, which is also the extension of the files.
    pub const fn name(self) -> &'static str {
        match self {
            Metric::Wdl => "wdl",
            Metric::Dtc => "dtc",
            Metric::Dtw => "dtw",
        }
    }

    /// Whether the metric is a number of the position alone under `rules`. A ply counter can end a game
    /// before the distance to win is reached.
    pub const fn exists_under(self, rules: &Rules) -> bool {
        match self {
            Metric::Wdl | Metric::Dtc => true,
            Metric::Dtw => rules.has_distance_to_win(),
        }
    }

    /// The distance of a won or lost position without a legal move, under rules that have the metric.
    pub fn at_end(self, rules: &Rules) -> Option<u16> {
        (self != Metric::Wdl && self.exists_under(rules)).then_some(0)
    }

    /// The distance of a position whose best move leads to one with the distance `after`, where that is
    /// known. One to conversion begins anew with each capture.
    pub const fn before_move(self, after: Option<u16>, by_capture: bool) -> Option<u16> {
        match (self, after) {
            (Metric::Wdl, _) => None,
            (Metric::Dtc, _) if by_capture => Some(1),
            (_, Some(after)) => Some(after.saturating_add(1)),
            (_, None) => None,
        }
    }

    /// Whether a position with captures takes its distance from the positions that they lead to, so that the
    /// tables of smaller slices must be there.
    pub const fn reaches_past_captures(self) -> bool {
        matches!(self, Metric::Dtw)
    }

    /// What a table costs.
    pub const fn cost(self, by_sweep: bool) -> Cost {
        let (nanoseconds, bits) = match (self, by_sweep) {
            (Metric::Wdl, false) => (25.0, 0.03),
            (Metric::Dtc, false) => (20.0, 0.25),
            (Metric::Dtw, false) => (900.0, 1.0),
            (Metric::Wdl, true) => (120.0, 0.06),
            (Metric::Dtc, true) => (100.0, 0.5),
            (Metric::Dtw, true) => (230.0, 0.6),
        };
        Cost { nanoseconds, bits }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text is not the name of a metric.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown metric '{0}'; known are wdl, dtc and dtw")]
pub struct ParseMetricError(String);

impl FromStr for Metric {
    type Err = ParseMetricError;

    fn from_str(text: &str) -> Result<Metric, ParseMetricError> {
        let found = Metric::ALL.into_iter().find(|metric| metric.name() == text);
        found.ok_or_else(|| ParseMetricError(text.to_owned()))
    }
}

/// The largest distances of a slice, in plies; `None` where there is no such position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Longest {
    /// Of the positions that are won.
    pub win: Option<u16>,
    /// Of the positions that are lost.
    pub loss: Option<u16>,
}

impl Longest {
    /// The larger of both, 0 when there is neither.
    pub fn max(self) -> u16 {
        self.win.max(self.loss).unwrap_or(0)
    }

    /// Takes in the distance of one more position.
    pub fn add(&mut self, value: Value, distance: u16) {
        let longest = match value {
            Value::Win => &mut self.win,
            Value::Loss => &mut self.loss,
            Value::Draw => return,
        };
        *longest = (*longest).max(Some(distance));
    }

    /// The largest distances of two sets of positions together.
    #[must_use]
    pub fn merged(self, other: Longest) -> Longest {
        Longest { win: self.win.max(other.win), loss: self.loss.max(other.loss) }
    }
}
