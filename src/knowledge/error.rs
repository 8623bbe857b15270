//! Why a source of knowledge has no answer.

use crate::certificate::CertificateError;
use crate::table::TableError;
use crate::tablebase::ProbeError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// The position is illegal under the rules, or a table that it needs is missing or damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The tables cannot be opened.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There are no tables for these rules at all, and no certificate covers the position.
    #[error("there are no tables for '{rules}'")]
    #[allow(missing_docs)]
    NoTables { rules: &'static str },
    /// A certificate cannot be opened or is damaged.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

impl KnowledgeError {
    /// Whether nothing is wrong but that no table covers the position.
    pub fn is_lack_of_tables(&self) -> bool {
        let missing =
            |error: &TableError| matches!(error, TableError::NoTable { .. } | TableError::NoFolder { .. });
        match self {
            KnowledgeError::Probe(ProbeError::Table(error)) | KnowledgeError::Table(error) => missing(error),
            KnowledgeError::NoTables { .. } => true,
            KnowledgeError::Probe(_) | KnowledgeError::Certificate(_) => false,
        }
    }
}
