//! Solving: retrograde analysis of pairs of slices, and the run over all of them.
//!
//! `values` holds what is known of positions, in memory and in files. Two methods find it: `planes` takes
//! whole rows at a time, `single` one position after the other. `method` says which of them a rule set needs,
//! in one place. `run` goes over all pairs: plan, memory, order, files.

mod error;
mod method;
mod monitor;
mod planes;
#[cfg(test)]
mod reference;
mod run;
mod shards;
mod single;
mod values;

pub use error::GenerateError;
pub use method::Method;
pub use run::{Job, Metrics, PairInWork, Plan, PlannedPair, Stages, Target, generate};
pub use shards::{Meeting, ThreadRank, World};
#[cfg(feature = "mpi")]
pub use shards::{MpiError, MpiWorld};
