//! The stages of solving one pair, each to be run by itself: for measuring and profiling.

use std::sync::atomic::AtomicBool;

use super::cells::Kept;
use super::job::{GenerateError, Target};
use super::monitor::Monitor;
use super::planes;
use super::room::Room;
use super::slices::Slices;
use super::work::PairWork;
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::rules::Rules;

/// A pair of slices, and all that captures in it lead to, solved in memory.
pub struct Stages {
    index: Index,
    pair: Pair,
    slices: Slices,
    room: Room,
}

impl Stages {
    /// Solves what captures from `material` lead to. There are no distances.
    ///
    /// # Errors
    /// [`GenerateError::TooLarge`] and [`GenerateError::Allocation`].
    pub fn new(rules: &'static Rules, material: Material) -> Result<Stages, GenerateError> {
        let pair = material.pair();
        let pairs = Target::Material(material).pairs();
        let mut stages =
            Stages { index: Index::new(rules), pair, slices: Slices::default(), room: Room::default() };
        if let Some(&pair) = pairs.iter().find(|&&pair| !stages.index.fits(pair)) {
            return Err(GenerateError::TooLarge(pair));
        }
        for smaller in pairs.into_iter().filter(|&smaller| smaller != pair) {
            let mut work = PairWork::new(&stages.index, smaller, &stages.slices, &stages.room)?;
            with_monitor(|monitor| work.solve(&|_| false, monitor, |_, _| Ok(())))?;
            let (layout, cells) = (stages.index.layout(smaller), work.cells);
            let keep = |_, cells| Ok::<_, GenerateError>(Some(Kept::Memory(cells)));
            stages.slices.hold(layout, cells, None, keep)?;
        }
        Ok(stages)
    }

    /// Entries of both tables of the pair together, whether both are written or, with equal sides, one.
    pub fn entries(&self) -> u64 {
        2 * self.index.layout(self.pair).entries()
    }

    /// The pair with nothing decided.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn begin(&self) -> Result<PairInWork<'_>, GenerateError> {
        Ok(PairInWork(PairWork::new(&self.index, self.pair, &self.slices, &self.room)?))
    }
}

/// A pair that is being solved.
pub struct PairInWork<'a>(PairWork<'a>);

impl PairInWork<'_> {
    /// Decides every position with a capture or without a legal move, by what captures lead to.
    pub fn resolve_captures(&self) {
        // No one asks to stop, and nothing else can fail.
        let _ = with_monitor(|monitor| self.0.resolve(monitor));
    }

    /// Solves the pair, captures included.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn solve(&mut self) -> Result<(), GenerateError> {
        with_monitor(|monitor| self.0.solve(&|_| false, monitor, |_, _| Ok(())))
    }

    /// Reads, for all entries of the row side's table, the values after those steps of the row side that lead to a
    /// placement that is its row's own (`own`: columns keep their order and move as words), or after the others (columns are
    /// looked up one by one). Gives how many values were read: 0 where stones have states.
    pub fn read_along_steps(&self, own: bool) -> u64 {
        planes::read_along_steps(&self.0, own)
    }
}

fn with_monitor<T>(work: impl FnOnce(&Monitor) -> Result<T, GenerateError>) -> Result<T, GenerateError> {
    work(&Monitor { progress: &(), stop: &AtomicBool::new(false) })
}
