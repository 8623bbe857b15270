//! The row in work: one placement of the row side, with all columns as bits.

use super::route::{Condition, Route, number_among};
use crate::board::{Bitboard, Point};
use crate::index::{Index, Membership, PairLayout};
use crate::material::{Material, Pair};
use crate::rules::{Rules, SideGeometry};
use crate::solve::kernel::Mover;

/// A row of a pair whose stones have no states.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub layout: &'a PairLayout,
    pub rules: &'static Rules,
    pub number: u32,
    /// The row side's placement, and the points that it leaves.
    pub own: Bitboard,
    pub free: Bitboard,
    pub membership: &'a Membership,
    pub combinations: &'a [u32],
}

impl<'a> Row<'a> {
    /// The row with this number, or `None` when the stones have states.
    pub fn new(layout: &'a PairLayout, number: u32) -> Option<Row<'a>> {
        let own = layout.rows().placement(number);
        Some(Row {
            layout,
            rules: layout.rules(),
            number,
            own,
            free: !own,
            membership: layout.membership()?,
            combinations: layout.combinations()?,
        })
    }

    /// The words of the row in tables of its pair.
    pub fn words(&self) -> std::ops::Range<usize> {
        self.layout.first_word(self.number)..self.layout.first_word(self.number + 1)
    }

    /// The number of the row's first entry.
    pub fn first_entry(&self) -> u64 {
        self.layout.first_entry(self.number)
    }

    /// The columns with a stone on `point`, a free one.
    #[inline]
    pub fn columns_with(&self, point: Bitboard) -> &'a [u64] {
        self.membership.of(number_among(self.free, point))
    }

    /// How the stones of `mover` may move.
    pub fn geometry(&self, mover: Mover) -> &'static SideGeometry {
        self.rules.side(match mover {
            Mover::RowSide => self.layout.row_slots().side(),
            Mover::ColumnSide => self.layout.column_slots().side(),
        })
    }

    /// The ways that steps of `mover` go.
    pub fn steps(&self, mover: Mover, into: &mut Vec<Route<'a>>) {
        into.clear();
        let geometry = self.geometry(mover);
        let stones = match mover {
            Mover::RowSide => self.own,
            Mover::ColumnSide => self.free,
        };
        for from in stones.iter() {
            for to in (geometry.steps(from) & self.free).iter() {
                self.step(mover, from, to, 1, into);
            }
        }
    }

    /// The ways back from where steps of `mover` arrived. A symmetric row holds the position before more than once: there is
    /// one for each.
    pub fn steps_back(&self, mover: Mover, into: &mut Vec<Route<'a>>) {
        into.clear();
        let geometry = self.geometry(mover);
        let stones = match mover {
            Mover::RowSide => self.own,
            Mover::ColumnSide => self.free,
        };
        for before in self.free.iter() {
            for now in (geometry.steps(before) & stones).iter() {
                self.step(mover, now, before, usize::MAX, into);
            }
        }
    }

    /// The ways of a stone of `mover` from one point to another, at most so many: to a symmetric row there are several, and
    /// for reading one will do.
    fn step(&self, mover: Mover, from: Point, to: Point, most: usize, into: &mut Vec<Route<'a>>) {
        let (from, to) = (Bitboard::of(from), Bitboard::of(to));
        match mover {
            Mover::RowSide => {
                let placement = self.own.without(from) | to;
                let domain = Condition { has: Bitboard::EMPTY, lacks: to };
                let change = [Bitboard::EMPTY, Bitboard::EMPTY, from];
                let targets = self.layout.targets(placement.bits().into()).take(most);
                into.extend(targets.filter_map(|target| Route::new(self.layout, target, placement, change, domain)));
            }
            Mover::ColumnSide => {
                let domain = Condition { has: from, lacks: to };
                let target = self.layout.stay(self.number, 0);
                into.extend(Route::new(self.layout, target, self.own, [from, to, from], domain));
            }
        }
    }
}

/// The layouts of the pairs that captures lead to.
pub struct Smaller<'a>(Vec<Vec<Option<&'a PairLayout>>>);

impl<'a> Smaller<'a> {
    /// Those for captures from `pair`.
    pub fn new(index: &'a Index, pair: Pair) -> Smaller<'a> {
        let a = pair.larger();
        let mut layouts = vec![vec![None; a + 1]; a + 1];
        for material in pair.captures_lead_to() {
            let pair = material.pair();
            layouts[pair.larger()][pair.smaller()] = Some(&**index.layout(pair));
        }
        Smaller(layouts)
    }

    /// The layout for the slice of `material`.
    pub fn get(&self, material: Material) -> Option<&'a PairLayout> {
        let pair = material.pair();
        self.0[pair.larger()][pair.smaller()]
    }
}
