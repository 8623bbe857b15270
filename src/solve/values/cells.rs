//! Values in work: two bits a position, each row beginning a new word.
//!
//! Threads read each other's rows while they write their own, so the words are atomic. No result depends on a
//! position that another thread may be deciding: its frontier bit (see `frontier`) is published before the
//! value, and a reader that sees the value sees the bit.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};

use crate::index::{Location, PairLayout};
use crate::region::Zeroed;
use crate::table::Value;

/// The state of 64 positions: a bit in `won` alone means won, in `lost` alone lost, in both a final draw, in
/// neither that the position is still open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    won: u64,
    lost: u64,
}

impl Bits {
    /// The bits as bytes in the order of this machine.
    pub fn to_ne_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.won.to_ne_bytes());
        bytes[8..].copy_from_slice(&self.lost.to_ne_bytes());
        bytes
    }

    /// The bits that [`to_ne_bytes`](Self::to_ne_bytes) wrote; those that are missing are 0.
    pub fn from_ne_bytes(bytes: &[u8]) -> Bits {
        let word = |place: usize| {
            let bytes = bytes.get(place..).and_then(|bytes| bytes.first_chunk());
            u64::from_ne_bytes(bytes.copied().unwrap_or_default())
        };
        Bits { won: word(0), lost: word(8) }
    }

    /// The bits, as they are stored.
    pub const fn new(won: u64, lost: u64) -> Bits {
        Bits { won, lost }
    }

    /// Positions that are not decided yet, among those that exist.
    pub fn open(self, existing: u64) -> u64 {
        !(self.won | self.lost) & existing
    }

    /// Positions that are decided.
    pub fn decided(self) -> u64 {
        self.won | self.lost
    }

    /// Positions that are won.
    pub fn wins(self) -> u64 {
        self.won & !self.lost
    }

    /// Positions that are lost.
    pub fn losses(self) -> u64 {
        self.lost & !self.won
    }

    /// Positions that are drawn for good.
    pub fn draws(self) -> u64 {
        self.won & self.lost
    }

    /// Sets the value of the position with this bit, which must be open.
    pub fn set(&mut self, bit: u32, value: Value) {
        self.won |= u64::from(value != Value::Loss) << bit;
        self.lost |= u64::from(value != Value::Win) << bit;
    }

    /// The value of the position with this bit, `None` while it is open.
    #[inline]
    pub fn get(self, bit: u32) -> Option<Value> {
        match (self.won >> bit & 1, self.lost >> bit & 1) {
            (0, 0) => None,
            (1, 0) => Some(Value::Win),
            (0, _) => Some(Value::Loss),
            _ => Some(Value::Draw),
        }
    }
}

/// [`Bits`] in memory that threads share.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Cell {
    won: AtomicU64,
    lost: AtomicU64,
}

// SAFETY: two numbers.
unsafe impl Zeroed for Cell {}

impl Cell {
    /// The bits as they are now.
    #[inline]
    pub fn bits(&self) -> Bits {
        Bits { won: self.won.load(Acquire), lost: self.lost.load(Acquire) }
    }

    /// Adds what `news` decides. Only one thread may merge into a row at a time.
    #[inline]
    pub fn merge(&self, news: Bits) {
        let Bits { won, lost } = self.bits();
        self.won.store(won | news.won, Release);
        self.lost.store(lost | news.lost, Release);
    }

    /// Puts `bits` in place of what is there. Only one thread may write to a row at a time.
    #[inline]
    pub fn replace(&self, bits: Bits) {
        self.won.store(bits.won, Release);
        self.lost.store(bits.lost, Release);
    }

    /// Adds wins. Any number of threads may do so at a time.
    #[inline]
    pub fn add_wins(&self, wins: u64) {
        self.won.fetch_or(wins, Release);
    }

    /// Adds losses. Any number of threads may do so at a time.
    #[inline]
    pub fn add_losses(&self, losses: u64) {
        self.lost.fetch_or(losses, Release);
    }

    /// Sets the value of the open position with this bit. Only one thread may write a row at a time.
    #[inline]
    pub fn set(&self, bit: u32, value: Value) {
        let mut news = Bits::default();
        news.set(bit, value);
        self.merge(news);
    }
}

/// The entries that exist in the word number `word` of a row with `entries` entries, as bits.
pub fn existing(entries: u64, word: usize) -> u64 {
    let left = entries as usize - 64 * word;
    if left >= 64 { u64::MAX } else { (1 << left) - 1 }
}

/// The value at `location`, `None` while it is open.
#[inline]
pub fn value_at(layout: &PairLayout, cells: &[Cell], location: Location) -> Option<Value> {
    let (word, bit) = layout.bit(location);
    cells[word].bits().get(bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_seen_with_the_list_that_was_written_before_it() {
        // What the passes rely on: whoever sees a value sees its bit on the list.
        let rounds = if cfg!(miri) { 50 } else { 20_000 };
        for _ in 0..rounds {
            let (cell, list) = (Cell::default(), AtomicU64::new(0));
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for bit in 0..8 {
                        list.fetch_or(1 << bit, std::sync::atomic::Ordering::Relaxed);
                        cell.set(bit, if bit % 2 == 0 { Value::Win } else { Value::Loss });
                    }
                });
                scope.spawn(|| {
                    for _ in 0..8 {
                        let decided = cell.bits().decided();
                        let listed = list.load(std::sync::atomic::Ordering::Relaxed);
                        assert_eq!(decided & !listed, 0);
                    }
                });
            });
            assert_eq!((cell.bits().wins(), cell.bits().losses()), (0x55, 0xaa));
        }
    }

    #[test]
    fn news_from_many_threads_add_up() {
        let cells: Vec<Cell> = (0..4).map(|_| Cell::default()).collect();
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                let cells = &cells;
                scope.spawn(move || {
                    for place in 0..16 {
                        let bit = 1 << (16 * thread + place);
                        for (number, cell) in cells.iter().enumerate() {
                            if number % 2 == 0 { cell.add_wins(bit) } else { cell.add_losses(bit) }
                        }
                    }
                });
            }
        });
        for (number, cell) in cells.iter().enumerate() {
            let expected = if number % 2 == 0 { (u64::MAX, 0) } else { (0, u64::MAX) };
            assert_eq!((cell.bits().wins(), cell.bits().losses()), expected);
        }
    }
}
