//! The values being worked on: two bits a position, rows beginning new words.
//!
//! Threads read each other's rows while they write their own, each row being written by one thread at a time.
//! So the words are atomic. No result depends on a position that another thread may be deciding: who lists such positions
//! (see `planes`) does so before the value, and whoever sees the value sees the list.

use std::sync::Arc;
use std::sync::atomic::{
    AtomicU16, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use super::GenerateError;
use super::scratch::Scratch;
use crate::index::{Location, PairLayout, each_bit};
use crate::region::{Region, Zeroed};
use crate::table::Value;

/// The state of 64 positions: a bit in `won` alone means won, in `lost` alone lost, in both a draw for good, in
/// neither that the position is open still.
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

    /// The bits as they are kept.
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

    /// Adds what `news` decides. Only one thread may write a row at a time.
    #[inline]
    pub fn merge(&self, news: Bits) {
        let Bits { won, lost } = self.bits();
        self.won.store(won | news.won, Release);
        self.lost.store(lost | news.lost, Release);
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

/// Memory for so many items, all zeros.
///
/// # Errors
/// [`GenerateError::Allocation`] when the system does not give it.
pub fn zeros<T: Zeroed>(items: u64) -> Result<Region<T>, GenerateError> {
    Region::new(items as usize).map_err(GenerateError::allocation::<T>(items))
}

/// The entries that exist in the word number `word` of a row with `entries` entries, as bits.
pub fn existing(entries: u32, word: usize) -> u64 {
    let left = entries as usize - 64 * word;
    if left >= 64 { u64::MAX } else { (1 << left) - 1 }
}

/// The value at `location`, `None` while it is open.
#[inline]
pub fn value_at(layout: &PairLayout, cells: &[Cell], location: Location) -> Option<Value> {
    let (word, bit) = layout.bit(location);
    cells[word].bits().get(bit)
}

/// A distance that is not known (yet), or that a draw does not have.
pub const UNKNOWN: u16 = u16::MAX;

/// Distances by entry, in plies. They are kept as complements, so that fresh memory says "unknown".
pub struct Distances(Region<AtomicU16>);

impl Distances {
    /// All unknown.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn new(entries: u64) -> Result<Distances, GenerateError> {
        Ok(Distances(zeros(entries)?))
    }

    /// Those of both tables of a pair, all unknown.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn of_both(entries: u64) -> Result<[Distances; 2], GenerateError> {
        Ok([Distances::new(entries)?, Distances::new(entries)?])
    }

    /// The distance of `entry`.
    #[inline]
    pub fn get(&self, entry: u64) -> u16 {
        !self.0[entry as usize].load(Relaxed)
    }

    /// Sets the distance of `entry`.
    #[inline]
    pub fn set(&self, entry: u64, distance: u16) {
        self.0[entry as usize].store(!distance, Relaxed);
    }

    /// Sets the distance of the entries from `first` on whose bit is set.
    #[inline]
    pub fn set_each(&self, first: u64, bits: u64, distance: u16) {
        each_bit(bits, |bit| self.set(first + u64::from(bit), distance));
    }

    /// The largest known distance, 0 if there is none.
    pub fn longest(&self) -> u16 {
        let distances = self.0.iter().map(|distance| !distance.load(Relaxed));
        distances.filter(|&distance| distance != UNKNOWN).max().unwrap_or(0)
    }
}

/// Where the values of a finished slice are kept.
pub enum Kept {
    /// In memory.
    Memory(Region<Cell>),
    /// In a file, to be read where it is needed.
    Scratch(Scratch),
}

impl std::ops::Deref for Kept {
    type Target = [Cell];

    fn deref(&self) -> &[Cell] {
        match self {
            Kept::Memory(cells) => cells,
            Kept::Scratch(scratch) => scratch.cells(),
        }
    }
}

/// A slice that is solved, unpacked for the work on larger ones: all values, captures included.
pub struct Finished {
    /// The layout of its pair.
    pub layout: Arc<PairLayout>,
    /// The values; what is open is a draw.
    pub cells: Kept,
    /// Distances to win, if they are worked on.
    pub dtw: Option<Distances>,
}

impl Finished {
    /// The value at `location`.
    #[inline]
    pub fn value(&self, location: Location) -> Value {
        value_at(&self.layout, &self.cells, location).unwrap_or(Value::Draw)
    }

    /// The distance to win at `location`, [`UNKNOWN`] for a draw.
    #[inline]
    pub fn dtw(&self, location: Location) -> u16 {
        self.dtw.as_ref().map_or(UNKNOWN, |distances| distances.get(self.layout.entry(location)))
    }
}
