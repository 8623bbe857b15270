//! Playing a move.

use super::Move;
use crate::board::{Bitboard, Direction, neighbour};
use crate::position::Position;
use crate::rules::{Rules, Side};

impl Position {
    /// The position after `mv`, which must be a legal move of this one.
    #[must_use]
    pub fn play(&self, rules: &Rules, mv: &Move) -> Position {
        let (from, to) = (Bitboard::of(mv.from()), Bitboard::of(mv.to()));
        let own = self.own().without(from) | to;
        let opponent = self.opponent().without(mv.captured());
        // The moved stone is free; captured stones take their states with them.
        let gone = from | to | mv.captured();
        let (mut no_west, mut no_east) = (self.no_west().without(gone), self.no_east().without(gone));
        let mut plies = 0;
        if !mv.is_capture() {
            plies = if rules.ply_limit().is_some() { self.plies() + 1 } else { 0 };
            if rules.no_return() {
                if neighbour(mv.from(), Direction::West) == Some(mv.to()) {
                    no_east = no_east.with(mv.to());
                } else if neighbour(mv.from(), Direction::East) == Some(mv.to()) {
                    no_west = no_west.with(mv.to());
                }
            }
        }
        let stones = match self.side() {
            Side::White => [own, opponent],
            Side::Black => [opponent, own],
        };
        Position::from_parts(stones, self.side().other(), no_west, no_east, plies)
    }
}
