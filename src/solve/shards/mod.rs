//! Pairs in shards, where memory does not hold a pair.
//!
//! A shard owns a range of rows (`cut`) and does what a pass does with the rows that it owns, as `planes` does
//! with all of them. Only decisions of positions with the column side to move lead to other rows, along the
//! steps of the row side. They go as news (`news`), in batches (`batches`), once to each shard that holds the
//! row. `pair` visits one shard after the other, with everything else in files (`rows`), and `table` writes
//! the tables from there.

mod batches;
mod cut;
mod news;
mod pair;
mod rows;
mod table;

pub use batches::Batches;
pub use cut::Cut;
pub use pair::{Context, Finished, PairInFiles};
pub use rows::RowFile;
pub use table::writing_bytes;
