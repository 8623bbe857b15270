//! How far a stone can go by steps: whether play can go in a circle, and how long it can last if not.

use super::{Parameters, Side, SideGeometry};
use crate::board::{Bitboard, Direction, POINTS, Point, neighbour};

/// Which sideways step a stone may not make, under the no-return rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoneState {
    /// It may make every step.
    Free,
    /// It may not step to the next lower file.
    NoWest,
    /// It may not step to the next higher file.
    NoEast,
}

impl StoneState {
    /// All states, the free one first.
    pub const ALL: [StoneState; 3] = [StoneState::Free, StoneState::NoWest, StoneState::NoEast];

    /// The state of a stone on `point`, from the sets of stones that may not step west and east.
    #[inline]
    pub const fn on(point: Point, no_west: Bitboard, no_east: Bitboard) -> StoneState {
        if no_west.contains(point) {
            StoneState::NoWest
        } else if no_east.contains(point) {
            StoneState::NoEast
        } else {
            StoneState::Free
        }
    }
}

/// Points times states.
const SLOTS: usize = POINTS * StoneState::ALL.len();

/// For each point and state, the most steps that a stone of one side can make from there on an empty board.
/// Jumps and other stones only shorten such a path, so it bounds the steps between two captures.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    longest: [[u8; StoneState::ALL.len()]; POINTS],
}

impl Motion {
    /// The longest paths of one side's stones; `None` when a stone can step in a circle.
    pub(super) const fn new(parameters: &Parameters, geometry: &SideGeometry) -> Option<Motion> {
        let marks = parameters.marks_stones();
        let mut longest = [[0; StoneState::ALL.len()]; POINTS];
        // Each round sees paths that are longer by one step at least. A path without a circle visits no slot
        // twice, so that a circle shows as a path of more steps than there are slots.
        loop {
            let mut changed = false;
            let mut index = 0;
            while let Some(point) = Point::new(index) {
                let mut s = 0;
                while s < if marks { StoneState::ALL.len() } else { 1 } {
                    let steps = longest_from(&longest, marks, geometry, point, StoneState::ALL[s]);
                    if steps as usize > SLOTS {
                        return None;
                    }
                    changed |= steps != longest[index][s];
                    longest[index][s] = steps;
                    s += 1;
                }
                index += 1;
            }
            if !changed {
                return Some(Motion { longest });
            }
        }
    }

    /// The most steps from `point` in `state`.
    pub(super) const fn longest(&self, point: Point, state: StoneState) -> u8 {
        self.longest[point.index()][state as usize]
    }

    /// The most steps from any point.
    pub(super) const fn most(&self) -> u8 {
        let mut most = 0;
        let mut index = 0;
        while index < POINTS {
            // A free stone can do whatever one with a forbidden step can.
            if self.longest[index][StoneState::Free as usize] > most {
                most = self.longest[index][StoneState::Free as usize];
            }
            index += 1;
        }
        most
    }
}

/// One more than the longest path from where a step leads; 0 without a step.
const fn longest_from(
    longest: &[[u8; StoneState::ALL.len()]; POINTS],
    marks: bool,
    geometry: &SideGeometry,
    point: Point,
    state: StoneState,
) -> u8 {
    let targets = geometry.steps_in(point, state);
    let mut most = 0;
    let mut d = 0;
    while d < Direction::ALL.len() {
        if let Some(to) = neighbour(point, Direction::ALL[d])
            && targets.contains(to)
        {
            let after = match Direction::ALL[d] {
                Direction::West if marks => StoneState::NoEast,
                Direction::East if marks => StoneState::NoWest,
                _ => StoneState::Free,
            };
            let steps = longest[to.index()][after as usize].saturating_add(1);
            if steps > most {
                most = steps;
            }
        }
        d += 1;
    }
    most
}

/// The point and state that White sees in place of these: Black's view is turned by 180°.
pub(super) const fn seen_by_white(side: Side, point: Point, state: StoneState) -> (Point, StoneState) {
    match side {
        Side::White => (point, state),
        Side::Black => {
            let turned = match Point::new(POINTS - 1 - point.index()) {
                Some(turned) => turned,
                None => unreachable!(),
            };
            let state = match state {
                StoneState::Free => StoneState::Free,
                StoneState::NoWest => StoneState::NoEast,
                StoneState::NoEast => StoneState::NoWest,
            };
            (turned, state)
        }
    }
}
