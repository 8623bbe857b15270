//! Columns one by one: less work than planes where there are few.

use super::news::News;
use super::readable::Values;
use super::route::Route;
use super::row::Row;
use crate::board::{Bitboard, POINTS};
use crate::index::{BitOps, BitWork, ColumnAddress, Mover, each_bit, with_best_bits};

/// Rows with fewer columns than this per word, plus [`FEW`], are done column by column.
const FEW_PER_WORD: usize = 2;
const FEW: usize = 48;

/// Whether the columns in `plane` are so few that column by column is faster.
pub fn are_few(plane: &[u64]) -> bool {
    plane.iter().map(|word| word.count_ones() as usize).sum::<usize>() < FEW_PER_WORD * plane.len() + FEW
}

/// The steps of one side from single columns of a row, forwards or backwards in play.
pub struct Singles<'s, 'a> {
    row: &'s Row<'a>,
    mover: Mover,
    /// The row side's steps.
    routes: &'s [Route<'a>],
    /// Where the column side's stones step, by point.
    reached: &'s [Bitboard; POINTS],
    /// Columns in the row itself.
    address: ColumnAddress<'a>,
}

/// Where a step arrives: the slot of the row, its first word and entry, and the column.
struct Arrival {
    slot: u32,
    first_word: usize,
    first_entry: u64,
    offset: u32,
}

impl Arrival {
    #[inline(always)]
    fn word(&self) -> usize {
        self.first_word + self.offset as usize / 64
    }

    #[inline(always)]
    fn bit(&self) -> u32 {
        self.offset % 64
    }
}

impl<'s, 'a> Singles<'s, 'a> {
    /// The steps of `mover`: along the row side's `routes`, or to the points that the column side's stones
    /// reach from each point.
    pub fn new(
        row: &'s Row<'a>,
        mover: Mover,
        routes: &'s [Route<'a>],
        reached: &'s [Bitboard; POINTS],
    ) -> Singles<'s, 'a> {
        let address = row.layout.address(&row.layout.stay(row.number, 0));
        Singles { row, mover, routes, reached, address }
    }

    /// Keeps the columns from which every step leads to a won position.
    pub fn keep_all_won(&self, columns: &mut [u64], values: Values) {
        with_best_bits(KeepAllWon { singles: self, columns, values });
    }

    /// Of the columns in `open`, those from which a step leads to a lost position, and those from which every
    /// step leads to a won one.
    pub fn judge(&self, open: &[u64], values: Values, [won, lost]: [&mut [u64]; 2]) {
        with_best_bits(Judge { singles: self, open, values, won, lost });
    }

    /// Sends the columns `lost` and `won` along all steps, backwards in play. Calls `met` with the slots of
    /// the rows in which it meets open positions.
    pub fn send(&self, [lost, won]: [&[u64]; 2], news: &News, met: impl Fn(u32)) {
        with_best_bits(Send { singles: self, lost, won, news, met });
    }

    /// Calls `visit` with where the steps from a column lead, until it says no.
    #[inline(always)]
    fn each_step<B: BitOps>(&self, bits: B, occupied: u32, mut visit: impl FnMut(Arrival) -> bool) -> bool {
        match self.mover {
            Mover::RowSide => self.routes.iter().all(|route| {
                !route.domain.holds(occupied)
                    || visit(Arrival {
                        slot: route.slot,
                        first_word: route.first_word,
                        first_entry: route.first_entry,
                        offset: route.arrival(bits, occupied),
                    })
            }),
            Mover::ColumnSide => {
                let (slot, first_word, first_entry) =
                    (self.row.slot, self.row.words().start, self.row.first_entry());
                let empty = self.row.free.bits() & !occupied;
                let mut stones = occupied;
                while stones != 0 {
                    let stone = stones & stones.wrapping_neg();
                    stones ^= stone;
                    let mut targets = self.reached[stone.trailing_zeros() as usize].bits() & empty;
                    while targets != 0 {
                        let target = targets & targets.wrapping_neg();
                        targets ^= target;
                        let offset = self.address.offset(bits, occupied ^ stone | target);
                        if !visit(Arrival { slot, first_word, first_entry, offset }) {
                            return false;
                        }
                    }
                }
                true
            }
        }
    }
}

struct KeepAllWon<'s, 'a> {
    singles: &'s Singles<'s, 'a>,
    columns: &'s mut [u64],
    values: Values<'s>,
}

impl BitWork for KeepAllWon<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let KeepAllWon { singles, columns, values } = self;
        for (word, columns) in columns.iter_mut().enumerate() {
            each_bit(*columns, |bit| {
                let occupied = singles.row.occupied(bits, 64 * word + bit as usize);
                let is_won = |to: Arrival| values.get(to.word()).0 >> to.bit() & 1 != 0;
                let all_won = singles.each_step(bits, occupied, is_won);
                *columns &= !(u64::from(!all_won) << bit);
            });
        }
    }
}

struct Judge<'s, 'a> {
    singles: &'s Singles<'s, 'a>,
    open: &'s [u64],
    values: Values<'s>,
    won: &'s mut [u64],
    lost: &'s mut [u64],
}

impl BitWork for Judge<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Judge { singles, open, values, won, lost } = self;
        for (word, &open) in open.iter().enumerate() {
            let mut found = (0, 0);
            each_bit(open, |bit| {
                let occupied = singles.row.occupied(bits, 64 * word + bit as usize);
                let mut all_won = true;
                let none_lost = singles.each_step(bits, occupied, |to| {
                    let (their_win, their_loss) = values.get(to.word());
                    all_won &= their_win >> to.bit() & 1 != 0;
                    their_loss >> to.bit() & 1 == 0
                });
                found.0 |= u64::from(!none_lost) << bit;
                found.1 |= u64::from(all_won) << bit;
            });
            (won[word], lost[word]) = found;
        }
    }
}

struct Send<'s, 'a, F> {
    singles: &'s Singles<'s, 'a>,
    lost: &'s [u64],
    won: &'s [u64],
    news: &'s News<'s>,
    met: F,
}

impl<F: Fn(u32)> BitWork for Send<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Send { singles, lost, won, news, met } = self;
        for (word, (&lost, &won)) in lost.iter().zip(won).enumerate() {
            each_bit(lost | won, |bit| {
                let is_lost = lost >> bit & 1;
                let occupied = singles.row.occupied(bits, 64 * word + bit as usize);
                singles.each_step(bits, occupied, |to| {
                    let arriving = [is_lost << to.bit(), (is_lost ^ 1) << to.bit()];
                    let entry = to.first_entry + u64::from(to.offset / 64 * 64);
                    if news.arrive(to.word(), entry, arriving) {
                        met(to.slot);
                    }
                    true
                });
            });
        }
    }
}
