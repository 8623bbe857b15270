//! Slots: a point together with the state of the stone on it.
//!
//! Under rules without forbidden steps a stone has one state and slots are points. Under the no-return rule a
//! stone may be free, or forbidden to step west, or forbidden to step east, where such a step exists at all;
//! each of these is a slot of its own, and the arrangement of a side is a set of slots.

use super::images::PointImages;
use crate::board::{Bitboard, Direction, POINTS, Point, Transform, neighbour};
use crate::rules::{Rules, Side, StoneState as State};

/// A set of slots, one bit each.
pub type Slots = u64;

const BYTES: usize = 8;

/// A mapping of slots, looked up byte by byte.
struct Permutation(Vec<[Slots; 256]>);

impl Permutation {
    fn new(count: usize, image: impl Fn(usize) -> Option<usize>) -> Permutation {
        let mut table = vec![[0; 256]; count.div_ceil(BYTES)];
        for (byte, entries) in table.iter_mut().enumerate() {
            for (bits, entry) in entries.iter_mut().enumerate() {
                let slots = (0..8).filter(|bit| bits >> bit & 1 != 0).map(|bit| byte * 8 + bit);
                *entry = slots
                    .filter(|&slot| slot < count)
                    .filter_map(&image)
                    .fold(0, |set, slot| set | 1 << slot);
            }
        }
        Permutation(table)
    }

    #[inline]
    fn apply(&self, mut slots: Slots) -> Slots {
        let mut image = 0;
        for table in &self.0 {
            image |= table[(slots & 0xff) as usize];
            slots >>= 8;
        }
        image
    }
}

/// The slots of one side.
pub struct SlotMap {
    has_states: bool,
    side: Side,
    point: Vec<u8>,
    state: Vec<State>,
    first: [u8; POINTS + 1],
    symmetries: Vec<Permutation>,
    turn: Permutation,
}

/// The slots of both sides: the row side plays up, like White, the column side down.
pub struct SlotMaps {
    /// The slots of the row side.
    pub row: SlotMap,
    /// The slots of the column side.
    pub column: SlotMap,
    /// The symmetries as they move points.
    points: Vec<PointImages>,
}

impl SlotMaps {
    pub(super) fn new(rules: &Rules) -> SlotMaps {
        let transforms = rules.symmetry().transforms().iter();
        let points = transforms.map(|&transform| PointImages::new(|point| transform.apply(point)));
        SlotMaps {
            row: SlotMap::new(rules, Side::White),
            column: SlotMap::new(rules, Side::Black),
            points: points.collect(),
        }
    }

    /// How many symmetries the rules have.
    pub(super) fn symmetry_count(&self) -> usize {
        self.points.len()
    }

    /// The image of these points under the symmetry with this number; 0 is the identity.
    #[inline]
    pub(super) fn points_image(&self, symmetry: usize, points: Bitboard) -> Bitboard {
        Bitboard::new(self.points[symmetry].apply(points.bits()))
    }

    /// The symmetry with this number as it moves points.
    pub(super) fn point_images(&self, symmetry: usize) -> &PointImages {
        &self.points[symmetry]
    }
}

impl SlotMap {
    fn new(rules: &Rules, side: Side) -> SlotMap {
        let has_states = rules.states_have_numbers();
        let (point, state, first) = enumerate(rules, side, has_states);
        let (other_point, other_state, other_first) = enumerate(rules, side.other(), has_states);
        let find = |first: &[u8; POINTS + 1], states: &[State], point: Point, state: State| {
            let slots = usize::from(first[point.index()])..usize::from(first[point.index() + 1]);
            slots.into_iter().find(|&slot| states[slot] == state)
        };
        let moved = |slot: usize, transform: Transform| {
            let image = transform.apply(Point::new(point[slot].into())?);
            let state = match state[slot] {
                State::NoWest if transform.swaps_sideways() => State::NoEast,
                State::NoEast if transform.swaps_sideways() => State::NoWest,
                same => same,
            };
            Some((image, state))
        };
        let count = point.len();
        let symmetries = rules.symmetry().transforms().iter().map(|&transform| {
            Permutation::new(count, |slot| {
                let (image, image_state) = moved(slot, transform)?;
                find(&first, &state, image, image_state)
            })
        });
        let symmetries = symmetries.collect();
        let turn = Permutation::new(count, |slot| {
            let (image, image_state) = moved(slot, Transform::HALF_TURN)?;
            find(&other_first, &other_state, image, image_state)
        });
        debug_assert_eq!(count, other_point.len());
        SlotMap { has_states, side, point, state, first, symmetries, turn }
    }

    /// Whether stones have states: whether the rules forbid steps to single stones.
    #[inline]
    pub fn has_states(&self) -> bool {
        self.has_states
    }

    /// How many slots there are: 25, or more when stones have states.
    pub fn count(&self) -> usize {
        self.point.len()
    }

    /// The colour that plays in this side's direction.
    pub fn side(&self) -> Side {
        self.side
    }

    /// How many states a stone on `point` can have.
    pub fn states(&self, point: usize) -> usize {
        usize::from(self.first[point + 1] - self.first[point])
    }

    /// The first slot on `point`; the free stone's.
    #[inline]
    pub(super) fn first_slot(&self, point: usize) -> usize {
        usize::from(self.first[point])
    }

    /// The point of `slot`.
    #[inline]
    pub(super) fn point_of(&self, slot: usize) -> usize {
        if self.has_states { usize::from(self.point[slot]) } else { slot }
    }

    /// The slots of these stones.
    pub fn encode(&self, stones: Bitboard, no_west: Bitboard, no_east: Bitboard) -> Slots {
        if !self.has_states {
            return stones.bits().into();
        }
        let state = |point| State::on(point, no_west, no_east);
        stones.iter().fold(0, |set, point| set | self.slot(point, state(point)))
    }

    /// The stones in these slots: all, those that may not step west, and those that may not step east.
    pub fn decode(&self, slots: Slots) -> [Bitboard; 3] {
        let stones = self.occupied(slots);
        if !self.has_states {
            return [stones, Bitboard::EMPTY, Bitboard::EMPTY];
        }
        let in_state = |state| ones(slots).filter(move |&slot| self.state[slot] == state);
        let points = |state| in_state(state).filter_map(|slot| Point::new(self.point_of(slot))).collect();
        [stones, points(State::NoWest), points(State::NoEast)]
    }

    fn slot(&self, point: Point, state: State) -> Slots {
        let slots = self.first_slot(point.index())..usize::from(self.first[point.index() + 1]);
        let found = slots.into_iter().find(|&slot| self.state[slot] == state);
        found.map_or(0, |slot| 1 << slot)
    }

    /// The points of these slots.
    #[inline]
    pub fn occupied(&self, slots: Slots) -> Bitboard {
        if !self.has_states {
            return Bitboard::new(slots as u32);
        }
        Bitboard::new(ones(slots).fold(0, |set, slot| set | 1 << self.point[slot]))
    }

    /// All slots on these points.
    #[inline]
    pub fn slots_on(&self, points: Bitboard) -> Slots {
        if !self.has_states {
            return points.bits().into();
        }
        points.iter().fold(0, |set, point| {
            let (first, end) = (self.first[point.index()], self.first[point.index() + 1]);
            set | ((1 << end) - (1 << first))
        })
    }

    /// The number of the states of these stones among all that stones on their points can have, and how many
    /// those are. The lowest stone's state is the lowest digit.
    #[inline]
    pub fn state_code(&self, slots: Slots) -> (u32, u32) {
        if !self.has_states {
            return (0, 1);
        }
        descending_ones(slots).fold((0, 1), |(code, count), slot| {
            let point = self.point_of(slot);
            let states = self.states(point) as u32;
            (code * states + (slot - self.first_slot(point)) as u32, count * states)
        })
    }

    /// How many states the stones on these points can have together.
    pub fn state_count(&self, points: Bitboard) -> u32 {
        points.iter().map(|point| self.states(point.index()) as u32).product()
    }

    /// Stones on these points in the states with this number: the inverse of
    /// [`state_code`](Self::state_code).
    pub fn with_states(&self, points: Bitboard, mut code: u32) -> Slots {
        points.iter().fold(0, |set, point| {
            let states = self.states(point.index()) as u32;
            let slot = self.first_slot(point.index()) + (code % states) as usize;
            code /= states;
            set | 1 << slot
        })
    }

    /// The slot of a free stone on `point`.
    #[inline]
    pub fn free_on(&self, point: Point) -> Slots {
        1 << if self.has_states { self.first_slot(point.index()) } else { point.index() }
    }

    /// The slot of a stone that has just stepped from `from` to `to`.
    #[inline]
    pub fn stepped(&self, from: Point, to: Point) -> Slots {
        if self.has_states {
            if neighbour(from, Direction::West) == Some(to) {
                return self.slot(to, State::NoEast);
            }
            if neighbour(from, Direction::East) == Some(to) {
                return self.slot(to, State::NoWest);
            }
        }
        self.free_on(to)
    }

    /// Every stone of `slots`: its slot, its point, and the points to which it may step were they empty.
    #[inline]
    pub fn steps<'a>(
        &'a self,
        rules: &'a Rules,
        slots: Slots,
    ) -> impl Iterator<Item = (Slots, Point, Bitboard)> + 'a {
        let geometry = rules.side(self.side);
        ones(slots).filter_map(move |slot| {
            let point = Point::new(self.point_of(slot))?;
            let state = if self.has_states { self.state[slot] } else { State::Free };
            Some((1 << slot, point, geometry.steps_in(point, state)))
        })
    }

    /// For every slot the most steps that a stone there can make on an empty board, or `None` when it can
    /// step in a circle. Every step then makes the sum over a side's stones smaller.
    pub fn longest_paths(&self, rules: &Rules) -> Option<Vec<u32>> {
        let longest = |slot: usize| {
            let point = Point::new(self.point_of(slot))?;
            rules.longest_path(self.side, point, self.state[slot]).map(u32::from)
        };
        (0..self.count()).map(longest).collect()
    }

    /// The image of `slots` under the symmetry with this number; 0 is the identity.
    #[inline]
    pub fn image(&self, symmetry: usize, slots: Slots) -> Slots {
        if symmetry == 0 { slots } else { self.symmetries[symmetry].apply(slots) }
    }

    /// The same stones on a board turned by 180°, as slots of the other side.
    #[inline]
    pub fn turned(&self, slots: Slots) -> Slots {
        self.turn.apply(slots)
    }
}

/// The set bits of `slots`, lowest first.
#[inline]
pub(super) fn ones(mut slots: Slots) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = slots.trailing_zeros() as usize;
        slots &= slots.wrapping_sub(1);
        (slot < Slots::BITS as usize).then_some(slot)
    })
}

/// The set bits of `slots`, highest first.
#[inline]
pub(super) fn descending_ones(mut slots: Slots) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let slot = slots.checked_ilog2()?;
        slots ^= 1 << slot;
        Some(slot as usize)
    })
}

/// Point and state of every slot of `side`, and the first slot of every point.
fn enumerate(rules: &Rules, side: Side, has_states: bool) -> (Vec<u8>, Vec<State>, [u8; POINTS + 1]) {
    let (mut points, mut states, mut first) = (Vec::new(), Vec::new(), [0; POINTS + 1]);
    for point in Point::all() {
        let may_step = |direction| {
            neighbour(point, direction).is_some_and(|to| rules.side(side).steps(point).contains(to))
        };
        let mut add = |state| {
            points.push(point.index() as u8);
            states.push(state);
        };
        add(State::Free);
        if has_states && may_step(Direction::West) {
            add(State::NoWest);
        }
        if has_states && may_step(Direction::East) {
            add(State::NoEast);
        }
        first[point.index() + 1] = points.len() as u8;
    }
    (points, states, first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC};

    #[test]
    fn slot_counts() {
        assert_eq!(SlotMap::new(&CLASSIC, Side::White).count(), 25);
        for side in [Side::White, Side::Black] {
            assert_eq!(SlotMap::new(&BRAINKING, side).count(), 57);
        }
    }

    #[test]
    fn only_the_no_return_rule_ends_all_paths() {
        for rules in Rules::ALL {
            let maps = SlotMaps::new(rules);
            assert_eq!(maps.row.longest_paths(rules).is_some(), rules.no_return(), "{rules:?}");
        }
        // From a1 along every rank, up at its end, and nothing on the far rank.
        let maps = SlotMaps::new(&BRAINKING);
        assert_eq!(maps.row.longest_paths(&BRAINKING).map(|paths| paths[0]), Some(4 * 5));
        // The last slot is e5 without the step west: down at once, then along three ranks and down at their
        // ends.
        let last = maps.column.longest_paths(&BRAINKING).and_then(|paths| paths.last().copied());
        assert_eq!(last, Some(1 + 3 * 5));
    }

    #[test]
    fn images_and_turns_are_bijections() {
        for rules in Rules::ALL {
            let maps = SlotMaps::new(rules);
            for slot in 0..maps.row.count() {
                for symmetry in 0..maps.symmetry_count() {
                    assert_eq!(maps.row.image(symmetry, 1 << slot).count_ones(), 1);
                }
                assert_eq!(maps.column.turned(maps.row.turned(1 << slot)), 1 << slot);
            }
        }
    }
}
