//! What can be wrong with a certificate file.

use std::io;
use std::path::{Path, PathBuf};

use crate::position::PositionError;
use crate::table::TableError;

/// Why a certificate cannot be read or written. Each is one sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum CertificateError {
    #[error("{}: {error}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        error: io::Error,
    },
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is not a certificate: it does not begin with ALQPROOF", .0.display())]
    NotACertificate(PathBuf),
    #[error("{} has format version {found}; this program reads version {known}", path.display())]
    Version { path: PathBuf, found: u16, known: u16 },
    #[error("{} is damaged: its header or directory is wrong", .0.display())]
    Header(PathBuf),
    #[error("{} is cut off or has grown: {actual} bytes, not {expected}", path.display())]
    Length { path: PathBuf, expected: u64, actual: u64 },
    #[error("{} is damaged in block {block}", path.display())]
    Block { path: PathBuf, block: u32 },
    #[error("{}, block {block}: a bound of {bound} plies; at most {most} are allowed", path.display())]
    Bound { path: PathBuf, block: u32, bound: u16, most: u16 },
    #[error("{} is for the rules '{rules}', which this program does not know", path.display())]
    Rules { path: PathBuf, rules: String },
    #[error("{} is for other rules than those that this program knows as '{rules}'", path.display())]
    Description { path: PathBuf, rules: &'static str },
    #[error("{} is for the rules '{rules}', and proofs under them are not supported: {lack}", path.display())]
    Unsupported { path: PathBuf, rules: &'static str, lack: &'static str },
    #[error("{} is for the rules '{rules}', but lies in the folder of '{folder}'", path.display())]
    Folder { path: PathBuf, rules: &'static str, folder: &'static str },
    #[error("{} is about a position that is not legal under its rules: {error}", path.display())]
    Root {
        path: PathBuf,
        #[source]
        error: PositionError,
    },
    #[error("a reply is not a legal move of its position")]
    Reply,
    #[error("the tables are for the rules '{tables}', the position is for '{position}'")]
    OtherRules { tables: &'static str, position: &'static str },
    #[error("a claim has more than {most} replies")]
    TooMany { most: u64 },
    #[error("writing the certificate was stopped")]
    Stopped,
    #[error(transparent)]
    Table(#[from] TableError),
}

impl CertificateError {
    /// For `map_err`: an I/O error at `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> CertificateError {
        let path = path.to_owned();
        |error| CertificateError::Io { path, error }
    }
}
