//! The stages of solving one pair, each to be run by itself: for measuring and profiling.

use std::sync::atomic::AtomicBool;

use super::job::Target;
use super::pair as solving;
use crate::index::Index;
use crate::material::{Material, Pair};
use crate::rules::Rules;
use crate::solve::method::Method;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Kept, PairWork, Room, Slices};
use crate::solve::{GenerateError, planes};

/// A pair of slices, and all that captures in it lead to, solved in memory.
pub struct Stages {
    index: Index,
    method: Method,
    pair: Pair,
    slices: Slices,
    room: Room,
}

crate::debug::debug_as!(Stages, |stages| pair = stages.pair);

impl Stages {
    /// Solves what captures from `material` lead to. There are no distances.
    ///
    /// # Errors
    /// [`GenerateError::NoMethod`] and [`GenerateError::Allocation`].
    pub fn new(rules: &'static Rules, material: Material) -> Result<Stages, GenerateError> {
        let pair = material.pair();
        let pairs = Target::Material(material).pairs();
        let index = Index::new(rules);
        let method = Method::of(rules).ok_or(GenerateError::NoMethod(rules.name()))?;
        let mut stages = Stages { index, method, pair, slices: Slices::default(), room: Room::default() };
        for smaller in pairs.into_iter().filter(|&smaller| smaller != pair) {
            let mut work = PairWork::new(&stages.index, smaller, &stages.slices, &stages.room)?;
            with_monitor(|monitor| solving::solve(&mut work, method, &|_| false, monitor, |_, _| Ok(())))?;
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
        let work = PairWork::new(&self.index, self.pair, &self.slices, &self.room)?;
        Ok(PairInWork { work, method: self.method })
    }
}

/// A pair that is being solved.
pub struct PairInWork<'a> {
    work: PairWork<'a>,
    method: Method,
}

crate::debug::debug_as!(PairInWork<'_>, |_work|);

impl PairInWork<'_> {
    /// Decides every position with a capture or without a legal move, by what captures lead to.
    pub fn resolve_captures(&self) {
        // Nobody asks to stop, and nothing else can fail.
        let _ = with_monitor(|monitor| solving::resolve(&self.work, self.method, monitor));
    }

    /// Solves the pair, captures included.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn solve(&mut self) -> Result<(), GenerateError> {
        let PairInWork { work, method } = self;
        with_monitor(|monitor| solving::solve(work, *method, &|_| false, monitor, |_, _| Ok(())))
    }

    /// For all entries of the row side's table, reads the values after those steps of the row side that lead
    /// to a placement that is its row's own (`own`: columns keep their order and move as words), or after
    /// the others (columns are looked up one by one). Returns how many values were read: 0 where stones
    /// have states.
    pub fn read_along_steps(&self, own: bool) -> u64 {
        planes::read_along_steps(&self.work, own)
    }
}

fn with_monitor<T>(work: impl FnOnce(&Monitor) -> Result<T, GenerateError>) -> Result<T, GenerateError> {
    work(&Monitor { progress: &(), stop: &AtomicBool::new(false) })
}
