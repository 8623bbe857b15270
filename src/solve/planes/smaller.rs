//! The slices that captures lead to, as far as their values are at hand.

use crate::board::MAX_STONES;
use crate::index::{Index, PlainLayout};
use crate::material::{Material, Pair};
use crate::solve::values::{Cell, Slices};

/// Some rows of a slice, one after the other, with their values.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    pub layout: PlainLayout<'a>,
    pub first: u32,
    pub rows: u32,
    pub cells: &'a [Cell],
}

impl<'a> Window<'a> {
    /// All rows of a slice.
    pub fn whole(layout: PlainLayout<'a>, cells: &'a [Cell]) -> Window<'a> {
        Window { layout, first: 0, rows: layout.rows().len() as u32, cells }
    }

    /// The place of a row in the window, `None` if it lies outside.
    #[inline(always)]
    pub fn slot(&self, row: u32) -> Option<u32> {
        let slot = row.wrapping_sub(self.first);
        (slot < self.rows).then_some(slot)
    }
}

/// The slices that captures from a pair lead to.
pub struct Smaller<'a>([[Option<Window<'a>>; MAX_STONES]; MAX_STONES]);

impl<'a> Smaller<'a> {
    /// All slices that captures from `pair` lead to, whole.
    pub fn all(index: &'a Index, pair: Pair, slices: &'a Slices) -> Smaller<'a> {
        let window = |material: Material| {
            let layout = index.layout(material.pair()).plain()?;
            Some((material, Window::whole(layout, &slices.get(material).cells)))
        };
        Smaller::some(pair.captures_lead_to().into_iter().filter_map(window))
    }

    /// These parts of slices; at most one of each slice.
    pub fn some(windows: impl Iterator<Item = (Material, Window<'a>)>) -> Smaller<'a> {
        let mut smaller = Smaller([[None; MAX_STONES]; MAX_STONES]);
        for (material, window) in windows {
            smaller.0[material.mover() - 1][material.opponent() - 1] = Some(window);
        }
        smaller
    }

    /// What is at hand of the slice of `material`.
    pub fn get(&self, material: Material) -> Option<&Window<'a>> {
        self.0[material.mover() - 1][material.opponent() - 1].as_ref()
    }
}
