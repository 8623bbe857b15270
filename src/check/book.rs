//! The entries of a claim in memory.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{CheckError, Flaw, Place, broken};
use crate::canonical::{Canonical, Key};
use crate::certificate::{Certificate, ClaimInfo, StoredEntry};

/// All entries of a claim.
pub(super) struct Book {
    pub keys: Vec<Key>,
    pub replies: Vec<u16>,
    pub bounds: Vec<u16>,
    places: FxHashMap<Key, Place>,
}

impl Book {
    pub fn read(certificate: &Certificate, claim: &ClaimInfo) -> Result<Book, CheckError> {
        let blocks: Vec<Vec<StoredEntry>> = claim
            .blocks
            .clone()
            .into_par_iter()
            .map(|block| certificate.block(block))
            .collect::<Result<_, _>>()?;
        let entries = || blocks.iter().flatten();
        let keys: Vec<Key> = entries().map(|entry| entry.key).collect();
        let mut places = FxHashMap::with_capacity_and_hasher(keys.len(), Default::default());
        for (place, &key) in keys.iter().enumerate() {
            if places.insert(key, place as Place).is_some() {
                return Err(broken(Canonical::from_key(key), Flaw::NotNeeded));
            }
        }
        let replies = entries().map(|entry| entry.reply).collect();
        let bounds = entries().map(|entry| entry.bound).collect();
        Ok(Book { keys, replies, bounds, places })
    }

    pub fn find(&self, key: Key) -> Option<Place> {
        self.places.get(&key).copied()
    }
}
