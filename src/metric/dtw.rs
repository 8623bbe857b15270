//! Distance to win: plies until the end of the game.

use super::description::{Compression, Cost, Description, Recurrence};
use crate::rules::Rules;

pub(super) const METRIC: Description = Description {
    name: "dtw",
    // A ply counter can end a game before the distance is reached.
    exists_under: Rules::has_distance_to_win,
    recurrence: Some(Recurrence::PastCaptures),
    compression: Compression { shortest_match: 3, target: 256 },
    by_passes: Cost { nanoseconds: 900.0, bits: 1.0 },
    by_sweep: Cost { nanoseconds: 230.0, bits: 0.6 },
};
