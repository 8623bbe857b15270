//! Counting open columns, and finding those without a step.

use super::row::Row;
use crate::board::Bitboard;
use crate::index::{BitOps, BitWork, Mover, with_best_bits};
use crate::solve::values::Cell;

/// How many positions are open in a row with these cells and columns.
pub fn count_open(cells: &[Cell], existing: &[u64]) -> u64 {
    with_best_bits(CountOpen { cells, existing })
}

struct CountOpen<'s> {
    cells: &'s [Cell],
    existing: &'s [u64],
}

impl BitWork for CountOpen<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> u64 {
        let open = self.cells.iter().zip(self.existing).map(|(cell, &existing)| cell.bits().open(existing));
        open.map(|word| u64::from(word.count_ones())).sum()
    }
}

/// Keeps the columns in which `mover` has no step.
pub fn keep_without_steps(row: &Row, mover: Mover, columns: &mut [u64]) {
    let geometry = row.geometry(mover);
    match mover {
        Mover::RowSide => {
            // Every point to which a step leads must be taken.
            let reached = row.own.iter().fold(Bitboard::EMPTY, |set, from| set | geometry.steps(from));
            let reached = reached & row.free;
            if reached.count() > row.layout.pair().smaller() {
                return columns.fill(0);
            }
            for point in reached.iter() {
                let taken = row.columns_with(Bitboard::of(point));
                columns.iter_mut().zip(taken).for_each(|(word, taken)| *word &= taken);
            }
        }
        Mover::ColumnSide => {
            for from in row.free.iter() {
                let steps = geometry.steps(from) & row.free;
                let stones = row.columns_with(Bitboard::of(from));
                for to in steps.iter() {
                    let taken = row.columns_with(Bitboard::of(to));
                    for ((word, stones), taken) in columns.iter_mut().zip(stones).zip(taken) {
                        *word &= !stones | taken;
                    }
                }
                if columns.iter().all(|&word| word == 0) {
                    return;
                }
            }
        }
    }
}
