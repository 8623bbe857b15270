//! Reading and writing along routes, whole words at a time or column by column.

use super::mask::Mask;
use super::news::News;
use super::readable::Values;
use super::route::Route;
use super::row::Row;
use super::transfer::Transfer;
use crate::index::{BitOps, BitWork, PlainLayout, each_bit, with_best_bits};

/// From how many columns a word on whole words are moved: below, column by column costs less.
const COLUMNS_PER_WORD: usize = 2;

/// Buffers for what moves along routes.
#[derive(Default)]
pub struct Traffic {
    domain: Vec<u64>,
    image: Vec<u64>,
    packed: Vec<(u64, u64)>,
}

impl Traffic {
    /// Reads the values at the end of `route` for the columns in `wanted`; `values` are those of the target's
    /// table. `take` gets the number of each word, columns in it, and which of those are won and which
    /// lost. The columns include all wanted ones that are in the domain, and perhaps others.
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
        if let Some(target) = in_words(route, &domain, |word| wanted[word]) {
            with_best_bits(Transfer {
                source: |word| values.get(word),
                from: Mask::new(target.membership(), route.free(), route.image(), &mut self.image),
                to: domain,
                packed: &mut self.packed,
                sink: take,
            });
        } else {
            with_best_bits(FetchOneByOne { row, route, domain, wanted, values, take });
        }
    }

    /// Sends the columns `lost` and `won` of the row in work along `route`, backwards in play. Returns
    /// whether an open position was met.
    pub fn send(&mut self, row: &Row, route: &Route, [lost, won]: [&[u64]; 2], news: &News) -> bool {
        let domain = Mask::new(row.membership, row.free, route.domain, &mut self.domain);
        let mut met = false;
        if let Some(target) = in_words(route, &domain, |word| lost[word] | won[word]) {
            with_best_bits(Transfer {
                source: |word| (lost[word], won[word]),
                from: domain,
                to: Mask::new(target.membership(), route.free(), route.image(), &mut self.image),
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

/// The rows' layout if it is best to move whole words along `route`: the columns must keep their order on the
/// way, and there must be enough of them in the `domain`.
fn in_words<'a>(route: &Route<'a>, domain: &Mask, plane: impl Fn(usize) -> u64) -> Option<PlainLayout<'a>> {
    if !route.is_own() {
        return None;
    }
    let words = domain.len();
    let count = with_best_bits(Count { domain, plane });
    (count >= COLUMNS_PER_WORD * words).then(|| route.layout())
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
