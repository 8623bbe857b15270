//! The finished slices that are held in memory for the work on larger ones.

use std::sync::Arc;

use super::cells::{Cell, Distances, Finished, Kept};
use super::kernel::Mover;
use crate::board::MAX_STONES;
use crate::index::PairLayout;
use crate::material::Material;
use crate::region::Region;

/// Finished slices by material.
#[derive(Default)]
pub struct Slices([[Option<Arc<Finished>>; MAX_STONES]; MAX_STONES]);

impl Slices {
    fn cell(&mut self, material: Material) -> &mut Option<Arc<Finished>> {
        &mut self.0[material.mover() - 1][material.opponent() - 1]
    }

    /// Holds a slice.
    fn insert(&mut self, material: Material, slice: Finished) {
        *self.cell(material) = Some(Arc::new(slice));
    }

    /// Holds the slices of a pair that is finished, for which `keep` tells where their values are kept, if at all.
    ///
    /// # Errors
    /// What `keep` returns.
    pub fn hold<E>(
        &mut self,
        layout: &Arc<PairLayout>,
        cells: [Region<Cell>; 2],
        dtw: Option<[Distances; 2]>,
        mut keep: impl FnMut(Material, Region<Cell>) -> Result<Option<Kept>, E>,
    ) -> Result<(), E> {
        let dtw = dtw.map_or([None, None], |both| both.map(Some));
        for ((mover, cells), dtw) in Mover::BOTH.into_iter().zip(cells).zip(dtw) {
            // With equal sides there is one slice.
            let found = layout.pair().slices().find(|&material| Mover::of(material) == mover);
            let Some(material) = found else { continue };
            if let Some(cells) = keep(material, cells)? {
                self.insert(material, Finished { layout: Arc::clone(layout), cells, dtw });
            }
        }
        Ok(())
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
