//! What is known of positions: values and distances of the pair in work, lists of its positions, and the
//! finished slices that larger pairs need, in memory or in files.

mod cells;
mod distances;
mod frontier;
mod part;
mod room;
mod scratch;
mod slices;
mod work;

pub use cells::{Bits, Cell, existing, value_at};
pub use distances::{Distances, UNKNOWN};
pub use frontier::{Frontier, frontier_bytes};
pub use part::Part;
pub use room::Room;
pub use scratch::Scratch;
pub use slices::{Kept, Slices};
pub use work::PairWork;
