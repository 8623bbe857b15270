//! The file format: writing, reading and decoding one table.
//!
//! A table holds one metric of the quiet entries of one slice, in blocks that are compressed and checksummed
//! one by one. Which entries are quiet follows from the rules.
//! `tables/README.md` describes the bytes.

// Numbers here come from files that are not trusted: none may overflow unnoticed.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

mod block;
mod cache;
mod error;
mod fields;
mod header;
#[cfg(not(target_arch = "wasm32"))]
mod manifest;
mod pack;
mod read;
#[cfg(feature = "remote")]
mod remote;
mod roots;
mod source;
mod summary;
#[cfg(not(target_arch = "wasm32"))]
// What is written comes from the solver.
#[allow(clippy::arithmetic_side_effects)]
mod write;

pub use crate::metric::{Longest, Metric, ParseMetricError, Value};
pub use block::Block;
pub use cache::{BlockCache, blocks_decoded};
pub use error::TableError;
pub(crate) use error::display_name;
pub(crate) use fields::{Fields, fingerprint, name_bytes};
pub use header::TableInfo;
#[cfg(not(target_arch = "wasm32"))]
pub use manifest::{MANIFEST_NAME, Manifest, ManifestEntry};
pub use pack::{Content, DONT_CARE, Symbol};
pub use read::{Cursor, Decoder, Table};
#[cfg(feature = "remote")]
pub(crate) use remote::RemoteFolder;
pub use roots::{roots, url_of};
pub(crate) use source::open as open_source;
pub use source::{Access, BlockSource, MemorySource};
pub use summary::SliceSummary;
#[cfg(all(feature = "export", not(target_arch = "wasm32")))]
pub(crate) use write::WriteSeek;
#[cfg(not(target_arch = "wasm32"))]
#[doc(hidden)] // For the tests, which forge tables.
pub use write::write_table;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use write::{
    MOST_ENTRIES, ScratchKind, is_temporary, lock_name, replace_file, replaceable, temporary_pair,
    write_table_in, write_table_in_batches,
};

use crate::material::Material;
use crate::rules::Rules;
use std::path::{Path, PathBuf};

/// The name of the file that holds `metric` of the slice of `material`: `3v2.wdl`.
pub fn file_name(material: Material, metric: Metric) -> String {
    format!("{material}.{metric}")
}

/// Slice and metric of a file with this name, or `None` when it is no table's name.
pub fn parse_file_name(name: &str) -> Option<(Material, Metric)> {
    let (material, metric) = name.split_once('.')?;
    Some((material.parse().ok()?, metric.parse().ok()?))
}

/// The folder of the tables for `rules` below `dir`.
pub fn folder(dir: &Path, rules: &Rules) -> PathBuf {
    dir.join(rules.name())
}
