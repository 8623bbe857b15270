//! Reading values after the sides have swapped roles: every column leads to a row of its own.

use super::prefetch::prefetch;
use super::row::Row;
use super::smaller::Window;
use crate::board::Bitboard;
use crate::index::{BitOps, BitWork, TurnedAddress, each_bit, with_best_bits};

/// The values of the columns in `wanted`. Each column, with stones removed and added as `change` says,
/// becomes a row of `window`, and the old row, now with the stones on `left`, a column. `take` gets the
/// number of each word, its wanted columns that lead into the window, and which of those are won and which
/// lost.
pub fn fetch_turned(
    row: &Row,
    window: &Window,
    (left, change): (Bitboard, [Bitboard; 2]),
    wanted: &[u64],
    take: impl FnMut(usize, u64, u64, u64),
) {
    let address = window.layout.turned_address(left);
    with_best_bits(FetchTurned { row, window, address, change, wanted, take });
}

struct FetchTurned<'s, 'a, Take> {
    row: &'s Row<'a>,
    window: &'s Window<'s>,
    address: TurnedAddress<'s>,
    change: [Bitboard; 2],
    wanted: &'s [u64],
    take: Take,
}

impl<Take: FnMut(usize, u64, u64, u64)> BitWork for FetchTurned<'_, '_, Take> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let FetchTurned { row, window, address, change: [remove, add], wanted, mut take } = self;
        let (cells, words) = (window.cells, window.layout.words_per_row());
        let (keep, add) = (!remove.bits(), add.bits());
        let mut places = [(0, 0); 64];
        for (word, &wanted) in wanted.iter().enumerate() {
            // Every column leads to a row of its own, far apart: the cells are on their way while the next
            // are found.
            let mut inside = wanted;
            each_bit(wanted, |bit| {
                let occupied = row.occupied(bits, 64 * word + bit as usize);
                let location = address.location(bits, occupied & keep | add);
                let Some(slot) = window.slot(location.row) else {
                    inside &= !(1 << bit);
                    return;
                };
                let place = slot as usize * words + location.offset as usize / 64;
                prefetch(&cells[place]);
                places[bit as usize] = (place, location.offset as u32 % 64);
            });
            let mut found = (0, 0);
            each_bit(inside, |bit| {
                let (place, at) = places[bit as usize];
                let value = cells[place].bits();
                found.0 |= (value.wins() >> at & 1) << bit;
                found.1 |= (value.losses() >> at & 1) << bit;
            });
            take(word, inside, found.0, found.1);
        }
    }
}
