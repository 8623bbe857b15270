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
    /// The longest distances to conversion, if that table exists.
    pub dtc: Option<Longest>,
    /// The longest distances to win, if that table exists.
    pub dtw: Option<Longest>,
    /// Bytes of each table that exists: WDL, DTC, DTW.
    pub bytes: [Option<u64>; 3],
}

impl SliceSummary {
    /// The figures of a slice that has these tables; `None` when it has none.
    pub fn of<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Option<SliceSummary> {
        tables.into_iter().fold(None, |summary, table| {
            let TableInfo { material, metric, positions, win, draw, loss, longest, .. } = *table.info();
            let none =
                SliceSummary { material, positions, win, draw, loss, dtc: None, dtw: None, bytes: [None; 3] };
            let mut summary = summary.unwrap_or(none);
            match metric {
                Metric::Wdl => {}
                Metric::Dtc => summary.dtc = Some(longest),
                Metric::Dtw => summary.dtw = Some(longest),
            }
            summary.bytes[metric as usize] = Some(table.file_bytes());
            Some(summary)
        })
    }
}
