//! Equal sides: what is decided in one table is entered in the other, which holds the same positions seen
//! from the other side.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::row::Row;
use crate::index::{BitOps, BitWork, TurnedAddress, each_bit, with_best_bits};
use crate::solve::values::{Cell, Distances};

/// The table in which positions are entered.
pub struct Turned<'s> {
    pub cells: &'s [Cell],
    /// The list that gets them.
    pub list: &'s [AtomicU64],
    /// Distances to conversion, and the one that they get.
    pub distances: Option<&'s Distances>,
    pub distance: u16,
}

/// Enters positions of `row` in `table`; `values` gives the won and the lost ones of each word. Calls `met`
/// with the rows that hold them there.
pub fn turn(row: &Row, values: impl Iterator<Item = (u64, u64)>, table: &Turned, met: impl Fn(u32)) {
    let address = row.layout.turned_address(row.own);
    with_best_bits(Turn { row, address, values, table, met });
}

struct Turn<'s, 'a, Values, Met> {
    row: &'s Row<'a>,
    address: TurnedAddress<'a>,
    values: Values,
    table: &'s Turned<'s>,
    met: Met,
}

impl<Values, Met> BitWork for Turn<'_, '_, Values, Met>
where
    Values: Iterator<Item = (u64, u64)>,
    Met: Fn(u32),
{
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Turn { row, address, values, table, met } = self;
        let layout = row.layout;
        for (word, (won, lost)) in values.enumerate() {
            each_bit(won | lost, |bit| {
                let occupied = row.occupied(bits, 64 * word + bit as usize);
                address.each_location(bits, occupied, |location| {
                    let (word, place) = layout.bit(location);
                    // The list comes first, as everywhere.
                    table.list[word].fetch_or(1 << place, Relaxed);
                    if won >> bit & 1 != 0 {
                        table.cells[word].add_wins(1 << place);
                    } else {
                        table.cells[word].add_losses(1 << place);
                    }
                    if let Some(distances) = table.distances {
                        distances.set(layout.entry(location), table.distance);
                    }
                    met(location.row);
                });
            });
        }
    }
}
