//! Counting and numbering arrangements in colexicographic order.
//!
//! Sets of *k* out of *n* points are ordered by their highest point, then the next, and so on. When the
//! *i*-th point (from 0) offers a stone `s(i)` states, the number of arrangements of *j* stones on the first
//! *i* points is `N(i, j)`, with `N(i+1, j) = N(i, j) + s(i) N(i, j-1)`. Before all arrangements on one set
//! of points come, summed over its points from the highest down, `N(i, j)` for the *j*-th lowest point *i*,
//! times the states of the points above it. With one state a point these are the binomial coefficients and
//! the combinatorial number system.

/// `N(i, j)` for one choice of points and up to a number of stones.
#[derive(Clone)]
pub struct CountTable {
    cells: Vec<u32>,
    width: usize,
}

/// A borrowed [`CountTable`].
#[derive(Clone, Copy)]
pub struct Counts<'a> {
    cells: &'a [u32],
    width: usize,
}

impl CountTable {
    /// The table for points that offer these numbers of states, counting up to `stones` stones. Counts that
    /// do not fit stay at the largest number there is.
    pub fn new(states: impl Iterator<Item = usize>, stones: usize) -> CountTable {
        let width = stones + 1;
        let mut cells = vec![0_u32; width];
        cells[0] = 1;
        for states in states {
            let before = cells.len() - width;
            for j in 0..width {
                let with = if j > 0 { cells[before + j - 1].saturating_mul(states as u32) } else { 0 };
                cells.push(cells[before + j].saturating_add(with));
            }
        }
        CountTable { cells, width }
    }

    /// The cells, row by row, for storage.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// The table, borrowed.
    #[inline]
    pub fn view(&self) -> Counts<'_> {
        Counts { cells: &self.cells, width: self.width }
    }
}

impl<'a> Counts<'a> {
    /// The table in `cells` for up to `stones` stones, as [`CountTable::cells`] gave it.
    #[inline]
    pub fn new(cells: &'a [u32], stones: usize) -> Counts<'a> {
        Counts { cells, width: stones + 1 }
    }

    fn points(self) -> usize {
        self.cells.len() / self.width - 1
    }

    /// How many arrangements of `stones` stones there are.
    #[inline]
    pub fn total(self, stones: usize) -> u32 {
        self.cells[self.points() * self.width + stones]
    }

    /// `N(points, stones)`.
    #[inline]
    pub fn at(self, points: usize, stones: usize) -> u32 {
        self.cells[points * self.width + stones]
    }
}

/// All combinations of `k` ≥ 1 out of `n` as sets of bits, in their order.
pub fn combinations(n: usize, k: usize) -> impl Iterator<Item = u32> {
    combinations_from(n, (1 << k) - 1)
}

/// As [`combinations`], from `first` on, which must not be empty.
pub fn combinations_from(n: usize, first: u32) -> impl Iterator<Item = u32> {
    // Gosper's hack: the next larger number with as many bits set.
    let next = |&bits: &u32| {
        let lowest = bits & bits.wrapping_neg();
        let carried = bits + lowest;
        Some((bits ^ carried) >> 2 >> lowest.trailing_zeros() | carried)
    };
    std::iter::successors(Some(first), next).take_while(move |bits| bits >> n == 0)
}

/// Numbers of combinations of `k` out of `n` ≤ 25 by two lookups: the combination as *n* bits is cut into a
/// low and a high part. How many stones lie in the low part follows from the high one.
pub struct HalvesTable {
    low_bits: u32,
    low: Vec<u32>,
    high: Vec<u32>,
}

impl HalvesTable {
    /// The tables for combinations of `k` out of `n`.
    pub fn new(n: usize, k: usize) -> HalvesTable {
        let table = CountTable::new(std::iter::repeat_n(1, n), k);
        let low_bits = n.div_ceil(2);
        let sum = |bits: u32, first_point: usize, stones_below: usize| {
            let points = (0..).filter(|i| bits >> i & 1 != 0);
            let stones = points.take(bits.count_ones() as usize).enumerate();
            stones.map(|(j, i)| table.view().at(first_point + i, stones_below + j + 1)).sum()
        };
        let fits = |bits: &u32| bits.count_ones() as usize <= k;
        let low = (0..1 << low_bits).map(|bits| if fits(&bits) { sum(bits, 0, 0) } else { 0 });
        let high = (0..1 << (n - low_bits)).map(|bits: u32| {
            if fits(&bits) { sum(bits, low_bits, k - bits.count_ones() as usize) } else { 0 }
        });
        HalvesTable { low_bits: low_bits as u32, low: low.collect(), high: high.collect() }
    }

    /// The number of the combination `bits`, which must have exactly *k* of the low *n* bits set.
    #[inline]
    pub fn rank(&self, bits: u32) -> u32 {
        self.low[(bits & ((1 << self.low_bits) - 1)) as usize] + self.high[(bits >> self.low_bits) as usize]
    }

    /// Bytes that the tables take.
    pub fn bytes(&self) -> u64 {
        4 * (self.low.len() + self.high.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_count_combinations_in_order() {
        for (n, k) in [(25, 1), (24, 3), (17, 8), (13, 12), (1, 1)] {
            let halves = HalvesTable::new(n, k);
            let all = (0..1_u32 << n).filter(|bits| bits.count_ones() as usize == k);
            assert!(all.clone().eq(combinations(n, k)));
            for (number, bits) in all.enumerate() {
                assert_eq!(halves.rank(bits) as usize, number, "{k} of {n}: {bits:b}");
            }
        }
    }
}
