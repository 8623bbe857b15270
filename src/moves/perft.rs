//! Counting paths, the standard test of a move generator.

use super::{Move, legal_moves};
use crate::position::Position;
use crate::rules::Rules;

/// The number of move sequences of exactly `depth` plies from `position`. Two paths to the same position
/// count twice; a game that has ended, by lack of moves or by the ply counter, has no continuation.
pub fn perft(rules: &Rules, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.is_drawn_by_counter(rules) {
        return 0;
    }
    let moves = legal_moves(rules, position);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|mv| perft(rules, &position.play(rules, mv), depth - 1)).sum()
}

/// [`perft`] split by first move: each legal move with the number of sequences of `depth` plies, at least
/// one, that begin with it.
pub fn divide(rules: &Rules, position: &Position, depth: u32) -> Vec<(Move, u64)> {
    if position.is_drawn_by_counter(rules) {
        return Vec::new();
    }
    let count = |mv: Move| (mv, perft(rules, &position.play(rules, &mv), depth.saturating_sub(1)));
    legal_moves(rules, position).into_iter().map(count).collect()
}
