//! The columns that meet a condition, word by word.

use crate::board::Bitboard;
use crate::index::{Membership, number_among};

/// The points on which a column must have stones and those on which it must not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Condition {
    pub has: Bitboard,
    pub lacks: Bitboard,
}

impl Condition {
    /// Whether a column with stones on these points meets the condition.
    #[inline(always)]
    pub fn holds(&self, occupied: u32) -> bool {
        occupied & (self.has.bits() | self.lacks.bits()) == self.has.bits()
    }
}

/// How many points with and without a stone a mask combines while it is read: enough for steps and captures
/// of one stone.
const DIRECT: [usize; 2] = [1, 2];

/// The columns of a row that meet a condition. Most conditions name so few points that combining their
/// columns each time a word is read costs less than keeping the result.
#[derive(Clone, Copy)]
pub struct Mask<'s> {
    has: [&'s [u64]; DIRECT[0]],
    lacks: [&'s [u64]; DIRECT[1]],
}

impl<'s> Mask<'s> {
    /// The columns of a row with these `free` points that meet `condition`. A condition that names many
    /// points is worked out in `room`.
    pub fn new(
        membership: &'s Membership,
        free: Bitboard,
        condition: Condition,
        room: &'s mut Vec<u64>,
    ) -> Mask<'s> {
        let mut mask = Mask { has: [membership.all(); _], lacks: [membership.none(); _] };
        let columns_with = |point| membership.of(number_among(free, Bitboard::of(point)));
        let is_direct = condition.has.count() <= DIRECT[0] && condition.lacks.count() <= DIRECT[1];
        if is_direct {
            for (slot, point) in mask.has.iter_mut().zip(condition.has.iter()) {
                *slot = columns_with(point);
            }
            for (slot, point) in mask.lacks.iter_mut().zip(condition.lacks.iter()) {
                *slot = columns_with(point);
            }
            return mask;
        }
        room.clear();
        room.extend_from_slice(membership.all());
        for point in condition.has.iter() {
            room.iter_mut().zip(columns_with(point)).for_each(|(word, mask)| *word &= mask);
        }
        for point in condition.lacks.iter() {
            room.iter_mut().zip(columns_with(point)).for_each(|(word, mask)| *word &= !mask);
        }
        mask.has[0] = room;
        mask
    }

    /// Words of the row.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.has[0].len()
    }

    /// The same, resliced to a common length, so that bounds checks vanish.
    #[inline(always)]
    pub fn of_one_length(&self) -> Mask<'s> {
        let length = self.len();
        Mask { has: self.has.map(|words| &words[..length]), lacks: self.lacks.map(|words| &words[..length]) }
    }

    /// The columns of a word.
    #[inline(always)]
    pub fn word(&self, word: usize) -> u64 {
        self.has[0][word] & !(self.lacks[0][word] | self.lacks[1][word])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use crate::material::Material;
    use crate::rules::CLASSIC;

    #[test]
    fn masks_select_what_conditions_hold_for() {
        let index = Index::new(&CLASSIC);
        let layout = index.layout(Material::new(4, 3).unwrap().pair());
        let free = !layout.rows().placement(77);
        let membership = layout.plain().unwrap().membership();
        let points: Vec<Bitboard> = free.iter().map(Bitboard::of).collect();
        let set =
            |numbers: &[usize]| numbers.iter().fold(Bitboard::EMPTY, |set, &number| set | points[number]);
        let (none, one, many) = (set(&[]), set(&[4]), set(&[0, 7, 12]));
        for (has, lacks) in
            [(none, none), (one, none), (none, one), (many, none), (one, many), (none, set(&[1, 2, 3, 5, 8]))]
        {
            let condition = Condition { has, lacks };
            let mut room = Vec::new();
            let mask = Mask::new(membership, free, condition, &mut room);
            for column in 0..layout.column_count(77) {
                let occupied = layout.plain().unwrap().column(free, column).occupied.bits();
                let selected = mask.word(column as usize / 64) >> (column % 64) & 1 != 0;
                assert_eq!(selected, condition.holds(occupied), "{condition:?} {column}");
            }
        }
    }
}
