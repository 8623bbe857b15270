//! What a search says about a position, and the numbers it computes with.

use std::fmt;

use crate::table::Value;
use crate::tablebase::Verdict;

/// What a search found, for the side to move. A proof and an estimate are never confused: what is only likely
/// is an [`Estimate`](Score::Estimate), however large.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// The exact value of the position.
    Proven(Proven),
    /// How good the position looks, in hundredths of a stone; 0 is even.
    Estimate(i32),
}

/// A value that a search has proven, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Proven {
    /// It can force a win.
    Win {
        /// Plies within which the win can be forced, if the search found a number; there may be a shorter
        /// way.
        within: Option<u16>,
    },
    /// Neither side can force a win.
    Draw,
    /// Its opponent can force a win.
    Loss {
        /// Plies within which the opponent can force the win, as above.
        within: Option<u16>,
    },
}

impl Proven {
    /// The value without its distance.
    pub const fn value(self) -> Value {
        match self {
            Proven::Win { .. } => Value::Win,
            Proven::Draw => Value::Draw,
            Proven::Loss { .. } => Value::Loss,
        }
    }

    /// The plies until the end of a win or loss, if they are known.
    pub const fn within(self) -> Option<u16> {
        match self {
            Proven::Win { within } | Proven::Loss { within } => within,
            Proven::Draw => None,
        }
    }
}

impl From<Verdict> for Proven {
    fn from(verdict: Verdict) -> Proven {
        match verdict.value {
            Value::Win => Proven::Win { within: verdict.plies_to_end() },
            Value::Draw => Proven::Draw,
            Value::Loss => Proven::Loss { within: verdict.plies_to_end() },
        }
    }
}

impl Score {
    /// The value if it is proven.
    pub const fn proven(self) -> Option<Proven> {
        match self {
            Score::Proven(proven) => Some(proven),
            Score::Estimate(_) => None,
        }
    }
}

/// `proven win within 11 plies`, `proven draw`, or `estimate +0.54`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Score::Proven(proven) => {
                write!(f, "proven {}", proven.value())?;
                match proven.within() {
                    None => Ok(()),
                    Some(1) => f.write_str(" within 1 ply"),
                    Some(plies) => write!(f, " within {plies} plies"),
                }
            }
            Score::Estimate(hundredths) => write!(f, "estimate {:+.2}", f64::from(*hundredths) / 100.0),
        }
    }
}

/// A score in the search: estimates around 0, proven wins far above and losses far below them. The sooner a
/// win the higher; a win whose plies are known stands above all whose plies are not.
pub(super) type Points = i32;

/// More than any score.
pub(super) const INFINITE: Points = 32_000;
/// Won on the spot. A win in *n* plies is *n* less.
const WIN: Points = 30_000;
/// The most plies that a win of known distance can have.
const MOST_PLIES: Points = 2_000;
/// Won by a table that does not know the plies to the end; less the plies up to that table.
const WIN_BY_TABLE: Points = 25_000;
/// Proven wins have at least this.
const WON: Points = 22_000;
/// Estimates have at most this.
const MOST_ESTIMATED: Points = 10_000;

/// Points that are a proof, of a win for either side.
pub(super) const fn is_decided(points: Points) -> bool {
    points.abs() >= WON
}

/// The points of a node at `ply` as the table of positions keeps them, counted from that node.
pub(super) const fn from_node(points: Points, ply: usize) -> Points {
    if is_decided(points) { points + points.signum() * ply as Points } else { points }
}

/// The inverse of [`from_node`].
pub(super) const fn from_root(points: Points, ply: usize) -> Points {
    if is_decided(points) { points - points.signum() * ply as Points } else { points }
}

/// What the search knows about a node, for the side to move there. Points that are not a proof may come from
/// a repetition, and then hold on this path only. The two facts hold on any path: they come only from tables
/// and from games that are over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finding {
    /// The score, or a bound of it.
    pub points: Points,
    /// Proven: the side to move does not lose.
    pub at_least_draw: bool,
    /// Proven: the side to move does not win.
    pub at_most_draw: bool,
}

impl Finding {
    /// The position occurred before: good for a draw on this path, and no proof of anything.
    pub const REPETITION: Finding = Finding::estimate(0);
    /// A draw on any path.
    pub const DRAW: Finding = Finding { points: 0, at_least_draw: true, at_most_draw: true };

    /// How good a node looks.
    pub const fn estimate(points: Points) -> Finding {
        let points = match points {
            points if points > MOST_ESTIMATED => MOST_ESTIMATED,
            points if points < -MOST_ESTIMATED => -MOST_ESTIMATED,
            points => points,
        };
        Finding { points, at_least_draw: false, at_most_draw: false }
    }

    /// The side to move wins, and the game then ends at `ply`.
    pub const fn won(ply: usize) -> Finding {
        Finding { points: WIN - ply as Points, at_least_draw: true, at_most_draw: false }
    }

    /// The side to move loses, and the game then ends at `ply`.
    pub const fn lost(ply: usize) -> Finding {
        Finding::won(ply).reversed()
    }

    /// What the tables say about a node at `ply`.
    pub fn of_verdict(verdict: &Verdict, ply: usize) -> Finding {
        let plies = verdict.plies_to_end().map(|plies| ply + usize::from(plies));
        let won = match plies.filter(|&plies| plies < MOST_PLIES as usize) {
            Some(plies) => Finding::won(plies),
            None => {
                let plies = ply as Points + Points::from(verdict.dtc.unwrap_or(0));
                let points = WIN_BY_TABLE - plies.min(MOST_PLIES);
                Finding { points, at_least_draw: true, at_most_draw: false }
            }
        };
        match verdict.value {
            Value::Win => won,
            Value::Draw => Finding::DRAW,
            Value::Loss => won.reversed(),
        }
    }

    /// The same seen from the other side.
    pub const fn reversed(self) -> Finding {
        Finding { points: -self.points, at_least_draw: self.at_most_draw, at_most_draw: self.at_least_draw }
    }

    /// Exactly a draw, on any path.
    pub const fn is_draw(self) -> bool {
        self.at_least_draw && self.at_most_draw
    }

    /// The score of the root.
    pub fn score(self) -> Score {
        let distance = WIN - self.points.abs();
        let within = u16::try_from(distance).ok().filter(|&plies| Points::from(plies) <= MOST_PLIES);
        match self.points {
            points if !is_decided(points) && self.is_draw() => Score::Proven(Proven::Draw),
            points if !is_decided(points) => Score::Estimate(points),
            points if points > 0 => Score::Proven(Proven::Win { within }),
            _ => Score::Proven(Proven::Loss { within }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Metric;

    #[test]
    fn proofs_and_estimates_stay_apart() {
        let score = |value, to_capture, to_end| {
            let distance = |metric| if metric == Metric::TO_END { to_end } else { to_capture };
            Finding::of_verdict(&Verdict::new(value, distance), 3).score()
        };
        let win = |within| Score::Proven(Proven::Win { within });
        let loss = |within| Score::Proven(Proven::Loss { within });
        assert_eq!(score(Value::Win, Some(2), Some(8)), win(Some(11)));
        assert_eq!(score(Value::Loss, Some(2), Some(8)), loss(Some(11)));
        assert_eq!(score(Value::Win, Some(2), None), win(None));
        assert_eq!(score(Value::Win, None, None), win(None));
        assert_eq!(score(Value::Loss, Some(u16::MAX), Some(u16::MAX)), loss(None));
        assert_eq!(score(Value::Draw, None, None), Score::Proven(Proven::Draw));
        assert_eq!(Finding::estimate(1 << 20).score(), Score::Estimate(MOST_ESTIMATED));
        assert_eq!(Finding::estimate(-1 << 20).score(), Score::Estimate(-MOST_ESTIMATED));
        assert_eq!(Finding::REPETITION.score(), Score::Estimate(0));
        assert_eq!(Finding::lost(0).score(), loss(Some(0)));
    }

    #[test]
    fn kept_points_count_from_their_node() {
        let points = Finding::won(9).points;
        assert_eq!(from_root(from_node(points, 4), 6), Finding::won(11).points);
        assert_eq!(from_root(from_node(-points, 4), 6), Finding::lost(11).points);
        assert_eq!(from_node(250, 4), 250);
    }

    #[test]
    fn scores_are_worded() {
        assert_eq!(Score::Proven(Proven::Win { within: Some(11) }).to_string(), "proven win within 11 plies");
        assert_eq!(Score::Proven(Proven::Loss { within: None }).to_string(), "proven loss");
        assert_eq!(Score::Estimate(-154).to_string(), "estimate -1.54");
    }
}
