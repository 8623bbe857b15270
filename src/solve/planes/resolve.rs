//! The positions in which captures decide, and those without a legal move.

use std::sync::atomic::Ordering::Relaxed;

use super::open::keep_without_steps;
use super::passes::{Hand, Passes};
use super::row::Row;
use super::smaller::Window;
use super::turned::fetch_turned;
use crate::board::Bitboard;
use crate::index::Mover;
use crate::rules::NoMoves;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Bits, Cell, Frontier};

impl Passes<'_> {
    /// Decides what captures decide, and positions without a legal move; the latter go on the list `blocked`.
    pub fn resolve(&self, blocked: Option<&Frontier>, monitor: &Monitor) -> Result<(), GenerateError> {
        self.resolve_tables(self.movers, blocked, monitor)?;
        if self.is_even() {
            self.resolve_tables(&[Mover::ColumnSide], blocked, monitor)?;
        }
        Ok(())
    }

    /// As [`resolve`](Self::resolve), in the tables of `movers` alone.
    pub fn resolve_tables<'p>(
        &'p self,
        movers: &[Mover],
        blocked: Option<&Frontier>,
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let is_compulsory = self.layout.rules().captures_are_compulsory();
        let resolve_row = |hand: &mut Hand<'p>, row: &Row<'p>, mover: Mover| match is_compulsory {
            true => self.resolve_row(hand, row, mover, blocked),
            false if mover == Mover::ColumnSide && self.is_even() => self.copy_row(hand, row, blocked),
            false => self.resolve_row_with_steps(hand, row, mover, blocked),
        };
        let done = |mover: Mover, entries| {
            if self.movers.contains(&mover) {
                monitor.progress.advanced(entries);
            }
        };
        self.each_row(movers, monitor, |_, _| true, resolve_row, done)
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
            captures.resolve(row, mover, self.known(row, mover));
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
            let (stuck, settled) = self.lost_or_drawn(stuck);
            let news = Bits::new(won | drawn | settled, capturing & !won | stuck | settled);
            work.cells[mover as usize][word].replace(news);
            self.note_decided(row, mover, index, [capturing & !drawn, stuck], blocked);
        }
    }

    /// As [`resolve_row`](Self::resolve_row), where captures are optional: a capture that wins decides, one
    /// that draws keeps the position from being lost. For the rest steps decide, if there are any.
    fn resolve_row_with_steps<'p>(
        &'p self,
        hand: &mut Hand<'p>,
        row: &Row<'p>,
        mover: Mover,
        blocked: Option<&Frontier>,
    ) {
        let Hand { captures, lost: without_steps, .. } = hand;
        captures.resolve(row, mover, self.known(row, mover));
        without_steps.clear();
        without_steps.extend_from_slice(row.membership.all());
        keep_without_steps(row, mover, without_steps);
        for (index, word) in row.words().enumerate() {
            let (capturing, won) = (captures.captures[index], captures.won[index]);
            let (drawn, without_steps) = (captures.drawn[index] & !won, without_steps[index]);
            let (stuck, settled) = self.lost_or_drawn(without_steps & !capturing);
            let settled = settled | without_steps & drawn;
            let lost = without_steps & capturing & !(won | drawn);
            let news = Bits::new(won | settled, lost | stuck | settled);
            self.work.cells[mover as usize][word].replace(news);
            if let Some(held) = &self.held[mover as usize] {
                held[word].store(drawn & !without_steps, Relaxed);
            }
            self.note_decided(row, mover, index, [won | lost, stuck], blocked);
        }
    }

    /// Copies what is decided of the column side's positions from the other table of a pair with equal sides,
    /// where captures are optional.
    fn copy_row<'p>(&'p self, hand: &mut Hand<'p>, row: &Row<'p>, blocked: Option<&Frontier>) {
        let (mover, no_change) = (Mover::ColumnSide, [Bitboard::EMPTY; 2]);
        let Hand { captures, won, lost, .. } = hand;
        captures.find(row, mover);
        for plane in [&mut *won, &mut *lost] {
            plane.clear();
            plane.resize(row.membership.words(), 0);
        }
        let cells = &self.work.cells[mover.other() as usize];
        let all = row.membership.all();
        let window = Window::whole(row.layout, cells);
        fetch_turned(row, &window, (row.own, no_change), all, |word, _, wins, losses| {
            (won[word], lost[word]) = (wins, losses);
        });
        for (index, word) in row.words().enumerate() {
            let (won, lost, capturing) = (won[index], lost[index], captures.captures[index]);
            self.work.cells[mover as usize][word].merge(Bits::new(won, lost));
            self.note_decided(row, mover, index, [won | lost & capturing, lost & !capturing], blocked);
        }
    }

    /// What is known of captures in a row from earlier rounds: columns that are won, and those at least drawn.
    fn known<'s>(&'s self, row: &Row, mover: Mover) -> Option<impl Iterator<Item = (u64, u64)> + 's> {
        let words = row.words();
        let held = self.held[mover as usize].as_ref().map(|held| &held[words.clone()]);
        let cells = &self.work.cells[mover as usize][words];
        let known = move |(index, cell): (usize, &Cell)| {
            let bits = cell.bits();
            let held = held.map_or(0, |held| held[index].load(Relaxed));
            (bits.wins(), bits.draws() | held)
        };
        self.is_repeated.then(|| cells.iter().enumerate().map(known))
    }

    /// The columns without a move as lost ones and as draws.
    fn lost_or_drawn(&self, stuck: u64) -> (u64, u64) {
        match self.layout.rules().no_moves() {
            NoMoves::Loss => (stuck, 0),
            NoMoves::Draw => (0, stuck),
        }
    }

    /// Notes the distances of columns that are decided by a capture, and of those that are lost without a
    /// move, which go on the list `blocked`.
    fn note_decided(
        &self,
        row: &Row,
        mover: Mover,
        index: usize,
        [captured, stuck]: [u64; 2],
        blocked: Option<&Frontier>,
    ) {
        if let Some(dtc) = &self.work.dtc {
            let first = row.first_entry() + 64 * index as u64;
            dtc[mover as usize].set_each(first, captured, 1);
            dtc[mover as usize].set_each(first, stuck, 0);
        }
        if let Some(blocked) = blocked
            && stuck != 0
            && self.goes_back(mover)
        {
            blocked.words(mover)[row.words().start + index].store(stuck, Relaxed);
            blocked.note_row(mover, row.slot, true);
        }
    }
}
