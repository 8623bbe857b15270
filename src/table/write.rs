//! Writing a table: beside its place, synced, then renamed.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;
use zstd::zstd_safe::{CParameter, Strategy};

use super::header::{HEADER_BYTES, Header};
use super::pack::Packing;
use super::{Metric, Symbol, TableError, TableInfo};
use crate::rules::Rules;

/// The extension of files that are still being written.
pub const TEMPORARY_EXTENSION: &str = "tmp";

/// How zstd searches. Its level 15 makes files 1% smaller in five times the time (measured on WDL tables of 9 stones); level 12
/// makes them 5% larger in the same time. Decoding is as fast in any case.
///
/// With distances to conversion longer matches are as good, and found sooner: for a tenth less time of the whole run the files are
/// as large in `classic` and 3% larger in `brainking`.
fn parameters(metric: Metric) -> [CParameter; 7] {
    let (shortest_match, target) = if metric == Metric::Dtc { (6, 128) } else { (3, 256) };
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

/// Blocks compressed in parallel before they are written in order.
const BATCH: u64 = 64;

/// Writes the table that `info` describes to `path`, whole or not at all. `fill` sets the symbols of a range of
/// entries; it is called from several threads. The bytes depend on the symbols alone.
///
/// # Errors
/// [`TableError::Io`] when the file cannot be written; what was begun is removed.
pub fn write_table(
    path: &Path,
    rules: &Rules,
    info: &TableInfo,
    fill: &(dyn Fn(Range<u64>, &mut [Symbol]) + Sync),
) -> Result<(), TableError> {
    replace_file(path, |file| {
        let packing = Packing::of(info);
        let per_block = u64::from(packing.entries_per_block());
        let mut header = Header {
            info: *info,
            packing,
            entries_per_block: packing.entries_per_block(),
            file_bytes: 0,
            directory_checksum: 0,
        };
        let mut end = header.blocks_start();
        file.seek(SeekFrom::Start(end))?;
        let mut directory = Vec::new();
        for first in (0..header.blocks()).step_by(BATCH as usize) {
            let compress = |compressor: &mut std::io::Result<Compressor>, block: u64| {
                let entries = block * per_block..((block + 1) * per_block).min(info.entries);
                let mut symbols = vec![0; (entries.end - entries.start) as usize];
                fill(entries, &mut symbols);
                let packed = packing.pack(&symbols);
                match compressor {
                    Ok(compressor) => compressor.compress(&packed),
                    Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
                }
            };
            let batch = first..(first + BATCH).min(header.blocks());
            let compressed: Vec<std::io::Result<Vec<u8>>> =
                batch.into_par_iter().map_init(|| compressor(info.metric), compress).collect();
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
        file.write_all(&header.to_bytes(rules))?;
        debug_assert_eq!(file.stream_position()?, HEADER_BYTES as u64);
        file.write_all(&directory)
    })
}

/// The regular file that a file at `path` is: that itself, or the one that a symbolic link leads to. It need not exist, except
/// behind a link.
///
/// # Errors
/// [`TableError::NotAFile`] when something else is there, a folder, a pipe or a device: it must not be replaced by a
/// file. [`TableError::Io`] when it cannot be looked at, or the link leads nowhere.
pub fn replaceable(path: &Path) -> Result<PathBuf, TableError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(path.to_owned()),
        Err(error) => Err(TableError::io(path)(error)),
        Ok(found) if found.is_file() => Ok(path.to_owned()),
        Ok(found) if found.is_symlink() => {
            let target = fs::canonicalize(path).map_err(TableError::io(path))?;
            if target.is_file() { Ok(target) } else { Err(TableError::NotAFile(path.to_owned())) }
        }
        Ok(_) => Err(TableError::NotAFile(path.to_owned())),
    }
}

/// Writes a file beside `path`, syncs it and renames it into place, so that `path` is never half written. A symbolic link stays
/// one: what it leads to is replaced. On failure nothing is left behind.
///
/// # Errors
/// [`TableError::Io`], also for what `write` returns; [`TableError::NotAFile`] as for [`replaceable`], also when something
/// that is no file has the name of the file beside.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<(), TableError> {
    let path = &replaceable(path)?;
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(TEMPORARY_EXTENSION);
    let temporary = Path::new(&name);
    // One that was left behind is written over, but only if it is what would have been left.
    if fs::symlink_metadata(temporary).is_ok_and(|found| !found.is_file()) {
        return Err(TableError::NotAFile(temporary.to_owned()));
    }
    let attempt = || {
        let mut file = BufWriter::new(File::create(temporary)?);
        write(&mut file)?;
        let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(temporary, path)?;
        // The rename itself must reach the disk too. Not every file system can sync a folder.
        if let Some(folder) = path.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    };
    attempt().map_err(|error| {
        let _ = fs::remove_file(temporary);
        TableError::Io { path: path.to_owned(), error }
    })
}
