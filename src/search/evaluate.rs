//! An estimate of a position in which nothing is forced.

use super::score::{Finding, Points};
use crate::board::{Bitboard, Point, SIDE_LENGTH};
use crate::position::Position;
use crate::rules::{Rules, Side};

/// A stone counts this much,
const STONE: Points = 100;
/// and this much, divided by the number of stones on the board: an extra stone matters more when there are
/// few.
const STONE_SHARED: Points = 600;
/// A stone off the edge has more lines to move on.
const INNER: Points = 4;

const INNER_POINTS: Bitboard = {
    let mut inner = Bitboard::EMPTY;
    let mut index = 0;
    while let Some(point) = Point::new(index) {
        let (file, rank) = (point.file(), point.rank());
        if file > 0 && file < SIDE_LENGTH - 1 && rank > 0 && rank < SIDE_LENGTH - 1 {
            inner = inner.with(point);
        }
        index += 1;
    }
    inner
};

/// The estimate for the side to move: stones, and how many of them stand off the edge.
#[inline]
pub(super) fn evaluate(position: &Position) -> Finding {
    let (own, opponent) = (position.own(), position.opponent());
    let count = |set: Bitboard| set.count() as Points;
    let stones = count(own) - count(opponent);
    let inner = count(own & INNER_POINTS) - count(opponent & INNER_POINTS);
    let worth = STONE + STONE_SHARED / count(own | opponent).max(1);
    Finding::estimate(stones * worth + inner * INNER)
}

/// What a step of the loser, and a line of distance from him, take off the estimate of a position that is
/// won.
const OPEN_STEP: Points = 6;
const DISTANCE: Points = 4;

/// The estimate of a position that `winner` is known to win, for the side to move. It draws the winner
/// towards the stones of the other side, and to where these can hardly move.
pub(super) fn evaluate_won(rules: &Rules, position: &Position, winner: Side) -> Finding {
    let (hunters, prey) = (position.stones(winner), position.stones(winner.other()));
    let (empty, geometry) = (!(hunters | prey), rules.side(winner.other()));
    let steps: usize = prey.iter().map(|point| (geometry.steps(point) & empty).count()).sum();
    let nearest = |hunter: Point| prey.iter().map(|prey| distance(hunter, prey)).min().unwrap_or(0);
    let distances: usize = hunters.iter().map(nearest).sum();
    let penalty = OPEN_STEP * steps as Points + DISTANCE * distances as Points;
    let for_mover = if position.side() == winner { -penalty } else { penalty };
    Finding::estimate(evaluate(position).points + for_mover)
}

/// Lines between two points, diagonals included.
fn distance(one: Point, other: Point) -> usize {
    one.file().abs_diff(other.file()).max(one.rank().abs_diff(other.rank()))
}
