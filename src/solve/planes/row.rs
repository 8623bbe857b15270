//! The row in work: one placement of the row side, with all columns as bits.

use super::mask::Condition;
use super::route::Route;
use crate::board::{Bitboard, POINTS, Point};
use crate::index::{BitOps, Index, Membership, PairLayout, RowTarget, number_among};
use crate::material::{Material, Pair};
use crate::rules::SideGeometry;
use crate::solve::kernel::Mover;

/// A row of a pair whose stones have no states.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub layout: &'a PairLayout,
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

    /// The points of the column side's stones in a column.
    #[inline(always)]
    pub fn occupied<B: BitOps>(&self, bits: B, column: usize) -> u32 {
        bits.deposit(self.combinations[column].into(), self.free.bits().into()) as u32
    }

    /// How the stones of `mover` may move.
    pub fn geometry(&self, mover: Mover) -> &'static SideGeometry {
        self.layout.geometry(mover)
    }

    /// The ways that steps of `mover` go, those that keep the order of columns first.
    pub fn steps(&self, mover: Mover, into: &mut Vec<Route<'a>>) {
        into.clear();
        match mover {
            Mover::RowSide => self.row_side_steps(into),
            Mover::ColumnSide => self.column_side_steps(&step_targets(self.geometry(mover)), into),
        }
    }

    /// The ways back from where steps of `mover` arrived. A symmetric row holds the position before more than once: there is
    /// one for each.
    pub fn steps_back(&self, mover: Mover, into: &mut Vec<Route<'a>>) {
        into.clear();
        match mover {
            Mover::RowSide => self.row_side_steps_back(into),
            Mover::ColumnSide => self.column_side_steps(&step_sources(self.geometry(mover)), into),
        }
    }

    fn row_side_steps(&self, into: &mut Vec<Route<'a>>) {
        let geometry = self.geometry(Mover::RowSide);
        let mut own = 0;
        for from in self.own.iter() {
            for to in (geometry.steps(from) & self.free).iter() {
                let placement = self.own.without(Bitboard::of(from)).with(to);
                let target = self.layout.target(placement.bits().into());
                into.extend(self.row_side_step(target, placement, from, to));
                // Many columns need no more when it comes to the others, which cost more for each.
                if target.is_own() && own < into.len() {
                    let last = into.len() - 1;
                    into.swap(own, last);
                    own += 1;
                }
            }
        }
    }

    fn row_side_steps_back(&self, into: &mut Vec<Route<'a>>) {
        let geometry = self.geometry(Mover::RowSide);
        for before in self.free.iter() {
            for now in (geometry.steps(before) & self.own).iter() {
                let placement = self.own.without(Bitboard::of(now)).with(before);
                for target in self.layout.targets(placement.bits().into()) {
                    into.extend(self.row_side_step(target, placement, now, before));
                }
            }
        }
    }

    fn row_side_step(
        &self,
        target: RowTarget,
        placement: Bitboard,
        from: Point,
        to: Point,
    ) -> Option<Route<'a>> {
        let domain = Condition { has: Bitboard::EMPTY, lacks: Bitboard::of(to) };
        let change = [Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::of(from)];
        Route::new(self.layout, target, placement, change, domain)
    }

    /// The ways of the column side's stones to where `reached` says for each point.
    fn column_side_steps(&self, reached: &[Bitboard; POINTS], into: &mut Vec<Route<'a>>) {
        let target = self.layout.stay(self.number, 0);
        for from in self.free.iter() {
            for to in (reached[from.index()] & self.free).iter() {
                let (from, to) = (Bitboard::of(from), Bitboard::of(to));
                let domain = Condition { has: from, lacks: to };
                into.extend(Route::new(self.layout, target, self.own, [from, to, from], domain));
            }
        }
    }
}

/// Where steps go from each point.
pub fn step_targets(geometry: &SideGeometry) -> [Bitboard; POINTS] {
    let mut targets = [Bitboard::EMPTY; POINTS];
    for point in Point::all() {
        targets[point.index()] = geometry.steps(point);
    }
    targets
}

/// Where steps to each point come from.
pub fn step_sources(geometry: &SideGeometry) -> [Bitboard; POINTS] {
    let mut sources = [Bitboard::EMPTY; POINTS];
    for point in Point::all() {
        for to in geometry.steps(point).iter() {
            sources[to.index()] = sources[to.index()].with(point);
        }
    }
    sources
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
