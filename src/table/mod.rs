//! The file format: writing, reading and decoding one table.
//!
//! A table holds one metric of the quiet entries of one slice, in blocks that are compressed and checksummed one by one. Which
//! entries are quiet follows from the rules.
//! `tables/README.md` describes the bytes.

mod block;
mod cache;
mod error;
mod fields;
mod header;
mod manifest;
mod metric;
mod pack;
mod read;
mod source;
mod summary;
mod write;

pub use block::Block;
pub use cache::BlockCache;
pub use error::TableError;
pub(crate) use error::display_name;
pub(crate) use fields::Fields;
pub use header::TableInfo;
pub use manifest::{MANIFEST_NAME, Manifest, ManifestEntry};
pub use metric::{Longest, Metric, ParseMetricError, Value};
pub use pack::{Content, DONT_CARE, Symbol};
pub use read::{Cursor, Decoder, Table};
pub use source::{Access, BlockSource};
pub use summary::SliceSummary;
pub use write::{TEMPORARY_EXTENSION, WriteSeek, replace_file, replaceable, write_table};
pub(crate) use write::{is_temporary, values_name, write_table_in};

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
