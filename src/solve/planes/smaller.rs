//! The layouts of the pairs that captures lead to.

use crate::index::{Index, PlainLayout};
use crate::material::{Material, Pair};

/// The layouts of the pairs that captures lead to.
pub struct Smaller<'a>(Vec<Vec<Option<PlainLayout<'a>>>>);

impl<'a> Smaller<'a> {
    /// Those for captures from `pair`.
    pub fn new(index: &'a Index, pair: Pair) -> Smaller<'a> {
        let a = pair.larger();
        let mut layouts = vec![vec![None; a + 1]; a + 1];
        for material in pair.captures_lead_to() {
            let pair = material.pair();
            layouts[pair.larger()][pair.smaller()] = index.layout(pair).plain();
        }
        Smaller(layouts)
    }

    /// The layout for the slice of `material`.
    pub fn get(&self, material: Material) -> Option<PlainLayout<'a>> {
        let pair = material.pair();
        self.0[pair.larger()][pair.smaller()]
    }
}
