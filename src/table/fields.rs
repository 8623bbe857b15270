//! What headers have in common: their numbers, and which rules they name.

use xxhash_rust::xxh3::xxh3_64;

use crate::rules::Rules;

/// The name of the rules in a header, padded with zeros.
pub(crate) fn name_bytes(rules: &Rules) -> [u8; 16] {
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(rules.name().bytes()) {
        *to = from;
    }
    bytes
}

/// A number that tells rule sets apart by what they say, not by their name.
pub(crate) fn fingerprint(rules: &Rules) -> u64 {
    xxh3_64(rules.description().as_bytes())
}

/// Little-endian numbers, one after the other. What lies beyond the end reads as 0.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl Fields<'_> {
    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let (field, rest) = self.0.split_at(N.min(self.0.len()));
        self.0 = rest;
        let mut bytes = [0; N];
        bytes[..field.len()].copy_from_slice(field);
        bytes
    }

    pub fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
}
