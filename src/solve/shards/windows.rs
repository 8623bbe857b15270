//! The smaller slices to whose rows captures lead, as many rows at a time as memory holds.

use std::ops::Range;

use super::context::{Context, Finished};
use crate::index::{Index, Mover, PlainLayout};
use crate::material::{Material, Pair};
use crate::region::Region;
use crate::solve::GenerateError;
use crate::solve::planes::Window;
use crate::solve::values::Cell;

/// Rows of a slice with their values.
pub struct Loaded<'a> {
    material: Material,
    layout: PlainLayout<'a>,
    first: u32,
    rows: u32,
    cells: Region<Cell>,
}

impl Loaded<'_> {
    /// What captures see of them.
    pub fn window(&self) -> (Material, Window<'_>) {
        let Loaded { layout, first, rows, .. } = *self;
        (self.material, Window { layout, first, rows, cells: &self.cells })
    }
}

impl<'a> Context<'a> {
    /// Loads rows of a finished slice.
    ///
    /// # Errors
    /// [`GenerateError::Table`] if its file is not what was written, [`GenerateError::Allocation`].
    pub fn load(
        &self,
        material: Material,
        rows: Range<u32>,
        finished: &Finished,
    ) -> Result<Loaded<'a>, GenerateError> {
        let layout = self.index.layout(material.pair()).plain();
        let (Some(layout), Some(file)) = (layout, finished.get(&material)) else {
            unreachable!("the plan holds every slice that captures lead to, {material} too")
        };
        let words = rows.len() * layout.words_per_row();
        let cells = self.room.cells(words as u64)?;
        file.read(rows.clone(), &cells)?;
        Ok(Loaded { material, layout, first: rows.start, rows: rows.len() as u32, cells })
    }
}

/// The rows to which captures of `mover` lead, in rounds of at most so many bytes, or of one row.
pub fn rounds(index: &Index, pair: Pair, mover: Mover, budget: u64) -> Vec<Vec<(Material, Range<u32>)>> {
    let (a, b) = (pair.larger(), pair.smaller());
    let (most, other) = match mover {
        Mover::RowSide => (b, a),
        Mover::ColumnSide => (a, b),
    };
    let mut rounds = Vec::new();
    let (mut round, mut left) = (Vec::new(), budget);
    for material in (1..most).rev().filter_map(|stones| Material::new(stones, other)) {
        let Some(layout) = index.layout(material.pair()).plain() else { continue };
        let bytes = (layout.words_per_row() * size_of::<Cell>()) as u64;
        let rows = layout.rows().len() as u32;
        let mut first = 0;
        while first < rows {
            let fitting = u32::try_from(left / bytes).unwrap_or(u32::MAX).min(rows - first);
            // A slice is not cut if it fits into the next round, and a round has one window of it.
            let fits = first + fitting == rows;
            if !round.is_empty() && !fits {
                rounds.push(std::mem::take(&mut round));
                left = budget;
                continue;
            }
            let count = fitting.max(1);
            round.push((material, first..first + count));
            left = left.saturating_sub(u64::from(count) * bytes);
            first += count;
            if first < rows {
                rounds.push(std::mem::take(&mut round));
                left = budget;
            }
        }
    }
    // There is a round even if captures lead nowhere: they may take the last stone.
    rounds.push(round);
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::CLASSIC;
    use std::collections::BTreeMap;

    #[test]
    fn rounds_cover_all_rows_once_and_keep_to_the_budget() {
        let index = Index::new(&CLASSIC);
        let pair = Material::new(5, 3).unwrap().pair();
        for (mover, slices) in [(Mover::RowSide, 2), (Mover::ColumnSide, 4)] {
            for budget in [0, 1000, 20_000, 100_000, 1 << 30] {
                let mut seen = BTreeMap::new();
                for round in rounds(&index, pair, mover, budget) {
                    let mut bytes = 0;
                    for (material, rows) in &round {
                        let layout = index.layout(material.pair());
                        bytes += (rows.len() * layout.first_word(1) * size_of::<Cell>()) as u64;
                        let next = seen.entry(*material).or_insert(0);
                        assert_eq!(rows.start, *next);
                        *next = rows.end;
                    }
                    assert!(bytes <= budget || round.len() == 1 && round[0].1.len() == 1);
                }
                assert_eq!(seen.len(), slices);
                for (material, end) in seen {
                    assert_eq!(end as usize, index.layout(material.pair()).rows().len());
                }
            }
        }
    }
}
