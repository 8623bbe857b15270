//! The passes over the open positions, whole rows at a time.
//!
//! What a pass decides is entered at once, and kept on a list of bits, the *frontier*, until the next pass. A
//! reader treats a position on the list as open, so that the number of the pass is the distance to
//! conversion, whatever the order in which threads work. Then the news go back along the steps. A position
//! before a lost one is won without being looked at; a position before a won one goes on the next list and is
//! looked at in the next pass. In a table with few open positions, all of them are looked at instead, and no
//! news go there.
//!
//! Where captures are optional, a position in which a capture draws is *held*: it may still be won, but is
//! never lost.
//!
//! With equal sides both tables hold the same positions, each seen from its own side. Then the passes work
//! for the row side alone; what they decide is *turned*, entered in the other table, and the news go back
//! from there.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::captures::Captures;
use super::open::count_open;
use super::readable::Values;
use super::route::Route;
use super::row::Row;
use super::smaller::Smaller;
use super::steps::{step_sources, step_targets};
use super::traffic::Traffic;
use super::turn::{Turned, turn};
use crate::board::{Bitboard, POINTS};
use std::ops::Range;

use crate::index::{Mover, PlainLayout};
use crate::progress::Stage;
use crate::region::Region;
use crate::rules::Rules;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Bits, Frontier, PairWork};

/// How many positions can be looked at in the time that it takes to send back the news of one. (Measured:
/// runs are equally long from 1 to 4.)
const WORTH_A_LOOK: u64 = 2;

/// The buffers of a thread.
pub struct Hand<'a> {
    pub captures: Captures<'a>,
    pub traffic: Traffic,
    pub routes: Vec<Route<'a>>,
    /// Columns of the row in work.
    pub open: Vec<u64>,
    pub won: Vec<u64>,
    pub lost: Vec<u64>,
    pub wanted: Vec<u64>,
}

impl<'a> Hand<'a> {
    fn new(passes: &'a Passes) -> Hand<'a> {
        let captures = Captures::new(&passes.smaller);
        Hand {
            captures,
            traffic: Traffic::default(),
            routes: Vec::new(),
            open: Vec::new(),
            won: Vec::new(),
            lost: Vec::new(),
            wanted: Vec::new(),
        }
    }
}

/// The pair in work, whose stones have no states.
pub struct Passes<'a> {
    pub work: &'a PairWork<'a>,
    pub layout: PlainLayout<'a>,
    /// The tables that the passes work for.
    pub movers: &'static [Mover],
    smaller: Smaller<'a>,
    /// Whether captures to other slices than those at hand were looked at before.
    pub is_repeated: bool,
    /// The slots of own rows in pieces, and those of all rows that are held.
    own_blocks: Vec<Range<u32>>,
    all_blocks: Vec<Range<u32>>,
    /// Where the column side's stones step, and where they come from.
    pub reached: [Bitboard; POINTS],
    pub came_from: [Bitboard; POINTS],
    /// Positions that a capture keeps from being lost, by mover, where captures are optional.
    pub held: [Option<Region<AtomicU64>>; 2],
}

/// Entries of a piece of work: small enough to share the work evenly, large enough to hide the cost of
/// sharing.
const BLOCK_ENTRIES: u32 = 1 << 13;

/// Slots in pieces of about so many entries, when each has this many.
fn blocks(slots: u32, entries: u32) -> Vec<Range<u32>> {
    let step = BLOCK_ENTRIES.div_ceil(entries);
    (0..slots).step_by(step as usize).map(|first| first..slots.min(first + step)).collect()
}

impl<'a> Passes<'a> {
    /// For a pair that is in memory as a whole, as are all slices that captures lead to.
    fn new(work: &'a PairWork<'a>) -> Result<Passes<'a>, GenerateError> {
        // With equal sides both tables hold the same positions.
        let is_turned = work.layout.pair().is_even();
        Passes::with(work, Smaller::all(work.index, work.layout.pair(), work.slices), is_turned)
    }

    /// For a shard, when these slices are at hand. It works for both tables: it does not hold the turned
    /// positions of its own.
    ///
    /// # Errors
    /// [`GenerateError::Allocation`].
    pub fn of_shard(work: &'a PairWork<'a>, smaller: Smaller<'a>) -> Result<Passes<'a>, GenerateError> {
        Passes::with(work, smaller, false)
    }

    fn with(
        work: &'a PairWork<'a>,
        smaller: Smaller<'a>,
        is_turned: bool,
    ) -> Result<Passes<'a>, GenerateError> {
        let Some(layout) = work.layout.plain() else {
            unreachable!("planes are not the method for stones with states")
        };
        let geometry = layout.rules().side(layout.column_slots().side());
        let movers: &[Mover] = if is_turned { &[Mover::RowSide] } else { &Mover::BOTH };
        let held = |mover| {
            let exists = movers.contains(&mover) && !layout.rules().captures_are_compulsory();
            let words = work.part.own().len() * layout.words_per_row();
            let region = || Region::new(words).map_err(GenerateError::allocation::<AtomicU64>(words as u64));
            exists.then(region).transpose()
        };
        let held = [held(Mover::RowSide)?, held(Mover::ColumnSide)?];
        let blocks = |mover| blocks(work.part.slots(mover), layout.columns_per_row());
        Ok(Passes {
            work,
            layout,
            movers,
            held,
            smaller,
            is_repeated: false,
            own_blocks: blocks(Mover::RowSide),
            all_blocks: blocks(Mover::ColumnSide),
            reached: step_targets(geometry),
            came_from: step_sources(geometry),
        })
    }
}

/// Decides everything that is not a draw: what is open afterwards is one. The stones must have no states.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    let passes = Passes::new(work)?;
    let mut lists = work.room.lists.take(&work.part)?;
    let pair = work.layout.pair();
    monitor.stage(Stage::Captures(pair));
    passes.resolve(Some(&lists[0]), monitor)?;
    for pass in 1..=last_pass(work.layout.rules()) {
        monitor.stage(Stage::Pass { pair, pass });
        if !passes.pass(&mut lists, pass, monitor)? && pass > 1 {
            break;
        }
    }
    work.room.lists.give_back(lists);
    Ok(())
}

/// The last pass that the rules allow.
pub fn last_pass(rules: &Rules) -> u16 {
    rules.ply_limit().map_or(u16::MAX - 1, u16::from)
}

impl Passes<'_> {
    /// Does a pass. The first of the lists holds what the pass before decided, the second is empty, except
    /// that it hides what this pass decided in rows of others. Afterwards the first holds what this pass
    /// decided, and the second is empty. Returns whether there is anything.
    pub fn pass(
        &self,
        lists: &mut [Frontier; 2],
        pass: u16,
        monitor: &Monitor,
    ) -> Result<bool, GenerateError> {
        let [now, next] = lists;
        if pass == 1 {
            // What is decided without a move. The next pass looks at everything.
            self.send_back(self.movers, now, next, pass, monitor)?;
            self.turn(next, pass, monitor)?;
            Mover::BOTH.iter().for_each(|&mover| next.clear(mover));
            return Ok(false);
        }
        let (whole, listed): (Vec<Mover>, Vec<Mover>) = if pass == 2 {
            (self.movers.to_vec(), Vec::new())
        } else {
            // Where few positions are open compared with the news to be sent, it is less work to look at
            // them all.
            self.movers.iter().partition(|&&mover| self.few_are_open(mover, now))
        };
        whole.iter().for_each(|mover| now.clear(mover.other()));
        self.send_back(&listed, now, next, pass, monitor)?;
        self.look_at_all(&whole, next, pass, monitor)?;
        self.look_at_listed(&listed, next, pass, monitor)?;
        self.turn(next, pass, monitor)?;
        lists.swap(0, 1);
        Ok(!lists[0].is_empty())
    }
}

/// Decides all positions in which the side to move can capture, and those in which it has no legal move.
pub fn resolve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    Passes::new(work)?.resolve(None, monitor)
}

/// Reads the values after all steps of the row side that need no symmetry (`own`), or after all others, and
/// counts them. There are none if stones have states.
pub fn read_along_steps(work: &PairWork, own: bool) -> u64 {
    let cells = &work.cells[Mover::ColumnSide as usize];
    let (mut traffic, mut routes, mut read) = (Traffic::default(), Vec::new(), 0);
    let Some(layout) = work.layout.plain() else { return 0 };
    for row in (0..work.part.slots(Mover::RowSide)).map(|slot| Row::new(layout, &work.part, slot)) {
        row.steps(Mover::RowSide, &mut routes);
        for route in routes.iter().filter(|route| route.is_own() == own) {
            traffic.fetch(&row, route, row.membership.all(), Values::all(cells), |_, columns, won, lost| {
                // What is read must be used, or it would not be read.
                std::hint::black_box((won, lost));
                read += u64::from(columns.count_ones());
            });
        }
    }
    read
}

impl Passes<'_> {
    /// Does `what` for each own row of the tables of `movers` that is wanted, by its slot.
    pub fn each_row<'p>(
        &'p self,
        movers: &[Mover],
        monitor: &Monitor,
        wanted: impl Fn(Mover, u32) -> bool + Sync,
        what: impl Fn(&mut Hand<'p>, &Row<'p>, Mover) + Sync,
        done: impl Fn(Mover, u64) + Sync,
    ) -> Result<(), GenerateError> {
        self.each_row_in(&self.own_blocks, movers, monitor, wanted, what, done)
    }

    /// Does `what` for each row in these slots of the tables of `movers` that is wanted.
    fn each_row_in<'p>(
        &'p self,
        blocks: &[Range<u32>],
        movers: &[Mover],
        monitor: &Monitor,
        wanted: impl Fn(Mover, u32) -> bool + Sync,
        what: impl Fn(&mut Hand<'p>, &Row<'p>, Mover) + Sync,
        done: impl Fn(Mover, u64) + Sync,
    ) -> Result<(), GenerateError> {
        // Hands are kept for the next piece of work, of which there are many, so that no thread is left with
        // a large one.
        let hands = Mutex::new(Vec::new());
        let idle = || hands.lock().unwrap_or_else(PoisonError::into_inner);
        let work_block = |number: usize| {
            let (mover, block) = (movers[number / blocks.len()], &blocks[number % blocks.len()]);
            if monitor.stopped() {
                return;
            }
            let spare = idle().pop();
            let mut hand = spare.unwrap_or_else(|| Hand::new(self));
            for slot in block.clone().filter(|&slot| wanted(mover, slot)) {
                what(&mut hand, &Row::new(self.layout, &self.work.part, slot), mover);
            }
            idle().push(hand);
            done(mover, block.len() as u64 * u64::from(self.layout.columns_per_row()));
        };
        (0..movers.len() * blocks.len()).into_par_iter().with_max_len(1).for_each(work_block);
        monitor.check()
    }

    /// With equal sides, enters what was decided and is on the list in the other table, with this distance to
    /// conversion, and moves it to the list of that table.
    fn turn(&self, list: &Frontier, distance: u16, monitor: &Monitor) -> Result<(), GenerateError> {
        if !self.is_even() {
            return Ok(());
        }
        let wanted = |mover, slot| list.has(mover, slot);
        let turn_row = |_: &mut Hand, row: &Row, mover: Mover| self.turn_row(row, mover, list, distance);
        self.each_row(self.movers, monitor, wanted, turn_row, |_, _| ())
    }

    fn turn_row(&self, row: &Row, mover: Mover, list: &Frontier, distance: u16) {
        let other = mover.other();
        let listed = &list.words(mover)[row.words()];
        let table = Turned {
            cells: &self.work.cells[other as usize],
            list: list.words(other),
            distances: self.work.dtc.as_ref().map(|dtc| &dtc[other as usize]),
            distance,
        };
        let values = self.work.cells[mover as usize][row.words()].iter().zip(listed).map(|(cell, listed)| {
            let (bits, listed) = (cell.bits(), listed.swap(0, Relaxed));
            (bits.wins() & listed, bits.losses() & listed)
        });
        turn(row, values, &table, |row| list.note_row(other, row, true));
        list.note_row(mover, row.slot, false);
    }

    /// Whether few positions of the table of `mover` are open, compared with those in `decided` that they may
    /// lead to.
    fn few_are_open(&self, mover: Mover, decided: &Frontier) -> bool {
        let open_in = |block: &Range<u32>| -> u64 {
            let rows = block.clone().map(|slot| Row::new(self.layout, &self.work.part, slot));
            rows.map(|row| {
                let cells = &self.work.cells[mover as usize][row.words()];
                count_open(cells, row.membership.all())
            })
            .sum()
        };
        let open: u64 = self.own_blocks.par_iter().map(open_in).sum();
        open < WORTH_A_LOOK * decided.count(mover.other())
    }

    /// Whether one table is worked out and entered in the other, because both hold the same positions.
    pub fn is_even(&self) -> bool {
        self.movers.len() == 1
    }

    /// Does `what` for each row that is held of the tables of `movers` and wanted, own or not.
    pub fn each_held_row<'p>(
        &'p self,
        movers: &[Mover],
        monitor: &Monitor,
        wanted: impl Fn(Mover, u32) -> bool + Sync,
        what: impl Fn(&mut Hand<'p>, &Row<'p>, Mover) + Sync,
    ) -> Result<(), GenerateError> {
        let blocks = &self.all_blocks;
        let wanted = |mover, slot| slot < self.work.part.slots(mover) && wanted(mover, slot);
        self.each_row_in(blocks, movers, monitor, wanted, what, |_, _| ())
    }

    /// Whether news go back from the table of `mover`.
    pub fn goes_back(&self, mover: Mover) -> bool {
        self.movers.contains(&mover.other())
    }

    /// The routes of steps of `mover`. Column by column, the column side's steps need none.
    pub fn steps<'r>(&self, row: &Row<'r>, mover: Mover, few: bool, routes: &mut Vec<Route<'r>>) {
        routes.clear();
        if !few || mover == Mover::RowSide {
            row.steps(mover, routes);
        }
    }

    /// The values of a table, with positions on the list `hidden` counted as open.
    pub fn values<'s>(&'s self, mover: Mover, hidden: &'s Frontier) -> Values<'s> {
        Values { cells: &self.work.cells[mover as usize], hidden: Some(hidden.words(mover)) }
    }

    /// The columns in a word of a row that are held.
    #[inline]
    pub fn held(&self, row: &Row, mover: Mover, index: usize) -> u64 {
        let held = self.held[mover as usize].as_ref();
        held.map_or(0, |held| held[row.words().start + index].load(Relaxed))
    }

    /// Enters what was decided in a word of a row, with this distance to conversion.
    pub fn decide(&self, row: &Row, mover: Mover, index: usize, news: Bits, distance: u16) {
        self.work.cells[mover as usize][row.words().start + index].merge(news);
        if let Some(dtc) = &self.work.dtc {
            dtc[mover as usize].set_each(row.first_entry() + 64 * index as u64, news.decided(), distance);
        }
    }
}
