//! Looking ahead along the steps from open positions.

use std::sync::atomic::Ordering::Relaxed;

use super::passes::{Hand, Passes};
use super::row::Row;
use super::singles::{Singles, are_few};
use crate::index::Mover;
use crate::solve::GenerateError;
use crate::solve::monitor::Monitor;
use crate::solve::values::{Bits, Frontier};

impl Passes<'_> {
    /// Decides the open positions of the tables of `movers`, all of them, from what is known of their
    /// successors, and lists those that it decides in `decided`.
    pub fn look_at_all<'p>(
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
            Singles::new(row, mover, routes, &self.reached).judge(open, values, [won, lost]);
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
            let news = Bits::new(won[index], lost[index] & !self.held(row, mover, index));
            if news.decided() != 0 {
                // The frontier bit is published before the value.
                decided.words(mover)[word].store(news.decided(), Relaxed);
                decided.note_row(mover, row.slot, true);
                self.decide(row, mover, index, news, pass);
            }
        }
    }

    /// Looks at the positions on the list: an open one is lost if every step wins for the other side. Those
    /// that stay open are taken off.
    pub fn look_at_listed<'p>(
        &'p self,
        movers: &[Mover],
        listed: &Frontier,
        pass: u16,
        monitor: &Monitor,
    ) -> Result<(), GenerateError> {
        let wanted = |mover, slot| listed.has(mover, slot);
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
        let listed_columns = open.iter().zip(listed_words).enumerate();
        lost.extend(
            listed_columns
                .map(|(index, (open, listed))| open & listed.load(Relaxed) & !self.held(row, mover, index)),
        );
        let values = self.values(mover.other(), listed);
        let few = are_few(lost);
        if lost.iter().any(|&word| word != 0) {
            self.steps(row, mover, few, routes);
        }
        if few {
            Singles::new(row, mover, routes, &self.reached).keep_all_won(lost, values);
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
            // A position that is listed and decided was won by the news.
            let left = word.load(Relaxed) & !open[index] | lost[index];
            word.store(left, Relaxed);
            any |= left;
            if lost[index] != 0 {
                self.decide(row, mover, index, Bits::new(0, lost[index]), pass);
            }
        }
        listed.note_row(mover, row.slot, any != 0);
    }

    /// The open columns of a row. Returns whether there are any.
    fn open_columns(&self, row: &Row, mover: Mover, into: &mut Vec<u64>) -> bool {
        into.clear();
        let cells = &self.work.cells[mover as usize][row.words()];
        into.extend(cells.iter().zip(row.membership.all()).map(|(cell, &all)| cell.bits().open(all)));
        into.iter().any(|&word| word != 0)
    }
}
