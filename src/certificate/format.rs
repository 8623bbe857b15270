//! The bytes of a certificate: header, list of tables, directory, blocks.

use std::ops::Range;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use super::{CertificateError, Claim, Goal};
use crate::canonical::Key;
use crate::compression;
use crate::material::Material;
use crate::position::{Position, PositionBits};
use crate::rules::Rules;
use crate::table::{Fields, Metric, fingerprint, name_bytes};

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 128;
/// Bytes of one table in the list.
pub(super) const STAMP_BYTES: usize = 20;
/// Bytes of one block in the directory.
pub(super) const DIRECTORY_ENTRY_BYTES: usize = 32;
/// The most entries that a block can have.
pub const MAX_BLOCK_ENTRIES: usize = 1 << 16;
/// The most blocks that a claim can have.
pub(super) const MAX_CLAIM_BLOCKS: u32 = 1 << 18;
/// The most entries that a claim can have.
pub(super) const MAX_CLAIM_ENTRIES: u64 = u32::MAX as u64;
/// The most entries for each byte of a block. Proofs have one or two; the limit keeps a small file from
/// taking much memory.
pub(super) const MAX_ENTRIES_PER_BYTE: u64 = 32;

/// The most bytes that zstd adds to a block that it cannot compress.
pub(super) const FRAME_BYTES: usize = 64;

const CHECKSUM_AT: usize = HEADER_BYTES - 8;
const MAGIC: [u8; 8] = *b"ALQPROOF";
/// Goes up with every change that an older program would misread.
const VERSION: u16 = 1;
const MOST_CLAIMS: usize = 2;

/// A claim of a certificate and where its entries are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimInfo {
    /// The claim.
    pub claim: Claim,
    /// How many entries it has.
    pub entries: u64,
    /// The blocks that hold them.
    pub blocks: Range<u32>,
}

/// An entry as the file has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StoredEntry {
    /// A position in which the claiming side is to move.
    pub key: Key,
    /// The place of the position after its move among the [`successors`](super::successors).
    pub reply: u16,
    /// The bound in plies.
    pub bound: u16,
}

/// A table that a certificate rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableStamp {
    /// The slice.
    pub material: Material,
    /// What the table holds.
    pub metric: Metric,
    /// XXH3 with 128 bits over the whole file.
    pub checksum: u128,
}

/// The header, and what else the fixed part says.
pub(super) struct Header {
    pub rules: &'static Rules,
    pub root: Position,
    pub claims: Vec<ClaimInfo>,
    pub tables: u16,
    pub file_bytes: u64,
    pub directory_checksum: u64,
}

/// A block in the directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockInfo {
    pub first: Key,
    pub end: u64,
    pub entries: u32,
    pub checksum: u32,
}

impl Header {
    pub fn to_bytes(&self) -> Vec<u8> {
        let bits = PositionBits::from(&self.root);
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([self.claims.len() as u8, bits.side, bits.plies, 0, 0, 0]);
        bytes.extend(name_bytes(self.rules));
        bytes.extend(fingerprint(self.rules).to_le_bytes());
        for set in [bits.white, bits.black, bits.no_west, bits.no_east] {
            bytes.extend(set.to_le_bytes());
        }
        let claim = |index: usize| self.claims.get(index);
        for index in 0..MOST_CLAIMS {
            bytes.extend(claim(index).map_or(0, |info| info.entries).to_le_bytes());
        }
        for index in 0..MOST_CLAIMS {
            bytes.extend(claim(index).map_or(0, |info| info.blocks.len() as u32).to_le_bytes());
        }
        for index in 0..MOST_CLAIMS {
            let code = claim(index).map(|info| [u8::from(!info.claim.by_mover), info.claim.goal as u8]);
            bytes.extend(code.unwrap_or_default());
        }
        bytes.extend(self.tables.to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(self.file_bytes.to_le_bytes());
        bytes.extend(self.directory_checksum.to_le_bytes());
        bytes.resize(CHECKSUM_AT, 0);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }

    pub fn parse(bytes: &[u8], path: &Path) -> Result<Header, CertificateError> {
        let damaged = || CertificateError::Header(path.to_owned());
        if !bytes.starts_with(&MAGIC) {
            return Err(CertificateError::NotACertificate(path.to_owned()));
        }
        let cut_off = || CertificateError::Length {
            path: path.to_owned(),
            expected: HEADER_BYTES as u64,
            actual: bytes.len() as u64,
        };
        let mut fields = Fields(bytes.get(MAGIC.len()..HEADER_BYTES).ok_or_else(cut_off)?);
        let version = fields.u16();
        // A newer format may have its checksum elsewhere: the version comes first.
        if version > VERSION {
            return Err(CertificateError::Version { path: path.to_owned(), found: version, known: VERSION });
        }
        let checksum = Fields(&bytes[CHECKSUM_AT..]).u64();
        if version != VERSION || checksum != xxh3_64(&bytes[..CHECKSUM_AT]) {
            return Err(damaged());
        }
        let [claims, side, plies]: [u8; 3] = fields.array();
        let reserved: [u8; 3] = fields.array();
        let name: [u8; 16] = fields.array();
        let name = String::from_utf8_lossy(&name);
        let name = name.trim_end_matches('\0');
        // Of several rule sets from files that share the name, the parameters tell which is meant.
        let (known, stated) = (Rules::known_as(name), fields.u64());
        let of_name = *known
            .first()
            .ok_or_else(|| CertificateError::Rules { path: path.to_owned(), rules: name.to_owned() })?;
        if bytes[NAME] != name_bytes(of_name) {
            return Err(damaged());
        }
        let rules = known
            .into_iter()
            .find(|rules| stated == fingerprint(rules))
            .ok_or_else(|| CertificateError::Description { path: path.to_owned(), rules: of_name.name() })?;
        if let Some(lack) = rules.unsolved() {
            let (path, rules) = (path.to_owned(), rules.name());
            return Err(CertificateError::Unsupported { path, rules, lack });
        }
        let [white, black, no_west, no_east] = std::array::from_fn(|_| fields.u32());
        let root = PositionBits { white, black, no_west, no_east, side, plies }.position(rules);
        let root = root.map_err(|error| CertificateError::Root { path: path.to_owned(), error })?;
        let entries: [u64; MOST_CLAIMS] = std::array::from_fn(|_| fields.u64());
        let blocks: [u32; MOST_CLAIMS] = std::array::from_fn(|_| fields.u32());
        let codes: [[u8; 2]; MOST_CLAIMS] = std::array::from_fn(|_| fields.array());
        let unused = usize::from(claims).min(MOST_CLAIMS)..MOST_CLAIMS;
        let is_empty = |index: usize| (entries[index], blocks[index], codes[index]) == (0, 0, [0; 2]);
        if !(1..=MOST_CLAIMS).contains(&claims.into())
            || blocks.iter().any(|&count| count > MAX_CLAIM_BLOCKS)
            || entries.iter().any(|&count| count > MAX_CLAIM_ENTRIES)
            || !unused.into_iter().all(is_empty)
        {
            return Err(damaged());
        }
        let mut first = 0_u32;
        let mut infos = Vec::new();
        for index in 0..usize::from(claims) {
            let claim = match codes[index] {
                [by @ 0..=1, 0] => Claim { by_mover: by == 0, goal: Goal::Win },
                [by @ 0..=1, 1] => Claim { by_mover: by == 0, goal: Goal::Hold },
                _ => return Err(damaged()),
            };
            let end = first.checked_add(blocks[index]).ok_or_else(damaged)?;
            let blocks = std::mem::replace(&mut first, end)..end;
            infos.push(ClaimInfo { claim, entries: entries[index], blocks });
        }
        let tables = fields.u16();
        let reserved = reserved == [0; 3] && fields.u16() == 0;
        let (file_bytes, directory_checksum) = (fields.u64(), fields.u64());
        let rest: [u8; 16] = fields.array();
        if !reserved || rest != [0; 16] {
            return Err(damaged());
        }
        Ok(Header { rules, root, claims: infos, tables, file_bytes, directory_checksum })
    }

    /// Where the first block begins.
    pub fn blocks_start(&self) -> u64 {
        (HEADER_BYTES as u64).saturating_add(self.lists_bytes() as u64)
    }

    /// Bytes of the list of tables and the directory.
    pub fn lists_bytes(&self) -> usize {
        let blocks = self.claims.last().map_or(0, |info| info.blocks.end as usize);
        // At most 65,535 tables and 2^19 blocks: 18 MB.
        let stamps = usize::from(self.tables).saturating_mul(STAMP_BYTES);
        stamps.saturating_add(blocks.saturating_mul(DIRECTORY_ENTRY_BYTES))
    }
}

/// Where the name of the rule set stands.
const NAME: std::ops::Range<usize> = 16..32;

impl TableStamp {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let mut bytes =
            vec![self.material.mover() as u8, self.material.opponent() as u8, self.metric as u8, 0];
        bytes.extend(self.checksum.to_le_bytes());
        bytes
    }

    pub(super) fn parse(bytes: &[u8]) -> Option<TableStamp> {
        let mut fields = Fields(bytes);
        let [mover, opponent, metric, reserved]: [u8; 4] = fields.array();
        (reserved == 0).then_some(())?;
        Some(TableStamp {
            material: Material::new(mover.into(), opponent.into())?,
            metric: Metric::ALL.into_iter().find(|known| *known as u8 == metric)?,
            checksum: u128::from_le_bytes(fields.array()),
        })
    }
}

impl BlockInfo {
    pub fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(DIRECTORY_ENTRY_BYTES);
        for word in [self.first.stones, self.first.forbidden, self.end] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(self.entries.to_le_bytes());
        bytes.extend(self.checksum.to_le_bytes());
        bytes
    }

    pub fn parse(bytes: &[u8]) -> BlockInfo {
        let mut fields = Fields(bytes);
        let first = Key { stones: fields.u64(), forbidden: fields.u64() };
        BlockInfo { first, end: fields.u64(), entries: fields.u32(), checksum: fields.u32() }
    }
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A number in as few bytes as it needs, at most 8: no number of a certificate has more than 50 bits.
fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..56).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            let is_shortest = byte != 0 || shift == 0;
            return is_shortest.then_some(number);
        }
    }
    None
}

/// The first bytes of a zstd frame, which a skippable frame does not have.
const FRAME_MAGIC: [u8; 4] = 0xfd2f_b528_u32.to_le_bytes();

/// What a block holds; `None` unless it is a single zstd frame of at most `most` bytes of content.
pub(super) fn decompress(block: &[u8], most: usize) -> Option<Vec<u8>> {
    if !block.starts_with(&FRAME_MAGIC) {
        return None;
    }
    compression::decompress_frame(block, most)
}

/// The most bytes that a block of this many entries takes before compression.
pub(super) fn most_block_bytes(entries: u32) -> usize {
    // Two numbers of 50 bits, two of 16.
    (entries as usize).saturating_mul(8 + 8 + 3 + 3)
}

/// The entries of a block in columns: what is alike stands together.
pub(super) fn pack(rules: &Rules, entries: &[StoredEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = 0;
    for entry in entries {
        // Keys rise.
        put_varint(&mut bytes, entry.key.stones.wrapping_sub(before));
        before = entry.key.stones;
    }
    if rules.no_return() {
        entries.iter().for_each(|entry| put_varint(&mut bytes, entry.key.forbidden));
    }
    entries.iter().for_each(|entry| put_varint(&mut bytes, entry.reply.into()));
    entries.iter().for_each(|entry| put_varint(&mut bytes, entry.bound.into()));
    bytes
}

/// The inverse of [`pack`]; `None` if the bytes do not hold this many entries with rising keys.
pub(super) fn unpack(rules: &Rules, mut bytes: &[u8], count: u32) -> Option<Vec<StoredEntry>> {
    let bytes = &mut bytes;
    let mut entries = vec![StoredEntry::default(); count as usize];
    let mut stones: u64 = 0;
    for entry in &mut entries {
        stones = stones.checked_add(take_varint(bytes)?)?;
        entry.key.stones = stones;
    }
    if rules.no_return() {
        for entry in &mut entries {
            entry.key.forbidden = take_varint(bytes)?;
        }
    }
    for entry in &mut entries {
        entry.reply = take_varint(bytes)?.try_into().ok()?;
    }
    for entry in &mut entries {
        entry.bound = take_varint(bytes)?.try_into().ok()?;
    }
    let rising = entries.windows(2).all(|pair| pair[0].key < pair[1].key);
    (bytes.is_empty() && rising).then_some(entries)
}
