//! Where the rows of a layout begin.

/// The numbers of items, entries or words, before each row.
pub enum Offsets {
    /// All rows have equally many.
    Uniform { each: u64, rows: u64 },
    /// The number before each row, and the total at the end.
    Table(Vec<u64>),
}

impl Offsets {
    /// For rows of these sizes.
    pub fn from_sizes(sizes: impl Iterator<Item = u64>) -> Offsets {
        let mut starts = vec![0];
        let mut sum = 0;
        for size in sizes {
            sum += size;
            starts.push(sum);
        }
        Offsets::Table(starts)
    }

    /// The number of items before `row`.
    #[inline]
    pub fn before(&self, row: u32) -> u64 {
        match self {
            Offsets::Uniform { each, .. } => u64::from(row) * each,
            Offsets::Table(starts) => starts[row as usize],
        }
    }

    /// The number of items in all rows.
    pub fn total(&self) -> u64 {
        match self {
            Offsets::Uniform { each, rows } => each * rows,
            Offsets::Table(starts) => starts.last().copied().unwrap_or(0),
        }
    }

    /// The row that holds the item with this number, which must be below the total.
    pub fn row_of(&self, item: u64) -> u32 {
        match self {
            Offsets::Uniform { each, .. } => (item / each) as u32,
            Offsets::Table(starts) => starts.partition_point(|&start| start <= item) as u32 - 1,
        }
    }

    /// Bytes that the table takes.
    pub fn bytes(&self) -> u64 {
        match self {
            Offsets::Uniform { .. } => 0,
            Offsets::Table(starts) => 8 * starts.len() as u64,
        }
    }
}
