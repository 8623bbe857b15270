//! What the tables of one slice say about it.

use super::{Longest, Metric, Table, TableInfo};
use crate::material::Material;

/// The figures of a slice. Counts are of all positions, each one counted, no symmetry taken out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SliceSummary {
    /// The slice.
    pub material: Material,
    /// Positions.
    pub positions: u64,
    /// Positions that the side to move wins.
    pub win: u64,
    /// Draws.
    pub draw: u64,
    /// Positions that the side to move loses.
    pub loss: u64,
    /// The longest distances by metric, where that table exists; of WDL there are none.
    pub longest: [Option<Longest>; Metric::ALL.len()],
    /// Bytes of each table that exists, by metric.
    pub bytes: [Option<u64>; Metric::ALL.len()],
}

impl SliceSummary {
    /// The figures of a slice that has these tables; `None` when it has none.
    pub fn of<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Option<SliceSummary> {
        tables.into_iter().fold(None, |summary, table| {
            let TableInfo { material, metric, positions, win, draw, loss, longest, .. } = *table.info();
            let (none, no_bytes) = ([None; Metric::ALL.len()], [None; Metric::ALL.len()]);
            let none = SliceSummary { material, positions, win, draw, loss, longest: none, bytes: no_bytes };
            let mut summary = summary.unwrap_or(none);
            summary.longest[metric as usize] = Some(longest).filter(|_| metric.is_distance());
            summary.bytes[metric as usize] = Some(table.file_bytes());
            Some(summary)
        })
    }

    /// The longest distances by `metric`, if that table exists.
    pub fn longest(&self, metric: Metric) -> Option<Longest> {
        self.longest[metric as usize]
    }
}
