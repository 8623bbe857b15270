//! Going back along the steps from what a pass decided.

use std::sync::atomic::Ordering::Relaxed;

use super::news::News;
use super::passes::{Hand, Passes};
use super::row::Row;
use super::singles::{Singles, are_few};
use crate::index::Mover;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::Frontier;

impl Passes<'_> {
    /// Goes back along the steps from the positions in `decided`, which are taken off: positions before lost
    /// ones are won in `distance` plies, those before won ones may be lost. Both go on the list `next`.
    /// They are positions of the tables of `movers`.
    pub fn send_back<'p>(
        &'p self,
        movers: &[Mover],
        decided: &Frontier,
        next: &Frontier,
        distance: u16,
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let wanted = |mover, slot| decided.has(mover, slot);
        let send_row = |hand: &mut Hand<'p>, row: &Row<'p>, mover: Mover| {
            self.send_row_back(hand, row, mover, [decided, next], distance);
        };
        let after: Vec<Mover> = movers.iter().map(|mover| mover.other()).collect();
        self.each_held_row(&after, monitor, wanted, send_row)
    }

    fn send_row_back<'p>(
        &'p self,
        hand: &mut Hand<'p>,
        row: &Row<'p>,
        mover: Mover,
        [decided, next]: [&Frontier; 2],
        distance: u16,
    ) {
        let Hand { traffic, routes, won, lost, wanted, .. } = hand;
        won.clear();
        lost.clear();
        wanted.clear();
        let cells = &self.work.cells[mover as usize][row.words()];
        for (cell, listed) in cells.iter().zip(&decided.words(mover)[row.words()]) {
            let (bits, decided) = (cell.bits(), listed.load(Relaxed));
            if decided != 0 {
                listed.store(0, Relaxed);
            }
            won.push(bits.wins() & decided);
            lost.push(bits.losses() & decided);
            wanted.push(decided);
        }
        decided.note_row(mover, row.slot, false);
        let before = mover.other();
        let news = News {
            cells: &self.work.cells[before as usize],
            next: next.words(before),
            distances: self.work.dtc.as_ref().map(|dtc| &dtc[before as usize]),
            distance,
        };
        let few = are_few(wanted);
        routes.clear();
        if !few || before == Mover::RowSide {
            row.steps_back(before, routes);
        }
        if few {
            let met = |slot| next.note_row(before, slot, true);
            return Singles::new(row, before, routes, &self.came_from).send([lost, won], &news, met);
        }
        for route in routes.iter() {
            if traffic.send(row, route, [lost, won], &news) {
                next.note_row(before, route.slot, true);
            }
        }
    }
}
