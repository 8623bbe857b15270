//! What can be wrong with a table.

use std::io;
use std::path::{Path, PathBuf};

use crate::file::FileError;
use crate::material::Material;

use super::Metric;

/// Why a table or a folder of tables cannot be used. Each is one sentence that names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum TableError {
    #[error("there are no tables for '{rules}' in {}: no folder {}", dir.display(), dir.join(rules).display())]
    NoFolder { dir: PathBuf, rules: &'static str },
    #[error("{name}: {source}")]
    Io { name: String, source: io::Error },
    #[error("{0} is not a regular file")]
    NotAFile(String),
    #[error("{0} is a symbolic link to a file that does not exist")]
    BrokenLink(String),
    #[error("{name} is too long: more than {limit} bytes")]
    TooLong { name: String, limit: u64 },
    #[error("{0} is not a table of this program: it does not begin with the right mark")]
    NotATable(String),
    #[error("{name} has format version {found}, this program reads version {known}")]
    Version { name: String, found: u16, known: u16 },
    #[error("{name} is cut off or has grown: {actual} bytes, not {expected}")]
    Length { name: String, expected: u64, actual: u64 },
    #[error("{0} is damaged: its header or block directory is wrong")]
    Header(String),
    #[error("{name} is not what its name says: it holds {what}")]
    Mismatch { name: String, what: String },
    #[error("{0} is damaged; start again, and the pair in work is solved anew")]
    Scratch(String),
    #[error("{name} is damaged in block {block}")]
    Block { name: String, block: u64 },
    #[error("{name}, line {line}: not a checksum followed by the name of a table")]
    Manifest { name: String, line: usize },
    #[error("{0} does not match its checksum in the manifest")]
    Checksum(String),
    #[error("{0} is missing, although the manifest lists it")]
    Missing(String),
    #[error("{0} is not listed in the manifest: it is unfinished (generate finishes it) or foreign")]
    Unlisted(String),
    #[error("{0}: this build cannot read tables from a server (it lacks the feature `remote`)")]
    NoRemote(String),
    #[error("there is no {metric} table for {material} in {}", folder.display())]
    NoTable { folder: PathBuf, material: Material, metric: Metric },
}

impl TableError {
    /// For `map_err`: an I/O error at `path`.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> TableError {
        let name = display_name(path);
        |source| TableError::Io { name, source }
    }

    /// For `map_err`: the file at `path` cannot be opened or read whole.
    pub(crate) fn file(path: &Path) -> impl FnOnce(FileError) -> TableError {
        let name = display_name(path);
        |error| match error {
            FileError::NotRegular => TableError::NotAFile(name),
            FileError::TooLong { limit } => TableError::TooLong { name, limit },
            FileError::Io(source) => TableError::Io { name, source },
        }
    }
}

/// What errors call the file at `path`.
pub(crate) fn display_name(path: &Path) -> String {
    path.display().to_string()
}
