//! The frontier: positions that a pass decided or that the next one looks at, as lists of bits.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::part::Part;
use crate::index::{BitOps, BitWork, Mover, PairLayout, with_best_bits};
use crate::region::{Region, Zeroed};
use crate::solve::GenerateError;

/// Words and rows of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Extent {
    words: usize,
    rows: usize,
}

impl Extent {
    fn of(part: &Part) -> [Extent; 2] {
        Mover::BOTH.map(|mover| Extent { words: part.words(mover), rows: part.slots(mover) as usize })
    }

    fn larger(self, other: Extent) -> Extent {
        Extent { words: self.words.max(other.words), rows: self.rows.max(other.rows) }
    }

    fn fits_in(self, other: Extent) -> bool {
        self.words <= other.words && self.rows <= other.rows
    }
}

/// Positions of both tables of a part of a pair as bits, by word and slot of the part.
pub struct Frontier {
    words: [Region<AtomicU64>; 2],
    /// Whether a row has any.
    rows: [Region<AtomicBool>; 2],
    /// What the pair in work uses of them.
    used: [Extent; 2],
}

/// Memory for this many items, all zeros.
fn zeros<T: Zeroed>(items: usize) -> Result<Region<T>, GenerateError> {
    Region::new(items).map_err(GenerateError::allocation::<T>(items as u64))
}

/// Bytes of the lists of positions for tables with so many words and rows.
pub fn frontier_bytes(words: u64, rows: u64) -> u64 {
    2 * 2 * (words * size_of::<AtomicU64>() as u64 + rows)
}

impl Frontier {
    fn new(room: [Extent; 2], used: [Extent; 2]) -> Result<Frontier, GenerateError> {
        let [row_side, column_side] = room;
        Ok(Frontier {
            words: [zeros(row_side.words)?, zeros(column_side.words)?],
            rows: [zeros(row_side.rows)?, zeros(column_side.rows)?],
            used,
        })
    }

    /// How large the tables may be.
    fn room(&self) -> [Extent; 2] {
        let room = |mover: usize| Extent { words: self.words[mover].len(), rows: self.rows[mover].len() };
        [room(0), room(1)]
    }

    /// The words of the table in which `mover` is to move.
    #[inline]
    pub fn words(&self, mover: Mover) -> &[AtomicU64] {
        &self.words[mover as usize][..self.used[mover as usize].words]
    }

    fn rows(&self, mover: Mover) -> &[AtomicBool] {
        &self.rows[mover as usize][..self.used[mover as usize].rows]
    }

    /// Whether there is no position on the list.
    pub fn is_empty(&self) -> bool {
        !Mover::BOTH.iter().any(|&mover| self.rows(mover).iter().any(|row| row.load(Relaxed)))
    }

    /// Whether the row in this slot has any positions.
    #[inline]
    pub fn has(&self, mover: Mover, slot: u32) -> bool {
        self.rows(mover)[slot as usize].load(Relaxed)
    }

    /// Notes whether the row in this slot has any positions.
    #[inline]
    pub fn note_row(&self, mover: Mover, slot: u32, any: bool) {
        let flag = &self.rows(mover)[slot as usize];
        // Most rows are noted already, and reading is cheaper than writing to what threads share.
        if flag.load(Relaxed) != any {
            flag.store(any, Relaxed);
        }
    }

    /// How many positions of the table in which `mover` is to move are on the list.
    pub fn count(&self, mover: Mover) -> u64 {
        self.words(mover).par_chunks(1 << 12).map(|words| with_best_bits(Count(words))).sum()
    }

    /// Takes the positions of the table in which `mover` is to move off the list.
    pub fn clear(&self, mover: Mover) {
        self.words(mover).par_iter().for_each(|word| word.store(0, Relaxed));
        self.rows(mover).par_iter().for_each(|row| row.store(false, Relaxed));
    }
}

struct Count<'s>(&'s [AtomicU64]);

impl BitWork for Count<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> u64 {
        self.0.iter().map(|word| u64::from(word.load(Relaxed).count_ones())).sum()
    }
}

/// The lists of the previous pair, for the next one: memory in use costs less than new memory.
#[derive(Default)]
pub struct SpareLists {
    lists: Mutex<Option<[Frontier; 2]>>,
    /// The size in which they are made, if a pair does not need more.
    largest: [Extent; 2],
}

impl SpareLists {
    /// For pairs of which the largest has these layouts.
    pub fn for_pairs<'a>(layouts: impl Iterator<Item = &'a PairLayout>) -> SpareLists {
        let larger = |largest: [Extent; 2], layout: &PairLayout| {
            let [row_side, column_side] = Extent::of(&Part::whole(layout));
            [largest[0].larger(row_side), largest[1].larger(column_side)]
        };
        SpareLists { lists: Mutex::default(), largest: layouts.fold(Default::default(), larger) }
    }

    /// Two empty lists for a part of a pair.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn take(&self, part: &Part) -> Result<[Frontier; 2], GenerateError> {
        let used = Extent::of(part);
        let fits_in = |room: [Extent; 2]| used[0].fits_in(room[0]) && used[1].fits_in(room[1]);
        let spare = self.lists.lock().unwrap_or_else(PoisonError::into_inner).take();
        match spare {
            Some(lists) if fits_in(lists[0].room()) => Ok(lists.map(|list| {
                let list = Frontier { used, ..list };
                Mover::BOTH.iter().for_each(|&mover| list.clear(mover));
                list
            })),
            _ => {
                let room = if fits_in(self.largest) { self.largest } else { used };
                Ok([Frontier::new(room, used)?, Frontier::new(room, used)?])
            }
        }
    }

    /// Keeps lists for the next pair, if there are to be more.
    pub fn give_back(&self, lists: [Frontier; 2]) {
        if lists[0].room() == self.largest {
            *self.lists.lock().unwrap_or_else(PoisonError::into_inner) = Some(lists);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use crate::material::Material;
    use crate::rules::CLASSIC;

    #[test]
    fn threads_list_positions_side_by_side() {
        let extent = Extent { words: 40, rows: 10 };
        let list = Frontier::new([extent; 2], [extent; 2]).unwrap();
        assert!(list.is_empty());
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let list = &list;
                scope.spawn(move || {
                    // All threads list positions of all rows; each has bits of its own in every word.
                    for row in 0..10 {
                        for word in &list.words(Mover::RowSide)[4 * row..4 * row + 4] {
                            word.fetch_or(0xf << (4 * thread), Relaxed);
                        }
                        list.note_row(Mover::RowSide, row as u32, true);
                    }
                });
            }
        });
        assert!(list.words(Mover::RowSide).iter().all(|word| word.load(Relaxed) == 0xffff));
        assert!(list.words(Mover::ColumnSide).iter().all(|word| word.load(Relaxed) == 0));
        assert!((0..10).all(|row| list.has(Mover::RowSide, row) && !list.has(Mover::ColumnSide, row)));
        assert!(!list.is_empty());
    }

    #[test]
    #[cfg_attr(miri, ignore = "building a layout takes minutes there")]
    fn lists_that_are_used_again_are_empty() {
        let index = Index::new(&CLASSIC);
        let layout = index.layout(Material::new(2, 1).unwrap().pair());
        let lists = SpareLists::for_pairs([&**layout].into_iter());
        let part = Part::whole(layout);
        let both = lists.take(&part).unwrap();
        for list in &both {
            list.words(Mover::RowSide)[7].store(0b111, Relaxed);
            list.note_row(Mover::RowSide, 3, true);
            assert_eq!((list.count(Mover::RowSide), list.count(Mover::ColumnSide)), (3, 0));
        }
        lists.give_back(both);
        for list in lists.take(&part).unwrap() {
            assert!(list.is_empty());
            assert_eq!(list.count(Mover::RowSide), 0);
        }
    }
}
