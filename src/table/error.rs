//! What can be wrong with a table.

use std::io;
use std::path::{Path, PathBuf};

use crate::material::Material;

use super::Metric;

/// Why a table file or a folder of them cannot be used. Each is one sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum TableError {
    #[error("there are no tables for '{rules}' in {}: no folder {}", dir.display(), dir.join(rules).display())]
    NoFolder { dir: PathBuf, rules: &'static str },
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} is not a table of this program: it does not begin with the right mark", .0.display())]
    NotATable(PathBuf),
    #[error("{} has format version {found}, this program reads version {known}", path.display())]
    Version { path: PathBuf, found: u16, known: u16 },
    #[error("{} is cut off or has grown: {actual} bytes, not {expected}", path.display())]
    Length { path: PathBuf, expected: u64, actual: u64 },
    #[error("{} is damaged: its header or block directory is wrong", .0.display())]
    Header(PathBuf),
    #[error("{} is not what its name says: it holds {what}", path.display())]
    Mismatch { path: PathBuf, what: String },
    #[error("{} is damaged in block {block}", path.display())]
    Block { path: PathBuf, block: u64 },
    #[error("{}, line {line}: not a checksum followed by the name of a table", path.display())]
    Manifest { path: PathBuf, line: usize },
    #[error("{} does not match its checksum in the manifest", .0.display())]
    Checksum(PathBuf),
    #[error("{} is missing, although the manifest lists it", .0.display())]
    Missing(PathBuf),
    #[error("{} is not listed in the manifest: it is unfinished (generate finishes it) or foreign", .0.display())]
    Unlisted(PathBuf),
    #[error("there is no {metric} table for {material} in {}", folder.display())]
    NoTable { folder: PathBuf, material: Material, metric: Metric },
}

impl TableError {
    /// For `map_err`: an I/O error at `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> TableError {
        let path = path.to_owned();
        |error| TableError::Io { path, error }
    }
}
