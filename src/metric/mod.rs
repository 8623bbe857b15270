//! Values and metrics: what tables say about a position.
//!
//! A metric is a module with its [`Description`]: recurrence, compression, cost, and the rules under which it
//! exists. Everything else asks the metric.

mod description;
mod dtc;
mod dtw;
mod longest;
mod value;
mod wdl;

pub(crate) use description::Compression;
pub use description::Cost;
pub use longest::Longest;
pub use value::Value;

use std::fmt;
use std::str::FromStr;

use crate::rules::Rules;
use description::{Description, Recurrence};

/// What a table holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Metric {
    /// Win, draw or loss.
    Wdl,
    /// Distance to conversion: plies up to and including the next capture, or until the end of the game, when
    /// the winner hurries towards a conversion that keeps the win and the loser delays it.
    Dtc,
    /// Distance to win: plies until the end of the game, when the winner hurries and the loser delays.
    Dtw,
}

impl Metric {
    /// All metrics, in the order in which they are written.
    pub const ALL: [Metric; 3] = [Metric::Wdl, Metric::Dtc, Metric::Dtw];

    /// Those that are distances, the one by which moves are ranked first.
    pub const DISTANCES: [Metric; 2] = [Metric::Dtw, Metric::Dtc];

    /// The distance that counts to the end of the game, past captures.
    pub const TO_END: Metric = Metric::Dtw;

    const fn description(self) -> &'static Description {
        match self {
            Metric::Wdl => &wdl::METRIC,
            Metric::Dtc => &dtc::METRIC,
            Metric::Dtw => &dtw::METRIC,
        }
    }

    /// The name, which is also the extension of the files.
    pub const fn name(self) -> &'static str {
        self.description().name
    }

    /// Whether it is a number of plies.
    pub const fn is_distance(self) -> bool {
        self.description().recurrence.is_some()
    }

    /// The distances in the order in which they are written and shown.
    pub fn shown_distances() -> impl Iterator<Item = Metric> {
        Metric::ALL.into_iter().filter(|metric| metric.is_distance())
    }

    /// Whether the metric is a number of the position alone under `rules`. A ply counter can end a game
    /// before the distance to win is reached.
    pub fn exists_under(self, rules: &Rules) -> bool {
        (self.description().exists_under)(rules)
    }

    /// The distance of a won or lost position without a legal move, under rules that have the metric.
    pub fn at_end(self, rules: &Rules) -> Option<u16> {
        (self.is_distance() && self.exists_under(rules)).then_some(0)
    }

    /// The distance of a position whose best move leads to one with the distance `after`, where that is
    /// known. One to conversion begins anew with each capture.
    pub const fn before_move(self, after: Option<u16>, by_capture: bool) -> Option<u16> {
        match (self.description().recurrence, after) {
            (None, _) => None,
            (Some(Recurrence::UpToCapture), _) if by_capture => Some(1),
            (Some(_), Some(after)) => Some(after.saturating_add(1)),
            (Some(_), None) => None,
        }
    }

    /// Whether a position with captures takes its distance from the positions that they lead to, so that the
    /// tables of smaller slices must be there.
    pub const fn reaches_past_captures(self) -> bool {
        matches!(self.description().recurrence, Some(Recurrence::PastCaptures))
    }

    /// How blocks of its tables are compressed.
    pub(crate) const fn compression(self) -> Compression {
        self.description().compression
    }

    /// What a table costs, made by a sweep or by passes.
    pub const fn cost(self, by_sweep: bool) -> Cost {
        if by_sweep { self.description().by_sweep } else { self.description().by_passes }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_of_distances_hold_the_same_metrics() {
        let mut shown: Vec<Metric> = Metric::shown_distances().collect();
        shown.sort_unstable();
        let mut ranking = Metric::DISTANCES;
        ranking.sort_unstable();
        assert_eq!(shown, ranking);
        // Positions with captures are remembered with one distance past them: `tablebase::known`.
        let past_captures: Vec<Metric> =
            Metric::ALL.into_iter().filter(|metric| metric.reaches_past_captures()).collect();
        assert_eq!(past_captures, [Metric::TO_END]);
    }
}
