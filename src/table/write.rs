//! Writing a table: beside its place, synced, then renamed.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, Strategy};

use super::error::display_name;
use super::header::{HEADER_BYTES, Header};
use super::pack::Packing;
use super::{Content, MANIFEST_NAME, Metric, TableError, TableInfo, parse_file_name};
use crate::index::{Mover, PairLayout};
use crate::material::Material;
use crate::metric::Compression;
use crate::storage::{Disk, Storage, parent, uninterrupted};

/// The extension of files that are still being written.
const TEMPORARY_EXTENSION: &str = "tmp";

/// How zstd searches. What is left to do in blocks of quiet entries is so little that more search makes files
/// hardly smaller (`benches/README.md`). With distances to conversion longer matches are better, and found
/// sooner.
fn parameters(metric: Metric) -> [CParameter; 7] {
    let Compression { shortest_match, target } = metric.compression();
    [
        CParameter::WindowLog(14),
        CParameter::HashLog(14),
        CParameter::ChainLog(14),
        CParameter::SearchLog(1),
        CParameter::MinMatch(shortest_match),
        CParameter::TargetLength(target),
        CParameter::Strategy(Strategy::ZSTD_btopt),
    ]
}

/// A compressor of blocks.
fn compressor(metric: Metric) -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(0)?;
    for parameter in parameters(metric) {
        compressor.set_parameter(parameter)?;
    }
    Ok(compressor)
}

/// Blocks compressed in parallel before they are written in order, and how many of them make a piece of work.
const BATCH: u64 = 256;
const PIECE: usize = 4;

/// Entries that a block covers when a table is written; the last block has what is left. A probe finds out
/// which of them are quiet, which takes time for each entry, and for each row or, where stones have states,
/// each placement; and unpacks those. With these limits it takes no longer than 20 µs.
fn entries_per_block(packing: Packing, layout: &PairLayout) -> u32 {
    const MOST_ROWS: u64 = 256;
    const MOST_PLACEMENTS: u64 = 512;
    let most = match packing {
        Packing::Bits | Packing::Trits => 81_920,
        Packing::Bytes | Packing::Words => 40_960,
    };
    let rows = layout.rows().len() as u64;
    let limit = if layout.has_states() {
        MOST_PLACEMENTS * layout.entries() / (rows * layout.placements_in_row())
    } else {
        MOST_ROWS * layout.entries() / rows
    };
    limit.min(most) as u32
}

/// Writes the table that `info` describes to `path`, whole or not at all. `fill` gives what the entries of a
/// range hold, and is told which of them are quiet: a bit each. It is called from several threads. The bytes
/// depend on the contents of the quiet entries alone.
///
/// # Errors
/// [`TableError::Io`] when the file cannot be written; what was begun is removed.
pub fn write_table(
    path: &Path,
    layout: &PairLayout,
    info: &TableInfo,
    fill: &(dyn Fn(Range<u64>, &[u64]) -> Content + Sync),
) -> Result<(), TableError> {
    write_table_in(&Disk, path, layout, info, fill)
}

/// As [`write_table`], in this storage.
pub(crate) fn write_table_in(
    storage: &dyn Storage,
    path: &Path,
    layout: &PairLayout,
    info: &TableInfo,
    fill: &(dyn Fn(Range<u64>, &[u64]) -> Content + Sync),
) -> Result<(), TableError> {
    replace_file_in(storage, path, |file| {
        let packing = Packing::of(info);
        let per_block = u64::from(entries_per_block(packing, layout));
        let mut header = Header {
            info: *info,
            packing,
            entries_per_block: per_block as u32,
            file_bytes: 0,
            directory_checksum: 0,
        };
        let mut end = header.blocks_start();
        file.seek(SeekFrom::Start(end))?;
        let mut directory = Vec::new();
        for first in (0..header.blocks()).step_by(BATCH as usize) {
            let compress = |compressor: &mut std::io::Result<Compressor>, block: u64| {
                let entries = block * per_block..((block + 1) * per_block).min(info.entries);
                let quiet = layout.stored(Mover::of(info.material), entries.clone());
                if quiet.iter().all(|&word| word == 0) {
                    return Ok(Vec::new());
                }
                let packed = packing.pack(&quiet, &fill(entries, &quiet));
                match compressor {
                    Ok(compressor) => compressor.compress(&packed),
                    Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
                }
            };
            let batch: Vec<u64> = (first..(first + BATCH).min(header.blocks())).collect();
            let compressed: Vec<std::io::Result<Vec<u8>>> = batch
                .into_par_iter()
                .with_max_len(PIECE)
                .map_init(|| compressor(info.metric), compress)
                .collect();
            for block in compressed {
                let block = block?;
                file.write_all(&block)?;
                end += block.len() as u64;
                directory.extend(end.to_le_bytes());
                directory.extend((xxh3_64(&block) as u32).to_le_bytes());
            }
        }
        header.file_bytes = end;
        header.directory_checksum = xxh3_64(&directory);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header.to_bytes(layout.rules()))?;
        debug_assert_eq!(file.stream_position()?, HEADER_BYTES as u64);
        file.write_all(&directory)
    })
}

/// The regular file that a file at `path` is: that itself, or the one that a symbolic link leads to. It need
/// not exist, except behind a link.
///
/// # Errors
/// [`TableError::NotAFile`] when something else is there, a folder, a pipe or a device: it must not be
/// replaced by a file. [`TableError::BrokenLink`] when the link leads nowhere, [`TableError::Io`] when it
/// cannot be looked at.
pub fn replaceable(path: &Path) -> Result<PathBuf, TableError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(TableError::io(path)(error)),
        Ok(found) if found.is_file() => Ok(path.to_owned()),
        Ok(found) if found.is_symlink() => {
            let target = fs::canonicalize(path).map_err(|error| match error.kind() {
                ErrorKind::NotFound => TableError::BrokenLink(display_name(path)),
                _ => TableError::io(path)(error),
            })?;
            if target.is_file() { Ok(target) } else { Err(TableError::NotAFile(display_name(path))) }
        }
        Ok(_) => Err(TableError::NotAFile(display_name(path))),
    }
}

/// Where a new file is written: anywhere in it, in any order.
pub trait WriteSeek: Write + Seek + Send {}

impl<W: Write + Seek + Send> WriteSeek for W {}

/// The name under which the file of this name is written before it is finished.
fn temporary_name(name: &OsStr) -> OsString {
    let mut temporary = name.to_owned();
    temporary.push(".");
    temporary.push(TEMPORARY_EXTENSION);
    temporary
}

/// Whether tables or a manifest are written under this name before they are finished, or finished values wait
/// under it.
pub(crate) fn is_temporary(name: &str) -> bool {
    let finished = name.strip_suffix(TEMPORARY_EXTENSION).and_then(|name| name.strip_suffix('.'));
    finished.is_some_and(|name| {
        let is_values =
            || name.strip_suffix(VALUES_SUFFIX).is_some_and(|name| name.parse::<Material>().is_ok());
        name == MANIFEST_NAME || parse_file_name(name).is_some() || is_values()
    })
}

/// Between the material and the temporary extension in the name of a file in which finished values wait.
const VALUES_SUFFIX: &str = ".values";

/// The name of the file in which the values of a finished slice wait: `3v2.values.tmp`.
pub(crate) fn values_name(material: Material) -> String {
    format!("{material}{VALUES_SUFFIX}.{TEMPORARY_EXTENSION}")
}

/// Writes a file beside `path`, syncs it and renames it into place, so that `path` is never half written. A
/// symbolic link stays one: what it leads to is replaced. On failure nothing is left behind.
///
/// # Errors
/// [`TableError::Io`], also for what `write` returns; [`TableError::NotAFile`] as for [`replaceable`], also
/// when something that is no file has the name of the file beside.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn WriteSeek) -> std::io::Result<()>,
) -> Result<(), TableError> {
    replace_file_in(&Disk, path, write)
}

/// As [`replace_file`], in this storage.
pub(crate) fn replace_file_in(
    storage: &dyn Storage,
    path: &Path,
    write: impl FnOnce(&mut dyn WriteSeek) -> std::io::Result<()>,
) -> Result<(), TableError> {
    let path = &replaceable(path)?;
    let temporary = &path.with_file_name(temporary_name(path.file_name().unwrap_or_default()));
    // One that was left behind is written over, but only if it is what would have been left.
    if fs::symlink_metadata(temporary).is_ok_and(|found| !found.is_file()) {
        return Err(TableError::NotAFile(display_name(temporary)));
    }
    let attempt = || {
        let mut file = BufWriter::new(uninterrupted(|| storage.create(temporary))?);
        write(&mut file)?;
        let mut file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        uninterrupted(|| file.sync())?;
        uninterrupted(|| storage.rename(temporary, path))?;
        // The rename itself must reach the disk too.
        uninterrupted(|| storage.sync_folder(parent(path)))
    };
    attempt().map_err(|error| {
        let _ = uninterrupted(|| storage.remove(temporary));
        TableError::io(path)(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_those_that_are_written() {
        let material = Material::new(3, 2).unwrap();
        for name in ["3v2.wdl", "12v12.dtc", MANIFEST_NAME] {
            assert!(is_temporary(temporary_name(name.as_ref()).to_str().unwrap()), "{name}");
            assert!(!is_temporary(name));
        }
        assert!(is_temporary(&values_name(material)));
        for foreign in [
            "x.tmp",
            "d.tmp",
            ".tmp",
            "tmp",
            "3v2.tmp",
            "3v2.wdl.bak",
            "3v2.wdltmp",
            "03v2.wdl.tmp",
            "3v2.values.wdl.tmp",
        ] {
            assert!(!is_temporary(foreign), "{foreign}");
        }
    }
}
