//! The finished slices that are held in memory for the work on larger ones.

use std::sync::Arc;

use super::cells::Finished;
use crate::board::MAX_STONES;
use crate::material::Material;

/// Finished slices by material.
#[derive(Default)]
pub struct Slices([[Option<Arc<Finished>>; MAX_STONES]; MAX_STONES]);

impl Slices {
    fn cell(&mut self, material: Material) -> &mut Option<Arc<Finished>> {
        &mut self.0[material.mover() - 1][material.opponent() - 1]
    }

    /// Holds a slice.
    pub fn insert(&mut self, material: Material, slice: Finished) {
        *self.cell(material) = Some(Arc::new(slice));
    }

    /// Lets a slice go.
    pub fn remove(&mut self, material: Material) {
        *self.cell(material) = None;
    }

    /// The slice of `material`, which the plan has loaded because a capture leads to it.
    #[inline]
    pub fn get(&self, material: Material) -> &Finished {
        match &self.0[material.mover() - 1][material.opponent() - 1] {
            Some(slice) => slice,
            None => unreachable!("the plan holds every slice that captures lead to, {material} too"),
        }
    }
}
