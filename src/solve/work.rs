//! A pair in work.

use super::GenerateError;
use super::cells::{Cell, Distances};
use super::kernel::Kernel;
use super::monitor::Monitor;
use super::room::Room;
use super::slices::Slices;
use super::{dtw, planes, sweep, wdl};
use crate::index::{Index, PairLayout, RowBlock};
use crate::material::Pair;
use crate::region::Region;
use crate::table::Metric;

/// Entries of a block of rows: small enough to share the work evenly, large enough to hide what sharing costs.
const BLOCK_ENTRIES: u64 = 1 << 13;

/// Both tables of a pair: the row side to move and the column side to move.
pub struct PairWork<'a> {
    pub index: &'a Index,
    pub layout: &'a PairLayout,
    pub slices: &'a Slices,
    pub room: &'a Room,
    pub blocks: Vec<RowBlock>,
    /// The values, by [`Mover`]. When all is solved, what is open is a draw.
    pub cells: [Region<Cell>; 2],
    /// Distances to conversion, by [`Mover`], while they are worked on.
    pub dtc: Option<[Distances; 2]>,
    /// Distances to win, by [`Mover`], while they are worked on.
    pub dtw: Option<[Distances; 2]>,
}

impl<'a> PairWork<'a> {
    /// The pair with nothing decided.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn new(
        index: &'a Index,
        pair: Pair,
        slices: &'a Slices,
        room: &'a Room,
    ) -> Result<PairWork<'a>, GenerateError> {
        let layout = &**index.layout(pair);
        Ok(PairWork {
            index,
            layout,
            slices,
            room,
            blocks: layout.blocks(BLOCK_ENTRIES),
            cells: [room.cells(layout.words())?, room.cells(layout.words())?],
            dtc: None,
            dtw: None,
        })
    }

    /// Solves the pair. Each distance, once it is known for all positions, is handed to `done` before the next
    /// one takes memory; the values come first.
    ///
    /// Where every step brings its side closer to where no step is left, each position is decided once, after
    /// all that it leads to; else in passes, until nothing changes.
    pub fn solve(
        &mut self,
        wanted: &dyn Fn(Metric) -> bool,
        monitor: &Monitor,
        mut done: impl FnMut(&PairWork, Metric) -> Result<(), GenerateError>,
    ) -> Result<(), GenerateError> {
        let distances =
            |metric| wanted(metric).then(|| Distances::of_both(self.layout.entries())).transpose();
        self.dtc = distances(Metric::Dtc)?;
        let levels = sweep::levels(self.layout);
        if let Some(levels) = &levels {
            self.dtw = distances(Metric::Dtw)?;
            sweep::solve(self, levels, monitor)?;
        } else if self.layout.membership().is_some() {
            planes::solve(self, monitor)?;
        } else {
            wdl::solve(self, monitor)?;
        }
        done(self, Metric::Wdl)?;
        if self.dtc.is_some() {
            done(self, Metric::Dtc)?;
            self.dtc = None;
        }
        if wanted(Metric::Dtw) {
            if levels.is_none() {
                dtw::solve(self, monitor)?;
            }
            done(self, Metric::Dtw)?;
        }
        Ok(())
    }

    /// Decides what captures decide, and what has no legal move.
    pub fn resolve(&self, monitor: &Monitor) -> Result<(), GenerateError> {
        match self.layout.membership() {
            Some(_) => planes::resolve(self, monitor),
            None => wdl::resolve(self, monitor).map(drop),
        }
    }

    /// A kernel for the pair.
    pub fn kernel(&self) -> Kernel<'a> {
        Kernel::new(self.index, self.layout.pair())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::AtomicBool;

    use super::super::cells::{Kept, value_at};
    use super::super::kernel::Mover;
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC, QIRKAT, YOUZAI};
    use std::sync::Arc;

    /// All values and distances of a pair, by passes or as [`PairWork::solve`] finds them.
    fn solved<'a>(
        index: &'a Index,
        pair: Pair,
        slices: &'a Slices,
        room: &'a Room,
        by_passes: bool,
    ) -> (Vec<String>, PairWork<'a>) {
        let monitor = Monitor { progress: &(), stop: &AtomicBool::new(false) };
        let mut work = PairWork::new(index, pair, slices, room).unwrap();
        let entries = work.layout.entries();
        work.dtc = Some(Distances::of_both(entries).unwrap());
        if by_passes {
            wdl::solve(&work, &monitor).unwrap();
            dtw::solve(&mut work, &monitor).unwrap();
        } else {
            work.dtw = Some(Distances::of_both(entries).unwrap());
            sweep::solve(&work, &sweep::levels(work.layout).unwrap(), &monitor).unwrap();
        }
        let mut all = Vec::new();
        for mover in Mover::BOTH.map(|mover| mover as usize) {
            let (dtc, dtw) = (&work.dtc.as_ref().unwrap()[mover], &work.dtw.as_ref().unwrap()[mover]);
            all.extend((0..entries).map(|entry| {
                let value = value_at(work.layout, &work.cells[mover], work.layout.location_of(entry));
                format!("{value:?} {} {}", dtc.get(entry), dtw.get(entry))
            }));
        }
        (all, work)
    }

    /// Keeps a solved pair for larger ones.
    fn hold(
        slices: &mut Slices,
        layout: &Arc<PairLayout>,
        cells: [Region<Cell>; 2],
        dtw: Option<[Distances; 2]>,
    ) {
        let keep = |_, cells| Ok::<_, Infallible>(Some(Kept::Memory(cells)));
        slices.hold(layout, cells, dtw, keep).unwrap();
    }

    #[test]
    fn sweep_and_passes_agree() {
        for rules in [&BRAINKING, &QIRKAT] {
            let index = Index::new(rules);
            let (mut slices, room) = (Slices::default(), Room::default());
            for pair in Pair::up_to(3) {
                let (by_passes, _) = solved(&index, pair, &slices, &room, true);
                let (by_sweep, work) = solved(&index, pair, &slices, &room, false);
                assert!(by_passes == by_sweep, "{} {pair}", rules.name());
                let (cells, dtw) = (work.cells, work.dtw);
                hold(&mut slices, index.layout(pair), cells, dtw);
            }
        }
    }

    #[test]
    fn planes_and_single_positions_agree() {
        let monitor = Monitor { progress: &(), stop: &AtomicBool::new(false) };
        for rules in [&CLASSIC, &YOUZAI] {
            let index = Index::new(rules);
            let mut slices = Slices::default();
            // Lists of the pair before are used again.
            let room = Room::for_pairs(Pair::up_to(5).iter().map(|&pair| &**index.layout(pair)));
            for pair in Pair::up_to(5) {
                let solved = [planes::solve, wdl::solve].map(|solve| {
                    let mut work = PairWork::new(&index, pair, &slices, &room).unwrap();
                    let entries = work.layout.entries();
                    work.dtc = Some(Distances::of_both(entries).unwrap());
                    solve(&work, &monitor).unwrap();
                    work
                });
                let [planes, single] = &solved;
                for mover in Mover::BOTH.map(|mover| mover as usize) {
                    for entry in 0..planes.layout.entries() {
                        let location = planes.layout.location_of(entry);
                        let found = |work: &PairWork| {
                            let value = value_at(work.layout, &work.cells[mover], location);
                            (value, work.dtc.as_ref().unwrap()[mover].get(entry))
                        };
                        assert_eq!(found(planes), found(single), "{} {pair} {mover} {entry}", rules.name());
                    }
                }
                let [PairWork { cells, .. }, _] = solved;
                hold(&mut slices, index.layout(pair), cells, None);
            }
        }
    }
}
