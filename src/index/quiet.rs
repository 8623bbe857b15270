//! Which entries tables hold. Where captures are compulsory those are the quiet ones, in which the side to
//! move cannot capture; where captures are optional they decide nothing by themselves, and all entries are
//! held.

use std::ops::Range;

use super::bits::{BitOps, BitWork, put_bits, set_bits, with_best_bits};
use super::layout::PairLayout;
use super::location::Location;
use super::membership::{CHUNK_WORDS, Chunk, Membership, number_among};
use super::mover::Mover;
use super::plain::PlainLayout;

impl PairLayout {
    /// Those among `entries` of the slice in which `mover` moves that tables hold: bit *i* stands for the
    /// *i*-th of them, and the bits that are left over are 0. Only the rows that hold these entries are
    /// looked at.
    pub(crate) fn stored(&self, mover: Mover, entries: Range<u64>) -> Vec<u64> {
        let count = (entries.end - entries.start) as usize;
        let mut mask = vec![0; count.div_ceil(64)];
        if !self.rules().captures_are_compulsory() {
            set_bits(&mut mask, 0..count);
            return mask;
        }
        with_best_bits(Quiet { layout: self, mover, entries, mask: &mut mask });
        mask
    }
}

struct Quiet<'a> {
    layout: &'a PairLayout,
    mover: Mover,
    entries: Range<u64>,
    mask: &'a mut [u64],
}

impl BitWork for Quiet<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(mut self, _: B) {
        let plain = self.layout.plain();
        let mut jumps = Jumps::new();
        let Location { mut row, mut offset } = self.layout.location_of(self.entries.start);
        let mut next = self.entries.start;
        while next < self.entries.end {
            let end = self.entries.end.min(self.layout.first_entry(row + 1));
            let offsets = offset as usize..offset as usize + (end - next) as usize;
            let at = (next - self.entries.start) as usize;
            match plain {
                Some(plain) => self.plain(plain.membership(), row, offsets, at, &mut jumps),
                None => self.stateful(row, offsets, at),
            }
            (next, row, offset) = (end, row + 1, 0);
        }
    }
}

impl Quiet<'_> {
    /// Offsets of a row whose stones have no states, which stand in the mask from `at` on: a chunk at a time.
    /// `jumps` is room.
    #[inline(always)]
    fn plain(
        &mut self,
        membership: &Membership,
        row: u32,
        offsets: Range<usize>,
        at: usize,
        jumps: &mut Jumps,
    ) {
        jumps.find(self.layout, membership, self.mover, row);
        let mut offset = offsets.start;
        while offset < offsets.end {
            let (chunk, first) = (offset / CHUNK_COLUMNS, offset % CHUNK_COLUMNS);
            let here = (CHUNK_COLUMNS - first).min(offsets.end - offset);
            let capturing = jumps.capturing(membership, chunk);
            let mut quiet = [0; CHUNK_WORDS + 1];
            quiet.iter_mut().zip(capturing).for_each(|(quiet, capturing)| *quiet = !capturing);
            put_bits(&quiet, first, here, self.mask, at + offset - offsets.start);
            offset += here;
        }
    }

    /// As [`plain`](Self::plain), for stones with states, on which captures do not depend: a placement at a
    /// time.
    #[inline(always)]
    fn stateful(&mut self, row: u32, offsets: Range<usize>, at: usize) {
        let placement = self.layout.rows().placement(row);
        let geometry = self.layout.geometry(self.mover);
        for (occupied, here) in self.layout.placements(row, offsets.start as u64).into_iter().flatten() {
            let here = offsets.start.max(here.start as usize)..offsets.end.min(here.end as usize);
            if here.is_empty() {
                break;
            }
            let (own, opponent) = match self.mover {
                Mover::RowSide => (placement, occupied),
                Mover::ColumnSide => (occupied, placement),
            };
            if geometry.jumpers(own, opponent).is_empty() {
                let place = |offset| at + offset - offsets.start;
                set_bits(self.mask, place(here.start)..place(here.end));
            }
        }
    }
}

/// Adds the columns of `row` where `mover` can capture.
pub(crate) fn add_capturing(layout: PlainLayout, mover: Mover, row: u32, into: &mut [u64]) {
    with_best_bits(AddCapturing { layout, mover, row, into });
}

struct AddCapturing<'a> {
    layout: PlainLayout<'a>,
    mover: Mover,
    row: u32,
    into: &'a mut [u64],
}

impl BitWork for AddCapturing<'_> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) {
        let mut jumps = Jumps::new();
        let membership = self.layout.membership();
        jumps.find(&self.layout, membership, self.mover, self.row);
        for (chunk, words) in self.into.chunks_mut(CHUNK_WORDS).enumerate() {
            let capturing = jumps.capturing(membership, chunk);
            words.iter_mut().zip(capturing).for_each(|(word, capturing)| *word |= capturing);
        }
    }
}

/// The columns of a chunk.
const CHUNK_COLUMNS: usize = 64 * CHUNK_WORDS;

/// More jumps than there are on the board.
const MOST_JUMPS: usize = 128;

/// The jumps with which chains can begin in a row.
struct Jumps {
    len: usize,
    /// A jump is possible in the columns that are among the first, but not among the second: where their
    /// chunks begin.
    columns: [[u32; 2]; MOST_JUMPS],
}

impl Jumps {
    #[inline(always)]
    fn new() -> Jumps {
        Jumps { len: 0, columns: [[0; 2]; MOST_JUMPS] }
    }

    /// Finds those of `mover` in `row`.
    #[inline(always)]
    fn find(&mut self, layout: &PairLayout, membership: &Membership, mover: Mover, row: u32) {
        let placement = layout.rows().placement(row);
        let free = !placement;
        let points = match mover {
            Mover::RowSide => [placement, free, free],
            Mover::ColumnSide => [free, placement, free],
        };
        self.len = 0;
        layout.geometry(mover).each_first_jump(points, |[from, over, landing]| {
            // Of the two points that must have stones, one holds a stone of the row side.
            let has = if mover == Mover::RowSide { over } else { from };
            let columns_with = |point| membership.first_chunk(number_among(free, point));
            self.columns[self.len % MOST_JUMPS] = [columns_with(has), columns_with(landing)];
            self.len += 1;
        });
    }

    /// The columns of a chunk in which one of them is possible.
    #[inline(always)]
    fn capturing(&self, membership: &Membership, chunk: usize) -> Chunk {
        let mut capturing = Chunk::default();
        for &columns in &self.columns[..self.len] {
            let [has, lacks] = columns.map(|first| membership.chunk(first as usize + chunk));
            for ((word, has), lacks) in capturing.iter_mut().zip(has).zip(lacks) {
                *word |= has & !lacks;
            }
        }
        capturing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Index;
    use crate::material::Material;
    use crate::moves::can_capture;
    use crate::rules::Rules;

    #[test]
    fn quiet_entries_are_those_without_a_capture() {
        for (rules, stones) in Rules::ALL.into_iter().zip([[4, 3], [2, 1], [3, 2], [2, 2]]) {
            let index = Index::new(rules);
            let [a, b] = stones;
            for material in [Material::new(a, b), Material::new(b, a)].into_iter().flatten() {
                let layout = index.layout(material.pair());
                let quiet: Vec<bool> = (0..layout.entries())
                    .map(|entry| !can_capture(rules, &layout.position(material, layout.location_of(entry))))
                    .collect();
                assert!(quiet.contains(&true) && quiet.contains(&false));
                let row = layout.entries_in(0);
                let entries = layout.entries();
                let ranges = [
                    0..entries,
                    0..0,
                    0..1,
                    1..64,
                    63..65,
                    64..3 * row,
                    row - 1..row + 1,
                    row / 2..row,
                    row + 7..2 * row + 77,
                    entries / 2..entries / 2 + 1000,
                    entries - row - 5..entries - 1,
                    entries - 1..entries,
                ];
                for range in ranges {
                    let mask = layout.stored(Mover::of(material), range.clone());
                    let mut expected = vec![0; mask.len()];
                    for (bit, _) in quiet[range.start as usize..range.end as usize]
                        .iter()
                        .enumerate()
                        .filter(|(_, quiet)| **quiet)
                    {
                        expected[bit / 64] |= 1_u64 << (bit % 64);
                    }
                    assert!(mask == expected, "{} {material} {range:?}", rules.name());
                }
            }
        }
    }
}
