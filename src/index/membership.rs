//! Which columns of a row hold a stone on a given point: the columns as bits, 64 to a word.
//!
//! In colexicographic order, two sets that both contain some points and both lack some others keep their
//! order when those points are added, removed or exchanged in both. So "all columns with a stone on *p* and
//! none on *q*" and "all columns with a stone on *q* and none on *p*" correspond to each other one to one, in
//! order, and a step or a capture moves whole words.

use crate::board::Bitboard;

/// How many points of `free` lie below `point`.
#[inline(always)]
pub(crate) fn number_among(free: Bitboard, point: Bitboard) -> usize {
    (free.bits() & point.bits().wrapping_sub(1)).count_ones() as usize
}

/// For stones without states: the columns that contain each of the free points. It is the same for all rows
/// of a layout, because columns are numbered by which of the free points they contain, counted from the
/// lowest.
pub struct Membership {
    words: usize,
    /// The chunks of the first free point, of the second, and so on, then those of all columns and those of
    /// none.
    masks: Vec<Chunk>,
}

/// Words that are worked on at once. Rows are filled up with zeros.
pub(super) type Chunk = [u64; CHUNK_WORDS];
pub(super) const CHUNK_WORDS: usize = 8;

impl Membership {
    /// For columns that contain these numbers of the free points.
    pub(super) fn new(free_points: usize, combinations: &[u32]) -> Membership {
        let words = combinations.len().div_ceil(64);
        let chunks = chunks(words);
        let mut masks = vec![Chunk::default(); (free_points + 2) * chunks];
        for (column, &combination) in combinations.iter().enumerate() {
            let (word, bit) = (column / 64, 1 << (column % 64));
            let mut set = |mask: usize| masks[mask * chunks + word / CHUNK_WORDS][word % CHUNK_WORDS] |= bit;
            (0..free_points).filter(|point| combination >> point & 1 != 0).for_each(&mut set);
            set(free_points);
        }
        Membership { words, masks }
    }

    /// Bytes for these numbers of columns and free points.
    pub(super) fn bytes(free_points: usize, columns: usize) -> u64 {
        ((free_points + 2) * chunks(columns.div_ceil(64)) * size_of::<Chunk>()) as u64
    }

    /// Words of a row.
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The columns that contain the free point with this number, 0 for the lowest.
    #[inline]
    pub fn of(&self, number: usize) -> &[u64] {
        let first = self.first_chunk(number) as usize;
        &self.masks[first..first + chunks(self.words)].as_flattened()[..self.words]
    }

    /// Where the chunks of the free point with this number begin, as [`chunk`](Self::chunk) counts them.
    #[inline(always)]
    pub(super) fn first_chunk(&self, number: usize) -> u32 {
        (number * chunks(self.words)) as u32
    }

    /// A chunk by its place among those of all points.
    #[inline(always)]
    pub(super) fn chunk(&self, place: usize) -> &Chunk {
        &self.masks[place]
    }

    /// All columns: the last word is not full.
    #[inline]
    pub fn all(&self) -> &[u64] {
        self.of(self.masks.len() / chunks(self.words) - 2)
    }

    /// No column.
    #[inline]
    pub fn none(&self) -> &[u64] {
        self.of(self.masks.len() / chunks(self.words) - 1)
    }
}

/// How many chunks this many words take.
#[inline(always)]
fn chunks(words: usize) -> usize {
    words.div_ceil(CHUNK_WORDS)
}
