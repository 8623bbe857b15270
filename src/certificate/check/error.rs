//! Why a certificate does not hold.

use crate::certificate::CertificateError;
use crate::material::Material;
use crate::position::Position;
use crate::table::{Metric, TableError};
use crate::tablebase::ProbeError;

/// Why a certificate does not hold, or could not be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum CheckError {
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error("it rests on tables, the first of them the {metric} table of {material}, and none were given")]
    NoTables { material: Material, metric: Metric },
    #[error("the {metric} table of {material} is not the one that it rests on: the checksums differ")]
    OtherTable { material: Material, metric: Metric },
    #[error("it needs the {metric} table of {material}, but does not name it")]
    Unnamed { material: Material, metric: Metric },
    #[error("the tables are for the rules '{tables}', the certificate is for '{certificate}'")]
    OtherRules { tables: &'static str, certificate: &'static str },
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("its claims do not prove a value")]
    Claims,
    #[error("its {entries} replies need {needed} bytes of memory, more than the limit of {limit}")]
    Memory { entries: u64, needed: u64, limit: u64 },
    #[error("{position}: {flaw}")]
    Broken {
        position: Position,
        #[source]
        flaw: Flaw,
    },
    #[error("the check was stopped before it finished")]
    Stopped,
}

/// What is wrong with a position of a certificate, seen with White to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum Flaw {
    #[error("the position is not legal, or not in canonical form")]
    NotCanonical,
    #[error("there is no reply for this position")]
    NoEntry,
    #[error("the position has two replies")]
    Repeated,
    #[error("the reply is not a legal move")]
    NoSuchMove,
    #[error("the bound is {bound}, but {left} plies are left")]
    Bound { bound: u16, left: u16 },
    #[error("{left} plies would be left here, more than the rules allow")]
    TooManyLeft { left: u16 },
    #[error("the reply does not end the game in time")]
    TooLate,
    #[error("the tables say that the claim is wrong here")]
    Table,
    #[error("nothing leads to this entry")]
    NotNeeded,
}

impl From<TableError> for CheckError {
    fn from(error: TableError) -> CheckError {
        CheckError::Probe(error.into())
    }
}
