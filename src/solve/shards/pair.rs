//! A pair that is solved shard by shard, with everything that is not in work in files.
//!
//! The values of both tables are two files. A pass visits the shards that have mail, one after the other: it
//! reads their rows and those of their neighbours, does the pass, and writes the rows back. What the pass
//! decided goes by mail to the shards that hold the row, the own one among them, and they read it in the
//! next pass. The neighbours' rows may already hold what their own shard decided in this pass; the mail for the
//! next pass says which positions those are, and they count as open.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::batches::Batches;
use super::context::{Context, Finished};
use super::cut::Cut;
use super::news;
use super::rows::{RowFile, rows_per_block};
use super::windows::{Loaded, rounds};
use crate::index::{Mover, PlainLayout};
use crate::material::Pair;
use crate::metric::{Longest, Value};
use crate::progress::Stage;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::planes::{Passes, Smaller, last_pass};
use crate::solve::values::{Cell, Frontier, PairWork, Part};
use crate::table::{ScratchKind, TableError};

/// What crossed from shard to shard.
#[derive(Clone, Copy, Default, Debug)]
pub struct Traffic {
    /// Bytes of news that shards sent to others.
    pub sent: u64,
    /// Bytes of rows that were read and written.
    pub read: u64,
    pub written: u64,
}

/// A pair in work.
pub struct PairInFiles<'c, 'a> {
    context: &'c Context<'a>,
    pub pair: Pair,
    pub layout: PlainLayout<'a>,
    cut: Cut,
    /// The values, by mover.
    pub tables: [RowFile<'a>; 2],
    /// Positions that a capture keeps from being lost, by mover, where captures are optional.
    held: Option<[RowFile<'a>; 2]>,
    /// News for this pass and for the next one.
    mail: [Batches<'a>; 2],
    /// What each pass decided, by shard and mover, where distances to conversion are wanted. What it does not
    /// list was decided by a capture or by the first move.
    pub log: Option<Batches<'a>>,
    /// The longest distances to conversion, by mover.
    pub longest: [Longest; 2],
    pub traffic: Traffic,
}

impl<'c, 'a> PairInFiles<'c, 'a> {
    /// The pair with nothing decided, in so many shards.
    ///
    /// # Errors
    /// [`GenerateError::Table`] if the files cannot be made.
    pub fn new(
        context: &'c Context<'a>,
        pair: Pair,
        shards: usize,
        with_distances: bool,
    ) -> Result<PairInFiles<'c, 'a>, GenerateError> {
        let Some(layout) = context.index.layout(pair).plain() else {
            unreachable!("planes are not the method for stones with states")
        };
        let cut = Cut::new(layout, shards);
        let (rows, words) = (layout.rows().len() as u32, layout.words_per_row());
        // Shards begin with a block, in all files.
        let block = rows_per_block(words * size_of::<Cell>());
        let (storage, folder) = (context.storage, context.folder);
        let path = |kind: ScratchKind| folder.join(kind.file_name(pair));
        let values = |kind| RowFile::new::<Cell>(storage, path(kind), rows, words, block);
        let tables = [values(ScratchKind::Values)?, values(ScratchKind::ColumnValues)?];
        let held = |kind| RowFile::new::<AtomicU64>(storage, path(kind), rows, words, block);
        let held = match layout.rules().captures_are_compulsory() {
            true => None,
            false => Some([held(ScratchKind::Held)?, held(ScratchKind::ColumnHeld)?]),
        };
        let mail = |kind| Batches::new(storage, path(kind), cut.len());
        let mail = [mail(ScratchKind::Mail)?, mail(ScratchKind::LaterMail)?];
        let log = || Batches::new(storage, path(ScratchKind::Log), 2 * cut.len());
        let log = with_distances.then(log).transpose()?;
        Ok(PairInFiles {
            context,
            pair,
            layout,
            cut,
            tables,
            held,
            mail,
            log,
            longest: Default::default(),
            traffic: Traffic::default(),
        })
    }

    /// The shards.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    fn monitor(&self) -> &'c Monitor<'a> {
        &self.context.monitor
    }

    /// An own part of the pair in memory, without its neighbours.
    fn own_part(&self, shard: usize) -> Result<PairWork<'a>, GenerateError> {
        self.work(Part::new(&self.layout, self.cut.rows(shard), Vec::new()))
    }

    fn work(&self, part: Part) -> Result<PairWork<'a>, GenerateError> {
        self.context.work(self.pair, part)
    }

    /// Decides what captures decide in the tables of `movers`, with at most so many bytes for values of smaller
    /// slices. Positions that are lost without a move are news for the first pass.
    pub fn resolve(
        &mut self,
        movers: &[Mover],
        finished: &Finished<'a>,
        budget: u64,
    ) -> Result<(), GenerateError> {
        self.monitor().stage(Stage::Captures(self.pair));
        for &mover in movers {
            let rounds = rounds(self.context.index, self.pair, mover, budget);
            for (round, windows) in rounds.iter().enumerate() {
                let loaded = windows
                    .iter()
                    .map(|(material, rows)| self.context.load(*material, rows.clone(), finished))
                    .collect::<Result<Vec<Loaded>, GenerateError>>()?;
                for shard in 0..self.cut.len() {
                    self.resolve_shard(shard, mover, &loaded, round > 0, round + 1 == rounds.len())?;
                }
            }
        }
        Ok(())
    }

    fn resolve_shard(
        &mut self,
        shard: usize,
        mover: Mover,
        loaded: &[Loaded<'a>],
        is_repeated: bool,
        is_last: bool,
    ) -> Result<(), GenerateError> {
        let monitor = *self.monitor();
        monitor.check()?;
        let work = self.own_part(shard)?;
        let own = self.cut.rows(shard);
        let mut passes = Passes::of_shard(&work, Smaller::some(loaded.iter().map(Loaded::window)))?;
        if is_repeated {
            passes.is_repeated = true;
            self.tables[mover as usize].read(own.clone(), &work.cells[mover as usize])?;
            self.read_held(&passes, mover, shard)?;
        }
        let blocked = if is_last { Some(self.context.room.lists.take(&work.part)?) } else { None };
        // Only the first round counts as progress.
        let quiet = Monitor { progress: &(), ..monitor };
        passes.resolve_tables(
            &[mover],
            blocked.as_ref().map(|[blocked, _]| blocked),
            if is_repeated { &quiet } else { &monitor },
        )?;
        self.tables[mover as usize].write(own.clone(), &work.cells[mover as usize])?;
        self.write_held(&passes, mover, shard)?;
        if let Some([blocked, _]) = &blocked {
            self.note_captures(&work, mover, blocked);
            self.spill(&work, blocked, shard, 0)?;
        }
        Ok(())
    }

    /// Takes note of the distances of what captures and the lack of moves decide.
    fn note_captures(&mut self, work: &PairWork, mover: Mover, blocked: &Frontier) {
        let cells = work.cells[mover as usize].par_iter().zip(blocked.words(mover));
        let any = cells.map(|(cell, blocked)| {
            let (bits, blocked) = (cell.bits(), blocked.load(Relaxed));
            [bits.wins() != 0, bits.losses() & !blocked != 0, blocked != 0]
        });
        let either = |a: [bool; 3], b: [bool; 3]| [a[0] || b[0], a[1] || b[1], a[2] || b[2]];
        let [won, lost, stuck] = any.reduce(|| [false; 3], either);
        let longest = &mut self.longest[mover as usize];
        for (any, value, distance) in [(won, Value::Win, 1), (lost, Value::Loss, 1), (stuck, Value::Loss, 0)]
        {
            if any {
                longest.add(value, distance);
            }
        }
    }

    fn read_held(&self, passes: &Passes, mover: Mover, shard: usize) -> Result<(), TableError> {
        match (&self.held, &passes.held[mover as usize]) {
            (Some(files), Some(held)) => files[mover as usize].read(self.cut.rows(shard), held),
            _ => Ok(()),
        }
    }

    fn write_held(&self, passes: &Passes, mover: Mover, shard: usize) -> Result<(), TableError> {
        match (&self.held, &passes.held[mover as usize]) {
            (Some(files), Some(held)) => files[mover as usize].write(self.cut.rows(shard), held),
            _ => Ok(()),
        }
    }

    /// Does the passes, after captures are resolved. What is open afterwards is a draw.
    pub fn propagate(&mut self) -> Result<(), GenerateError> {
        let pair = self.pair;
        for pass in 1..=last_pass(self.layout.rules()) {
            self.mail.iter_mut().try_for_each(|mail| mail.flush_all(pass))?;
            // What was sent is for this pass.
            self.mail.swap(0, 1);
            self.mail[1].clear();
            self.monitor().stage(Stage::Pass { pair, pass });
            let mut any = false;
            for shard in 0..self.cut.len() {
                // The second pass looks at everything.
                if pass == 2 || !self.mail[0].is_empty(shard) {
                    any |= self.visit(shard, pass)?;
                }
            }
            if !any && pass > 1 {
                break;
            }
        }
        Ok(())
    }

    /// Does a pass over a shard. Returns whether it decided anything.
    fn visit(&mut self, shard: usize, pass: u16) -> Result<bool, GenerateError> {
        let monitor = *self.monitor();
        monitor.check()?;
        let own = self.cut.rows(shard);
        let words = self.layout.words_per_row();
        let work = self.work(self.cut.part(self.layout, shard))?;
        for mover in Mover::BOTH {
            let cells = &work.cells[mover as usize][..own.len() * words];
            self.tables[mover as usize].read(own.clone(), cells)?;
        }
        let neighbours = &work.cells[Mover::ColumnSide as usize][own.len() * words..];
        self.tables[Mover::ColumnSide as usize].read_each(work.part.neighbours(), neighbours)?;
        let row_bytes = (words * size_of::<Cell>()) as u64;
        self.traffic.read += (2 * own.len() + work.part.neighbours().len()) as u64 * row_bytes;
        self.traffic.written += 2 * own.len() as u64 * row_bytes;
        let passes = Passes::of_shard(&work, Smaller::some(std::iter::empty()))?;
        for mover in Mover::BOTH {
            self.read_held(&passes, mover, shard)?;
        }
        let mut lists = self.context.room.lists.take(&work.part)?;
        self.mail[1].flush(shard, pass)?;
        for (mail, list) in self.mail.iter().zip(&lists) {
            mail.receive(shard, 0..u32::MAX, |_, batch| enter(batch, &work.part, words, list))?;
        }
        passes.pass(&mut lists, pass, &monitor)?;
        for mover in Mover::BOTH {
            let cells = &work.cells[mover as usize][..own.len() * words];
            self.tables[mover as usize].write(own.clone(), cells)?;
        }
        if pass == 1 {
            return Ok(false);
        }
        self.spill(&work, &lists[0], shard, pass)
    }

    /// Sends what is on the list to the shards that hold it, and enters it in the log. Returns whether there is
    /// anything.
    fn spill(
        &mut self,
        work: &PairWork,
        list: &Frontier,
        shard: usize,
        pass: u16,
    ) -> Result<bool, GenerateError> {
        // News of so many bytes are in memory at a time.
        const BYTES: usize = 1 << 20;
        let (own, words, layout) = (work.part.own(), self.layout.words_per_row(), self.layout);
        let rows_at_once = (BYTES / (words * size_of::<Cell>())).max(1) as u32;
        let mut any = false;
        for mover in Mover::BOTH {
            for first in (0..own.len() as u32).step_by(rows_at_once as usize) {
                let slots = first..(first + rows_at_once).min(own.len() as u32);
                let listed = slots.into_par_iter().filter(|&slot| list.has(mover, slot));
                let news_of = |slot: u32| {
                    let row = work.part.row(slot);
                    let place = slot as usize * words..(slot as usize + 1) * words;
                    let cells = work.cells[mover as usize][place.clone()].iter();
                    let decided = list.words(mover)[place].iter();
                    let (won, lost): (Vec<u64>, Vec<u64>) = cells
                        .zip(decided)
                        .map(|(cell, decided)| {
                            let decided = decided.load(Relaxed);
                            (cell.bits().wins() & decided, cell.bits().losses() & decided)
                        })
                        .unzip();
                    let (mut bytes, mut holders) = (Vec::new(), Vec::new());
                    news::put(&mut bytes, row, mover, &won, &lost);
                    if mover == Mover::ColumnSide {
                        self.cut.holders(layout, shard, row, &mut holders);
                    }
                    let any = [won, lost].map(|plane| plane.iter().any(|&word| word != 0));
                    (row, bytes, holders, any)
                };
                let news: Vec<_> = listed.map(news_of).collect();
                for (row, bytes, holders, [any_won, any_lost]) in news {
                    if !any_won && !any_lost {
                        continue;
                    }
                    any = true;
                    self.mail[1].send(shard, pass, row, &bytes)?;
                    for holder in holders {
                        self.traffic.sent += bytes.len() as u64;
                        self.mail[1].send(holder, pass, row, &bytes)?;
                    }
                    if let Some(log) = &mut self.log {
                        log.send(2 * shard + mover as usize, pass, row, &bytes)?;
                    }
                    let longest = &mut self.longest[mover as usize];
                    for (any, value) in [(any_won, Value::Win), (any_lost, Value::Loss)] {
                        if any {
                            longest.add(value, pass);
                        }
                    }
                }
            }
            if let Some(log) = &mut self.log {
                log.flush(2 * shard + mover as usize, pass)?;
            }
        }
        Ok(any)
    }

    /// The values, by mover. All else that is in files goes.
    pub fn into_tables(self) -> [RowFile<'a>; 2] {
        self.tables
    }

    /// Calls `load` for each shard, with its rows of the table of `mover` in memory, and keeps what it enters.
    pub fn each_shard(
        &self,
        mover: Mover,
        mut load: impl FnMut(&PairWork) -> Result<(), GenerateError>,
    ) -> Result<(), GenerateError> {
        for shard in 0..self.cut.len() {
            let work = self.own_part(shard)?;
            let own = self.cut.rows(shard);
            self.tables[mover as usize].read(own.clone(), &work.cells[mover as usize])?;
            load(&work)?;
            self.tables[mover as usize].write(own, &work.cells[mover as usize])?;
        }
        Ok(())
    }
}

/// Enters news in a list.
fn enter(batch: &[u8], part: &Part, words: usize, list: &Frontier) {
    news::each(batch, words, |news| {
        let slot = match news.mover {
            Mover::RowSide => part.own_slot(news.row),
            Mover::ColumnSide => part.slot(news.row),
        };
        let Some(slot) = slot else { return };
        let listed = &list.words(news.mover)[slot as usize * words..][..words];
        news.each_word(|word, won, lost| {
            listed[word].fetch_or(won | lost, Relaxed);
        });
        list.note_row(news.mover, slot, true);
    });
}
