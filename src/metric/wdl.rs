//! Win, draw or loss: the value itself.

use super::description::{Compression, Cost, Description};

pub(super) const METRIC: Description = Description {
    name: "wdl",
    exists_under: |_| true,
    recurrence: None,
    compression: Compression { shortest_match: 3, target: 256 },
    by_passes: Cost { nanoseconds: 25.0, bits: 0.03 },
    by_sweep: Cost { nanoseconds: 120.0, bits: 0.06 },
};
