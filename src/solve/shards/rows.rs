//! Files of rows: what is known of the positions of a table, when memory does not hold it.
//!
//! The checksums of all blocks stay in memory, so that nothing comes from a file that is not what was
//! written. A block that did not change is not written again.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_128;

use crate::solve::values::{Bits, Cell};
use crate::storage::{ScratchFile, Storage, uninterrupted};
use crate::table::TableError;

/// The least bytes of a block, and the bytes that a thread reads or writes at once, as near as whole rows
/// come.
const BLOCK_BYTES: usize = 4 << 10;
const PIECE_BYTES: usize = 256 << 10;

/// What rows consist of.
pub trait Item: Sync {
    /// Bytes in the file.
    const BYTES: usize;

    /// The bytes, in the order of this machine.
    fn write(&self, into: &mut [u8]);

    /// Takes what [`write`](Self::write) wrote.
    fn read(&self, from: &[u8]);
}

impl Item for Cell {
    const BYTES: usize = 16;

    fn write(&self, into: &mut [u8]) {
        into.copy_from_slice(&self.bits().to_ne_bytes());
    }

    fn read(&self, from: &[u8]) {
        self.replace(Bits::from_ne_bytes(from));
    }
}

impl Item for AtomicU64 {
    const BYTES: usize = 8;

    fn write(&self, into: &mut [u8]) {
        into.copy_from_slice(&self.load(Relaxed).to_ne_bytes());
    }

    fn read(&self, from: &[u8]) {
        let bytes = from.first_chunk().copied().unwrap_or_default();
        self.store(u64::from_ne_bytes(bytes), Relaxed);
    }
}

/// A file of rows of equal size. It is removed when it is dropped.
pub struct RowFile<'a> {
    storage: &'a dyn Storage,
    path: PathBuf,
    file: Box<dyn ScratchFile>,
    row_items: usize,
    row_bytes: usize,
    rows: u32,
    rows_per_block: u32,
    /// The checksum of each block; 0 for one that was not written yet, which counts as zeros. A lock for each
    /// part of the file, so that threads seldom meet.
    checksums: Vec<Mutex<Vec<u128>>>,
    /// Whether the file goes with this value.
    is_owner: bool,
}

/// Blocks whose checksums share a lock.
const BLOCKS_PER_LOCK: usize = 256;

/// A checksum that is not 0.
fn checksum_of(bytes: &[u8]) -> u128 {
    xxh3_128(bytes) | 1
}

/// Rows of this many bytes that make a block.
pub fn rows_per_block(row_bytes: usize) -> u32 {
    (BLOCK_BYTES / row_bytes.max(1)).max(1) as u32
}

impl<'a> RowFile<'a> {
    /// A file at `path` for so many rows of so many items of `T`, all zero. So many of them make a block.
    ///
    /// # Errors
    /// [`TableError::Io`] if the file cannot be made; [`TableError::NotAFile`] if something else has its name.
    pub fn new<T: Item>(
        storage: &'a dyn Storage,
        path: PathBuf,
        rows: u32,
        row_items: usize,
        rows_per_block: u32,
    ) -> Result<RowFile<'a>, TableError> {
        let file = create(storage, &path)?;
        Ok(RowFile::of(storage, path, file, rows, row_items, T::BYTES, rows_per_block))
    }

    /// The file at `path` that another program made with [`new`](Self::new), and removes.
    ///
    /// # Errors
    /// [`TableError::Io`] if it cannot be opened.
    pub fn join<T: Item>(
        storage: &'a dyn Storage,
        path: PathBuf,
        rows: u32,
        row_items: usize,
        rows_per_block: u32,
    ) -> Result<RowFile<'a>, TableError> {
        let file = uninterrupted(|| storage.open_scratch(&path)).map_err(TableError::io(&path))?;
        let mut joined = RowFile::of(storage, path, file, rows, row_items, T::BYTES, rows_per_block);
        joined.is_owner = false;
        Ok(joined)
    }

    fn of(
        storage: &'a dyn Storage,
        path: PathBuf,
        file: Box<dyn ScratchFile>,
        rows: u32,
        row_items: usize,
        item_bytes: usize,
        rows_per_block: u32,
    ) -> RowFile<'a> {
        let row_bytes = row_items * item_bytes;
        let blocks = rows.div_ceil(rows_per_block) as usize;
        let locks = blocks.div_ceil(BLOCKS_PER_LOCK);
        let checksums = (0..locks).map(|lock| vec![0; BLOCKS_PER_LOCK.min(blocks - lock * BLOCKS_PER_LOCK)]);
        let checksums = checksums.map(Mutex::new).collect();
        let is_owner = true;
        RowFile { storage, path, file, row_items, row_bytes, rows, rows_per_block, checksums, is_owner }
    }

    /// The checksums of the blocks of these rows, as bytes.
    pub fn checksums(&self, rows: &Range<u32>) -> Vec<u8> {
        let blocks = if rows.is_empty() { 0..0 } else { self.blocks_of(rows) };
        blocks.flat_map(|block| self.with_checksum(block, |checksum| checksum.to_le_bytes())).collect()
    }

    /// Takes what [`checksums`](Self::checksums) gave to another program that wrote these rows.
    pub fn take_checksums(&self, rows: &Range<u32>, bytes: &[u8]) {
        let blocks = if rows.is_empty() { 0..0 } else { self.blocks_of(rows) };
        for (block, &bytes) in blocks.zip(bytes.as_chunks().0) {
            self.with_checksum(block, |checksum| *checksum = u128::from_le_bytes(bytes));
        }
    }

    /// Bytes of memory that the checksums of so many rows of so many bytes take.
    pub fn memory(rows: u64, row_bytes: u64) -> u64 {
        let blocks = rows.div_ceil(u64::from(rows_per_block(row_bytes as usize)));
        blocks * size_of::<u128>() as u64
    }

    fn with_checksum<R>(&self, block: u32, what: impl FnOnce(&mut u128) -> R) -> R {
        let (lock, place) = (block as usize / BLOCKS_PER_LOCK, block as usize % BLOCKS_PER_LOCK);
        let mut checksums = self.checksums[lock].lock().unwrap_or_else(PoisonError::into_inner);
        what(&mut checksums[place])
    }

    fn blocks_of(&self, rows: &Range<u32>) -> Range<u32> {
        rows.start / self.rows_per_block..rows.end.div_ceil(self.rows_per_block)
    }

    fn rows_of(&self, block: u32) -> Range<u32> {
        block * self.rows_per_block..((block + 1) * self.rows_per_block).min(self.rows)
    }

    fn bytes_of(&self, rows: Range<u32>) -> Range<usize> {
        rows.start as usize * self.row_bytes..rows.end as usize * self.row_bytes
    }

    /// Calls `visit` with each block that holds some of these rows: its rows and their bytes.
    fn read_blocks(
        &self,
        blocks: Range<u32>,
        buffer: &mut Vec<u8>,
        mut visit: impl FnMut(Range<u32>, &[u8]),
    ) -> Result<(), TableError> {
        let rows = self.rows_of(blocks.start).start..self.rows_of(blocks.end - 1).end;
        let start = self.bytes_of(rows.clone()).start;
        buffer.clear();
        buffer.resize(self.bytes_of(rows).len(), 0);
        let is_written = |block| self.with_checksum(block, |checksum| *checksum != 0);
        // What was never written lies beyond the end of the file, or in a hole.
        if blocks.clone().all(is_written) {
            self.file.read_all_at(buffer, start as u64).map_err(self.failed())?;
        } else {
            for block in blocks.clone().filter(|&block| is_written(block)) {
                let bytes = self.bytes_of(self.rows_of(block));
                let place = bytes.start - start..bytes.end - start;
                self.file.read_all_at(&mut buffer[place], bytes.start as u64).map_err(self.failed())?;
            }
        }
        for block in blocks {
            let rows = self.rows_of(block);
            let bytes = self.bytes_of(rows.clone());
            let bytes = &buffer[bytes.start - start..bytes.end - start];
            let expected = self.with_checksum(block, |checksum| *checksum);
            if expected != 0 && checksum_of(bytes) != expected {
                return Err(TableError::Scratch(self.path.display().to_string()));
            }
            visit(rows, bytes);
        }
        Ok(())
    }

    fn failed(&self) -> impl FnOnce(std::io::Error) -> TableError {
        let path = self.path.clone();
        move |error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => TableError::Scratch(path.display().to_string()),
            _ => TableError::io(&path)(error),
        }
    }

    /// Reads rows, one after the other, into as many items.
    ///
    /// # Errors
    /// [`TableError::Scratch`] if the file is not what was written, [`TableError::Io`] if it cannot be read.
    pub fn read<T: Item>(&self, rows: Range<u32>, into: &[T]) -> Result<(), TableError> {
        if rows.is_empty() {
            return Ok(());
        }
        let read_piece = |buffer: &mut Vec<u8>, blocks: Range<u32>| {
            self.read_blocks(blocks, buffer, |found, bytes| {
                let wanted = found.start.max(rows.start)..found.end.min(rows.end);
                let skipped = (wanted.start - found.start) as usize * self.row_bytes;
                let items = (wanted.start - rows.start) as usize * self.row_items;
                let items = &into[items..items + wanted.len() * self.row_items];
                for (item, bytes) in items.iter().zip(bytes[skipped..].chunks_exact(T::BYTES)) {
                    item.read(bytes);
                }
            })
        };
        self.pieces(&rows).into_par_iter().try_for_each_init(Vec::new, read_piece)
    }

    /// Reads single rows, given in order, into as many items.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn read_each<T: Item>(&self, rows: &[u32], into: &[T]) -> Result<(), TableError> {
        // Rows that follow each other are read together.
        let runs = rows.chunk_by(|row, next| row + 1 == *next);
        let mut first = 0;
        let runs: Vec<(usize, &[u32])> = runs
            .map(|run| {
                first += run.len();
                (first - run.len(), run)
            })
            .collect();
        runs.into_par_iter().try_for_each(|(first, run)| {
            let items = &into[first * self.row_items..(first + run.len()) * self.row_items];
            self.read(run[0]..run[0] + run.len() as u32, items)
        })
    }

    /// Writes rows, one after the other, that begin and end with a block.
    ///
    /// # Errors
    /// [`TableError::Io`] if the file cannot be written.
    pub fn write<T: Item>(&self, rows: Range<u32>, from: &[T]) -> Result<(), TableError> {
        if rows.is_empty() {
            return Ok(());
        }
        let write_piece = |buffer: &mut Vec<u8>, blocks: Range<u32>| {
            let all = self.rows_of(blocks.start).start..self.rows_of(blocks.end - 1).end;
            let start = self.bytes_of(all.clone()).start;
            buffer.resize(self.bytes_of(all.clone()).len(), 0);
            let items = (all.start - rows.start) as usize * self.row_items;
            for (item, bytes) in from[items..].iter().zip(buffer.chunks_exact_mut(T::BYTES)) {
                item.write(bytes);
            }
            // Blocks that changed, as far as they follow each other, go together.
            let mut changed: Option<Range<usize>> = None;
            let flush = |changed: &mut Option<Range<usize>>| match changed.take() {
                Some(bytes) => {
                    let offset = (start + bytes.start) as u64;
                    self.file.write_all_at(&buffer[bytes], offset).map_err(TableError::io(&self.path))
                }
                None => Ok(()),
            };
            for block in blocks {
                let bytes = self.bytes_of(self.rows_of(block));
                let bytes = bytes.start - start..bytes.end - start;
                let checksum = checksum_of(&buffer[bytes.clone()]);
                if self.with_checksum(block, |known| std::mem::replace(known, checksum)) == checksum {
                    flush(&mut changed)?;
                } else {
                    changed = Some(changed.map_or(bytes.start, |changed| changed.start)..bytes.end);
                }
            }
            flush(&mut changed)
        };
        self.pieces(&rows).into_par_iter().try_for_each_init(Vec::new, write_piece)
    }

    /// The blocks of these rows in pieces.
    fn pieces(&self, rows: &Range<u32>) -> Vec<Range<u32>> {
        let blocks = self.blocks_of(rows);
        let block_bytes = self.row_bytes * self.rows_per_block as usize;
        let step = (PIECE_BYTES / block_bytes).max(1);
        blocks.clone().step_by(step).map(|first| first..blocks.end.min(first + step as u32)).collect()
    }
}

impl Drop for RowFile<'_> {
    fn drop(&mut self) {
        if self.is_owner {
            let _ = uninterrupted(|| self.storage.remove(&self.path));
        }
    }
}

/// Makes a file for intermediate results. Only what an earlier run may have left is written over.
///
/// # Errors
/// [`TableError::Io`] if it cannot be made, [`TableError::NotAFile`] if something else has its name.
pub fn create(storage: &dyn Storage, path: &Path) -> Result<Box<dyn ScratchFile>, TableError> {
    if std::fs::symlink_metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(TableError::NotAFile(path.display().to_string()));
    }
    uninterrupted(|| storage.create_scratch(path)).map_err(TableError::io(path))
}
