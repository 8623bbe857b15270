//! Why a call failed: the code and the sentence.

use super::Status;
use crate::moves::ParseMoveError;
use crate::position::{ParsePositionError, PositionError};
use crate::rules::RulesSourceError;
use crate::table::TableError;
use crate::tablebase::ProbeError;

/// Why a call failed. The sentence goes to the caller's buffer, [`status`](Self::status) is returned.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallError {
    #[error("the argument '{0}' must not be null")]
    Null(&'static str),
    #[error("the argument '{0}' is not UTF-8")]
    NotUtf8(&'static str),
    #[error(transparent)]
    Rules(#[from] RulesSourceError),
    #[error(transparent)]
    ParsePosition(#[from] ParsePositionError),
    #[error(transparent)]
    Position(#[from] PositionError),
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("the buffer '{buffer}' has room for {capacity}, the answer needs {needed}")]
    BufferTooSmall { buffer: &'static str, capacity: usize, needed: usize },
    #[error("a defect of the library: the call panicked")]
    Panic,
}

impl CallError {
    pub(super) fn status(&self) -> Status {
        match self {
            CallError::Null(_) => Status::NullPointer,
            CallError::NotUtf8(_) => Status::NotUtf8,
            CallError::Rules(_) => Status::UnknownRules,
            CallError::ParsePosition(_) | CallError::Position(_) => Status::InvalidPosition,
            CallError::Move(_) => Status::IllegalMove,
            CallError::Probe(ProbeError::Position { .. }) => Status::InvalidPosition,
            CallError::Probe(ProbeError::Table(error)) | CallError::Table(error) => table_status(error),
            CallError::BufferTooSmall { .. } => Status::BufferTooSmall,
            CallError::Probe(ProbeError::Stopped) | CallError::Panic => Status::Internal,
        }
    }
}

fn table_status(error: &TableError) -> Status {
    match error {
        TableError::NoFolder { .. } => Status::NoTables,
        TableError::NoTable { .. } => Status::MissingTable,
        TableError::Io { .. } => Status::Io,
        _ => Status::DamagedTable,
    }
}
