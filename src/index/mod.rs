//! The index: every position of a slice has a number, dense from 0.
//!
//! A slice is laid out in *rows*. The two slices of a pair share one layout: the *row side* is the side with
//! more stones (or the side to move, when both have as many), and the board is turned so that the row side
//! plays up. A row is one placement of the row side's stones, taken once for all its images under the
//! symmetries of the rules; the columns in it are the placements of the other side's stones on the points
//! that are left, in colexicographic order.
//!
//! Under rules with forbidden steps a stone has one to three states, depending on its point, and each pair of
//! placements stands for as many positions as there are combinations of states. These follow each other: the
//! row side's states count slower than the column side's, a higher point's slower than a lower one's.
//! Positions with the same placements mostly have the same value, so that this order compresses best; see
//! `benches/README.md`.
//!
//! The number of a position is the number of entries in all rows before its own, plus its offset in the row.
//! Both directions are exact inverses up to symmetry: [`PairLayout::locate`] and [`PairLayout::position`]. A
//! few rows are symmetric themselves, and hold images of the same position in several entries; that costs 3%
//! of the entries at five stones and less above.
//!
//! Lookup tables take 4 bytes per placement of the row side (20.8 MB for 12 stones, the most) and 5 bytes per
//! row. Under rules with forbidden steps they take 4 more bytes per placement, 16 per row, and one table for
//! each sequence of states that free points can offer: less than 64 MB in all for any pair. Every pair has a
//! layout.

mod address;
mod bits;
mod colex;
mod columns;
mod count;
mod images;
mod layout;
mod location;
mod membership;
mod mover;
mod offsets;
mod plain;
mod quiet;
mod rows;
mod slots;

pub(crate) use address::{ColumnAddress, TurnedAddress};
pub(crate) use bits::{BitOps, BitWork, counts_before, each_bit, extract, put_bits, with_best_bits};
pub use layout::PairLayout;
pub use location::Location;
pub(crate) use location::{Column, RowBlock, RowTarget};
pub(crate) use membership::Membership;
pub(crate) use membership::number_among;
pub(crate) use mover::Mover;
pub(crate) use plain::PlainLayout;
pub(crate) use quiet::add_capturing;
pub(crate) use rows::Rows;
pub(crate) use slots::{SlotMaps, Slots};

use count::SliceCounts;

use std::sync::{Arc, OnceLock};

use crate::board::MAX_STONES;
use crate::material::Pair;
use crate::rules::Rules;

/// The layouts of all pairs under one rule set, each built when first asked for.
pub struct Index {
    rules: &'static Rules,
    slots: Arc<SlotMaps>,
    counts: OnceLock<SliceCounts>,
    rows: [OnceLock<Arc<Rows>>; MAX_STONES],
    layouts: [[OnceLock<Arc<PairLayout>>; MAX_STONES]; MAX_STONES],
}

crate::debug::debug_as!(Index, |index| rules = index.rules.name());

impl Index {
    /// The index for `rules`. Building it costs microseconds, each layout more when it is first used.
    pub fn new(rules: &'static Rules) -> Index {
        Index {
            rules,
            slots: Arc::new(SlotMaps::new(rules)),
            counts: OnceLock::new(),
            rows: Default::default(),
            layouts: Default::default(),
        }
    }

    /// The rules that the index is for.
    pub fn rules(&self) -> &'static Rules {
        self.rules
    }

    fn counts(&self) -> &SliceCounts {
        self.counts.get_or_init(|| SliceCounts::new(&self.slots))
    }

    /// Entries of each slice of `pair`, found without building its layout.
    pub fn entries(&self, pair: Pair) -> u64 {
        self.counts().entries(pair)
    }

    /// Positions of each slice of `pair`, symmetric images included; the largest number where it does not fit.
    pub fn positions(&self, pair: Pair) -> u64 {
        self.rules.positions(pair.larger(), pair.smaller()).try_into().unwrap_or(u64::MAX)
    }

    /// The rows of all pairs whose larger side has `stones` stones, 1 to 12.
    fn rows(&self, stones: usize) -> &Arc<Rows> {
        self.rows[stones - 1].get_or_init(|| Arc::new(Rows::new(&self.slots, stones)))
    }

    /// The layout of `pair`.
    pub fn layout(&self, pair: Pair) -> &Arc<PairLayout> {
        let cell = &self.layouts[pair.larger() - 1][pair.smaller() - 1];
        cell.get_or_init(|| {
            let rows = Arc::clone(self.rows(pair.larger()));
            Arc::new(PairLayout::new(self.rules, Arc::clone(&self.slots), rows, pair))
        })
    }
}
