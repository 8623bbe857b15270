//! Writing the tables of a pair whose values are in files.
//!
//! A table is written from front to back. The rows of the entries at which it is are in memory, and the
//! distances of their positions, which are put together from what each pass logged.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use rayon::prelude::*;

use super::news;
use super::pair::PairInFiles;
use crate::index::{Mover, PairLayout};
use crate::material::Material;
use crate::metric::{Longest, Metric};
use crate::region::Region;
use crate::solve::GenerateError;
use crate::solve::run::store::content;
use crate::solve::values::{Cell, Distances, UNKNOWN};
use crate::storage::Storage;
use crate::table::{Content, MOST_ENTRIES, TableInfo, file_name, write_table_in_batches};

/// Blocks that are written together, and the most entries of them.
pub const BATCH: u64 = 64;
const MOST_ENTRIES_AT_ONCE: u64 = BATCH * MOST_ENTRIES;

/// Rows of a table in memory.
pub struct Rows {
    pub rows: Range<u32>,
    pub cells: Region<Cell>,
    pub distances: Option<Distances>,
}

impl Rows {
    /// What the table holds for these entries, of which the `quiet` ones are stored. A decided position without
    /// a distance has been decided by a capture or by the first move.
    pub fn content(&self, layout: &PairLayout, entries: Range<u64>, quiet: &[u64]) -> Content {
        let Rows { rows, cells, distances } = self;
        let first = layout.first_entry(rows.start);
        let distance = |distances: &Distances, entry: u64| match distances.get(entry - first) {
            UNKNOWN => 1,
            distance => distance,
        };
        let distance = distances.as_ref().map(|distances| move |entry| distance(distances, entry));
        content(layout, cells, rows.start, entries, quiet, distance)
    }
}

/// The most bytes of memory that writing a table takes: values, and distances of half as many entries; and
/// what the entries turn into.
pub fn writing_bytes(entries: u64, row_entries: u64, with_distances: bool) -> u64 {
    let entries = entries.min(MOST_ENTRIES_AT_ONCE + 2 * row_entries);
    let distances = if with_distances { entries / 2 * 2 } else { 0 };
    entries / 4 + distances + entries / 8
}

impl PairInFiles<'_, '_> {
    /// Writes one metric of one slice into `folder`. The distances to conversion must be in the log.
    ///
    /// # Errors
    /// [`TableError`] if the table cannot be written or a file of the pair is not what was written.
    pub fn write_table(
        &self,
        storage: &dyn Storage,
        folder: &Path,
        material: Material,
        metric: Metric,
    ) -> Result<(), GenerateError> {
        let mover = Mover::of(material);
        let with_distances = metric != Metric::Wdl;
        let info = self.info(material, metric)?;
        let layout: &PairLayout = &self.layout;
        let loaded = RwLock::new(None);
        // The error of a file of the pair ends the writing; its own text is kept.
        let failure = RwLock::new(None);
        let prepare = |entries: Range<u64>| {
            *loaded.write().unwrap_or_else(PoisonError::into_inner) = None;
            let last = layout.location_of(entries.end.max(1) - 1).row;
            let rows = layout.location_of(entries.start).row..last + 1;
            match self.load_rows(mover, rows, with_distances) {
                Ok(rows) => *loaded.write().unwrap_or_else(PoisonError::into_inner) = Some(rows),
                Err(error) => {
                    *failure.write().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    return Err(io::Error::other("intermediate results cannot be read"));
                }
            }
            Ok(())
        };
        let fill = |entries: Range<u64>, quiet: &[u64]| {
            let loaded = loaded.read().unwrap_or_else(PoisonError::into_inner);
            let Some(loaded) = &*loaded else {
                unreachable!("rows are read before their contents are asked for")
            };
            let loaded: &Rows = loaded;
            loaded.content(layout, entries, quiet)
        };
        let path = folder.join(file_name(material, metric));
        let written = write_table_in_batches(storage, &path, layout, &info, BATCH, &prepare, &fill);
        match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => Err(error),
            None => Ok(written?),
        }
    }

    /// Rows of the table of `mover`, with the distances to conversion that the log lists.
    fn load_rows(&self, mover: Mover, rows: Range<u32>, with_distances: bool) -> Result<Rows, GenerateError> {
        let words = self.layout.words_per_row();
        let count = rows.len() * words;
        let cells = Region::new(count).map_err(GenerateError::allocation::<Cell>(count as u64))?;
        self.tables[mover as usize].read(rows.clone(), &cells)?;
        let distances = match &self.log {
            Some(log) if with_distances => {
                let columns = u64::from(self.layout.columns_per_row());
                let distances = Distances::new(rows.len() as u64 * columns)?;
                let cut = self.cut();
                for shard in cut.owner(rows.start)..=cut.owner(rows.end - 1) {
                    log.receive(2 * shard + mover as usize, rows.clone(), |pass, batch| {
                        news::each(batch, words, |news| {
                            if !rows.contains(&news.row) {
                                return;
                            }
                            let first = u64::from(news.row - rows.start) * columns;
                            news.each_word(|word, won, lost| {
                                distances.set_each(first + 64 * word as u64, won | lost, pass);
                            });
                        });
                    })?;
                }
                Some(distances)
            }
            _ => None,
        };
        Ok(Rows { rows, cells, distances })
    }

    /// What a table says about itself.
    fn info(&self, material: Material, metric: Metric) -> Result<TableInfo, GenerateError> {
        let layout = self.layout;
        let mover = Mover::of(material);
        let (mut win, mut loss) = (0, 0);
        let rows = layout.rows().len() as u32;
        let step = (MOST_ENTRIES_AT_ONCE / u64::from(layout.columns_per_row())).max(1) as usize;
        for first in (0..rows).step_by(step) {
            let rows = first..rows.min(first.saturating_add(step as u32));
            let Rows { cells, .. } = self.load_rows(mover, rows.clone(), false)?;
            let count = |(row, cells): (u32, &[Cell])| {
                let (wins, losses) = cells.iter().fold((0, 0), |(wins, losses), cell| {
                    let bits = cell.bits();
                    let ones = |plane: u64| u64::from(plane.count_ones());
                    (wins + ones(bits.wins()), losses + ones(bits.losses()))
                });
                (wins * layout.rows().orbit(row), losses * layout.rows().orbit(row))
            };
            let words = layout.words_per_row();
            let counted = rows.into_par_iter().zip(cells.par_chunks(words)).map(count);
            let (wins, losses) = counted.reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
            (win, loss) = (win + wins, loss + losses);
        }
        let positions = layout.positions();
        let longest = match metric {
            Metric::Wdl => Longest::default(),
            _ => self.longest[mover as usize],
        };
        let (entries, draw) = (layout.entries(), positions - win - loss);
        Ok(TableInfo { material, metric, entries, positions, win, draw, loss, longest })
    }
}
