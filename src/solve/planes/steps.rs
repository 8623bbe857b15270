//! The routes of steps from a row, forwards and backwards in play.

use super::mask::Condition;
use super::route::Route;
use super::row::Row;
use crate::board::{Bitboard, POINTS, Point};
use crate::index::{Mover, RowTarget};
use crate::rules::SideGeometry;

impl<'a> Row<'a> {
    /// The routes of steps of `mover`, those that keep the order of columns first.
    pub fn steps(&self, mover: Mover, into: &mut Vec<Route<'a>>) {
        into.clear();
        match mover {
            Mover::RowSide => self.row_side_steps(into),
            Mover::ColumnSide => self.column_side_steps(&step_targets(self.geometry(mover)), into),
        }
    }

    /// The routes back from where steps of `mover` arrived. A symmetric row holds the position before more
    /// than once: there is a route to each.
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
                // Every row that a step leads to is held.
                let Some(slot) = self.part.slot(target.row()) else { continue };
                into.push(self.row_side_step((target, slot), placement, from, to));
                // Once these are done, many columns need none of the others, which cost more for each column.
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
                    // Other rows hear of it in their own shards.
                    if let Some(slot) = self.part.own_slot(target.row()) {
                        into.push(self.row_side_step((target, slot), placement, now, before));
                    }
                }
            }
        }
    }

    fn row_side_step(
        &self,
        target: (RowTarget, u32),
        placement: Bitboard,
        from: Point,
        to: Point,
    ) -> Route<'a> {
        let domain = Condition { has: Bitboard::EMPTY, lacks: Bitboard::of(to) };
        let change = [Bitboard::EMPTY, Bitboard::EMPTY, Bitboard::of(from)];
        Route::new(self.layout, target, placement, change, domain)
    }

    /// The routes of the column side's stones from each point to those that `reached` has for it.
    fn column_side_steps(&self, reached: &[Bitboard; POINTS], into: &mut Vec<Route<'a>>) {
        let target = (self.layout.stay(self.number, 0), self.slot);
        for from in self.free.iter() {
            for to in (reached[from.index()] & self.free).iter() {
                let (from, to) = (Bitboard::of(from), Bitboard::of(to));
                let domain = Condition { has: from, lacks: to };
                into.push(Route::new(self.layout, target, self.own, [from, to, from], domain));
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
