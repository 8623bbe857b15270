//! A decoded block: which of its entries are quiet, and what those hold, as packed as in the file.

use std::ops::Range;

use super::Symbol;
use super::pack::Packing;
use crate::index::{counts_before, each_bit};

/// 64 entries: which of them are quiet, and how many are before them. One probe needs both, so they lie
/// together.
#[derive(Debug)]
struct Word {
    quiet: u64,
    before: u32,
}

/// A decoded block.
#[derive(Debug)]
pub struct Block {
    words: Box<[Word]>,
    bytes: Box<[u8]>,
    packing: Packing,
}

impl Block {
    /// The block with these quiet entries, a bit each, whose contents `unpack` gives: it is told how many
    /// bytes they are. None when it gives another number.
    pub(super) fn new(
        quiet: Vec<u64>,
        packing: Packing,
        unpack: impl FnOnce(usize) -> Option<Vec<u8>>,
    ) -> Option<Block> {
        let (before, entries) = counts_before(&quiet);
        let length = packing.bytes(entries as usize);
        let bytes = unpack(length).filter(|bytes| bytes.len() == length)?;
        let words = quiet.into_iter().zip(before).map(|(quiet, before)| Word { quiet, before });
        Some(Block { words: words.collect(), bytes: bytes.into(), packing })
    }

    /// The symbol of the entry with this number within the block, or `None` when it is not quiet or beyond
    /// the end.
    #[inline]
    pub fn get(&self, entry: usize) -> Option<Symbol> {
        let (word, bit) = (entry / 64, entry % 64);
        let &Word { quiet, before } = self.words.get(word)?;
        if quiet >> bit & 1 == 0 {
            return None;
        }
        let place = before.saturating_add((quiet & !(u64::MAX << bit)).count_ones());
        self.packing.get(&self.bytes, place as usize)
    }

    /// Calls `visit` with the number within the block and the symbol of every quiet entry of a range, in
    /// order.
    // The words in the loop begin before the end of the range, and the entries of a block are counted in 32 bits.
    #[allow(clippy::arithmetic_side_effects)]
    pub(crate) fn each(&self, entries: Range<usize>, mut visit: impl FnMut(usize, Symbol)) {
        let last = entries.end.div_ceil(64).min(self.words.len());
        for (number, &Word { quiet, before }) in
            self.words[..last].iter().enumerate().skip(entries.start / 64)
        {
            let first = 64 * number;
            let skipped = !(u64::MAX << entries.start.saturating_sub(first).min(63));
            let beyond = if entries.end - first < 64 { u64::MAX << (entries.end - first) } else { 0 };
            let mut place = before + (quiet & skipped).count_ones();
            each_bit(quiet & !(skipped | beyond), |bit| {
                if let Some(symbol) = self.packing.get(&self.bytes, place as usize) {
                    visit(first + bit as usize, symbol);
                }
                place += 1;
            });
        }
    }

    /// Bytes of memory that the block takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.words).saturating_add(self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_among_the_quiet_ones() {
        let quiet = vec![1 << 63 | 0b101, 0, u64::MAX];
        let plies: Vec<u8> = (0..67).collect();
        let block = Block::new(quiet.clone(), Packing::Bytes, |bytes| {
            assert_eq!(bytes, plies.len());
            Some(plies.clone())
        });
        let block = block.unwrap();
        let found: Vec<(usize, Symbol)> =
            (0..1000).filter_map(|entry| Some((entry, block.get(entry)?))).collect();
        let expected = [0, 2, 63].into_iter().chain(128..192).zip(0..67);
        assert!(found.iter().copied().eq(expected));
        for range in [0..192, 0..0, 1..3, 2..64, 63..64, 64..65, 63..130, 150..192, 191..500, 400..500] {
            let mut visited = Vec::new();
            block.each(range.clone(), |entry, symbol| visited.push((entry, symbol)));
            assert!(visited.iter().eq(found.iter().filter(|(entry, _)| range.contains(entry))), "{range:?}");
        }
        for wrong in [66, 68, 0] {
            let unpack = |_| Some(vec![0; wrong]);
            assert!(Block::new(quiet.clone(), Packing::Bytes, unpack).is_none(), "{wrong} bytes");
        }
        let none = Block::new(vec![0; 3], Packing::Trits, |bytes| (bytes == 0).then(Vec::new)).unwrap();
        assert!((0..192).all(|entry| none.get(entry).is_none()));
    }
}
