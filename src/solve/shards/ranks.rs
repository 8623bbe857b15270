//! A pair that several programs solve together, each with a shard in memory.
//!
//! The order of calls is the same in all of them: whatever depends on what one of them knows is shared first.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

use rayon::prelude::*;

use super::context::{Context, Finished};
use super::cut::Cut;
use super::news;
use super::rows::{RowFile, rows_per_block};
use super::table::{BATCH, Rows};
use super::windows::{Loaded, rounds};
use super::world::World;
use crate::index::{Mover, PlainLayout, each_bit};
use crate::material::{Material, Pair};
use crate::metric::{Longest, Metric, Value};
use crate::progress::Stage;
use crate::region::Region;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::planes::{Passes, Smaller, last_pass};
use crate::solve::values::{Bits, Cell, Distances, Frontier, PairWork, Part, UNKNOWN};
use crate::storage::Storage;
use crate::table::{ScratchKind, TableError, TableInfo, file_name, write_table_in_batches};

/// The part of a pair that this rank works on.
pub struct PairInRanks<'c, 'a> {
    context: &'c Context<'a>,
    world: &'c dyn World,
    pub pair: Pair,
    layout: PlainLayout<'a>,
    cut: Cut,
    pub work: PairWork<'a>,
    held: [Option<Region<AtomicU64>>; 2],
    lists: [Frontier; 2],
}

/// A rank does not stop by itself: whether to stop is shared.
pub static GOING_ON: AtomicBool = AtomicBool::new(false);

impl<'c, 'a> PairInRanks<'c, 'a> {
    /// The pair with nothing decided.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn new(
        context: &'c Context<'a>,
        world: &'c dyn World,
        pair: Pair,
        with_distances: bool,
    ) -> Result<PairInRanks<'c, 'a>, GenerateError> {
        let Some(layout) = context.index.layout(pair).plain() else {
            unreachable!("planes are not the method for stones with states")
        };
        let cut = Cut::new(layout, world.size());
        // A small pair may have fewer shards than there are ranks.
        let part = match world.rank() {
            rank if rank < cut.len() => cut.part(layout, rank),
            _ => Part::new(&layout, 0..0, Vec::new()),
        };
        let mut work = context.work(pair, part)?;
        if with_distances {
            let entries = work.part.own().len() as u64 * u64::from(layout.columns_per_row());
            work.dtc = Some(Distances::of_both(entries)?);
        }
        let lists = context.room.lists.take(&work.part)?;
        Ok(PairInRanks { context, world, pair, layout, cut, work, held: [None, None], lists })
    }

    /// The rows of a rank.
    fn rows_of(&self, rank: usize) -> Range<u32> {
        if rank < self.cut.len() { self.cut.rows(rank) } else { 0..0 }
    }

    fn monitor(&self) -> Monitor<'c> {
        Monitor { stop: &GOING_ON, ..self.context.monitor }
    }

    /// Ends the work of all ranks if one of them is asked to stop.
    fn check(&self) -> Result<(), GenerateError> {
        match self.world.any(self.context.monitor.stopped()) {
            true => Err(GenerateError::Stopped),
            false => Ok(()),
        }
    }

    /// Decides what captures decide, with at most so many bytes for values of smaller slices.
    ///
    /// # Errors
    /// [`GenerateError`].
    pub fn resolve(&mut self, finished: &Finished<'a>, budget: u64) -> Result<(), GenerateError> {
        let monitor = self.monitor();
        monitor.stage(Stage::Captures(self.pair));
        for mover in Mover::BOTH {
            let rounds = rounds(self.context.index, self.pair, mover, budget);
            for (round, windows) in rounds.iter().enumerate() {
                let loaded = windows
                    .iter()
                    .map(|(material, rows)| self.context.load(*material, rows.clone(), finished))
                    .collect::<Result<Vec<Loaded>, GenerateError>>()?;
                let windows = loaded.iter().map(Loaded::window);
                let mut passes = Passes::of_shard(&self.work, Smaller::some(windows))?;
                passes.is_repeated = round > 0;
                if let Some(held) = self.held[mover as usize].take() {
                    passes.held[mover as usize] = Some(held);
                }
                let blocked = (round + 1 == rounds.len()).then_some(&self.lists[0]);
                passes.resolve_tables(&[mover], blocked, &monitor)?;
                self.held[mover as usize] = passes.held[mover as usize].take();
            }
        }
        self.check()
    }

    /// Does the passes, after captures are resolved. What is open afterwards is a draw.
    ///
    /// # Errors
    /// [`GenerateError`].
    pub fn propagate(&mut self) -> Result<(), GenerateError> {
        let monitor = self.monitor();
        let mut passes = Passes::of_shard(&self.work, Smaller::some(std::iter::empty()))?;
        passes.held = std::mem::take(&mut self.held);
        for pass in 1..=last_pass(self.layout.rules()) {
            monitor.stage(Stage::Pass { pair: self.pair, pass });
            // The second pass looks at all values.
            let batches = self.news(&self.lists[0], pass == 2);
            for batch in self.world.exchange(batches) {
                self.enter(&batch, pass != 2);
            }
            let decided = passes.pass(&mut self.lists, pass, &monitor)?;
            self.check()?;
            if !self.world.any(decided) && pass > 1 {
                break;
            }
        }
        Ok(())
    }

    /// The news of own rows for each rank that holds them: what is on the list, or all values.
    fn news(&self, list: &Frontier, all: bool) -> Vec<Vec<u8>> {
        let (words, layout, part) = (self.layout.words_per_row(), self.layout, &self.work.part);
        let mover = Mover::ColumnSide;
        let cells = &self.work.cells[mover as usize];
        let news_of = |slot: u32| {
            let place = slot as usize * words..(slot as usize + 1) * words;
            let listed = list.words(mover)[place.clone()].iter();
            let decided = listed.map(|word| if all { u64::MAX } else { word.load(Relaxed) });
            let bits = cells[place].iter().map(Cell::bits).zip(decided);
            let planes = bits.map(|(bits, decided)| (bits.wins() & decided, bits.losses() & decided));
            let (won, lost): (Vec<u64>, Vec<u64>) = planes.unzip();
            let (mut bytes, mut holders) = (Vec::new(), Vec::new());
            self.cut.holders(layout, self.world.rank(), part.row(slot), &mut holders);
            if !holders.is_empty() {
                news::put(&mut bytes, part.row(slot), mover, &won, &lost);
            }
            (bytes, holders)
        };
        let slots = (0..part.own().len() as u32).into_par_iter();
        let news: Vec<_> = slots.filter(|&slot| all || list.has(mover, slot)).map(news_of).collect();
        let mut batches = vec![Vec::new(); self.world.size()];
        for (bytes, holders) in news {
            holders.into_iter().for_each(|holder| batches[holder].extend_from_slice(&bytes));
        }
        batches
    }

    /// Enters what other ranks decided, and lists it if it `is_news`.
    fn enter(&self, batch: &[u8], is_news: bool) {
        let words = self.layout.words_per_row();
        news::each(batch, words, |news| {
            let Some(slot) = self.work.part.slot(news.row) else { return };
            let place = slot as usize * words..(slot as usize + 1) * words;
            let cells = &self.work.cells[news.mover as usize][place.clone()];
            let listed = &self.lists[0].words(news.mover)[place];
            news.each_word(|word, won, lost| {
                cells[word].merge(Bits::new(won, lost));
                if is_news {
                    listed[word].fetch_or(won | lost, Relaxed);
                }
            });
            if is_news {
                self.lists[0].note_row(news.mover, slot, true);
            }
        });
    }

    /// Writes tables into `folder`. Each rank writes some of them, and the others send it their rows.
    ///
    /// # Errors
    /// [`GenerateError::Table`], at the rank that could not write.
    pub fn write_tables(
        &self,
        storage: &dyn Storage,
        folder: &Path,
        tables: &[(Material, Metric)],
    ) -> Result<(), GenerateError> {
        for tables in tables.chunks(self.world.size()) {
            let infos = tables.iter().map(|&(material, metric)| self.info(material, metric));
            let infos: Vec<TableInfo> = infos.collect();
            if let Some(info) = infos.get(self.world.rank()) {
                self.write_table(storage, folder, info)?;
            }
            // Others may still need rows.
            while self.serve(None)?.1 {}
        }
        Ok(())
    }

    fn write_table(
        &self,
        storage: &dyn Storage,
        folder: &Path,
        info: &TableInfo,
    ) -> Result<(), GenerateError> {
        let mover = Mover::of(info.material);
        let loaded = RwLock::new(None);
        let prepare = |entries: Range<u64>| {
            let last = self.layout.location_of(entries.end.max(1) - 1).row;
            let rows = self.layout.location_of(entries.start).row..last + 1;
            let request = (mover, rows, info.metric != Metric::Wdl);
            let (rows, _) = self.serve(Some(request)).map_err(std::io::Error::other)?;
            *loaded.write().unwrap_or_else(PoisonError::into_inner) = rows;
            Ok(())
        };
        let fill = |entries: Range<u64>, quiet: &[u64]| {
            let loaded = loaded.read().unwrap_or_else(PoisonError::into_inner);
            let Some(loaded) = &*loaded else {
                unreachable!("rows are read before their contents are asked for")
            };
            let loaded: &Rows = loaded;
            loaded.content(&self.layout, entries, quiet)
        };
        let path = folder.join(file_name(info.material, info.metric));
        Ok(write_table_in_batches(storage, &path, &self.layout, info, BATCH, &prepare, &fill)?)
    }

    /// Answers what all ranks ask for: rows of a table, with distances if wanted. Returns what this one asked
    /// for, and whether any asked.
    fn serve(
        &self,
        request: Option<(Mover, Range<u32>, bool)>,
    ) -> Result<(Option<Rows>, bool), GenerateError> {
        let encode = |request: &(Mover, Range<u32>, bool)| {
            let (mover, rows, with_distances) = request;
            let mut bytes = vec![*mover as u8, u8::from(*with_distances)];
            bytes.extend(rows.start.to_le_bytes());
            bytes.extend(rows.end.to_le_bytes());
            bytes
        };
        let requests = self.world.share(&request.as_ref().map(encode).unwrap_or_default());
        let any = requests.iter().any(|request| !request.is_empty());
        if !any {
            return Ok((None, false));
        }
        let batches = requests.iter().map(|request| self.rows_for(request)).collect();
        let received = self.world.exchange(batches);
        let rows = match request {
            Some((_, rows, with_distances)) => Some(self.put_together(rows, with_distances, &received)?),
            None => None,
        };
        Ok((rows, true))
    }

    /// The own rows among those that a rank asks for: values, then distances.
    fn rows_for(&self, request: &[u8]) -> Vec<u8> {
        let number = |place: usize| {
            let bytes = request.get(place..).and_then(|bytes| bytes.first_chunk());
            u32::from_le_bytes(bytes.copied().unwrap_or_default())
        };
        let [mover, with_distances, ..] = *request else { return Vec::new() };
        let (own, mover) = (self.work.part.own(), usize::from(mover % 2));
        let (first, end) = (number(2).max(own.start), number(6).min(own.end));
        if first >= end {
            return Vec::new();
        }
        let slots = (first - own.start) as usize..(end - own.start) as usize;
        let words = self.layout.words_per_row();
        let cells = &self.work.cells[mover][slots.start * words..slots.end * words];
        let mut bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.bits().to_ne_bytes()).collect();
        if let (1, Some(dtc)) = (with_distances, &self.work.dtc) {
            let columns = u64::from(self.layout.columns_per_row());
            let entries = slots.start as u64 * columns..slots.end as u64 * columns;
            bytes.extend(entries.flat_map(|entry| dtc[mover].get(entry).to_le_bytes()));
        }
        bytes
    }

    /// Rows from what each rank sent of them.
    fn put_together(
        &self,
        rows: Range<u32>,
        with_distances: bool,
        received: &[Vec<u8>],
    ) -> Result<Rows, GenerateError> {
        let words = self.layout.words_per_row();
        let columns = u64::from(self.layout.columns_per_row());
        let count = rows.len() * words;
        let cells = Region::new(count).map_err(GenerateError::allocation::<Cell>(count as u64))?;
        let entries = rows.len() as u64 * columns;
        let distances = with_distances.then(|| Distances::new(entries)).transpose()?;
        for (rank, bytes) in received.iter().enumerate() {
            let own = self.rows_of(rank);
            let (first, end) = (rows.start.max(own.start), rows.end.min(own.end));
            if first >= end {
                continue;
            }
            let slots = (first - rows.start) as usize..(end - rows.start) as usize;
            let cells: &[Cell] = &cells[slots.start * words..slots.end * words];
            let (values, plies) = bytes.split_at(bytes.len().min(16 * cells.len()));
            for (cell, bytes) in cells.iter().zip(values.chunks_exact(16)) {
                cell.replace(Bits::from_ne_bytes(bytes));
            }
            if let Some(distances) = &distances {
                let entries = slots.start as u64 * columns..slots.end as u64 * columns;
                for (entry, &bytes) in entries.zip(plies.as_chunks().0) {
                    distances.set(entry, u16::from_le_bytes(bytes));
                }
            }
        }
        Ok(Rows { rows, cells, distances })
    }

    /// What a table says about itself.
    fn info(&self, material: Material, metric: Metric) -> TableInfo {
        let (layout, mover) = (self.layout, Mover::of(material) as usize);
        let dtc = self.work.dtc.as_ref().filter(|_| metric != Metric::Wdl).map(|dtc| &dtc[mover]);
        let (words, columns) = (layout.words_per_row(), u64::from(layout.columns_per_row()));
        let own = self.work.part.own();
        let count = |(slot, cells): (usize, &[Cell])| {
            let (mut win, mut loss, mut longest) = (0, 0, Longest::default());
            let orbit = layout.rows().orbit(own.start + slot as u32);
            for (word, cell) in cells.iter().enumerate() {
                let bits = cell.bits();
                win += u64::from(bits.wins().count_ones()) * orbit;
                loss += u64::from(bits.losses().count_ones()) * orbit;
                let Some(dtc) = dtc else { continue };
                let first = slot as u64 * columns + 64 * word as u64;
                for (value, plane) in [(Value::Win, bits.wins()), (Value::Loss, bits.losses())] {
                    each_bit(plane, |bit| longest.add(value, dtc.get(first + u64::from(bit))));
                }
            }
            (win, loss, longest)
        };
        let sum = |a: (u64, u64, Longest), b: (u64, u64, Longest)| (a.0 + b.0, a.1 + b.1, a.2.merged(b.2));
        let nothing = || (0, 0, Longest::default());
        let cells = &self.work.cells[mover][..own.len() * words];
        let (win, loss, longest) = cells.par_chunks(words).enumerate().map(count).reduce(nothing, sum);
        let plies = |longest: Option<u16>| u64::from(longest.unwrap_or(UNKNOWN));
        let numbers = [win, loss, plies(longest.win), plies(longest.loss)];
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let all = self.world.share(&bytes);
        let all = all.iter().map(|bytes| {
            let number = |place: usize| bytes.as_chunks().0.get(place).map_or(0, |&b| u64::from_le_bytes(b));
            let plies = |place| u16::try_from(number(place)).ok().filter(|&plies| plies != UNKNOWN);
            (number(0), number(1), Longest { win: plies(2), loss: plies(3) })
        });
        let (win, loss, longest) = all.fold(nothing(), sum);
        let positions = layout.positions();
        let (entries, draw) = (layout.entries(), positions - win - loss);
        TableInfo { material, metric, entries, positions, win, draw, loss, longest }
    }

    /// Writes the values of the pair to files that all ranks can read.
    ///
    /// # Errors
    /// [`GenerateError::Table`].
    pub fn into_tables(self) -> Result<[RowFile<'a>; 2], GenerateError> {
        let (rows, words) = (self.layout.rows().len() as u32, self.layout.words_per_row());
        let block = rows_per_block(words * size_of::<Cell>());
        let Context { storage, folder, .. } = *self.context;
        let table = |kind: ScratchKind, mover: Mover| {
            let path = folder.join(kind.file_name(self.pair));
            // One rank makes the file, and the others open it.
            let first = match self.world.rank() {
                0 => Some(RowFile::new::<Cell>(storage, path.clone(), rows, words, block)?),
                _ => None,
            };
            self.world.any(false);
            let file = match first {
                Some(file) => file,
                None => RowFile::join::<Cell>(storage, path, rows, words, block)?,
            };
            let own = self.work.part.own();
            let cells = &self.work.cells[mover as usize][..own.len() * words];
            file.write(own.clone(), cells)?;
            for (rank, checksums) in self.world.share(&file.checksums(&own)).iter().enumerate() {
                file.take_checksums(&self.rows_of(rank), checksums);
            }
            Ok::<_, TableError>(file)
        };
        let row_side = table(ScratchKind::Values, Mover::RowSide)?;
        Ok([row_side, table(ScratchKind::ColumnValues, Mover::ColumnSide)?])
    }
}
