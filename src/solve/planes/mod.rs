//! Solving whole rows at a time, where stones have no states: the columns of a row are bits of words, and steps and captures move
//! them as words.

mod captures;
mod mask;
mod passes;
mod route;
mod row;
mod singles;
mod transfer;

pub use captures::capturing;
pub use passes::{frontier_bytes, resolve, solve};
pub use row::Row;
