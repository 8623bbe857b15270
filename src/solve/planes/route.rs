//! How columns of the row in work correspond to columns of another row, and reading and writing along that way.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::mask::{Condition, Mask};
use super::row::Row;
use super::transfer::Transfer;
use crate::board::Bitboard;
use crate::index::{
    BitOps, BitWork, ColumnAddress, Membership, PairLayout, RowTarget, TurnedAddress, each_bit,
    with_best_bits,
};
use crate::solve::cells::{Cell, Distances};

/// Where the columns of the row in work that meet a condition go: to one other row (or the same).
pub struct Route<'a> {
    layout: &'a PairLayout,
    target: RowTarget,
    address: ColumnAddress<'a>,
    /// The points that the target row leaves free, before the symmetry that makes it its own.
    free: Bitboard,
    /// What happens to the column side's stones.
    remove: Bitboard,
    add: Bitboard,
    /// The columns that go.
    pub domain: Condition,
    /// The columns of the target row at which they arrive, before the symmetry.
    image: Condition,
    /// The target row's first word and entry.
    pub first_word: usize,
    pub first_entry: u64,
}

impl<'a> Route<'a> {
    /// The way to the row of `target`, in `layout`, whose placement before any symmetry is `placement`. The columns in `domain`
    /// lose the stones on `remove` and gain those on `add`; the points in `vacated` are free of the column side's
    /// stones then.
    pub fn new(
        layout: &'a PairLayout,
        target: RowTarget,
        placement: Bitboard,
        [remove, add, vacated]: [Bitboard; 3],
        domain: Condition,
    ) -> Option<Route<'a>> {
        let address = layout.address(&target)?;
        let free = !placement;
        let image = Condition { has: add, lacks: vacated.without(add) & free };
        let (first_word, first_entry) = (layout.first_word(target.row()), layout.first_entry(target.row()));
        Some(Route { layout, target, address, free, remove, add, domain, image, first_word, first_entry })
    }

    /// The target row.
    pub fn row(&self) -> u32 {
        self.target.row()
    }

    /// Whether the target row is laid out for the placement as it is, without a symmetry.
    pub fn is_own(&self) -> bool {
        self.target.is_own()
    }

    /// The words of the target row.
    pub fn words(&self) -> std::ops::Range<usize> {
        self.first_word..self.layout.first_word(self.target.row() + 1)
    }

    /// The column of the target row where the column with stones on `occupied` arrives, which must be in the domain.
    #[inline(always)]
    pub fn arrival<B: BitOps>(&self, bits: B, occupied: u32) -> u32 {
        self.address.offset(bits, occupied & !self.remove.bits() | self.add.bits())
    }

    /// Whether it is best to move whole words: the columns must keep their order on the way, and there must be enough of them in
    /// the `domain`. Gives the columns of the target row then.
    fn in_words(&self, domain: &Mask, plane: impl Fn(usize) -> u64) -> Option<&'a Membership> {
        if !self.is_own() {
            return None;
        }
        let words = domain.len();
        let count = with_best_bits(Count { domain, plane });
        if count >= COLUMNS_PER_WORD * words { self.layout.membership() } else { None }
    }
}

/// Counts the columns of a plane that are in a domain.
struct Count<'s, Plane> {
    domain: &'s Mask<'s>,
    plane: Plane,
}

impl<Plane: Fn(usize) -> u64> BitWork for Count<'_, Plane> {
    type Output = usize;

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> usize {
        let domain = self.domain.of_one_length();
        let columns = |word| (self.plane)(word) & domain.word(word);
        (0..domain.len()).map(|word| columns(word).count_ones() as usize).sum()
    }
}

/// The values of a table as they may be read now: those of positions in `hidden` count as open.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    pub cells: &'a [Cell],
    pub hidden: Option<&'a [AtomicU64]>,
}

impl<'a> Values<'a> {
    /// All values of a table.
    pub fn all(cells: &'a [Cell]) -> Values<'a> {
        Values { cells, hidden: None }
    }

    fn slice(self, words: std::ops::Range<usize>) -> Values<'a> {
        Values { cells: &self.cells[words.clone()], hidden: self.hidden.map(|hidden| &hidden[words]) }
    }

    /// What is won and what is lost in a word.
    #[inline(always)]
    pub fn get(self, word: usize) -> (u64, u64) {
        let bits = self.cells[word].bits();
        let shown = self.hidden.map_or(u64::MAX, |hidden| !hidden[word].load(Relaxed));
        (bits.wins() & shown, bits.losses() & shown)
    }
}

/// From how many columns a word on words are moved: below, one by one costs less.
const COLUMNS_PER_WORD: usize = 2;

/// Room for what moves along routes.
#[derive(Default)]
pub struct Traffic {
    domain: Vec<u64>,
    image: Vec<u64>,
    packed: Vec<(u64, u64)>,
}

impl Traffic {
    /// Reads the values at the end of `route` for the columns in `wanted`; `values` are those of the target's table. `take` gets the
    /// number of each word, the columns in it that have a value, and which of those are won and which lost: all wanted ones that are
    /// in the domain are among them, and perhaps others.
    pub fn fetch(
        &mut self,
        row: &Row,
        route: &Route,
        wanted: &[u64],
        values: Values,
        take: impl FnMut(usize, u64, u64, u64),
    ) {
        let values = values.slice(route.words());
        let domain = Mask::new(row.membership, row.free, route.domain, &mut self.domain);
        if let Some(target) = route.in_words(&domain, |word| wanted[word]) {
            with_best_bits(Transfer {
                source: |word| values.get(word),
                from: Mask::new(target, route.free, route.image, &mut self.image),
                to: domain,
                packed: &mut self.packed,
                sink: take,
            });
        } else {
            with_best_bits(FetchOneByOne { row, route, domain, wanted, values, take });
        }
    }

    /// Sends the columns `lost` and `won` of the row in work along `route`, backwards in play. Tells whether any open position
    /// was met.
    pub fn send(&mut self, row: &Row, route: &Route, [lost, won]: [&[u64]; 2], news: &News) -> bool {
        let domain = Mask::new(row.membership, row.free, route.domain, &mut self.domain);
        let mut met = false;
        if let Some(target) = route.in_words(&domain, |word| lost[word] | won[word]) {
            with_best_bits(Transfer {
                source: |word| (lost[word], won[word]),
                from: domain,
                to: Mask::new(target, route.free, route.image, &mut self.image),
                packed: &mut self.packed,
                sink: |word: usize, _, lost, won| {
                    if lost | won != 0 {
                        let first_entry = route.first_entry + 64 * word as u64;
                        met |= news.arrive(route.first_word + word, first_entry, [lost, won]);
                    }
                },
            });
            met
        } else {
            with_best_bits(SendOneByOne { row, route, domain, lost, won, news })
        }
    }
}

impl Traffic {
    /// As [`fetch`](Self::fetch), after the sides have changed their parts: every column, with stones removed and added as
    /// `change` says, becomes a row of `layout`, and what was the row, now with the stones on `left`, a column.
    pub fn fetch_turned(
        &self,
        row: &Row,
        layout: &PairLayout,
        (left, change): (Bitboard, [Bitboard; 2]),
        wanted: &[u64],
        cells: &[Cell],
        take: impl FnMut(usize, u64, u64, u64),
    ) {
        if let Some(address) = layout.turned_address(left) {
            with_best_bits(FetchTurned { row, layout, address, change, wanted, cells, take });
        }
    }
}

struct FetchTurned<'s, 'a, Take> {
    row: &'s Row<'a>,
    layout: &'s PairLayout,
    address: TurnedAddress<'s>,
    change: [Bitboard; 2],
    wanted: &'s [u64],
    cells: &'s [Cell],
    take: Take,
}

impl<Take: FnMut(usize, u64, u64, u64)> BitWork for FetchTurned<'_, '_, Take> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let FetchTurned { row, layout, address, change: [remove, add], wanted, cells, mut take } = self;
        let (keep, add) = (!remove.bits(), add.bits());
        let mut places = [(0, 0); 64];
        for (word, &wanted) in wanted.iter().enumerate() {
            // Every column leads to a row of its own, far apart: the cells are on their way while the next are found.
            each_bit(wanted, |bit| {
                let occupied = row.occupied(bits, 64 * word + bit as usize);
                let place = layout.bit(address.location(bits, occupied & keep | add));
                prefetch(&cells[place.0]);
                places[bit as usize] = place;
            });
            let mut found = (0, 0);
            each_bit(wanted, |bit| {
                let (place, at) = places[bit as usize];
                let value = cells[place].bits();
                found.0 |= (value.wins() >> at & 1) << bit;
                found.1 |= (value.losses() >> at & 1) << bit;
            });
            take(word, wanted, found.0, found.1);
        }
    }
}

/// Asks for memory that is going to be read.
#[inline(always)]
fn prefetch(cell: &Cell) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and it has no effect but on speed.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
            std::ptr::from_ref(cell).cast(),
        );
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = cell;
}

struct FetchOneByOne<'s, 'a, Take> {
    row: &'s Row<'a>,
    route: &'s Route<'a>,
    domain: Mask<'s>,
    wanted: &'s [u64],
    values: Values<'s>,
    take: Take,
}

impl<Take: FnMut(usize, u64, u64, u64)> BitWork for FetchOneByOne<'_, '_, Take> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let FetchOneByOne { row, route, domain, wanted, values, mut take } = self;
        let domain = domain.of_one_length();
        for (word, &wanted) in wanted.iter().enumerate() {
            let columns = wanted & domain.word(word);
            if columns == 0 {
                continue;
            }
            let mut found = (0, 0);
            each_bit(columns, |bit| {
                let offset = route.arrival(bits, row.occupied(bits, 64 * word + bit as usize));
                let (one, two) = values.get(offset as usize / 64);
                found.0 |= (one >> (offset % 64) & 1) << bit;
                found.1 |= (two >> (offset % 64) & 1) << bit;
            });
            take(word, columns, found.0, found.1);
        }
    }
}

/// What a pass sends back to the positions before those that it decided.
pub struct News<'s> {
    /// The table of the positions before.
    pub cells: &'s [Cell],
    /// Those of them that the next pass is about.
    pub next: &'s [AtomicU64],
    /// Their distances to conversion, and the distance that wins get.
    pub distances: Option<&'s Distances>,
    pub distance: u16,
}

impl News<'_> {
    /// Positions of a word before lost ones are won, those before won ones are to be looked at; whichever is decided stays.
    #[inline(always)]
    pub fn arrive(&self, word: usize, first_entry: u64, [before_lost, before_won]: [u64; 2]) -> bool {
        let open = self.cells[word].bits().open(u64::MAX);
        let (wins, looked_at) = (before_lost & open, before_won & open);
        if wins != 0 {
            self.cells[word].add_wins(wins);
            if let Some(distances) = self.distances {
                distances.set_each(first_entry, wins, self.distance);
            }
        }
        let news = wins | looked_at;
        // Most is known already, and reading is cheaper than writing to what threads share.
        if news & !self.next[word].load(Relaxed) != 0 {
            self.next[word].fetch_or(news, Relaxed);
        }
        news != 0
    }
}

struct SendOneByOne<'s, 'a> {
    row: &'s Row<'a>,
    route: &'s Route<'a>,
    domain: Mask<'s>,
    lost: &'s [u64],
    won: &'s [u64],
    news: &'s News<'s>,
}

impl BitWork for SendOneByOne<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) -> bool {
        let SendOneByOne { row, route, domain, lost, won, news } = self;
        let domain = domain.of_one_length();
        let mut met = false;
        for (word, (&lost, &won)) in lost.iter().zip(won).enumerate() {
            each_bit((lost | won) & domain.word(word), |bit| {
                let offset = route.arrival(bits, row.occupied(bits, 64 * word + bit as usize));
                let (to, place) = (offset / 64, offset % 64);
                let is_lost = lost >> bit & 1;
                let first_entry = route.first_entry + u64::from(64 * to);
                met |= news.arrive(
                    route.first_word + to as usize,
                    first_entry,
                    [is_lost << place, (is_lost ^ 1) << place],
                );
            });
        }
        met
    }
}
