//! A bounded cache of decoded blocks, shared by all tables and threads.

use std::cell::Cell;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::{Block, Decoder, Symbol, Table, TableError};

/// Decoded blocks, the most useful ones up to a number of bytes, and what decodes them.
pub struct BlockCache {
    blocks: Cache<(u32, u32), Arc<Block>, ByBytes>,
    decoders: Mutex<Vec<Decoder>>,
}

thread_local! {
    static DECODED: Cell<u64> = const { Cell::new(0) };
}

/// How many blocks this thread has decoded for probes. A probe runs on one thread: the difference is what it
/// cost.
pub fn blocks_decoded() -> u64 {
    DECODED.get()
}

#[derive(Clone)]
struct ByBytes;

impl Weighter<(u32, u32), Arc<Block>> for ByBytes {
    fn weight(&self, _: &(u32, u32), block: &Arc<Block>) -> u64 {
        // What the cache itself needs for an item counts too.
        (block.bytes() as u64).saturating_add(128)
    }
}

impl fmt::Debug for BlockCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = &self.blocks;
        f.debug_struct("BlockCache").field("blocks", &blocks.len()).field("bytes", &blocks.weight()).finish()
    }
}

impl BlockCache {
    /// A cache that holds at most about `bytes` bytes.
    pub fn new(bytes: u64) -> BlockCache {
        const TYPICAL_BLOCK: u64 = 8 << 10;
        let items = (bytes / TYPICAL_BLOCK).max(16) as usize;
        BlockCache { blocks: Cache::with_weighter(items, bytes, ByBytes), decoders: Mutex::new(Vec::new()) }
    }

    /// Drops all blocks.
    pub fn forget(&self) {
        self.blocks.clear();
    }

    /// The symbol of a quiet `entry` of `table`, which goes by the number `id` in this cache.
    ///
    /// # Errors
    /// [`TableError`] when the block that covers it is damaged or cannot be read, and when the entry is not
    /// quiet.
    #[inline]
    pub fn symbol(&self, table: &Table, id: u32, entry: u64) -> Result<Symbol, TableError> {
        let (block, within) = table.place_of(entry);
        let key = (id, block as u32);
        let decoded = match self.blocks.get(&key) {
            Some(decoded) => decoded,
            None => {
                let decoded = Arc::new(self.decode(table, block)?);
                self.blocks.insert(key, Arc::clone(&decoded));
                decoded
            }
        };
        decoded.get(within as usize).ok_or_else(|| table.damaged(entry))
    }

    /// Decodes `block` of `table` without keeping it.
    ///
    /// # Errors
    /// As for [`Table::decode`].
    pub fn decode(&self, table: &Table, block: u64) -> Result<Block, TableError> {
        let pool = || self.decoders.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = pool().pop();
        let mut decoder = match spare {
            Some(decoder) => decoder,
            None => Decoder::new()?,
        };
        let decoded = table.decode(&mut decoder, block);
        DECODED.set(DECODED.get().wrapping_add(1));
        pool().push(decoder);
        decoded
    }
}
