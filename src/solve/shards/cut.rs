//! How a pair is cut into shards.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::rows::rows_per_block;
use crate::board::Bitboard;
use crate::index::{Mover, PlainLayout, each_bit};
use crate::solve::values::{Cell, Part};

/// The rows of a pair cut into ranges of about equal length, one for each shard. Rows that are close to each
/// other in order have many neighbours in common.
pub struct Cut {
    /// Where each shard begins, and the end.
    starts: Vec<u32>,
}

impl Cut {
    /// The rows of `layout` cut into so many shards, or into fewer if there are too few rows.
    pub fn new(layout: PlainLayout, shards: usize) -> Cut {
        let rows = layout.rows().len() as u32;
        // A shard begins with a block of the files.
        let block = rows_per_block(layout.words_per_row() * size_of::<Cell>());
        let blocks = rows.div_ceil(block);
        let shards = (shards as u32).clamp(1, blocks);
        let start = |shard: u32| (u64::from(blocks) * u64::from(shard) / u64::from(shards)) as u32 * block;
        Cut { starts: (0..=shards).map(|shard| start(shard).min(rows)).collect() }
    }

    /// How many shards there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows that a shard owns.
    pub fn rows(&self, shard: usize) -> Range<u32> {
        self.starts[shard]..self.starts[shard + 1]
    }

    /// The shard that owns a row.
    pub fn owner(&self, row: u32) -> usize {
        self.starts.partition_point(|&start| start <= row) - 1
    }

    /// What a shard holds.
    pub fn part(&self, layout: PlainLayout, shard: usize) -> Part {
        Part::new(&layout, self.rows(shard), neighbours(layout, self.rows(shard)))
    }

    /// The other shards that hold a row that `shard` owns: those from whose rows a step of the row side leads
    /// to it.
    pub fn holders(&self, layout: PlainLayout, shard: usize, row: u32, into: &mut Vec<usize>) {
        into.clear();
        let own = layout.rows().placement(row);
        let geometry = layout.geometry(Mover::RowSide);
        for before in (!own).iter() {
            for now in (geometry.steps(before) & own).iter() {
                let placement = own.without(Bitboard::of(now)).with(before);
                let owner = self.owner(layout.rows().find(placement).row);
                if owner != shard && !into.contains(&owner) {
                    into.push(owner);
                }
            }
        }
    }
}

/// The rows outside of `own` to which steps of the row side lead from rows inside, in order.
pub fn neighbours(layout: PlainLayout, own: Range<u32>) -> Vec<u32> {
    let rows = layout.rows().len() as u32;
    if own.len() == rows as usize {
        return Vec::new();
    }
    let seen: Vec<AtomicU64> = (0..rows.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
    let geometry = layout.geometry(Mover::RowSide);
    own.clone().into_par_iter().with_min_len(64).for_each(|row| {
        let placement = layout.rows().placement(row);
        for from in placement.iter() {
            for to in (geometry.steps(from) & !placement).iter() {
                let target = layout.rows().find(placement.without(Bitboard::of(from)).with(to)).row;
                if !own.contains(&target) {
                    seen[target as usize / 64].fetch_or(1 << (target % 64), Relaxed);
                }
            }
        }
    });
    let mut neighbours = Vec::new();
    for (word, seen) in seen.into_iter().enumerate() {
        each_bit(seen.into_inner(), |bit| neighbours.push(64 * word as u32 + bit));
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use crate::material::Material;
    use crate::rules::{CLASSIC, YOUZAI};

    #[test]
    fn whoever_needs_a_row_hears_of_it() {
        for (rules, mover, opponent) in [(&CLASSIC, 5, 3), (&YOUZAI, 4, 4)] {
            let index = Index::new(rules);
            let layout = index.layout(Material::new(mover, opponent).unwrap().pair()).plain().unwrap();
            for shards in [1, 2, 3, 7] {
                let cut = Cut::new(layout, shards);
                assert_eq!(cut.len(), shards);
                let parts: Vec<Part> = (0..shards).map(|shard| cut.part(layout, shard)).collect();
                let mut holders = Vec::new();
                for row in 0..layout.rows().len() as u32 {
                    let owner = cut.owner(row);
                    assert!(cut.rows(owner).contains(&row));
                    cut.holders(layout, owner, row, &mut holders);
                    holders.sort_unstable();
                    let expected = (0..shards).filter(|&shard| parts[shard].neighbours().contains(&row));
                    assert!(expected.eq(holders.iter().copied()), "{shards} shards, row {row}");
                    for part in &parts {
                        if let Some(slot) = part.slot(row) {
                            assert_eq!(part.row(slot), row);
                        }
                    }
                }
            }
        }
    }
}
