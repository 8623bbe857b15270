//! A bounded cache of decoded blocks, shared by all tables and threads.

use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use zstd::bulk::Decompressor;

use super::{Block, Symbol, Table, TableError};

/// Decoded blocks, the most useful ones up to a number of bytes, and the decompressors that make them.
pub struct BlockCache {
    blocks: Cache<(u32, u32), Arc<Block>, ByBytes>,
    decompressors: Mutex<Vec<Decompressor<'static>>>,
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(u32, u32), Arc<Block>> for ByBytes {
    fn weight(&self, _: &(u32, u32), block: &Arc<Block>) -> u64 {
        // What the cache itself needs for an item counts too.
        block.bytes() as u64 + 128
    }
}

impl BlockCache {
    /// A cache that holds at most about `bytes` bytes.
    pub fn new(bytes: u64) -> BlockCache {
        const TYPICAL_BLOCK: u64 = 8 << 10;
        let items = (bytes / TYPICAL_BLOCK).max(16) as usize;
        BlockCache {
            blocks: Cache::with_weighter(items, bytes, ByBytes),
            decompressors: Mutex::new(Vec::new()),
        }
    }

    /// The symbol of a quiet `entry` of `table`, which goes by the number `id` in this cache.
    ///
    /// # Errors
    /// [`TableError::Block`] when the block that covers it is damaged, and when the entry is not quiet.
    #[inline]
    pub fn symbol(&self, table: &Table, id: u32, entry: u64) -> Result<Symbol, TableError> {
        let (block, within) = (entry / table.entries_per_block(), entry % table.entries_per_block());
        let key = (id, block as u32);
        let decoded = match self.blocks.get(&key) {
            Some(decoded) => decoded,
            None => {
                let decoded = Arc::new(self.decode(table, block)?);
                self.blocks.insert(key, Arc::clone(&decoded));
                decoded
            }
        };
        let damaged = || TableError::Block { path: table.path().to_owned(), block };
        decoded.get(within as usize).ok_or_else(damaged)
    }

    /// Decodes `block` of `table` without keeping it.
    ///
    /// # Errors
    /// [`TableError::Block`] when it is damaged.
    pub fn decode(&self, table: &Table, block: u64) -> Result<Block, TableError> {
        let pool = || self.decompressors.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = pool().pop();
        let mut decompressor = match spare {
            Some(decompressor) => decompressor,
            None => Decompressor::new().map_err(TableError::io(table.path()))?,
        };
        let decoded = table.decode(&mut decompressor, block);
        pool().push(decompressor);
        decoded
    }
}
