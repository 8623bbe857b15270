//! Solving: retrograde analysis of pairs of slices, and the run over all of them.

mod captures;
mod cells;
mod dtw;
mod estimate;
mod job;
mod kernel;
mod monitor;
mod plan;
mod planes;
mod room;
mod run;
mod scratch;
mod slices;
mod stages;
mod store;
mod sweep;
mod wdl;
mod work;

pub use job::{GenerateError, Job, Metrics, Target};
pub use monitor::Progress;
pub use plan::Plan;
pub use run::generate;
pub use stages::{PairInWork, Stages};
