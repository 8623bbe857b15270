//! Batches of bytes that wait in a file until whoever they are for asks for them.

use std::ops::Range;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::rows::create;
use crate::storage::{ScratchFile, Storage, uninterrupted};
use crate::table::TableError;

/// Bytes that are collected for all receivers together before they are written, and for one at least and at
/// most.
const PENDING_BYTES: usize = 1 << 20;
const BATCH_BYTES: [usize; 2] = [4 << 10, 64 << 10];

/// Bytes that are collected for one of so many receivers.
fn batch_bytes(receivers: usize) -> usize {
    (PENDING_BYTES / receivers.max(1)).clamp(BATCH_BYTES[0], BATCH_BYTES[1])
}

/// A batch in the file.
struct Batch {
    offset: u64,
    length: usize,
    checksum: u64,
    /// What the sender said about it, and the rows that it is about.
    mark: u16,
    rows: Range<u32>,
}

/// Bytes that are not written yet, and the rows that they are about.
#[derive(Clone, Default)]
struct Pending {
    bytes: Vec<u8>,
    rows: Range<u32>,
}

/// Batches for a number of receivers in one file. Where they lie, with their checksums, is kept in memory.
/// The file is removed when it is dropped.
pub struct Batches<'a> {
    storage: &'a dyn Storage,
    path: PathBuf,
    file: Box<dyn ScratchFile>,
    end: u64,
    batches: Vec<Vec<Batch>>,
    pending: Vec<Pending>,
}

impl<'a> Batches<'a> {
    /// A file at `path` for so many receivers.
    ///
    /// # Errors
    /// As for [`create`].
    pub fn new(storage: &'a dyn Storage, path: PathBuf, receivers: usize) -> Result<Batches<'a>, TableError> {
        let file = create(storage, &path)?;
        let batches = (0..receivers).map(|_| Vec::new()).collect();
        Ok(Batches { storage, path, file, end: 0, batches, pending: vec![Pending::default(); receivers] })
    }

    /// The most bytes of memory that so many receivers take.
    pub fn memory(receivers: usize) -> u64 {
        2 * (receivers * batch_bytes(receivers)) as u64
    }

    /// Adds bytes about a row to the batch in the making for a receiver.
    ///
    /// # Errors
    /// [`TableError::Io`] if the file cannot be written.
    pub fn send(&mut self, receiver: usize, mark: u16, row: u32, bytes: &[u8]) -> Result<(), TableError> {
        let batch_bytes = batch_bytes(self.pending.len());
        let Pending { bytes: pending, rows } = &mut self.pending[receiver];
        let rest = if pending.is_empty() { row..row + 1 } else { rows.clone() };
        *rows = rest.start.min(row)..rest.end.max(row + 1);
        pending.extend_from_slice(bytes);
        if pending.len() >= batch_bytes {
            self.flush(receiver, mark)?;
        }
        Ok(())
    }

    /// Writes what is pending for a receiver.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn flush(&mut self, receiver: usize, mark: u16) -> Result<(), TableError> {
        let Pending { bytes, rows } = std::mem::take(&mut self.pending[receiver]);
        if bytes.is_empty() {
            return Ok(());
        }
        self.file.write_all_at(&bytes, self.end).map_err(TableError::io(&self.path))?;
        let (offset, length) = (self.end, bytes.len());
        self.batches[receiver].push(Batch { offset, length, checksum: xxh3_64(&bytes), mark, rows });
        self.end += length as u64;
        Ok(())
    }

    /// Writes all that is pending.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn flush_all(&mut self, mark: u16) -> Result<(), TableError> {
        (0..self.pending.len()).try_for_each(|receiver| self.flush(receiver, mark))
    }

    /// Whether there is nothing for a receiver.
    pub fn is_empty(&self, receiver: usize) -> bool {
        self.batches[receiver].is_empty() && self.pending[receiver].bytes.is_empty()
    }

    /// Calls `visit` with the batches that are written for a receiver and may be about some of these rows, in
    /// the order in which they were sent, each with its mark.
    ///
    /// # Errors
    /// [`TableError::Scratch`] if the file is not what was written, [`TableError::Io`] if it cannot be read.
    pub fn receive(
        &self,
        receiver: usize,
        rows: Range<u32>,
        mut visit: impl FnMut(u16, &[u8]),
    ) -> Result<(), TableError> {
        let mut bytes = Vec::new();
        let is_about = |batch: &&Batch| batch.rows.start < rows.end && rows.start < batch.rows.end;
        for batch in self.batches[receiver].iter().filter(is_about) {
            bytes.resize(batch.length, 0);
            self.file.read_all_at(&mut bytes, batch.offset).map_err(|error| match error.kind() {
                std::io::ErrorKind::UnexpectedEof => self.damaged(),
                _ => TableError::io(&self.path)(error),
            })?;
            if xxh3_64(&bytes) != batch.checksum {
                return Err(self.damaged());
            }
            visit(batch.mark, &bytes);
        }
        Ok(())
    }

    fn damaged(&self) -> TableError {
        TableError::Scratch(self.path.display().to_string())
    }

    /// Forgets all batches. Their place in the file is used again.
    pub fn clear(&mut self) {
        self.end = 0;
        self.batches.iter_mut().for_each(Vec::clear);
        self.pending.fill_with(Pending::default);
    }
}

impl Drop for Batches<'_> {
    fn drop(&mut self) {
        let _ = uninterrupted(|| self.storage.remove(&self.path));
    }
}
