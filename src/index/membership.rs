//! Which columns of a row hold a stone on a given point: the columns as bits, 64 to a word.
//!
//! In colexicographic order, two sets that both contain some points and both lack some others keep their order when those points
//! are added, removed or exchanged in both. So "all columns with a stone on *p* and none on *q*" and "all columns with a stone
//! on *q* and none on *p*" correspond to each other one to one, in order, and a step or a capture moves whole words.

/// For stones without states: the columns that contain each of the free points. It is the same for all rows of a layout, because
/// columns are numbered by which of the free points they contain, counted from the lowest.
pub struct Membership {
    words: usize,
    /// The words of the first free point, of the second, and so on, then those of all columns and those of none.
    masks: Vec<u64>,
}

impl Membership {
    /// For columns that contain these numbers of the free points.
    pub(super) fn new(free_points: usize, combinations: &[u32]) -> Membership {
        let words = combinations.len().div_ceil(64);
        let mut masks = vec![0; (free_points + 2) * words];
        for (column, &combination) in combinations.iter().enumerate() {
            let (word, bit) = (column / 64, 1 << (column % 64));
            for point in (0..free_points).filter(|point| combination >> point & 1 != 0) {
                masks[point * words + word] |= bit;
            }
            masks[free_points * words + word] |= bit;
        }
        Membership { words, masks }
    }

    /// Bytes for so many columns with so many free points.
    pub(super) fn bytes(free_points: usize, columns: usize) -> u64 {
        ((free_points + 2) * columns.div_ceil(64) * size_of::<u64>()) as u64
    }

    /// Words of a row.
    #[inline]
    pub fn words(&self) -> usize {
        self.words
    }

    /// The columns that contain the free point with this number, 0 for the lowest.
    #[inline]
    pub fn of(&self, number: usize) -> &[u64] {
        &self.masks[number * self.words..(number + 1) * self.words]
    }

    /// All columns: the last word is not full.
    #[inline]
    pub fn all(&self) -> &[u64] {
        &self.masks[self.masks.len() - 2 * self.words..self.masks.len() - self.words]
    }

    /// No column.
    #[inline]
    pub fn none(&self) -> &[u64] {
        &self.masks[self.masks.len() - self.words..]
    }
}
