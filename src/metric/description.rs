//! What there is to say about a metric.

use crate::rules::Rules;

/// All there is to say about a metric, but for the code that solves it, which is in `solve`.
pub(super) struct Description {
    /// The name, which is also the extension of the files and the key in JSON.
    pub name: &'static str,
    /// Whether the metric depends on the placement alone under these rules.
    pub exists_under: fn(&Rules) -> bool,
    /// How the distance of a position follows from that of the position after the best move; `None` if the
    /// metric is no distance.
    pub recurrence: Option<Recurrence>,
    /// How blocks of the table are compressed.
    pub compression: Compression,
    /// What a table costs that is made by passes.
    pub by_passes: Cost,
    /// What a table costs that is made by a sweep, which is how pairs are solved under rules without cycles.
    pub by_sweep: Cost,
}

/// How a distance follows from the distance after the best move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Recurrence {
    /// One ply more; 1 if the move captures, whatever the distance after it.
    UpToCapture,
    /// One ply more, whether the move captures or not. The tables of smaller slices are needed.
    PastCaptures,
}

/// Parameters of the compressor that suit a metric, found by trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Compression {
    /// The shortest match that is looked for, in bytes.
    pub shortest_match: u32,
    /// The length of a match that is good enough to stop looking.
    pub target: u32,
}

/// What generating a table costs, measured (`benches/README.md`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Nanoseconds of one thread for each entry.
    pub nanoseconds: f64,
    /// Bits of the file for each entry.
    pub bits: f64,
}
