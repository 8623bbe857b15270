//! Why a position was not solved.

use std::io;

use crate::tablebase::ProbeError;

/// Why a position was not solved, or its proof not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum SolveError {
    #[error("there is not enough memory for the table of positions: {0}")]
    Memory(#[source] io::Error),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    #[error("the search was stopped before it finished")]
    Stopped,
    #[error("there is not enough memory to write the proof")]
    Exhausted,
    #[error("the rules '{rules}' cannot be solved: {lack} are not supported")]
    Unsupported { rules: &'static str, lack: &'static str },
}
