//! The positions in which captures decide, and those without a legal move.

use std::sync::atomic::Ordering::Relaxed;

use super::open::keep_without_steps;
use super::passes::{Hand, Passes};
use super::row::Row;
use crate::index::Mover;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Bits, Frontier};

impl Passes<'_> {
    /// Decides what captures decide, and positions without a legal move; the latter go on the list `blocked`.
    pub fn resolve<'p>(&'p self, blocked: Option<&Frontier>, monitor: &Monitor) -> Result<(), GenerateError> {
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
}
