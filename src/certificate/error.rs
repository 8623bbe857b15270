//! What can be wrong with a certificate file.

use std::io;
use std::path::{Path, PathBuf};

use crate::position::PositionError;
use crate::table::TableError;

/// Why a certificate cannot be read or written. Each is one sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CertificateError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is not a certificate of this program: it does not begin with the right mark", .0.display())]
    NotACertificate(PathBuf),
    #[error("{} has format version {found}, this program reads version {known}", path.display())]
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
    #[error("{} is for the rules '{rules}', but lies in the folder of '{folder}'", path.display())]
    Folder { path: PathBuf, rules: &'static str, folder: &'static str },
    #[error("{}: the position it is about is none of its rules: {error}", path.display())]
    Root { path: PathBuf, error: PositionError },
    #[error("a reply leads from a position where no legal move goes")]
    Reply,
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
