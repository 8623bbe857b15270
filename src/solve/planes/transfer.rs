//! Moving bits from some columns of one row to the corresponding columns of another, in order.

use crate::index::{BitOps, BitWork};

/// Two planes of bits, moved from the columns in `from` of one row to the columns in `to` of another: the first to the first, and
/// so on. There must be as many in both.
pub struct Transfer<'s, S> {
    /// The words of the two planes by their number in the source row.
    pub source: S,
    /// The columns that are read.
    pub from: &'s [u64],
    /// The columns that are written; the others become 0.
    pub to: &'s [u64],
    /// Room for what is being moved, which must have one word more than the source row.
    pub packed: &'s mut [(u64, u64)],
    /// The planes of the target row.
    pub moved: [&'s mut [u64]; 2],
}

impl<S: Fn(usize) -> (u64, u64)> BitWork for Transfer<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Transfer { source, from, to, packed, moved: [first, second] } = self;
        let (mut filled, mut place) = ((0, 0), 0);
        let mut end = 0;
        for (word, &mask) in from.iter().enumerate() {
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
        for ((&mask, first), second) in to.iter().zip(first).zip(second) {
            let (index, place) = (position / 64, position as u32 % 64);
            let (low, high) = (packed[index], packed[index + 1]);
            *first = bits.deposit(low.0 >> place | shifted_in(high.0, place), mask);
            *second = bits.deposit(low.1 >> place | shifted_in(high.1, place), mask);
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
    use super::*;
    use crate::index::with_best_bits;
    use proptest::prelude::*;

    fn places(mask: &[u64]) -> impl Iterator<Item = usize> + '_ {
        (0..64 * mask.len()).filter(|place| mask[place / 64] >> (place % 64) & 1 != 0)
    }

    fn bit(words: &[u64], place: usize) -> u64 {
        words[place / 64] >> (place % 64) & 1
    }

    fn any_words(length: usize) -> impl Strategy<Value = Vec<u64>> {
        let word = prop_oneof![Just(0), Just(u64::MAX), any::<u64>()];
        prop::collection::vec(word, length)
    }

    proptest! {
        #[test]
        fn columns_keep_their_order(
            (mut from, mut to, one, two) in (1..6_usize, 1..6_usize)
                .prop_flat_map(|(n, m)| (any_words(n), any_words(m), any_words(n), any_words(n)))
        ) {
            let shared = places(&from).count().min(places(&to).count());
            for mask in [&mut from, &mut to] {
                let rest: Vec<usize> = places(mask).skip(shared).collect();
                rest.into_iter().for_each(|place| mask[place / 64] &= !(1 << (place % 64)));
            }
            let (mut first, mut second) = (vec![7; to.len()], vec![7; to.len()]);
            let mut packed = vec![(0, 0); from.len() + 2];
            with_best_bits(Transfer {
                source: |word| (one[word], two[word]),
                from: &from,
                to: &to,
                packed: &mut packed,
                moved: [&mut first, &mut second],
            });
            let mut expected = (vec![0; to.len()], vec![0; to.len()]);
            for (source, target) in places(&from).zip(places(&to)) {
                expected.0[target / 64] |= bit(&one, source) << (target % 64);
                expected.1[target / 64] |= bit(&two, source) << (target % 64);
            }
            prop_assert_eq!((first, second), expected);
        }
    }
}
