//! Moving bits from some columns of one row to the corresponding columns of another, in order.

use super::mask::Mask;
use crate::index::{BitOps, BitWork};

/// Two planes of bits, moved from the columns in `from` of one row to the columns in `to` of another, in
/// order. There must be equally many in both.
pub struct Transfer<'s, Source, Sink> {
    /// Gives the words of the two planes by their number in the source row.
    pub source: Source,
    /// The columns that are read.
    pub from: Mask<'s>,
    /// The columns that are written.
    pub to: Mask<'s>,
    /// A buffer for what is on its way.
    pub packed: &'s mut Vec<(u64, u64)>,
    /// Takes a word of the target row: its number, the columns in `to`, and what arrives there in the two
    /// planes.
    pub sink: Sink,
}

impl<Source, Sink> BitWork for Transfer<'_, Source, Sink>
where
    Source: Fn(usize) -> (u64, u64),
    Sink: FnMut(usize, u64, u64, u64),
{
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Transfer { source, from, to, packed, mut sink } = self;
        let (from, to) = (from.of_one_length(), to.of_one_length());
        packed.resize(from.len() + 2, (0, 0));
        let (mut filled, mut place) = ((0, 0), 0);
        let mut end = 0;
        for word in 0..from.len() {
            let mask = from.word(word);
            let (one, two) = source(word);
            let (one, two) = (bits.extract(one, mask), bits.extract(two, mask));
            filled.0 |= one << place;
            filled.1 |= two << place;
            packed[end] = filled;
            place += mask.count_ones();
            // A full word stays; what did not fit into it begins the next one.
            if place >= 64 {
                place -= 64;
                end += 1;
                let left = mask.count_ones() - place;
                filled = (shifted_out(one, left), shifted_out(two, left));
            }
        }
        packed[end] = filled;
        packed[end + 1] = (0, 0);
        let mut position = 0;
        for word in 0..to.len() {
            let mask = to.word(word);
            let (index, place) = (position / 64, position as u32 % 64);
            let (low, high) = (packed[index], packed[index + 1]);
            let one = bits.deposit(low.0 >> place | shifted_in(high.0, place), mask);
            let two = bits.deposit(low.1 >> place | shifted_in(high.1, place), mask);
            sink(word, mask, one, two);
            position += mask.count_ones() as usize;
        }
    }
}

/// `bits` without the lowest `count`, which may be all 64.
#[inline(always)]
fn shifted_out(bits: u64, count: u32) -> u64 {
    if count == 64 { 0 } else { bits >> count }
}

/// The lowest `count` of `bits`, which may be none, at the top.
#[inline(always)]
fn shifted_in(bits: u64, count: u32) -> u64 {
    bits << 1 << (63 - count)
}

#[cfg(test)]
mod tests {
    use super::super::mask::Condition;
    use super::*;
    use crate::board::{Bitboard, Point};
    use crate::index::{Index, with_best_bits};
    use crate::material::Material;
    use crate::rules::CLASSIC;
    use proptest::prelude::*;

    fn bit(words: &[u64], place: u32) -> u64 {
        words[place as usize / 64] >> (place % 64) & 1
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn stones_that_move_keep_the_order_of_columns(row: prop::sample::Index, from: prop::sample::Index, to: prop::sample::Index, seed: u64) {
            let index = Index::new(&CLASSIC);
            let layout = index.layout(Material::new(5, 4).unwrap().pair());
            let free = !layout.rows().placement(row.index(layout.rows().len()) as u32);
            let plain = layout.plain().unwrap();
            let membership = plain.membership();
            let points: Vec<Point> = free.iter().collect();
            let (from, to) = (points[from.index(points.len())], points[to.index(points.len())]);
            prop_assume!(from != to);
            let (from, to) = (Bitboard::of(from), Bitboard::of(to));
            let noise = |word: usize, step: u64| (seed ^ word as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_mul(step);
            let planes: [Vec<u64>; 2] = [3, 5].map(|step| (0..membership.words()).map(|word| noise(word, step)).collect());
            let (mut room, mut more_room, mut packed) = (Vec::new(), Vec::new(), Vec::new());
            let mut moved = [vec![0; membership.words()], vec![0; membership.words()]];
            with_best_bits(Transfer {
                source: |word| (planes[0][word], planes[1][word]),
                from: Mask::new(membership, free, Condition { has: from, lacks: to }, &mut room),
                to: Mask::new(membership, free, Condition { has: to, lacks: from }, &mut more_room),
                packed: &mut packed,
                sink: |word, _, one, two| (moved[0][word], moved[1][word]) = (one, two),
            });
            let columns = 0..layout.column_count(0);
            let occupied = |column| plain.column(free, column).occupied;
            for column in columns.clone().filter(|&c| !(occupied(c) & from).is_empty() && (occupied(c) & to).is_empty()) {
                let after = occupied(column).without(from) | to;
                let after = columns.clone().find(|&column| occupied(column) == after).unwrap();
                for (plane, moved) in planes.iter().zip(&moved) {
                    prop_assert_eq!(bit(plane, column), bit(moved, after));
                }
            }
        }
    }
}
