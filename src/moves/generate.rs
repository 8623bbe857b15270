//! The legal moves of a position.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::Move;
use super::chain::for_each_chain;
use crate::board::{Bitboard, Point};
use crate::position::Position;
use crate::rules::{Rules, SideGeometry, StoneState};

/// Where the stone on `point` could step on an empty board, given its forbidden steps.
#[inline]
fn steps_of(geometry: &SideGeometry, position: &Position, point: Point) -> Bitboard {
    geometry.steps_in(point, StoneState::on(point, position.no_west(), position.no_east()))
}

/// Calls `visit` with every legal move, until it breaks: captures, and then steps, unless captures are
/// compulsory and there is one. The order is fixed: by starting point, then for steps by target and for
/// chains depth first. The draw by a ply counter is ignored.
#[inline]
pub fn for_each_move<B>(
    rules: &Rules,
    position: &Position,
    mut visit: impl FnMut(Move) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let geometry = rules.side(position.side());
    let (own, opponent) = (position.own(), position.opponent());
    let mut captures = false;
    for_each_chain(geometry, own, opponent, |chain| {
        captures = true;
        visit(Move::capture(chain))
    })?;
    if captures && rules.captures_are_compulsory() {
        return ControlFlow::Continue(());
    }
    let empty = !(own | opponent);
    for from in own.iter() {
        for to in (steps_of(geometry, position, from) & empty).iter() {
            visit(Move::step(from, to))?;
        }
    }
    ControlFlow::Continue(())
}

/// All legal moves, in the order of [`for_each_move`].
pub fn legal_moves(rules: &Rules, position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    let _: ControlFlow<Infallible> = for_each_move(rules, position, |mv| {
        moves.push(mv);
        ControlFlow::Continue(())
    });
    moves
}

impl Position {
    /// Whether the ply counter has reached the limit of `rules`. The game is then a draw, unless the side to
    /// move has no legal move.
    pub fn is_drawn_by_counter(&self, rules: &Rules) -> bool {
        rules.ply_limit().is_some_and(|limit| self.plies() >= limit) && has_legal_move(rules, self)
    }
}

/// The moves that can be played: [`legal_moves`], but none once the ply counter has ended the game.
pub fn playable_moves(rules: &Rules, position: &Position) -> Vec<Move> {
    if position.is_drawn_by_counter(rules) { Vec::new() } else { legal_moves(rules, position) }
}

/// Whether the side to move can capture.
#[inline]
pub fn can_capture(rules: &Rules, position: &Position) -> bool {
    !rules.side(position.side()).jumpers(position.own(), position.opponent()).is_empty()
}

/// Whether the side to move can capture and so may not step.
#[inline]
pub fn must_capture(rules: &Rules, position: &Position) -> bool {
    rules.captures_are_compulsory() && can_capture(rules, position)
}

/// Whether the side to move has a legal move. If not, it has lost, or the game is drawn: see
/// [`Rules::no_moves`](crate::rules::Rules::no_moves).
pub fn has_legal_move(rules: &Rules, position: &Position) -> bool {
    let geometry = rules.side(position.side());
    let own = position.own();
    let empty = !(own | position.opponent());
    can_capture(rules, position)
        || own.iter().any(|from| !(steps_of(geometry, position, from) & empty).is_empty())
}
