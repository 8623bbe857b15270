//! Where the stones of one side may step and jump under a rule set, worked out once at compile time.

use super::{Chains, Parameters, Side, StoneState};
use crate::board::{Bitboard, Direction, POINTS, Point, SIDE_LENGTH, jump, neighbour};

/// A jump along one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The point that is jumped over, as a set of one.
    pub over: u32,
    /// The landing point, as a set of one.
    pub landing: u32,
}

/// Up to eight jumps from one point.
#[derive(Clone, Copy)]
struct JumpList {
    len: u8,
    jumps: [Jump; 8],
}

/// All first jumps in one direction, for all points at once.
#[derive(Clone, Copy)]
struct Ray {
    /// Points from which the jump exists.
    sources: u32,
    /// How far the jumped point's number lies from the source's.
    offset: i32,
}

/// The move geometry of one side.
pub struct SideGeometry {
    steps: [u32; POINTS],
    steps_without_west: [u32; POINTS],
    steps_without_east: [u32; POINTS],
    first_jumps: [JumpList; POINTS],
    later_jumps: [JumpList; POINTS],
    rays: [Ray; 8],
    may_stop: bool,
}

crate::debug::debug_as!(SideGeometry, |_side|);

const NO_JUMP: Jump = Jump { over: 0, landing: 0 };

const fn add_jump(list: &mut JumpList, point: Point, direction: Direction) {
    if let Some((over, landing)) = jump(point, direction) {
        list.jumps[list.len as usize] = Jump { over: 1 << over.index(), landing: 1 << landing.index() };
        list.len += 1;
    }
}

impl SideGeometry {
    pub(super) const fn new(parameters: &Parameters, side: Side) -> SideGeometry {
        let (steps, first, later, far_rank) = match side {
            Side::White => {
                (parameters.steps, parameters.first_jumps, parameters.later_jumps, SIDE_LENGTH - 1)
            }
            Side::Black => (
                parameters.steps.reversed(),
                parameters.first_jumps.reversed(),
                parameters.later_jumps.reversed(),
                0,
            ),
        };
        let empty = JumpList { len: 0, jumps: [NO_JUMP; 8] };
        let mut geometry = SideGeometry {
            steps: [0; POINTS],
            steps_without_west: [0; POINTS],
            steps_without_east: [0; POINTS],
            first_jumps: [empty; POINTS],
            later_jumps: [empty; POINTS],
            rays: [Ray { sources: 0, offset: 0 }; 8],
            may_stop: matches!(parameters.chains, Chains::MayStop),
        };
        let mut index = 0;
        while let Some(point) = Point::new(index) {
            let may_step = point.rank() != far_rank || parameters.steps_on_far_rank;
            let mut d = 0;
            while d < Direction::ALL.len() {
                let direction = Direction::ALL[d];
                if may_step
                    && steps.contains(direction)
                    && let Some(target) = neighbour(point, direction)
                {
                    let target = 1 << target.index();
                    geometry.steps[index] |= target;
                    if !matches!(direction, Direction::West) {
                        geometry.steps_without_west[index] |= target;
                    }
                    if !matches!(direction, Direction::East) {
                        geometry.steps_without_east[index] |= target;
                    }
                }
                if first.contains(direction) {
                    add_jump(&mut geometry.first_jumps[index], point, direction);
                    geometry.rays[d].offset = direction.offset() as i32;
                    if jump(point, direction).is_some() {
                        geometry.rays[d].sources |= 1 << index;
                    }
                }
                if later.contains(direction) {
                    add_jump(&mut geometry.later_jumps[index], point, direction);
                }
                d += 1;
            }
            index += 1;
        }
        geometry
    }

    /// Points to which a free stone on `point` may step, were they all empty.
    #[inline]
    pub const fn steps(&self, point: Point) -> Bitboard {
        self.steps_in(point, StoneState::Free)
    }

    /// Points to which a stone in `state` on `point` may step, were they all empty.
    #[inline]
    pub const fn steps_in(&self, point: Point, state: StoneState) -> Bitboard {
        let steps = match state {
            StoneState::Free => &self.steps,
            StoneState::NoWest => &self.steps_without_west,
            StoneState::NoEast => &self.steps_without_east,
        };
        Bitboard::new(steps[point.index()])
    }

    /// The lines along which a chain may begin on `point`.
    #[inline]
    pub fn first_jumps(&self, point: Point) -> &[Jump] {
        let list = &self.first_jumps[point.index()];
        &list.jumps[..list.len as usize]
    }

    /// The lines along which a chain may go on from `point`.
    #[inline]
    pub fn later_jumps(&self, point: Point) -> &[Jump] {
        let list = &self.later_jumps[point.index()];
        &list.jumps[..list.len as usize]
    }

    /// Whether a chain may end although a further jump is possible.
    #[inline]
    pub const fn may_stop(&self) -> bool {
        self.may_stop
    }

    /// The stones of `own` that can begin a chain against `opponent`.
    #[inline]
    pub fn jumpers(&self, own: Bitboard, opponent: Bitboard) -> Bitboard {
        let empty = !(own | opponent);
        let jumpers = self.rays.iter().fold(0, |jumpers, ray| jumpers | ray.jumpers(opponent, empty));
        Bitboard::new(jumpers & own.bits())
    }

    /// Calls `visit` with every jump from a point of `from` over one of `over` to one of `landing` that can
    /// begin a chain: these three points, each as a set.
    #[inline(always)]
    pub fn each_first_jump(
        &self,
        [from, over, landing]: [Bitboard; 3],
        mut visit: impl FnMut([Bitboard; 3]),
    ) {
        for ray in &self.rays {
            for from in Bitboard::new(ray.jumpers(over, landing) & from.bits()).iter() {
                let at = |steps: i32| Bitboard::new(1_u32 << (from.index() as i32 + steps * ray.offset));
                visit([at(0), at(1), at(2)]);
            }
        }
    }
}

impl Ray {
    /// The points from which the jump leads over a point of `over` to one of `landing`.
    #[inline(always)]
    fn jumpers(&self, over: Bitboard, landing: Bitboard) -> u32 {
        let shift = |set: Bitboard, by: i32| if by >= 0 { set.bits() >> by } else { set.bits() << -by };
        self.sources & shift(over, self.offset) & shift(landing, 2 * self.offset)
    }
}
