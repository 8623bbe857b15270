//! What a pass sends back along the steps.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::solve::values::{Cell, Distances};

/// What a pass sends back to the positions before those that it decided.
pub struct News<'s> {
    /// The table of the positions before.
    pub cells: &'s [Cell],
    /// The list of those that the next pass looks at.
    pub next: &'s [AtomicU64],
    /// Their distances to conversion, and the distance of the wins.
    pub distances: Option<&'s Distances>,
    pub distance: u16,
}

impl News<'_> {
    /// News for a word of positions: those before lost ones are won, those before won ones are listed.
    /// Positions that are decided already stay as they are. Returns whether an open position was met.
    #[inline(always)]
    pub fn arrive(&self, word: usize, first_entry: u64, [before_lost, before_won]: [u64; 2]) -> bool {
        let open = self.cells[word].bits().open(u64::MAX);
        let (wins, looked_at) = (before_lost & open, before_won & open);
        if wins != 0 {
            self.cells[word].add_wins(wins);
            if let Some(distances) = self.distances {
                distances.set_each(first_entry, wins, self.distance);
            }
        }
        let news = wins | looked_at;
        // Most is known already, and reading is cheaper than writing to what threads share.
        if news & !self.next[word].load(Relaxed) != 0 {
            self.next[word].fetch_or(news, Relaxed);
        }
        news != 0
    }
}
