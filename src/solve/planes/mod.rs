//! Solving whole rows at a time, where stones have no states.
//!
//! The columns of a row are the bits of words. A step or a capture is possible in the columns that have a stone on some points and
//! none on others (`mask`), and takes them to columns of the same or another row (`route`). If that row is the target's own
//! placement, without a symmetry, columns keep their order and move as words (`transfer`); else, or where few columns move, each
//! is looked up. Rows are chosen so that most steps need no symmetry. `captures` walks the paths of jumps with the columns in
//! which they are possible, `passes` propagates what is known over the open positions, and `singles` does the same for
//! rows in which little is left to do. `frontier` holds lists of positions between passes, `open` tells what is open. `turn` is for
//! equal sides, where two tables hold the same positions.

mod captures;
mod frontier;
mod mask;
mod open;
mod passes;
mod route;
mod row;
mod singles;
mod transfer;
mod turn;

pub use frontier::{SpareLists, frontier_bytes};
pub use passes::{read_along_steps, resolve, solve};
