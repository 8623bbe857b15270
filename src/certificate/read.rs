//! Reading a certificate. A file is not trusted: whatever it holds, reading ends in entries or in an error.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use memmap2::Mmap;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

use super::format::{
    BlockInfo, ClaimInfo, DIRECTORY_ENTRY_BYTES, FRAME_BYTES, HEADER_BYTES, Header, MAX_BLOCK_ENTRIES,
    MAX_ENTRIES_PER_BYTE, STAMP_BYTES, StoredEntry, TableStamp, decompress, most_block_bytes, unpack,
};
use super::{CertificateError, Claim, most_bound, value_of};
use crate::canonical::Key;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;

/// A decoded block and its number.
type Recent = Option<(u32, Arc<[StoredEntry]>)>;

/// An open certificate, with the entries of the file. Whether they prove anything is for
/// [`check`](super::check()) to find out.
pub struct Certificate {
    path: PathBuf,
    map: Mmap,
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
        // Checked before it is opened: opening a pipe would wait for its writer.
        let metadata = std::fs::metadata(&path).map_err(CertificateError::io(&path))?;
        if !metadata.is_file() {
            return Err(CertificateError::NotAFile(path));
        }
        if metadata.len() == 0 {
            return Err(CertificateError::NotACertificate(path));
        }
        let file = File::open(&path).map_err(CertificateError::io(&path))?;
        // SAFETY: the map is only read. A file that shrinks or changes under the map is outside what the
        // program can guard against; certificates are replaced by renaming, never written in place.
        let map = unsafe { Mmap::map(&file) }.map_err(CertificateError::io(&path))?;
        let header = Header::parse(&map, &path)?;
        let damaged = || CertificateError::Header(path.clone());
        let blocks_start = HEADER_BYTES + header.lists_bytes();
        let actual = map.len() as u64;
        if actual != header.file_bytes || actual < blocks_start as u64 {
            let expected = header.file_bytes.max(blocks_start as u64);
            return Err(CertificateError::Length { path, expected, actual });
        }
        let lists = &map[HEADER_BYTES..blocks_start];
        if xxh3_64(lists) != header.directory_checksum {
            return Err(damaged());
        }
        let (stamps, directory) = lists.split_at(usize::from(header.tables) * STAMP_BYTES);
        let tables = stamps.chunks(STAMP_BYTES).map(TableStamp::parse).collect::<Option<Vec<_>>>();
        let tables = tables.ok_or_else(damaged)?;
        let each_once = tables.is_sorted_by(|a, b| (a.material, a.metric) < (b.material, b.metric));
        let blocks: Vec<BlockInfo> = directory.chunks(DIRECTORY_ENTRY_BYTES).map(BlockInfo::parse).collect();
        // The blocks must follow each other without a gap, to the end of the file.
        let mut last = blocks_start as u64;
        let sizes = blocks.iter().all(|block| {
            let Some(bytes) = block.end.checked_sub(std::mem::replace(&mut last, block.end)) else {
                return false;
            };
            (1..=MAX_BLOCK_ENTRIES).contains(&(block.entries as usize))
                && u64::from(block.entries) <= bytes.saturating_mul(MAX_ENTRIES_PER_BYTE)
                && bytes <= (most_block_bytes(block.entries) + FRAME_BYTES) as u64
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
        Ok(Certificate { path, map, header, tables, blocks, recent: Mutex::new(None) })
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
        self.map.len() as u64
    }

    /// The checksum of the whole file that `xxhsum -H2` prints.
    pub fn checksum(&self) -> u128 {
        xxh3_128(&self.map)
    }

    /// As [`checksum`](Self::checksum); `None` when another thread has set `stop` before it was finished.
    pub fn checksum_unless(&self, stop: Option<&AtomicBool>) -> Option<u128> {
        /// Small enough to be read within a few milliseconds.
        const PIECE: usize = 1 << 20;
        let mut hash = Xxh3::new();
        for piece in self.map.chunks(PIECE) {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return None;
            }
            hash.update(piece);
        }
        Some(hash.digest128())
    }

    /// Decodes a block, which must be one of a claim. Its entries have rising keys.
    ///
    /// # Errors
    /// [`CertificateError::Block`] when its checksum or contents are wrong, [`CertificateError::Bound`] when
    /// a bound is larger than the rules and the goal allow.
    pub fn block(&self, number: u32) -> Result<Vec<StoredEntry>, CertificateError> {
        let damaged = || CertificateError::Block { path: self.path.clone(), block: number };
        let info = self.blocks[number as usize];
        let start = match number.checked_sub(1) {
            Some(before) => self.blocks[before as usize].end as usize,
            None => HEADER_BYTES + self.header.lists_bytes(),
        };
        let compressed = self.map.get(start..info.end as usize).ok_or_else(damaged)?;
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
        let number = claim.blocks.start + at as u32;
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
