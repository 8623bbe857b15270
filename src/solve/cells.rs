//! The values being worked on: two bits a position, rows beginning new words.

use std::sync::Arc;

use crate::index::{Location, PairLayout};
use crate::table::Value;

/// The state of 64 columns: a bit in `won` alone means won, in `lost` alone lost, in both a draw for good, in
/// neither that the position is open still.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// Columns that the side to move wins, or draws.
    pub won: u64,
    /// Columns that the side to move loses, or draws.
    pub lost: u64,
}

impl Cell {
    /// Columns that are not decided yet, among those that exist (`exist`).
    pub fn open(self, exist: u64) -> u64 {
        !(self.won | self.lost) & exist
    }

    /// Columns that are won.
    pub fn wins(self) -> u64 {
        self.won & !self.lost
    }

    /// Columns that are lost.
    pub fn losses(self) -> u64 {
        self.lost & !self.won
    }

    /// Sets the value of the column with this bit, which must be open.
    pub fn set(&mut self, bit: u32, value: Value) {
        self.won |= u64::from(value != Value::Loss) << bit;
        self.lost |= u64::from(value != Value::Win) << bit;
    }

    /// The value of the column with this bit, `None` while it is open.
    #[inline]
    pub fn get(self, bit: u32) -> Option<Value> {
        match (self.won >> bit & 1, self.lost >> bit & 1) {
            (0, 0) => None,
            (1, 0) => Some(Value::Win),
            (0, _) => Some(Value::Loss),
            _ => Some(Value::Draw),
        }
    }

    /// Takes in what `other` has decided.
    pub fn merge(&mut self, other: Cell) {
        self.won |= other.won;
        self.lost |= other.lost;
    }
}

/// The columns that exist in the word number `word` of a row with `columns` columns, as bits.
pub fn existing(columns: u32, word: usize) -> u64 {
    let left = columns as usize - 64 * word;
    if left >= 64 { u64::MAX } else { (1 << left) - 1 }
}

/// A distance that is not known (yet).
pub const UNKNOWN: u16 = u16::MAX;

/// A slice that is solved, unpacked for the work on larger ones: all values, captures included.
pub struct Finished {
    /// The layout of its pair.
    pub layout: Arc<PairLayout>,
    /// The values; what is open is a draw.
    pub cells: Vec<Cell>,
    /// Distances to win by entry, if they are worked on.
    pub dtw: Option<Vec<u16>>,
}

impl Finished {
    /// The value at `location`.
    #[inline]
    pub fn value(&self, location: Location) -> Value {
        let word = self.layout.first_word(location.row) + location.column as usize / 64;
        self.cells[word].get(location.column % 64).unwrap_or(Value::Draw)
    }

    /// The distance to win at `location`, [`UNKNOWN`] for a draw.
    #[inline]
    pub fn dtw(&self, location: Location) -> u16 {
        match &self.dtw {
            Some(distances) => distances[self.layout.entry(location) as usize],
            None => UNKNOWN,
        }
    }
}

/// Cuts `data` into consecutive pieces of these lengths.
pub fn split_mut<T>(mut data: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = data.split_at_mut(length);
        pieces.push(piece);
        data = rest;
    }
    pieces
}
