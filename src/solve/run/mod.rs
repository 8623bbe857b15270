//! The run over all pairs: what to generate, the plan for it with its predictions, and doing it.

mod estimate;
mod existing;
mod generate;
mod job;
mod memory;
mod meter;
mod pair;
mod plan;
mod schedule;
mod size;
mod stages;
mod store;

pub use generate::generate;
pub use job::{Job, Metrics, Target};
pub use plan::Plan;
pub use stages::{PairInWork, Stages};
