//! Reading a table: mapped, checked, decoded block by block. A file is not trusted.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};
use zstd::bulk::Decompressor;

use super::fields::Fields;
use super::header::{DIRECTORY_ENTRY_BYTES, HEADER_BYTES, Header};
use super::{Block, Metric, Symbol, TableError, TableInfo, file_name};
use crate::index::{Mover, PairLayout};
use crate::material::Material;

/// An open table.
pub struct Table {
    path: PathBuf,
    map: Mmap,
    header: Header,
    layout: Arc<PairLayout>,
}

impl Table {
    /// Opens the table of `metric` for `material` in `folder` and checks header, sizes and block directory. Blocks
    /// are checked when they are decoded.
    ///
    /// # Errors
    /// [`TableError`] when there is no such file, or it is not that table in whole.
    pub fn open(
        folder: &Path,
        layout: &Arc<PairLayout>,
        material: Material,
        metric: Metric,
    ) -> Result<Table, TableError> {
        let path = folder.join(file_name(material, metric));
        let error = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                TableError::NoTable { folder: folder.to_owned(), material, metric }
            }
            _ => TableError::Io { path: path.clone(), error },
        };
        // Looked at before it is opened: to open a pipe would wait for its writer.
        let metadata = std::fs::metadata(&path).map_err(error)?;
        if !metadata.is_file() {
            return Err(TableError::NotAFile(path));
        }
        if metadata.len() == 0 {
            return Err(TableError::NotATable(path));
        }
        let file = File::open(&path).map_err(error)?;
        // SAFETY: the map is only read. A file that shrinks or changes under the map is outside what the
        // program can guard against; tables are replaced by renaming, never written in place.
        let map = unsafe { Mmap::map(&file) }.map_err(TableError::io(&path))?;
        let header = Header::parse(&map, &path, layout.rules())?;
        let table = Table { path, map, header, layout: Arc::clone(layout) };
        table.check(material, metric)?;
        Ok(table)
    }

    fn check(&self, material: Material, metric: Metric) -> Result<(), TableError> {
        let info = &self.header.info;
        if (info.material, info.metric) != (material, metric) || info.entries != self.layout.entries() {
            let what = format!("{} of {} in {} entries", info.metric, info.material, info.entries);
            return Err(TableError::Mismatch { path: self.path.clone(), what });
        }
        let actual = self.map.len() as u64;
        if actual != self.header.file_bytes || actual < self.header.blocks_start() {
            let expected = self.header.file_bytes.max(self.header.blocks_start());
            return Err(TableError::Length { path: self.path.clone(), expected, actual });
        }
        let directory = &self.map[HEADER_BYTES..self.header.blocks_start() as usize];
        let ends = directory.chunks(DIRECTORY_ENTRY_BYTES).map(|entry| Fields(entry).u64());
        // The blocks must follow each other without a gap, to the end of the file.
        let mut last = self.header.blocks_start();
        let rising = ends.into_iter().all(|end| std::mem::replace(&mut last, end) <= end);
        let sound = xxh3_64(directory) == self.header.directory_checksum && rising && last == actual;
        if sound { Ok(()) } else { Err(TableError::Header(self.path.clone())) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the table says about itself.
    pub fn info(&self) -> &TableInfo {
        &self.header.info
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// How many blocks the table has.
    pub fn blocks(&self) -> u64 {
        self.header.blocks()
    }

    /// Entries of every block but the last.
    pub fn entries_per_block(&self) -> u64 {
        self.header.entries_per_block.into()
    }

    /// The numbers of the entries that `block` covers.
    pub fn entries_of(&self, block: u64) -> std::ops::Range<u64> {
        let per_block = self.entries_per_block();
        block * per_block..((block + 1) * per_block).min(self.header.info.entries)
    }

    /// Checks and decodes `block`, which must be below [`blocks`](Self::blocks).
    ///
    /// # Errors
    /// [`TableError::Block`] when its checksum or contents are wrong.
    pub fn decode(&self, decompressor: &mut Decompressor<'_>, block: u64) -> Result<Block, TableError> {
        let damaged = || TableError::Block { path: self.path.clone(), block };
        let directory_end = |block: u64| {
            let at = HEADER_BYTES + block as usize * DIRECTORY_ENTRY_BYTES;
            let mut fields = Fields(&self.map[at..at + DIRECTORY_ENTRY_BYTES]);
            (fields.u64() as usize, fields.u32())
        };
        let start = match block.checked_sub(1) {
            Some(before) => directory_end(before).0,
            None => self.header.blocks_start() as usize,
        };
        let (end, checksum) = directory_end(block);
        let compressed = self.map.get(start..end).ok_or_else(damaged)?;
        if xxh3_64(compressed) as u32 != checksum {
            return Err(damaged());
        }
        let quiet = self.layout.stored(Mover::of(self.header.info.material), self.entries_of(block));
        let unpack = |bytes| match bytes {
            0 => compressed.is_empty().then(Vec::new),
            _ => decompressor.decompress(compressed, bytes).ok(),
        };
        Block::new(quiet, self.header.packing, unpack).ok_or_else(damaged)
    }

    /// The error to report when what `entry` holds makes no sense.
    pub fn damaged(&self, entry: u64) -> TableError {
        TableError::Block { path: self.path.clone(), block: entry / self.entries_per_block() }
    }

    /// The checksum of the whole file that the manifest lists: XXH3 with 128 bits.
    pub fn checksum(&self) -> u128 {
        xxh3_128(&self.map)
    }
}

/// Reads a table from front to back, a block at a time.
pub struct Cursor<'a> {
    table: &'a Table,
    decompressor: Option<Decompressor<'static>>,
    block: Option<(u64, Block)>,
}

impl<'a> Cursor<'a> {
    /// A cursor for `table`.
    pub fn new(table: &'a Table) -> Cursor<'a> {
        Cursor { table, decompressor: None, block: None }
    }

    /// The symbol of `entry`; `None` when it is not quiet. The block that covers it is kept for the next call.
    ///
    /// # Errors
    /// [`TableError::Block`] when that block is damaged.
    pub fn get(&mut self, entry: u64) -> Result<Option<Symbol>, TableError> {
        let (number, within) =
            (entry / self.table.entries_per_block(), entry % self.table.entries_per_block());
        let block = match self.block.take() {
            Some((current, block)) if current == number => block,
            _ => {
                let mut decompressor = match self.decompressor.take() {
                    Some(decompressor) => decompressor,
                    None => Decompressor::new().map_err(TableError::io(self.table.path()))?,
                };
                let block = self.table.decode(&mut decompressor, number);
                self.decompressor = Some(decompressor);
                block?
            }
        };
        let symbol = block.get(within as usize);
        self.block = Some((number, block));
        Ok(symbol)
    }
}
