//! Distance to conversion: plies up to and including the next capture, or until the end of the game.

use super::description::{Compression, Cost, Description, Recurrence};

pub(super) const METRIC: Description = Description {
    name: "dtc",
    exists_under: |_| true,
    recurrence: Some(Recurrence::UpToCapture),
    compression: Compression { shortest_match: 6, target: 128 },
    by_passes: Cost { nanoseconds: 20.0, bits: 0.25 },
    by_sweep: Cost { nanoseconds: 100.0, bits: 0.5 },
};
