//! The entries of a claim in memory.

use rayon::prelude::*;

use super::{CheckError, CheckOptions, Flaw, Place, broken};
use crate::canonical::{Canonical, Key};
use crate::certificate::{Certificate, ClaimInfo, StoredEntry};

/// All entries of a claim, in the order of their keys.
pub(super) struct Book {
    pub keys: Vec<Key>,
    pub replies: Vec<u16>,
    pub bounds: Vec<u16>,
}

/// Bytes of memory for each entry during a check: the entry itself, whether it was needed, the list of those
/// still to be followed, the order and the lengths of wins.
const ENTRY_BYTES: u64 = (size_of::<Key>() + 2 * 2 + 1 + 2 * 4 + 2 * 4) as u64;
/// Blocks that are decoded at a time, so that the decoded form of few of them takes memory.
const BLOCKS_AT_ONCE: usize = 16;

impl Book {
    pub fn read(
        certificate: &Certificate,
        claim: &ClaimInfo,
        options: &CheckOptions<'_>,
    ) -> Result<Book, CheckError> {
        let (entries, limit) = (claim.entries, options.memory);
        let needed = entries.saturating_mul(ENTRY_BYTES);
        let too_much = || CheckError::Memory { entries, needed, limit };
        if needed > limit {
            return Err(too_much());
        }
        let count = usize::try_from(entries).map_err(|_| too_much())?;
        let mut book = Book { keys: Vec::new(), replies: Vec::new(), bounds: Vec::new() };
        book.keys.try_reserve_exact(count).map_err(|_| too_much())?;
        book.replies.try_reserve_exact(count).map_err(|_| too_much())?;
        book.bounds.try_reserve_exact(count).map_err(|_| too_much())?;
        let blocks: Vec<u32> = claim.blocks.clone().collect();
        for blocks in blocks.chunks(BLOCKS_AT_ONCE) {
            let decode = |&block: &u32| {
                options.go_on()?;
                Ok(certificate.block(block)?)
            };
            let decoded: Vec<Vec<StoredEntry>> =
                blocks.par_iter().map(decode).collect::<Result<_, CheckError>>()?;
            for entry in decoded.iter().flatten() {
                if book.keys.last().is_some_and(|&last| last >= entry.key) {
                    return Err(broken(Canonical::from_key(entry.key), Flaw::Repeated));
                }
                book.keys.push(entry.key);
                book.replies.push(entry.reply);
                book.bounds.push(entry.bound);
            }
        }
        Ok(book)
    }

    pub fn find(&self, key: Key) -> Option<Place> {
        // A claim has at most 2^32 - 1 entries.
        self.keys.binary_search(&key).ok().map(|place| place as Place)
    }
}
