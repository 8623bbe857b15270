//! Layouts of stones without states: whole rows as bits, and many columns found at a time.

use std::ops::Deref;

use super::address::{ColumnAddress, TurnedAddress};
use super::columns::{Columns, PlainColumns};
use super::layout::PairLayout;
use super::location::{Column, RowTarget};
use super::membership::Membership;
use crate::board::Bitboard;

/// A layout whose stones have no states.
#[derive(Clone, Copy)]
pub(crate) struct PlainLayout<'a> {
    layout: &'a PairLayout,
    columns: &'a PlainColumns,
}

impl PairLayout {
    /// The layout with what only stones without states have; `None` if they have states.
    #[inline]
    pub(crate) fn plain(&self) -> Option<PlainLayout<'_>> {
        match &self.columns {
            Columns::Plain(columns) => Some(PlainLayout { layout: self, columns }),
            Columns::Stateful(_) => None,
        }
    }
}

impl Deref for PlainLayout<'_> {
    type Target = PairLayout;

    #[inline]
    fn deref(&self) -> &PairLayout {
        self.layout
    }
}

impl<'a> PlainLayout<'a> {
    /// The columns of rows as bits.
    pub fn membership(&self) -> &'a Membership {
        self.columns.membership()
    }

    /// The columns of rows by their numbers, as sets of free points counted from the lowest.
    pub fn combinations(&self) -> &'a [u32] {
        self.columns.combinations()
    }

    /// The column with this number in a row with these free points.
    #[inline]
    pub fn column(&self, free: Bitboard, number: u32) -> Column {
        self.columns.column(free, number)
    }

    /// Finds columns in the row of `target`: as [`PairLayout::location`], prepared for many columns.
    pub fn address(&self, target: &RowTarget) -> ColumnAddress<'a> {
        let symmetry = usize::from(target.symmetry);
        let images = (symmetry != 0).then(|| self.layout.slots.point_images(symmetry));
        ColumnAddress::new(images, !target.placement, self.columns.halves())
    }

    /// Finds positions of this layout after the sides have swapped roles: what was the row side stands on
    /// `rows`.
    pub fn turned_address(&self, rows: Bitboard) -> TurnedAddress<'a> {
        TurnedAddress::new(&self.layout.slots, &self.layout.rows, self.columns.halves(), rows)
    }
}
