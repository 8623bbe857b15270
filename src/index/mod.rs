//! The index: every position of a slice has a number, dense from 0.
//!
//! A slice is laid out in *rows*. The two slices of a pair share one layout: the *row side* is the side with
//! more stones (or the side to move, when both have as many), and the board is turned so that the row side
//! plays up. A row is one arrangement of the row side's stones, taken once for all its images under the
//! symmetries of the rules; a *column* is one arrangement of the other side's stones on the points that are
//! left, in colexicographic order. Under rules with forbidden steps the arrangements include them: a stone on
//! a point with three states counts as three different stones, and only arrangements that exist are numbered.
//!
//! The number of a position is the number of columns in all rows before its own, plus its column. Both
//! directions are exact inverses up to symmetry: [`PairLayout::locate`] and [`PairLayout::position`]. A few
//! rows are symmetric themselves, and hold images of the same position in several columns; that costs 3% of the
//! entries at five stones and less above.
//!
//! Lookup tables take 4 bytes per arrangement of the row side (20.8 MB for 12 stones, the most), 16 bytes per row, and
//! under rules with forbidden steps one small table per placement of the row side.

mod bits;
mod colex;
mod layout;
mod rows;
mod slots;

pub(crate) use bits::extract;
pub use layout::{Location, PairLayout, RowBlock};
pub use rows::{RowRef, Rows};
pub use slots::{SlotMap, SlotMaps, Slots};

use colex::CountTable;

use std::sync::{Arc, OnceLock};

use crate::board::{MAX_STONES, POINTS};
use crate::material::Pair;
use crate::rules::Rules;

/// The layouts of all pairs under one rule set, each built when first asked for.
pub struct Index {
    rules: &'static Rules,
    slots: Arc<SlotMaps>,
    rows: [OnceLock<Arc<Rows>>; MAX_STONES],
    layouts: [[OnceLock<Arc<PairLayout>>; MAX_STONES]; MAX_STONES],
}

impl Index {
    /// The index for `rules`. Building it costs microseconds, each layout more when it is first used.
    pub fn new(rules: &'static Rules) -> Index {
        Index {
            rules,
            slots: Arc::new(SlotMaps::new(rules)),
            rows: Default::default(),
            layouts: Default::default(),
        }
    }

    /// The rules that the index is for.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    /// Whether [`layout`](Self::layout) can be called: the arrangements of both sides can be numbered in 28
    /// bits. Always so without forbidden steps; with them up to 7 stones a side.
    pub fn fits(&self, pair: Pair) -> bool {
        let arrangements = |slots: &SlotMap, stones| {
            CountTable::new((0..POINTS).map(|point| slots.states(point)), stones).view().total(stones)
        };
        arrangements(&self.slots.row, pair.larger()) < 1 << 28
            && arrangements(&self.slots.column, pair.smaller()) < 1 << 28
    }

    /// A number of entries that each slice of `pair` has at least, found without building its layout.
    pub fn least_entries(&self, pair: Pair) -> u64 {
        let (a, b) = (pair.larger(), pair.smaller());
        let rows = CountTable::new((0..POINTS).map(|point| self.slots.row.states(point)), a).view().total(a);
        let columns = CountTable::new(std::iter::repeat_n(1, POINTS - a), b).view().total(b);
        u64::from(rows) * u64::from(columns) / self.rules.symmetry().order() as u64
    }

    /// The rows of all pairs whose larger side has `stones` stones, 1 to 12.
    fn rows(&self, stones: usize) -> &Arc<Rows> {
        self.rows[stones - 1].get_or_init(|| Arc::new(Rows::new(&self.slots.row, stones)))
    }

    /// The layout of `pair`, for which [`fits`](Self::fits) must hold.
    pub fn layout(&self, pair: Pair) -> &Arc<PairLayout> {
        let cell = &self.layouts[pair.larger() - 1][pair.smaller() - 1];
        cell.get_or_init(|| {
            let rows = Arc::clone(self.rows(pair.larger()));
            Arc::new(PairLayout::new(self.rules, Arc::clone(&self.slots), rows, pair))
        })
    }
}
