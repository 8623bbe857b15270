//! Writing a certificate.

use std::collections::BTreeSet;
use std::io::SeekFrom;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::format::{
    BlockInfo, ClaimInfo, Header, MAX_CLAIM_ENTRIES, MAX_ENTRIES_PER_BYTE, StoredEntry, TableStamp, pack,
};
use super::{CertificateError, Entry, Strategy, successors};
use crate::canonical::Canonical;
use crate::material::Material;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::{Metric, replace_file, replaceable};
use crate::tablebase::Tablebase;

/// The level of zstd: a certificate is written once and small.
const LEVEL: i32 = 19;
/// Entries of a block: few enough to look one up, enough to compress well.
const BLOCK_ENTRIES: usize = 1 << 14;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Entries of all claims.
    pub entries: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Writes `strategies` to `path` as the certificate for `root`, completely or not at all. `tables` are the
/// tables used as leaves. The bytes depend only on the strategies.
///
/// # Errors
/// [`CertificateError`] when the file cannot be written, a table is missing or for other rules, a reply is
/// not a legal move, or another thread has set `stop`.
pub fn write_certificate(
    path: &Path,
    rules: &'static Rules,
    root: &Position,
    strategies: &[Strategy],
    tables: Option<&Tablebase>,
    stop: Option<&AtomicBool>,
) -> Result<Summary, CertificateError> {
    if let Some(tables) = tables.filter(|tables| tables.rules() != rules) {
        let (tables, position) = (tables.rules().name(), rules.name());
        return Err(CertificateError::OtherRules { tables, position });
    }
    let leaves = strategies.iter().flat_map(|strategy| &strategy.leaves).copied().collect();
    let stamps = stamps(leaves, tables, stop)?;
    let mut infos = Vec::new();
    let mut directory = Vec::new();
    let mut blocks = Vec::new();
    for strategy in strategies {
        let entries = stored(rules, &strategy.entries, stop)?;
        if entries.len() as u64 > MAX_CLAIM_ENTRIES {
            return Err(CertificateError::TooMany { most: MAX_CLAIM_ENTRIES });
        }
        let compress = |entries| {
            go_on(stop)?;
            compressed(rules, entries).map_err(CertificateError::io(path))
        };
        let packed: Vec<Vec<Packed<'_>>> =
            entries.par_chunks(BLOCK_ENTRIES).map(compress).collect::<Result<_, CertificateError>>()?;
        let first = directory.len() as u32;
        for (entries, block) in packed.into_iter().flatten() {
            let (checksum, count) = (xxh3_64(&block) as u32, entries.len() as u32);
            directory.push(BlockInfo { first: entries[0].key, end: 0, entries: count, checksum });
            blocks.push(block);
        }
        let blocks = first..directory.len() as u32;
        infos.push(ClaimInfo { claim: strategy.claim, entries: entries.len() as u64, blocks });
    }
    let mut header = Header {
        rules,
        root: *root,
        claims: infos,
        tables: stamps.len() as u16,
        file_bytes: 0,
        directory_checksum: 0,
    };
    let mut end = header.blocks_start();
    for (info, block) in directory.iter_mut().zip(&blocks) {
        end = end.saturating_add(block.len() as u64);
        info.end = end;
    }
    let mut lists: Vec<u8> = stamps.iter().flat_map(|stamp| stamp.to_bytes()).collect();
    lists.extend(directory.iter().flat_map(|info| info.to_bytes()));
    (header.file_bytes, header.directory_checksum) = (end, xxh3_64(&lists));
    replace_file(path, |file| {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header.to_bytes())?;
        file.write_all(&lists)?;
        blocks.iter().try_for_each(|block| file.write_all(block))
    })?;
    Ok(Summary { entries: header.claims.iter().map(|info| info.entries).sum(), bytes: end })
}

/// Checks that a certificate can be written to `path`, before the work begins.
///
/// # Errors
/// [`CertificateError`] when something is there that is no file, or the folder is missing.
pub fn can_write_certificate(path: &Path) -> Result<(), CertificateError> {
    replaceable(path)?;
    Ok(())
}

fn go_on(stop: Option<&AtomicBool>) -> Result<(), CertificateError> {
    match stop {
        Some(stop) if stop.load(Ordering::Relaxed) => Err(CertificateError::Stopped),
        _ => Ok(()),
    }
}

/// Entries and the block that holds them.
type Packed<'a> = (&'a [StoredEntry], Vec<u8>);

/// Entries as a block; as several if they compress so well that one block would have more entries than its
/// bytes allow.
fn compressed<'a>(rules: &Rules, entries: &'a [StoredEntry]) -> std::io::Result<Vec<Packed<'a>>> {
    let block = zstd::bulk::compress(&pack(rules, entries), LEVEL)?;
    if entries.len() as u64 <= (block.len() as u64).saturating_mul(MAX_ENTRIES_PER_BYTE) {
        return Ok(vec![(entries, block)]);
    }
    // Every frame has a few bytes, so this ends.
    let (left, right) = entries.split_at(entries.len() / 2);
    let mut blocks = compressed(rules, left)?;
    blocks.extend(compressed(rules, right)?);
    Ok(blocks)
}

/// The tables that a probe of these slices can need, with their checksums.
fn stamps(
    leaves: BTreeSet<Material>,
    tables: Option<&Tablebase>,
    stop: Option<&AtomicBool>,
) -> Result<Vec<TableStamp>, CertificateError> {
    let Some(tables) = tables else { return Ok(Vec::new()) };
    let mut needed = leaves.clone();
    let mut pending: Vec<Material> = leaves.into_iter().collect();
    while let Some(material) = pending.pop() {
        // What captures of the side to move lead to.
        let captures = (1..material.opponent()).filter_map(|left| Material::new(left, material.mover()));
        pending.extend(captures.filter(|&material| needed.insert(material)));
    }
    let mut stamps = Vec::new();
    // The distance tells how long a win takes or, under a ply counter, what is won in time.
    let distance = Metric::DISTANCES.into_iter().find(|metric| metric.exists_under(tables.rules()));
    for material in needed {
        let distance = distance.filter(|&distance| tables.has_table(material, distance));
        for metric in [Metric::Wdl].into_iter().chain(distance) {
            let checksum = tables.table(material, metric)?.checksum_unless(stop)?;
            let checksum = checksum.ok_or(CertificateError::Stopped)?;
            stamps.push(TableStamp { material, metric, checksum });
        }
    }
    Ok(stamps)
}

/// The entries as the file has them, sorted.
fn stored(
    rules: &Rules,
    entries: &[Entry],
    stop: Option<&AtomicBool>,
) -> Result<Vec<StoredEntry>, CertificateError> {
    let store = |entry: &Entry| {
        go_on(stop)?;
        let position = Canonical::from_key(entry.key).position(0);
        let reply = successors(rules, &position).iter().position(|canonical| canonical.key() == entry.reply);
        let reply = reply.and_then(|reply| u16::try_from(reply).ok()).ok_or(CertificateError::Reply)?;
        Ok(StoredEntry { key: entry.key, reply, bound: entry.bound })
    };
    let mut stored: Vec<StoredEntry> =
        entries.par_iter().map(store).collect::<Result<_, CertificateError>>()?;
    stored.par_sort_unstable_by_key(|entry| entry.key);
    Ok(stored)
}
