//! The finished slices that the work on larger ones needs.

use std::sync::Arc;

use super::cells::{Cell, value_at};
use super::distances::{Distances, UNKNOWN};
use super::scratch::Scratch;
use crate::board::MAX_STONES;
use crate::index::{Location, Mover, PairLayout};
use crate::material::Material;
use crate::region::Region;
use crate::table::Value;

/// Where the values of a finished slice are kept.
pub enum Kept {
    /// In memory.
    Memory(Region<Cell>),
    /// In a file, to be read where it is needed.
    Scratch(Scratch),
}

impl std::ops::Deref for Kept {
    type Target = [Cell];

    fn deref(&self) -> &[Cell] {
        match self {
            Kept::Memory(cells) => cells,
            Kept::Scratch(scratch) => scratch.cells(),
        }
    }
}

/// A slice that is solved, unpacked for the work on larger ones: all values, captures included.
pub struct Finished {
    /// The layout of its pair.
    pub layout: Arc<PairLayout>,
    /// The values; what is open is a draw.
    pub cells: Kept,
    /// Distances to win, if they are worked on.
    pub dtw: Option<Distances>,
}

impl Finished {
    /// The value at `location`.
    #[inline]
    pub fn value(&self, location: Location) -> Value {
        value_at(&self.layout, &self.cells, location).unwrap_or(Value::Draw)
    }

    /// The distance to win at `location`, [`UNKNOWN`] for a draw.
    #[inline]
    pub fn dtw(&self, location: Location) -> u16 {
        self.dtw.as_ref().map_or(UNKNOWN, |distances| distances.get(self.layout.entry(location)))
    }
}

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

    /// Holds the slices of a finished pair. `keep` decides for each where its values are kept, if at all.
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

    /// Drops a slice.
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
