//! The passes over the open positions, whole rows at a time.
//!
//! What a pass decides is entered at once, and kept on a list of bits, the *frontier*, until the next pass: whoever reads a
//! value that the list holds takes the position for open, so that the number of the pass is the distance to conversion, whatever
//! the order in which threads come by. Then the news go back along the steps. A position before a lost one is won,
//! which needs no look at it; a position before a won one goes on the next list, to be looked at in the next pass. In a table with
//! few open positions all of them are looked at instead, and no news go there.
//!
//! With equal sides both tables hold the same positions, each seen from its own side. Then the passes work for the row side
//! alone; what they decide is *turned*, entered in the other table, and the news go back from there.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::captures::Captures;
use super::frontier::Frontier;
use super::open::{count_open, keep_without_steps};
use super::route::{News, Route, Traffic, Values};
use super::row::{Row, Smaller, step_sources, step_targets};
use super::singles::{Singles, are_few};
use super::turn::{Turned, turn};
use crate::board::{Bitboard, POINTS};
use crate::index::RowBlock;
use crate::solve::GenerateError;
use crate::solve::cells::Bits;
use crate::solve::kernel::Mover;
use crate::solve::monitor::Monitor;
use crate::solve::work::PairWork;

/// How many positions can be looked at in the time that it takes to send back the news of one (measured: from 1 to 4 the runs are
/// equally long).
const WORTH_A_LOOK: u64 = 2;

/// What a thread works with.
struct Hand<'a> {
    captures: Captures<'a>,
    traffic: Traffic,
    routes: Vec<Route<'a>>,
    /// Columns of the row in work.
    open: Vec<u64>,
    won: Vec<u64>,
    lost: Vec<u64>,
    wanted: Vec<u64>,
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
struct Passes<'a> {
    work: &'a PairWork<'a>,
    /// The tables that the passes work for.
    movers: &'static [Mover],
    smaller: Smaller<'a>,
    /// Where the column side's stones step, and where they come from.
    reached: [Bitboard; POINTS],
    came_from: [Bitboard; POINTS],
}

impl<'a> Passes<'a> {
    fn new(work: &'a PairWork<'a>) -> Passes<'a> {
        let layout = work.layout;
        let geometry = layout.rules().side(layout.column_slots().side());
        Passes {
            work,
            movers: if layout.pair().is_even() { &[Mover::RowSide] } else { &Mover::BOTH },
            smaller: Smaller::new(work.index, layout.pair()),
            reached: step_targets(geometry),
            came_from: step_sources(geometry),
        }
    }
}

/// Decides everything that is not a draw: what is open afterwards is one. The stones must have no states.
pub fn solve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    let passes = Passes::new(work);
    let [mut now, mut next] = work.room.lists.take(work.layout)?;
    monitor.stage(work.layout.pair(), "captures");
    passes.resolve(Some(&now), monitor)?;
    let limit = work.layout.rules().ply_limit().map_or(u16::MAX - 1, u16::from);
    if !now.is_empty() && limit > 0 {
        monitor.stage(work.layout.pair(), "pass 1");
        passes.send_back(passes.movers, &now, &next, 1, monitor)?;
        passes.turn(&next, 1, monitor)?;
        Mover::BOTH.iter().for_each(|&mover| next.clear(mover));
    }
    let (mut whole, mut listed) = (passes.movers.to_vec(), Vec::new());
    for pass in 2..=limit {
        monitor.stage(work.layout.pair(), &format!("pass {pass}"));
        passes.look_at_all(&whole, &next, pass, monitor)?;
        passes.look_at_listed(&listed, &next, pass, monitor)?;
        passes.turn(&next, pass, monitor)?;
        std::mem::swap(&mut now, &mut next);
        if now.is_empty() || pass == limit {
            break;
        }
        // Where few positions are open compared with the news to be sent, it is less work to look at them all.
        (whole, listed) = passes.movers.iter().partition(|&&mover| passes.few_are_open(mover, &now));
        whole.iter().for_each(|mover| now.clear(mover.other()));
        passes.send_back(&listed, &now, &next, pass + 1, monitor)?;
    }
    work.room.lists.give_back([now, next]);
    Ok(())
}

/// Decides all positions in which the side to move can capture, and those in which it has no legal move.
pub fn resolve(work: &PairWork, monitor: &Monitor) -> Result<(), GenerateError> {
    Passes::new(work).resolve(None, monitor)
}

/// Reads the values after all steps of the row side that need no symmetry (`own`), or after all others, and counts them.
pub fn read_along_steps(work: &PairWork, own: bool) -> u64 {
    let cells = &work.cells[Mover::ColumnSide as usize];
    let (mut traffic, mut routes, mut read) = (Traffic::default(), Vec::new(), 0);
    for row in (0..work.layout.rows().len() as u32).filter_map(|number| Row::new(work.layout, number)) {
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
    fn each_row<'p>(
        &'p self,
        movers: &[Mover],
        monitor: &Monitor,
        wanted: impl Fn(Mover, u32) -> bool + Sync,
        what: impl Fn(&mut Hand<'p>, &Row<'p>, Mover) + Sync,
        done: impl Fn(Mover, u64) + Sync,
    ) -> Result<(), GenerateError> {
        let blocks = &self.work.blocks;
        // Hands are kept for the next piece of work, of which there are many, so that no thread is left with a large one.
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
                if let Some(row) = Row::new(self.work.layout, number) {
                    what(&mut hand, &row, mover);
                }
            }
            idle().push(hand);
            done(mover, block.entries.end - block.entries.start);
        };
        (0..movers.len() * blocks.len()).into_par_iter().with_max_len(1).for_each(work_block);
        monitor.check()
    }

    /// Decides what captures decide and what has no legal move; the latter goes on the list `blocked`.
    fn resolve<'p>(&'p self, blocked: Option<&Frontier>, monitor: &Monitor) -> Result<(), GenerateError> {
        let resolve_row =
            |hand: &mut Hand<'p>, row: &Row<'p>, mover: Mover| self.resolve_row(hand, row, mover, blocked);
        let done = |mover: Mover, entries| {
            if self.movers.contains(&mover) {
                monitor.progress.advanced(entries);
            }
        };
        self.each_row(self.movers, monitor, |_, _| true, resolve_row, done)?;
        if self.is_even() {
            self.each_row(&[Mover::ColumnSide], monitor, |_, _| true, resolve_row, done)?;
        }
        Ok(())
    }

    fn resolve_row<'p>(
        &'p self,
        hand: &mut Hand<'p>,
        row: &Row<'p>,
        mover: Mover,
        blocked: Option<&Frontier>,
    ) {
        let work = self.work;
        let captures = &mut hand.captures;
        // The row side's table is finished then.
        if mover == Mover::ColumnSide && self.is_even() {
            captures.find(row, mover);
            captures.copy_turned(row, &work.cells[Mover::RowSide as usize]);
        } else {
            captures.resolve(row, mover);
        }
        let stuck = &mut hand.lost;
        stuck.clear();
        stuck.extend(
            row.membership.all().iter().zip(&captures.captures).map(|(all, captures)| all & !captures),
        );
        keep_without_steps(row, mover, stuck);
        for (index, word) in row.words().enumerate() {
            let (capturing, won, stuck) = (captures.captures[index], captures.won[index], stuck[index]);
            let drawn = captures.drawn[index] & !won;
            work.cells[mover as usize][word].merge(Bits::new(won | drawn, capturing & !won | stuck));
            if let Some(dtc) = &work.dtc {
                let first = row.first_entry() + 64 * index as u64;
                dtc[mover as usize].set_each(first, capturing & !drawn, 1);
                dtc[mover as usize].set_each(first, stuck, 0);
            }
            if let Some(blocked) = blocked
                && stuck != 0
                && self.goes_back(mover)
            {
                blocked.words(mover)[word].store(stuck, Relaxed);
                blocked.note_row(mover, row.number, true);
            }
        }
    }

    /// Decides the open positions of the tables of `movers` from what is known of their successors, all of them, and lists them in
    /// `decided`.
    fn look_at_all<'p>(
        &'p self,
        movers: &[Mover],
        decided: &Frontier,
        pass: u16,
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let look_at_row = |hand: &mut Hand<'p>, row: &Row<'p>, mover: Mover| {
            self.look_at_row(hand, row, mover, decided, pass);
        };
        self.each_row(movers, monitor, |_, _| true, look_at_row, |_, _| ())
    }

    fn look_at_row<'p>(
        &'p self,
        hand: &mut Hand<'p>,
        row: &Row<'p>,
        mover: Mover,
        decided: &Frontier,
        pass: u16,
    ) {
        let Hand { traffic, routes, open, won, lost, wanted, .. } = hand;
        if !self.open_columns(row, mover, open) {
            return;
        }
        // A column is lost until a step is seen that is not won for the other side. It has a step.
        won.clear();
        won.resize(open.len(), 0);
        lost.clone_from(open);
        let values = self.values(mover.other(), decided);
        let few = are_few(open);
        self.steps(row, mover, few, routes);
        if few {
            if let Some(singles) = Singles::new(row, mover, routes, &self.reached) {
                singles.judge(open, values, [won, lost]);
            }
        } else {
            for route in routes.iter() {
                // A column that is won needs no more.
                if open.iter().all(|&word| word == 0) {
                    break;
                }
                wanted.clone_from(open);
                traffic.fetch(row, route, wanted, values, |word, columns, their_win, their_loss| {
                    won[word] |= open[word] & their_loss;
                    lost[word] &= !(columns & !their_win);
                    open[word] &= !their_loss;
                });
            }
        }
        for (index, word) in row.words().enumerate() {
            let news = Bits::new(won[index], lost[index]);
            if news.decided() != 0 {
                // The list comes first: a value that is on it already may be seen.
                decided.words(mover)[word].store(news.decided(), Relaxed);
                decided.note_row(mover, row.number, true);
                self.decide(row, mover, index, news, pass);
            }
        }
    }

    /// Looks at the positions on the list: an open one is lost if every step wins for the other side. Those that stay open are
    /// taken off.
    fn look_at_listed<'p>(
        &'p self,
        movers: &[Mover],
        listed: &Frontier,
        pass: u16,
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let wanted = |mover, row| listed.has(mover, row);
        let look_at_row = |hand: &mut Hand<'p>, row: &Row<'p>, mover: Mover| {
            self.look_at_listed_row(hand, row, mover, listed, pass)
        };
        self.each_row(movers, monitor, wanted, look_at_row, |_, _| ())
    }

    fn look_at_listed_row<'p>(
        &'p self,
        hand: &mut Hand<'p>,
        row: &Row<'p>,
        mover: Mover,
        listed: &Frontier,
        pass: u16,
    ) {
        let Hand { traffic, routes, open, lost, wanted, .. } = hand;
        self.open_columns(row, mover, open);
        let listed_words = &listed.words(mover)[row.words()];
        lost.clear();
        lost.extend(open.iter().zip(listed_words).map(|(open, listed)| open & listed.load(Relaxed)));
        let values = self.values(mover.other(), listed);
        let few = are_few(lost);
        if lost.iter().any(|&word| word != 0) {
            self.steps(row, mover, few, routes);
        }
        if few {
            if let Some(singles) = Singles::new(row, mover, routes, &self.reached) {
                singles.keep_all_won(lost, values);
            }
        } else {
            for route in routes.iter() {
                if lost.iter().all(|&word| word == 0) {
                    break;
                }
                wanted.clone_from(lost);
                traffic.fetch(row, route, wanted, values, |word, columns, their_win, _| {
                    lost[word] &= !(columns & !their_win);
                });
            }
        }
        let mut any = 0;
        for (index, word) in listed_words.iter().enumerate() {
            // What is listed and decided was won when the news came.
            let left = word.load(Relaxed) & !open[index] | lost[index];
            word.store(left, Relaxed);
            any |= left;
            if lost[index] != 0 {
                self.decide(row, mover, index, Bits::new(0, lost[index]), pass);
            }
        }
        listed.note_row(mover, row.number, any != 0);
    }

    /// With equal sides, enters what was decided and is on the list in the other table, with this distance to conversion, and
    /// takes it to the list of that table.
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

    /// Whether few positions of the table of `mover` are open, compared with those in `decided` that they may lead to.
    fn few_are_open(&self, mover: Mover, decided: &Frontier) -> bool {
        let layout = self.work.layout;
        let open_in = |block: &RowBlock| -> u64 {
            let rows = block.rows.clone().filter_map(|number| Row::new(layout, number));
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
    fn is_even(&self) -> bool {
        self.work.layout.pair().is_even()
    }

    /// Whether news go back from the table of `mover`.
    fn goes_back(&self, mover: Mover) -> bool {
        self.movers.contains(&mover.other())
    }

    /// Goes back along the steps from the positions in `decided`, which are taken off: the positions before lost ones are won in
    /// `distance` plies, those before won ones may be lost. Both go on the list `next`. They are positions of the tables of `movers`.
    fn send_back<'p>(
        &'p self,
        movers: &[Mover],
        decided: &Frontier,
        next: &Frontier,
        distance: u16,
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let wanted = |mover, row| decided.has(mover, row);
        let send_row = |hand: &mut Hand<'p>, row: &Row<'p>, mover: Mover| {
            self.send_row_back(hand, row, mover, [decided, next], distance);
        };
        let after: Vec<Mover> = movers.iter().map(|mover| mover.other()).collect();
        self.each_row(&after, monitor, wanted, send_row, |_, _| ())
    }

    fn send_row_back<'p>(
        &'p self,
        hand: &mut Hand<'p>,
        row: &Row<'p>,
        mover: Mover,
        [decided, next]: [&Frontier; 2],
        distance: u16,
    ) {
        let Hand { traffic, routes, won, lost, wanted, .. } = hand;
        won.clear();
        lost.clear();
        wanted.clear();
        let cells = &self.work.cells[mover as usize][row.words()];
        for (cell, listed) in cells.iter().zip(&decided.words(mover)[row.words()]) {
            let (bits, decided) = (cell.bits(), listed.load(Relaxed));
            if decided != 0 {
                listed.store(0, Relaxed);
            }
            won.push(bits.wins() & decided);
            lost.push(bits.losses() & decided);
            wanted.push(decided);
        }
        decided.note_row(mover, row.number, false);
        let before = mover.other();
        let news = News {
            cells: &self.work.cells[before as usize],
            next: next.words(before),
            distances: self.work.dtc.as_ref().map(|dtc| &dtc[before as usize]),
            distance,
        };
        let few = are_few(wanted);
        routes.clear();
        if !few || before == Mover::RowSide {
            row.steps_back(before, routes);
        }
        if few {
            let met = |row| next.note_row(before, row, true);
            if let Some(singles) = Singles::new(row, before, routes, &self.came_from) {
                singles.send([lost, won], &news, met);
            }
            return;
        }
        for route in routes.iter() {
            if traffic.send(row, route, [lost, won], &news) {
                next.note_row(before, route.row(), true);
            }
        }
    }

    /// The ways that steps of `mover` go; taken one by one, the column side's need none.
    fn steps<'r>(&self, row: &Row<'r>, mover: Mover, few: bool, routes: &mut Vec<Route<'r>>) {
        routes.clear();
        if !few || mover == Mover::RowSide {
            row.steps(mover, routes);
        }
    }

    /// The values of a table, those on the list `hidden` counted as open.
    fn values<'s>(&'s self, mover: Mover, hidden: &'s Frontier) -> Values<'s> {
        Values { cells: &self.work.cells[mover as usize], hidden: Some(hidden.words(mover)) }
    }

    /// The open columns of a row. Tells whether there are any.
    fn open_columns(&self, row: &Row, mover: Mover, into: &mut Vec<u64>) -> bool {
        into.clear();
        let cells = &self.work.cells[mover as usize][row.words()];
        into.extend(cells.iter().zip(row.membership.all()).map(|(cell, &all)| cell.bits().open(all)));
        into.iter().any(|&word| word != 0)
    }

    /// Enters what was decided in a word of a row, with this distance to conversion.
    fn decide(&self, row: &Row, mover: Mover, index: usize, news: Bits, distance: u16) {
        self.work.cells[mover as usize][row.words().start + index].merge(news);
        if let Some(dtc) = &self.work.dtc {
            dtc[mover as usize].set_each(row.first_entry() + 64 * index as u64, news.decided(), distance);
        }
    }
}
