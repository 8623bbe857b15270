//! The run over all pairs: what to generate, the plan for it with its predictions, and doing it.

mod estimate;
mod existing;
mod generate;
mod in_ranks;
mod in_shards;
mod job;
mod lock;
mod memory;
mod meter;
mod pair;
mod plan;
mod schedule;
mod sharding;
mod size;
mod stages;
pub mod store;

pub use generate::generate;
pub use job::{Job, Metrics, Target};
pub use plan::{Plan, PlannedPair};
pub use stages::{PairInWork, Stages};
