//! The header of a table file: 128 bytes.

use xxhash_rust::xxh3::xxh3_64;

use super::fields::{Fields, fingerprint, name_bytes};
use super::pack::Packing;
use super::{Longest, Metric, TableError};
use crate::material::Material;
use crate::rules::Rules;

/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 128;
/// Bytes of one entry of the block directory: where the block ends in the file, and its checksum.
pub(super) const DIRECTORY_ENTRY_BYTES: usize = 12;
/// Where the header's own checksum stands.
const CHECKSUM_AT: usize = HEADER_BYTES - 8;

/// Bytes after the last field that must be 0.
const RESERVED: std::ops::Range<usize> = 104..CHECKSUM_AT;

const MAGIC: [u8; 8] = *b"ALQTABLE";
/// Goes up with every change that an older program would misread.
const VERSION: u16 = 3;
/// Stands for "no such position" among the largest distances.
const NONE: u16 = u16::MAX;

/// What a table says about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableInfo {
    /// The slice.
    pub material: Material,
    /// What the table holds.
    pub metric: Metric,
    /// Entries: positions with symmetry taken out.
    pub entries: u64,
    /// Positions of the slice, each one counted, no symmetry taken out.
    pub positions: u64,
    /// How many of them the side to move wins.
    pub win: u64,
    /// How many are draws.
    pub draw: u64,
    /// How many the side to move loses.
    pub loss: u64,
    /// The largest distances; both `None` in a WDL table.
    pub longest: Longest,
}

/// The header with what only this module needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) info: TableInfo,
    pub(super) packing: Packing,
    pub(super) entries_per_block: u32,
    /// Bytes of the whole file.
    pub(super) file_bytes: u64,
    /// Checksum of the block directory.
    pub(super) directory_checksum: u64,
}

impl Header {
    pub(super) fn blocks(&self) -> u64 {
        self.info.entries.div_ceil(self.entries_per_block.into())
    }

    /// Where the first block begins.
    pub(super) fn blocks_start(&self) -> u64 {
        let directory = self.blocks().saturating_mul(DIRECTORY_ENTRY_BYTES as u64);
        directory.saturating_add(HEADER_BYTES as u64)
    }

    pub(super) fn to_bytes(self, rules: &Rules) -> [u8; HEADER_BYTES] {
        let Header { info, .. } = self;
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([info.metric as u8, self.packing.code()]);
        bytes.extend([info.material.mover() as u8, info.material.opponent() as u8, 0, 0]);
        bytes.extend(name_bytes(rules));
        bytes.extend(fingerprint(rules).to_le_bytes());
        bytes.extend(info.entries.to_le_bytes());
        bytes.extend(self.entries_per_block.to_le_bytes());
        bytes.extend(info.longest.win.unwrap_or(NONE).to_le_bytes());
        bytes.extend(info.longest.loss.unwrap_or(NONE).to_le_bytes());
        for number in
            [info.positions, info.win, info.draw, info.loss, self.file_bytes, self.directory_checksum]
        {
            bytes.extend(number.to_le_bytes());
        }
        bytes.resize(CHECKSUM_AT, 0);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&bytes);
        header
    }

    /// Reads and checks the header of the table called `name`.
    pub(super) fn parse(bytes: &[u8], name: &str, rules: &Rules) -> Result<Header, TableError> {
        let damaged = || TableError::Header(name.to_owned());
        let mismatch = |what: String| TableError::Mismatch { name: name.to_owned(), what };
        if !bytes.starts_with(&MAGIC) {
            return Err(TableError::NotATable(name.to_owned()));
        }
        let cut_off = || TableError::Length {
            name: name.to_owned(),
            expected: HEADER_BYTES as u64,
            actual: bytes.len() as u64,
        };
        let mut fields = Fields(bytes.get(MAGIC.len()..HEADER_BYTES).ok_or_else(cut_off)?);
        let version = fields.u16();
        // Another format may have its checksum elsewhere: the version comes first.
        if version != VERSION {
            return Err(TableError::Version { name: name.to_owned(), found: version, known: VERSION });
        }
        let checksum = Fields(&bytes[CHECKSUM_AT..]).u64();
        if checksum != xxh3_64(&bytes[..CHECKSUM_AT]) {
            return Err(damaged());
        }
        let [metric, packing, mover, opponent, zero, zeros @ ..]: [u8; 6] = fields.array();
        let metric = Metric::ALL.into_iter().find(|known| *known as u8 == metric).ok_or_else(damaged)?;
        let packing = Packing::from_code(packing).ok_or_else(damaged)?;
        let material = Material::new(mover.into(), opponent.into()).ok_or_else(damaged)?;
        let of_rules: [u8; 16] = fields.array();
        if of_rules != name_bytes(rules) {
            let other = String::from_utf8_lossy(&of_rules);
            return Err(mismatch(format!("a table for the rules '{}'", other.trim_end_matches('\0'))));
        }
        if fields.u64() != fingerprint(rules) {
            return Err(mismatch(format!("a table for other rules by the name of '{}'", rules.name())));
        }
        let entries = fields.u64();
        let entries_per_block = fields.u32();
        let distance = |field: u16| (field != NONE).then_some(field);
        let longest = Longest { win: distance(fields.u16()), loss: distance(fields.u16()) };
        let [positions, win, draw, loss, file_bytes, directory_checksum] =
            std::array::from_fn(|_| fields.u64());
        let info = TableInfo { material, metric, entries, positions, win, draw, loss, longest };
        let reserved = [&[zero][..], &zeros[..], &bytes[RESERVED]].concat();
        let sound = packing.fits(metric)
            && reserved.iter().all(|&byte| byte == 0)
            && (1..=1 << 24).contains(&entries_per_block)
            && (1..1 << 40).contains(&entries);
        let header = Header { info, packing, entries_per_block, file_bytes, directory_checksum };
        if sound { Ok(header) } else { Err(damaged()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CLASSIC, YOUZAI};

    fn header() -> Header {
        Header {
            info: TableInfo {
                material: Material::new(3, 2).unwrap(),
                metric: Metric::Dtc,
                entries: 77,
                positions: 600,
                win: 1,
                draw: 2,
                loss: 597,
                longest: Longest { win: Some(7), loss: None },
            },
            packing: Packing::Bytes,
            entries_per_block: 10,
            file_bytes: 4321,
            directory_checksum: 0x0123_4567_89ab_cdef,
        }
    }

    #[test]
    fn bytes_lead_back_to_the_header() {
        let bytes = header().to_bytes(&CLASSIC);
        assert_eq!(Header::parse(&bytes, "3v2.dtc", &CLASSIC).unwrap(), header());
        let other = Header::parse(&bytes, "3v2.dtc", &YOUZAI).unwrap_err();
        assert!(other.to_string().contains("'classic'"), "{other}");
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let good = header().to_bytes(&CLASSIC);
        for bit in 0..8 * HEADER_BYTES {
            let mut bytes = good;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Header::parse(&bytes, "3v2.dtc", &CLASSIC).is_err(), "bit {bit}");
        }
    }
}
