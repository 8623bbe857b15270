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
use crate::index::{Mover, PlainLayout, RowBlock};
use crate::progress::Stage;
use crate::region::Region;
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
        let captures = Captures::new(&passes.smaller, passes.work.slices);
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
    /// Where the column side's stones step, and where they come from.
    pub reached: [Bitboard; POINTS],
    pub came_from: [Bitboard; POINTS],
    /// Positions that a capture keeps from being lost, by mover, where captures are optional.
    pub held: [Option<Region<AtomicU64>>; 2],
}

impl<'a> Passes<'a> {
    fn new(work: &'a PairWork<'a>) -> Result<Passes<'a>, GenerateError> {
        let Some(layout) = work.layout.plain() else {
            unreachable!("planes are not the method for stones with states")
        };
        let geometry = layout.rules().side(layout.column_slots().side());
        let movers: &[Mover] = if layout.pair().is_even() { &[Mover::RowSide] } else { &Mover::BOTH };
        let held = |mover| {
            let exists = movers.contains(&mover) && !layout.rules().captures_are_compulsory();
            let words = layout.words();
            let region =
                || Region::new(words as usize).map_err(GenerateError::allocation::<AtomicU64>(words));
            exists.then(region).transpose()
        };
        let held = [held(Mover::RowSide)?, held(Mover::ColumnSide)?];
        Ok(Passes {
            work,
            layout,
            movers,
            held,
            smaller: Smaller::new(work.index, layout.pair()),
            reached: step_targets(geometry),
            came_from: step_sources(geometry),
        })
    }
}

/// Decides everything that is not a draw: what is open afterwards is one. The stones must have no states.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    let passes = Passes::new(work)?;
    let [mut now, mut next] = work.room.lists.take(work.layout)?;
    let pair = work.layout.pair();
    monitor.stage(Stage::Captures(pair));
    passes.resolve(Some(&now), monitor)?;
    let limit = work.layout.rules().ply_limit().map_or(u16::MAX - 1, u16::from);
    if !now.is_empty() && limit > 0 {
        monitor.stage(Stage::Pass { pair, pass: 1 });
        passes.send_back(passes.movers, &now, &next, 1, monitor)?;
        passes.turn(&next, 1, monitor)?;
        Mover::BOTH.iter().for_each(|&mover| next.clear(mover));
    }
    let (mut whole, mut listed) = (passes.movers.to_vec(), Vec::new());
    for pass in 2..=limit {
        monitor.stage(Stage::Pass { pair, pass });
        passes.look_at_all(&whole, &next, pass, monitor)?;
        passes.look_at_listed(&listed, &next, pass, monitor)?;
        passes.turn(&next, pass, monitor)?;
        std::mem::swap(&mut now, &mut next);
        if now.is_empty() || pass == limit {
            break;
        }
        // Where few positions are open compared with the news to be sent, it is less work to look at them
        // all.
        (whole, listed) = passes.movers.iter().partition(|&&mover| passes.few_are_open(mover, &now));
        whole.iter().for_each(|mover| now.clear(mover.other()));
        passes.send_back(&listed, &now, &next, pass + 1, monitor)?;
    }
    work.room.lists.give_back([now, next]);
    Ok(())
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
    for row in (0..layout.rows().len() as u32).map(|number| Row::new(layout, number)) {
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
    /// Does `what` for each row of the tables of `movers` that is wanted.
    pub fn each_row<'p>(
        &'p self,
        movers: &[Mover],
        monitor: &Monitor,
        wanted: impl Fn(Mover, u32) -> bool + Sync,
        what: impl Fn(&mut Hand<'p>, &Row<'p>, Mover) + Sync,
        done: impl Fn(Mover, u64) + Sync,
    ) -> Result<(), GenerateError> {
        let blocks = &self.work.blocks;
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
            for number in block.rows.clone().filter(|&number| wanted(mover, number)) {
                what(&mut hand, &Row::new(self.layout, number), mover);
            }
            idle().push(hand);
            done(mover, block.entries.end - block.entries.start);
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
        let wanted = |mover, row| list.has(mover, row);
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
        list.note_row(mover, row.number, false);
    }

    /// Whether few positions of the table of `mover` are open, compared with those in `decided` that they may
    /// lead to.
    fn few_are_open(&self, mover: Mover, decided: &Frontier) -> bool {
        let open_in = |block: &RowBlock| -> u64 {
            let rows = block.rows.clone().map(|number| Row::new(self.layout, number));
            rows.map(|row| {
                let cells = &self.work.cells[mover as usize][row.words()];
                count_open(cells, row.membership.all())
            })
            .sum()
        };
        let open: u64 = self.work.blocks.par_iter().map(open_in).sum();
        open < WORTH_A_LOOK * decided.count(mover.other())
    }

    /// Whether both tables hold the same positions.
    pub fn is_even(&self) -> bool {
        self.work.layout.pair().is_even()
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
