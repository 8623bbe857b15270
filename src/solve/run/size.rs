//! How much memory a pair takes.

use super::schedule::Task;
use crate::index::Index;
use crate::material::Pair;
use crate::solve::method::Method;
use crate::solve::single;
use crate::solve::values::{Cell, frontier_bytes};
use crate::table::Metric;

/// What decides how much memory a pair takes.
pub struct Size {
    entries: u64,
    words: u64,
    /// Bytes of the layout and of its rows.
    pub layout: u64,
    pub rows: u64,
    row_count: u64,
    method: Method,
    /// Bytes of the order in which a sweep takes the arrangements.
    levels: u64,
    /// Whether captures are optional, so that steps matter beside them.
    optional: bool,
}

impl Size {
    /// The size of `pair`. Builds its layout.
    pub fn of(index: &Index, method: Method, pair: Pair) -> Size {
        let layout = index.layout(pair);
        Size {
            entries: layout.entries(),
            words: layout.words(),
            layout: layout.bytes(),
            rows: layout.rows().bytes(),
            row_count: layout.rows().len() as u64,
            method,
            levels: match method {
                Method::Planes => 0,
                Method::Sweep => single::level_bytes(layout),
            },
            optional: !index.rules().captures_are_compulsory(),
        }
    }

    /// A lower bound, found without building the layout.
    pub fn at_least(index: &Index, method: Method, pair: Pair) -> Size {
        let entries = index.entries(pair);
        let optional = !index.rules().captures_are_compulsory();
        Size { entries, words: entries / 64, layout: 0, rows: 0, row_count: 0, method, levels: 0, optional }
    }

    /// Bytes of the values of one slice.
    pub fn values(&self) -> u64 {
        self.words * size_of::<Cell>() as u64
    }

    /// Bytes of memory that a finished slice takes.
    pub fn held(&self, values_on_disk: bool, dtw: bool) -> u64 {
        (if values_on_disk { 0 } else { self.values() }) + if dtw { 2 * self.entries } else { 0 }
    }

    /// Bytes of the pair in work: two bits a position of both tables, and two bytes for each distance. A
    /// sweep holds all distances at once, and the order of its arrangements. Passes hold one distance at
    /// a time, and with the first one their lists.
    pub fn in_work(&self, task: &Task, dtw: bool) -> u64 {
        let dtc = match task {
            Task::Keep => return 0,
            Task::Load => false,
            Task::Solve(metrics) => metrics.contains(&Metric::Dtc),
        };
        let values = 2 * self.values();
        let distances = |wanted: bool| if wanted { 4 * self.entries } else { 0 };
        if self.method == Method::Sweep {
            return values + distances(dtc) + distances(dtw) + self.levels;
        }
        let pending = if dtw { 2 * self.words * 8 } else { 0 };
        // What captures save, and the distances that they offer beside those of steps.
        let held = if self.optional { 2 * self.words * 8 } else { 0 };
        let offers = distances(dtw && self.optional);
        values + (self.lists(task) + distances(dtc) + held).max(distances(dtw) + pending + offers)
    }

    /// Bytes of what passes hold to know what they decide and what they are going to look at: two bits a
    /// position.
    pub fn lists(&self, task: &Task) -> u64 {
        match task {
            Task::Keep | Task::Load => 0,
            Task::Solve(_) if self.method == Method::Sweep => 0,
            Task::Solve(_) => frontier_bytes(self.words, self.row_count),
        }
    }
}
