//! Reading a table: opened, checked, decoded block by block. A file is not trusted.

use std::fmt;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::error::display_name;
use super::fields::Fields;
use super::header::{DIRECTORY_ENTRY_BYTES, HEADER_BYTES, Header};
use super::source::{self, Access, BlockSource};
use super::{Block, Metric, Symbol, TableError, TableInfo, file_name};
use crate::compression::{Decompressor, compress_bound};
use crate::file::FileError;
use crate::index::{Index, Mover};
use crate::material::Material;

/// Most bytes of a block directory, which is held in memory once a block was asked for. The largest one of
/// the whole game of `classic` has less than a hundredth of that.
const MAX_DIRECTORY_BYTES: u64 = 256 << 20;

/// Bytes that are read at once where a whole table is.
const CHUNK_BYTES: u64 = 1 << 20;

/// An open table.
pub struct Table {
    name: String,
    source: Box<dyn BlockSource>,
    header: Header,
    /// Read and checked when a block is first asked for.
    directory: OnceLock<Directory>,
    index: Arc<Index>,
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("name", &self.name).field("info", self.info()).finish_non_exhaustive()
    }
}

impl Table {
    /// Opens the table of `metric` for `material` in `folder`. Only header and size are checked; directory
    /// and blocks are when blocks are decoded.
    ///
    /// # Errors
    /// [`TableError`] when there is no such file, or it is not that table by header and size.
    pub fn open(
        folder: &Path,
        index: &Arc<Index>,
        material: Material,
        metric: Metric,
        access: Access,
    ) -> Result<Table, TableError> {
        let path = folder.join(file_name(material, metric));
        let source = source::open(&path, access).map_err(|error| match error {
            FileError::Io(error) if error.kind() == ErrorKind::NotFound => {
                if std::fs::symlink_metadata(&path).is_ok() {
                    return TableError::BrokenLink(display_name(&path));
                }
                TableError::NoTable { folder: folder.to_owned(), material, metric }
            }
            error => TableError::file(&path)(error),
        })?;
        Table::from_source(display_name(&path), source, index, material, metric)
    }

    /// The table of `metric` for `material` that `source` holds. Errors call it `name`.
    ///
    /// # Errors
    /// [`TableError`] when the header cannot be read, or it is not that table by header and size.
    pub fn from_source(
        name: String,
        source: Box<dyn BlockSource>,
        index: &Arc<Index>,
        material: Material,
        metric: Metric,
    ) -> Result<Table, TableError> {
        let mut room = Vec::new();
        let bytes = source.read(0, source.length().min(HEADER_BYTES as u64) as usize, &mut room);
        let header = match bytes {
            Ok(bytes) => Header::parse(bytes, &name, index.rules())?,
            Err(source) => return Err(TableError::Io { name, source }),
        };
        let table = Table { name, source, header, directory: OnceLock::new(), index: Arc::clone(index) };
        table.check(material, metric)?;
        Ok(table)
    }

    /// Compares the header with what the table should be and with the size of the file.
    fn check(&self, material: Material, metric: Metric) -> Result<(), TableError> {
        let info = &self.header.info;
        let pair = material.pair();
        if (info.material, info.metric) != (material, metric) || info.entries != self.index.entries(pair) {
            let what = format!("{} of {} in {} entries", info.metric, info.material, info.entries);
            return Err(TableError::Mismatch { name: self.name.clone(), what });
        }
        let counted = [info.draw, info.loss].into_iter().try_fold(info.win, u64::checked_add);
        let directory_bytes = self.header.blocks_start().saturating_sub(HEADER_BYTES as u64);
        if info.positions != self.index.positions(pair)
            || counted != Some(info.positions)
            || directory_bytes > MAX_DIRECTORY_BYTES
        {
            return Err(TableError::Header(self.name.clone()));
        }
        let actual = self.source.length();
        if actual != self.header.file_bytes || actual < self.header.blocks_start() {
            let expected = self.header.file_bytes.max(self.header.blocks_start());
            return Err(TableError::Length { name: self.name.clone(), expected, actual });
        }
        Ok(())
    }

    /// The directory, which is read and checked the first time. `room` is for reading.
    fn directory(&self, room: &mut Vec<u8>) -> Result<&Directory, TableError> {
        if let Some(directory) = self.directory.get() {
            return Ok(directory);
        }
        let start = HEADER_BYTES as u64;
        let blocks_start = self.header.blocks_start();
        let bytes = self.read(start, blocks_start.saturating_sub(start), room)?;
        let checksum = xxh3_64(bytes);
        let ends = self.header.blocks_start()..=self.header.file_bytes;
        let directory = Directory::parse(bytes, ends).filter(|_| checksum == self.header.directory_checksum);
        // Memory for a directory does not go into the room of a decoder for good.
        *room = Vec::new();
        let directory = directory.ok_or_else(|| TableError::Header(self.name.clone()))?;
        Ok(self.directory.get_or_init(|| directory))
    }

    fn read<'a>(&'a self, offset: u64, length: u64, room: &'a mut Vec<u8>) -> Result<&'a [u8], TableError> {
        let bytes = self.source.read(offset, length as usize, room);
        bytes.map_err(|source| TableError::Io { name: self.name.clone(), source })
    }

    /// What errors call the table: the path of its file, if it has one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the table says about itself.
    pub fn info(&self) -> &TableInfo {
        &self.header.info
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.header.file_bytes
    }

    /// How many blocks the table has.
    pub fn blocks(&self) -> u64 {
        self.header.blocks()
    }

    /// Entries of every block but the last.
    #[inline]
    pub fn entries_per_block(&self) -> u64 {
        self.header.entries_per_block.into()
    }

    /// The numbers of the entries that `block` covers; none from [`blocks`](Self::blocks) on.
    pub fn entries_of(&self, block: u64) -> Range<u64> {
        let (per_block, entries) = (self.entries_per_block(), self.header.info.entries);
        let first = block.saturating_mul(per_block).min(entries);
        first..first.saturating_add(per_block).min(entries)
    }

    /// The block that covers `entry`, and the number of the entry within it.
    // A header with no entries in a block is refused: nothing is divided by 0.
    #[allow(clippy::arithmetic_side_effects)]
    #[inline]
    pub(super) fn place_of(&self, entry: u64) -> (u64, u64) {
        (entry / self.entries_per_block(), entry % self.entries_per_block())
    }

    /// Checks and decodes `block`, which must be below [`blocks`](Self::blocks).
    ///
    /// # Errors
    /// [`TableError::Block`] when its checksum or contents are wrong, [`TableError::Header`] when the block
    /// directory is, [`TableError::Io`] when the bytes cannot be read.
    pub fn decode(&self, decoder: &mut Decoder, block: u64) -> Result<Block, TableError> {
        let damaged = || TableError::Block { name: self.name.clone(), block };
        let Decoder { decompressor, room } = decoder;
        let (bytes, checksum) = self.directory(room)?.block(block).ok_or_else(damaged)?;
        let (entries, packing) = (self.entries_of(block), self.header.packing);
        // No frame of zstd has reason to be longer.
        let covered = entries.end.saturating_sub(entries.start);
        let longest = compress_bound(packing.bytes(usize::try_from(covered).unwrap_or(usize::MAX)));
        let length = bytes.end.checked_sub(bytes.start).filter(|&length| length <= longest as u64);
        let compressed = self.read(bytes.start, length.ok_or_else(damaged)?, room)?;
        if xxh3_64(compressed) as u32 != checksum {
            return Err(damaged());
        }
        let info = &self.header.info;
        let quiet = self.index.layout(info.material.pair()).stored(Mover::of(info.material), entries);
        let unpack = |bytes| match bytes {
            0 => compressed.is_empty().then(Vec::new),
            _ => decompressor.decompress(compressed, bytes).ok(),
        };
        Block::new(quiet, packing, unpack).ok_or_else(damaged)
    }

    /// The error to report when what `entry` holds makes no sense.
    pub fn damaged(&self, entry: u64) -> TableError {
        TableError::Block { name: self.name.clone(), block: self.place_of(entry).0 }
    }

    /// The checksum of the whole file that the manifest lists: XXH3 with 128 bits.
    ///
    /// # Errors
    /// [`TableError::Io`] when the file cannot be read.
    pub fn checksum(&self) -> Result<u128, TableError> {
        // Without a flag it always comes to an end.
        self.checksum_unless(None).map(Option::unwrap_or_default)
    }

    /// As [`checksum`](Self::checksum); `None` when another thread has set `stop` before it was finished.
    ///
    /// # Errors
    /// As for [`checksum`](Self::checksum).
    pub fn checksum_unless(&self, stop: Option<&AtomicBool>) -> Result<Option<u128>, TableError> {
        let (mut hash, mut room) = (Xxh3::new(), Vec::new());
        let mut offset = 0_u64;
        while offset < self.file_bytes() {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let length = CHUNK_BYTES.min(self.file_bytes().saturating_sub(offset));
            hash.update(self.read(offset, length, &mut room)?);
            offset = offset.saturating_add(length);
        }
        Ok(Some(hash.digest128()))
    }
}

/// Where the blocks are.
struct Directory {
    start: u64,
    /// Where each block ends.
    ends: Box<[u64]>,
    checksums: Box<[u32]>,
}

impl Directory {
    /// The directory of blocks that follow each other without a gap from the start of this range to its end;
    /// `None` when they do not.
    fn parse(bytes: &[u8], range: std::ops::RangeInclusive<u64>) -> Option<Directory> {
        let entries = || bytes.chunks_exact(DIRECTORY_ENTRY_BYTES).map(Fields);
        let ends: Box<[u64]> = entries().map(|mut fields| fields.u64()).collect();
        let checksums = entries().map(|Fields(bytes)| Fields(&bytes[size_of::<u64>()..]).u32()).collect();
        let directory = Directory { start: *range.start(), ends, checksums };
        let rising =
            directory.ends.is_sorted() && directory.ends.first().is_some_and(|end| range.contains(end));
        (rising && directory.ends.last() == Some(range.end())).then_some(directory)
    }

    /// The bytes and the checksum of a block.
    fn block(&self, block: u64) -> Option<(Range<u64>, u32)> {
        let block = usize::try_from(block).ok()?;
        let end = *self.ends.get(block)?;
        let start = block.checked_sub(1).map_or(self.start, |before| self.ends[before]);
        Some((start..end, self.checksums[block]))
    }
}

/// What decoding takes, kept from one block to the next.
pub struct Decoder {
    decompressor: Decompressor<'static>,
    room: Vec<u8>,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder").field("room", &self.room.capacity()).finish_non_exhaustive()
    }
}

impl Decoder {
    /// A decoder of any blocks.
    ///
    /// # Errors
    /// [`TableError::Io`] when there is no memory for it.
    pub fn new() -> Result<Decoder, TableError> {
        let decompressor = Decompressor::new()
            .map_err(|source| TableError::Io { name: "the decompressor of tables".to_owned(), source })?;
        Ok(Decoder { decompressor, room: Vec::new() })
    }
}

/// Reads a table from front to back, a block at a time.
pub struct Cursor<'a> {
    table: &'a Table,
    decoder: Option<Decoder>,
    block: Option<(u64, Block)>,
}

impl fmt::Debug for Cursor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = self.block.as_ref().map(|(number, _)| number);
        f.debug_struct("Cursor").field("table", self.table).field("block", &block).finish_non_exhaustive()
    }
}

impl<'a> Cursor<'a> {
    /// A cursor for `table`.
    pub fn new(table: &'a Table) -> Cursor<'a> {
        Cursor { table, decoder: None, block: None }
    }

    /// The symbol of `entry`; `None` when it is not quiet. The block that covers it is kept for the next
    /// call.
    ///
    /// # Errors
    /// As for [`Table::decode`].
    pub fn get(&mut self, entry: u64) -> Result<Option<Symbol>, TableError> {
        let (number, within) = self.table.place_of(entry);
        let block = match self.block.take() {
            Some((current, block)) if current == number => block,
            _ => {
                let mut decoder = match self.decoder.take() {
                    Some(decoder) => decoder,
                    None => Decoder::new()?,
                };
                let block = self.table.decode(&mut decoder, number);
                self.decoder = Some(decoder);
                block?
            }
        };
        let symbol = block.get(within as usize);
        self.block = Some((number, block));
        Ok(symbol)
    }
}
