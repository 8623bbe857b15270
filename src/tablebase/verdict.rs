//! What best play leads to.

use std::convert::Infallible;

use crate::table::{Metric, Value};

/// What best play leads to, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Verdict {
    /// Win, draw or loss.
    pub value: Value,
    /// Plies up to and including the next capture, or until the end of the game; `None` for a draw, and when
    /// the table is missing. 0 = no legal move.
    pub dtc: Option<u16>,
    /// Plies until the end of the game; `None` for a draw, when the table is missing, and under rules in
    /// which a ply counter ends games. 0 = the side to move has lost.
    pub dtw: Option<u16>,
}

impl Verdict {
    /// A verdict without distances.
    pub const fn without_distances(value: Value) -> Verdict {
        Verdict { value, dtc: None, dtw: None }
    }

    /// A verdict with the distances that `distance` gives.
    pub(crate) fn new(value: Value, mut distance: impl FnMut(Metric) -> Option<u16>) -> Verdict {
        let Ok(verdict) = Verdict::try_new(value, |metric| Ok::<_, Infallible>(distance(metric)));
        verdict
    }

    /// As [`new`](Self::new), where distances may fail to be found.
    pub(crate) fn try_new<E>(
        value: Value,
        mut distance: impl FnMut(Metric) -> Result<Option<u16>, E>,
    ) -> Result<Verdict, E> {
        Ok(Verdict { value, dtc: distance(Metric::Dtc)?, dtw: distance(Metric::Dtw)? })
    }

    /// The distance by `metric`, if it is known.
    #[inline]
    pub const fn distance(&self, metric: Metric) -> Option<u16> {
        match metric {
            Metric::Wdl => None,
            Metric::Dtc => self.dtc,
            Metric::Dtw => self.dtw,
        }
    }

    /// Plies until the end of the game, if they are known.
    #[inline]
    pub const fn plies_to_end(&self) -> Option<u16> {
        self.distance(Metric::TO_END)
    }

    /// The distance that ranks the verdict: the first of [`Metric::DISTANCES`] that is known.
    #[inline]
    pub fn ranking_distance(&self) -> Option<u16> {
        Metric::DISTANCES.into_iter().find_map(|metric| self.distance(metric))
    }

    /// The value with the distance that ranks it: `win in 11`, or `win, conversion in 3` without a distance to
    /// the end.
    pub(crate) fn in_words(&self) -> String {
        match (self.value, self.plies_to_end(), self.ranking_distance()) {
            (Value::Draw, ..) | (_, None, None) => self.value.to_string(),
            (value, Some(plies), _) => format!("{value} in {plies}"),
            (value, None, Some(plies)) => format!("{value}, conversion in {plies}"),
        }
    }

    /// The verdict for the mover on the position before a move, if that move is played: this is the verdict
    /// for the opponent after it.
    pub(crate) fn before(self, by_capture: bool) -> Verdict {
        let value = self.value.reversed();
        let is_decided = value != Value::Draw;
        Verdict::new(value, |metric| {
            metric.before_move(self.distance(metric), by_capture).filter(|_| is_decided)
        })
    }

    /// The verdict when the mover can choose between what leads to `self` and what leads to `other`: the
    /// better value, and by each distance for itself the sooner win or the later loss. A distance that
    /// one of two equal values lacks is not known, unless nothing can be sooner.
    #[must_use]
    pub(crate) fn or(self, other: Verdict) -> Verdict {
        if self.value != other.value {
            return if self.value > other.value { self } else { other };
        }
        Verdict::new(self.value, |metric| match (self.value, self.distance(metric), other.distance(metric)) {
            (Value::Win, Some(1), _) | (Value::Win, _, Some(1)) => Some(1),
            (_, None, _) | (_, _, None) => None,
            (Value::Win, Some(own), Some(others)) => Some(own.min(others)),
            (_, Some(own), Some(others)) => Some(own.max(others)),
        })
    }
}
