//! The part of a pair that a shard holds.

use std::ops::Range;

use crate::index::{Mover, PairLayout};

/// The rows of a pair that a shard holds. It *owns* a range of rows, and decides the positions of both tables
/// in them. Steps of the row side lead out of them to *neighbours*, rows of other shards: of these it holds
/// the values with the column side to move.
///
/// A held row has a *slot*, the number by which it is found in the arrays of the shard: own rows come first,
/// in order, then the neighbours, in order. Where the shard is the whole pair, slots are rows.
#[derive(Clone, Debug)]
pub struct Part {
    own: Range<u32>,
    neighbours: Vec<u32>,
    /// Words of the tables that are held, by mover.
    words: [usize; 2],
}

impl Part {
    /// The whole pair.
    pub fn whole(layout: &PairLayout) -> Part {
        let words = layout.words() as usize;
        Part { own: 0..layout.rows().len() as u32, neighbours: Vec::new(), words: [words; 2] }
    }

    /// The part that owns the rows in `own`. All rows of the layout must have equally many words.
    pub fn new(layout: &PairLayout, own: Range<u32>, neighbours: Vec<u32>) -> Part {
        let each = layout.first_word(1);
        let words = [own.len() * each, (own.len() + neighbours.len()) * each];
        Part { own, neighbours, words }
    }

    /// The own rows.
    pub fn own(&self) -> Range<u32> {
        self.own.clone()
    }

    /// The rows of other shards of which values are held, in order.
    pub fn neighbours(&self) -> &[u32] {
        &self.neighbours
    }

    /// Slots of the table in which `mover` is to move.
    pub fn slots(&self, mover: Mover) -> u32 {
        let neighbours = if mover == Mover::ColumnSide { self.neighbours.len() } else { 0 };
        (self.own.len() + neighbours) as u32
    }

    /// Words of the table in which `mover` is to move.
    pub fn words(&self, mover: Mover) -> usize {
        self.words[mover as usize]
    }

    /// The row in a slot.
    #[inline]
    pub fn row(&self, slot: u32) -> u32 {
        let own = self.own.end - self.own.start;
        if slot < own { self.own.start + slot } else { self.neighbours[(slot - own) as usize] }
    }

    /// The slot of an own row, `None` for others.
    #[inline]
    pub fn own_slot(&self, row: u32) -> Option<u32> {
        self.own.contains(&row).then(|| row - self.own.start)
    }

    /// The slot of a row that is held, `None` for others.
    #[inline]
    pub fn slot(&self, row: u32) -> Option<u32> {
        let among_neighbours = || {
            let place = self.neighbours.binary_search(&row).ok()?;
            Some(self.own.end - self.own.start + place as u32)
        };
        self.own_slot(row).or_else(among_neighbours)
    }
}
