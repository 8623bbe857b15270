//! Reading a certificate. A file is not trusted: whatever it holds, reading ends in entries or in an error.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::format::{
    BlockInfo, ClaimInfo, DIRECTORY_ENTRY_BYTES, FRAME_BYTES, HEADER_BYTES, Header, MAX_BLOCK_ENTRIES,
    MAX_ENTRIES_PER_BYTE, STAMP_BYTES, StoredEntry, TableStamp, decompress, most_block_bytes, unpack,
};
use super::{CertificateError, Claim, most_bound, value_of};
use crate::canonical::Key;
use crate::file::FileError;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::{Access, BlockSource, Value, open_source};

/// A decoded block and its number.
type Recent = Option<(u32, Arc<[StoredEntry]>)>;

/// An open certificate, with the entries of the file. Whether they prove anything is for
/// [`check`](super::check()) to find out.
pub struct Certificate {
    path: PathBuf,
    source: Box<dyn BlockSource>,
    header: Header,
    tables: Vec<TableStamp>,
    blocks: Vec<BlockInfo>,
    recent: Mutex<Recent>,
}

crate::debug::debug_as!(Certificate, |certificate| path = certificate.path, claims = certificate.claims());

impl Certificate {
    /// Opens a certificate and checks header and directory. Blocks are checked when they are decoded.
    ///
    /// # Errors
    /// [`CertificateError`] if there is no such file, or it is not a complete certificate.
    pub fn open(path: impl AsRef<Path>) -> Result<Certificate, CertificateError> {
        let path = path.as_ref().to_owned();
        let source = open_source(&path, Access::Read).map_err(|error| match error {
            FileError::Io(error) => CertificateError::io(&path)(error),
            FileError::NotRegular | FileError::TooLong { .. } => CertificateError::NotAFile(path.clone()),
        })?;
        Certificate::from_source(path, source)
    }

    /// The certificate that `source` holds. Errors call it `path`.
    ///
    /// # Errors
    /// [`CertificateError`] if it is not a complete certificate.
    pub fn from_source(path: PathBuf, source: Box<dyn BlockSource>) -> Result<Certificate, CertificateError> {
        let (actual, mut room) = (source.length(), Vec::new());
        let header_bytes = actual.min(HEADER_BYTES as u64) as usize;
        let header = source.read(0, header_bytes, &mut room).map_err(CertificateError::io(&path))?;
        let header = Header::parse(header, &path)?;
        let damaged = || CertificateError::Header(path.clone());
        let blocks_start = header.blocks_start();
        // Compared before the lists are read: memory for them is bounded by the size of the file.
        if actual != header.file_bytes || actual < blocks_start {
            let expected = header.file_bytes.max(blocks_start);
            return Err(CertificateError::Length { path, expected, actual });
        }
        let lists = source.read(HEADER_BYTES as u64, header.lists_bytes(), &mut room);
        let lists = lists.map_err(CertificateError::io(&path))?;
        if xxh3_64(lists) != header.directory_checksum {
            return Err(damaged());
        }
        let stamps_bytes = usize::from(header.tables).saturating_mul(STAMP_BYTES);
        let (stamps, directory) = lists.split_at_checked(stamps_bytes).ok_or_else(damaged)?;
        let tables = stamps.chunks(STAMP_BYTES).map(TableStamp::parse).collect::<Option<Vec<_>>>();
        let tables = tables.ok_or_else(damaged)?;
        let each_once = tables.is_sorted_by(|a, b| (a.material, a.metric) < (b.material, b.metric));
        let blocks: Vec<BlockInfo> = directory.chunks(DIRECTORY_ENTRY_BYTES).map(BlockInfo::parse).collect();
        // The blocks must follow each other without a gap, to the end of the file.
        let mut last = blocks_start;
        let sizes = blocks.iter().all(|block| {
            let Some(bytes) = block.end.checked_sub(std::mem::replace(&mut last, block.end)) else {
                return false;
            };
            (1..=MAX_BLOCK_ENTRIES).contains(&(block.entries as usize))
                && u64::from(block.entries) <= bytes.saturating_mul(MAX_ENTRIES_PER_BYTE)
                && bytes <= most_block_bytes(block.entries).saturating_add(FRAME_BYTES) as u64
        });
        let sound = header.claims.iter().all(|info| {
            let of_claim = &blocks[info.blocks.start as usize..info.blocks.end as usize];
            // At most 2^18 blocks of 2^16 entries.
            let entries: u64 = of_claim.iter().map(|block| u64::from(block.entries)).sum();
            entries == info.entries && of_claim.windows(2).all(|pair| pair[0].first < pair[1].first)
        });
        if !(each_once && sizes && last == actual && sound) {
            return Err(damaged());
        }
        Ok(Certificate { path, source, header, tables, blocks, recent: Mutex::new(None) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The rules of the position.
    pub fn rules(&self) -> &'static Rules {
        self.header.rules
    }

    /// The position it is about.
    pub fn root(&self) -> &Position {
        &self.header.root
    }

    /// Its claims.
    pub fn claims(&self) -> &[ClaimInfo] {
        &self.header.claims
    }

    /// The value of the root for the side to move, if the claims hold.
    pub fn value(&self) -> Option<Value> {
        let claims: Vec<Claim> = self.claims().iter().map(|info| info.claim).collect();
        value_of(&claims)
    }

    /// The tables that it rests on; none if it stands alone.
    pub fn tables(&self) -> &[TableStamp] {
        &self.tables
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.source.length()
    }

    fn read<'a>(
        &'a self,
        offset: u64,
        length: usize,
        room: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], CertificateError> {
        self.source.read(offset, length, room).map_err(CertificateError::io(&self.path))
    }

    /// The checksum of the whole file that `xxhsum -H2` prints.
    ///
    /// # Errors
    /// [`CertificateError::Io`] when the file cannot be read.
    pub fn checksum(&self) -> Result<u128, CertificateError> {
        // Without a flag it always comes to an end.
        self.checksum_unless(None).map(Option::unwrap_or_default)
    }

    /// As [`checksum`](Self::checksum); `None` when another thread has set `stop` before it was finished.
    ///
    /// # Errors
    /// As for [`checksum`](Self::checksum).
    pub fn checksum_unless(&self, stop: Option<&AtomicBool>) -> Result<Option<u128>, CertificateError> {
        /// Few enough to be read within a few milliseconds.
        const PIECE: usize = 1 << 20;
        let (mut hash, mut room) = (Xxh3::new(), Vec::new());
        for offset in (0..self.file_bytes()).step_by(PIECE) {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let length = self.file_bytes().saturating_sub(offset).min(PIECE as u64);
            hash.update(self.read(offset, length as usize, &mut room)?);
        }
        Ok(Some(hash.digest128()))
    }

    /// Decodes a block, which must be one of a claim. Its entries have rising keys.
    ///
    /// # Errors
    /// [`CertificateError::Block`] when its checksum or contents are wrong, [`CertificateError::Bound`] when
    /// a bound is larger than the rules and the goal allow, [`CertificateError::Io`] when it cannot be read.
    pub fn block(&self, number: u32) -> Result<Vec<StoredEntry>, CertificateError> {
        let damaged = || CertificateError::Block { path: self.path.clone(), block: number };
        let info = *self.blocks.get(number as usize).ok_or_else(damaged)?;
        let start = match number.checked_sub(1) {
            Some(before) => self.blocks[before as usize].end,
            None => self.header.blocks_start(),
        };
        let length = info.end.checked_sub(start).ok_or_else(damaged)?;
        let mut room = Vec::new();
        let compressed = self.read(start, length as usize, &mut room)?;
        if xxh3_64(compressed) as u32 != info.checksum {
            return Err(damaged());
        }
        let bytes = decompress(compressed, most_block_bytes(info.entries)).ok_or_else(damaged)?;
        let entries = unpack(self.rules(), &bytes, info.entries).ok_or_else(damaged)?;
        if entries.first().is_none_or(|entry| entry.key != info.first) {
            return Err(damaged());
        }
        let claim = self.claims().iter().find(|info| info.blocks.contains(&number)).ok_or_else(damaged)?;
        let most = most_bound(self.rules(), claim.claim.goal);
        match entries.iter().find(|entry| entry.bound > most) {
            Some(&StoredEntry { bound, .. }) => {
                Err(CertificateError::Bound { path: self.path.clone(), block: number, bound, most })
            }
            None => Ok(entries),
        }
    }

    /// The entry of a claim for a position.
    ///
    /// # Errors
    /// As for [`block`](Self::block).
    pub fn find(&self, claim: &ClaimInfo, key: Key) -> Result<Option<StoredEntry>, CertificateError> {
        let blocks = &self.blocks[claim.blocks.start as usize..claim.blocks.end as usize];
        let Some(at) = blocks.partition_point(|block| block.first <= key).checked_sub(1) else {
            return Ok(None);
        };
        let number = claim.blocks.start.saturating_add(at as u32);
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = match &*recent {
            Some((last, entries)) if *last == number => Arc::clone(entries),
            _ => {
                let entries: Arc<[StoredEntry]> = self.block(number)?.into();
                *recent = Some((number, Arc::clone(&entries)));
                entries
            }
        };
        Ok(entries.binary_search_by_key(&key, |entry| entry.key).ok().map(|at| entries[at]))
    }
}
