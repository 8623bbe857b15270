//! Pairs in shards, where memory does not hold a pair.
//!
//! A shard owns a range of rows (`cut`) and does what a pass does with the rows that it owns, as `planes` does
//! with all of them. Only decisions of positions with the column side to move lead to other rows, along the
//! steps of the row side. They go as news (`news`), in batches (`batches`), once to each shard that holds the
//! row. `pair` visits one shard after the other, with everything else in files (`rows`), and `table` writes
//! the tables from there. Or every shard stays in the memory of a program of its own (`ranks`), and these
//! exchange news (`world`): as threads, or over MPI (`mpi`).

mod batches;
mod context;
mod cut;
#[cfg(feature = "mpi")]
mod mpi;
mod news;
mod pair;
mod ranks;
mod rows;
mod table;
mod windows;
mod world;

pub use batches::Batches;
pub use context::{Context, Finished};
pub use cut::Cut;
#[cfg(feature = "mpi")]
pub use mpi::{MpiError, MpiWorld};
pub use pair::PairInFiles;
pub use ranks::{GOING_ON, PairInRanks};
pub use rows::RowFile;
pub use table::writing_bytes;
pub use world::{Meeting, ThreadRank, World};
