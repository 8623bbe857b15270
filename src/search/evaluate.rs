//! How good a position looks in which nothing is forced.

use super::score::{Finding, Points};
use crate::board::{Bitboard, Point, SIDE_LENGTH};
use crate::position::Position;

/// A stone more counts this much,
const STONE: Points = 100;
/// and the more the fewer stones there are: this much shared among all of them.
const STONE_SHARED: Points = 600;
/// A stone off the edge has more lines.
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
