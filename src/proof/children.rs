//! What the moves of a position lead to, in canonical form.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::board::{Bitboard, Point};
use crate::canonical::Canonical;
use crate::moves::for_each_chain;
use crate::rules::{Rules, Side, StoneState};

/// The positions after every legal move, each once and in order; as [`for_each_child`].
pub(super) fn children(rules: &Rules, canonical: Canonical) -> Vec<Canonical> {
    let mut children = Vec::new();
    for_each_child(rules, canonical, |child| children.push(child));
    children.sort_unstable();
    children.dedup();
    children
}

/// Whether the move from `canonical` to `child` captures: its opponent, who is to move then, has fewer stones.
#[inline]
pub(super) fn is_capture(canonical: Canonical, child: Canonical) -> bool {
    child.own().count() < canonical.opponent().count()
}

/// Calls `visit` with the position after every legal move, as the opponent of the mover sees it. A position
/// that several moves lead to may be visited more than once.
#[inline]
pub(super) fn for_each_child(rules: &Rules, canonical: Canonical, mut visit: impl FnMut(Canonical)) {
    let geometry = rules.side(Side::White);
    let (own, opponent) = (canonical.own(), canonical.opponent());
    let (no_west, no_east) = (canonical.no_west(), canonical.no_east());
    let child = |own: Bitboard, opponent: Bitboard, no_west: Bitboard, no_east: Bitboard| {
        let bits = |set: Bitboard| set.rotated().bits();
        Canonical::of_sets(
            rules.symmetry(),
            [bits(opponent), bits(own)],
            // Turned by 180°, west is east.
            [bits(no_east), bits(no_west)],
        )
    };
    let mut captures = false;
    let _: ControlFlow<Infallible> = for_each_chain(geometry, own, opponent, |chain| {
        captures = true;
        let (from, to) = (Bitboard::of(chain.from()), Bitboard::of(chain.to()));
        let gone = from | to | chain.captured();
        visit(child(
            own.without(from) | to,
            opponent.without(chain.captured()),
            no_west.without(gone),
            no_east.without(gone),
        ));
        ControlFlow::Continue(())
    });
    if captures && rules.captures_are_compulsory() {
        return;
    }
    let empty = !(own | opponent);
    for from in own.iter() {
        let steps = geometry.steps_in(from, StoneState::on(from, no_west, no_east));
        for to in (steps & empty).iter() {
            let gone = Bitboard::of(from);
            let [mut no_west, mut no_east] = [no_west.without(gone), no_east.without(gone)];
            if rules.no_return() {
                match sideways(from, to) {
                    Some(Sideways::West) => no_east = no_east.with(to),
                    Some(Sideways::East) => no_west = no_west.with(to),
                    None => {}
                }
            }
            visit(child(own.without(gone).with(to), opponent, no_west, no_east));
        }
    }
}

enum Sideways {
    West,
    East,
}

/// Whether a step leads along the rank. Only such steps change the number of the point by one.
fn sideways(from: Point, to: Point) -> Option<Sideways> {
    match to.index() as isize - from.index() as isize {
        -1 => Some(Sideways::West),
        1 => Some(Sideways::East),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::{Move, legal_moves};
    use crate::position::Position;

    /// Every position of a few plies from `position` on has the children that its legal moves lead to.
    fn compare(rules: &'static Rules, position: &Position, depth: u32) {
        let canonical = Canonical::of(rules, position);
        let mut children = Vec::new();
        for_each_child(rules, canonical, |child| children.push(child));
        let moves = legal_moves(rules, position);
        let after = |mv: &Move| Canonical::of(rules, &position.play(rules, mv));
        let mut expected: Vec<Canonical> = moves.iter().map(after).collect();
        assert!(moves.iter().all(|mv| is_capture(canonical, after(mv)) == mv.is_capture()));
        children.sort_unstable();
        expected.sort_unstable();
        assert_eq!(children, expected, "{} {position}", rules.name());
        if depth > 0 {
            for mv in &moves {
                compare(rules, &position.play(rules, mv), depth - 1);
            }
        }
    }

    #[test]
    fn children_are_what_the_legal_moves_lead_to() {
        for rules in Rules::ALL {
            compare(rules, &Position::start(rules), 6);
            for text in ["5/1b1b1/2w2/3b1/w3w w", "w4/1b3/2b1w/w3b/3w1 b", "5/1w3/3b1/2w2/b3b w"] {
                compare(rules, &Position::parse(rules, text).unwrap(), 5);
            }
        }
    }
}
