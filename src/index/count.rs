//! How many entries slices have, without their layouts.

use super::slots::SlotMaps;
use crate::board::{Bitboard, MAX_STONES, POINTS};
use crate::material::Pair;

/// Numbers of placements by the stones of the row side and of the column side, each counted with its states.
type Counts = [[u128; MAX_STONES + 1]; MAX_STONES + 1];

/// Entries of the slices of every pair under one rule set.
pub(super) struct SliceCounts {
    entries: Box<Counts>,
}

impl SliceCounts {
    /// Entries are counted as orbits are (Burnside's lemma): the mean, over all symmetries, of the number of
    /// placements whose row side the symmetry leaves as it is.
    pub(super) fn new(slots: &SlotMaps) -> SliceCounts {
        let fixed = |symmetry| fixed_placements(slots, symmetry);
        let mut entries = fixed(0);
        for symmetry in 1..slots.symmetry_count() {
            let more = fixed(symmetry);
            for (sum, more) in entries.as_flattened_mut().iter_mut().zip(more.as_flattened()) {
                *sum += more;
            }
        }
        let order = slots.symmetry_count() as u128;
        entries.as_flattened_mut().iter_mut().for_each(|sum| *sum /= order);
        SliceCounts { entries }
    }

    /// Entries of each slice of `pair`; the largest number where it does not fit.
    pub(super) fn entries(&self, pair: Pair) -> u64 {
        self.entries[pair.larger()][pair.smaller()].try_into().unwrap_or(u64::MAX)
    }
}

/// The placements whose row side `symmetry` maps onto itself. On each cycle of points either all have a stone
/// of the row side or none has; in the second case each may have one of the column side.
fn fixed_placements(slots: &SlotMaps, symmetry: usize) -> Box<Counts> {
    let mut counts: Box<Counts> = Box::default();
    counts[0][0] = 1;
    let mut seen = Bitboard::EMPTY;
    for point in Bitboard::ALL.iter() {
        let mut cycle = Vec::new();
        let mut next = Bitboard::of(point);
        while (seen & next).is_empty() {
            seen |= next;
            cycle.push(next.bits().trailing_zeros() as usize % POINTS);
            next = slots.points_image(symmetry, next);
        }
        if cycle.is_empty() {
            continue;
        }
        let all = cycle.iter().map(|&point| slots.row.states(point) as u128).product::<u128>();
        let before = counts.clone();
        // No stone of the row side on these points.
        for &point in &cycle {
            let states = slots.column.states(point) as u128;
            for columns in counts.iter_mut() {
                for stones in (1..=MAX_STONES).rev() {
                    columns[stones] += states * columns[stones - 1];
                }
            }
        }
        // One on each.
        for stones in cycle.len()..=MAX_STONES {
            for (count, before) in counts[stones].iter_mut().zip(&before[stones - cycle.len()]) {
                *count += all * before;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use crate::index::Index;
    use crate::material::Pair;
    use crate::rules::Rules;

    #[test]
    fn counts_are_those_of_the_layouts() {
        for rules in Rules::ALL {
            let index = Index::new(rules);
            for pair in Pair::up_to(if rules.no_return() { 4 } else { 7 }) {
                let layout = index.layout(pair);
                assert_eq!(index.entries(pair), layout.entries(), "{} {pair}", rules.name());
                assert_eq!(index.positions(pair), layout.positions(), "{} {pair}", rules.name());
            }
        }
    }
}
