//! Reading values after the sides have swapped roles: every column leads to a row of its own.

use super::prefetch::prefetch;
use super::row::Row;
use crate::board::Bitboard;
use crate::index::{BitOps, BitWork, PlainLayout, TurnedAddress, each_bit, with_best_bits};
use crate::solve::values::Cell;

/// The values of the columns in `wanted`. Each column, with stones removed and added as `change` says,
/// becomes a row of `layout`, and the old row, now with the stones on `left`, a column. `take` gets the
/// number of each word, its wanted columns, and which of those are won and which lost.
pub fn fetch_turned(
    row: &Row,
    layout: PlainLayout,
    (left, change): (Bitboard, [Bitboard; 2]),
    wanted: &[u64],
    cells: &[Cell],
    take: impl FnMut(usize, u64, u64, u64),
) {
    let address = layout.turned_address(left);
    with_best_bits(FetchTurned { row, layout, address, change, wanted, cells, take });
}

struct FetchTurned<'s, 'a, Take> {
    row: &'s Row<'a>,
    layout: PlainLayout<'s>,
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
            // Every column leads to a row of its own, far apart: the cells are on their way while the next
            // are found.
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
