//! The positions of some slices, numbered one after the other.

use std::sync::Arc;

use crate::board::{Bitboard, Transform};
use crate::index::PairLayout;
use crate::material::Material;
use crate::position::Position;
use crate::rules::Rules;
use crate::study::StudyError;
use crate::table::Metric;
use crate::tablebase::Tablebase;

/// The positions of some slices: each one, or each once for all that are equal by symmetry.
///
/// They are in the order of the tables. The images of an entry follow each other: as many as the placement of
/// its row has.
pub struct Population {
    slices: Vec<Slice>,
}

crate::debug::debug_as!(Population, |population| slices = population.slices.len());

struct Slice {
    material: Material,
    layout: Arc<PairLayout>,
    /// Positions before the first of this slice.
    before: u64,
    /// Positions before each row of the slice, and of all rows at the end. Empty when each entry is one.
    rows: Vec<u64>,
    size: u64,
}

impl Population {
    /// The positions of `slices`, of which there must be tables.
    ///
    /// # Errors
    /// [`StudyError`] when there is no table of the values of a slice.
    pub fn new(tables: &Tablebase, slices: &[Material], distinct: bool) -> Result<Population, StudyError> {
        let mut population = Population { slices: Vec::new() };
        for &material in slices {
            tables.table(material, Metric::Wdl)?;
            let layout = Arc::clone(tables.index().layout(material.pair()));
            let mut rows = Vec::new();
            let mut size = layout.entries();
            if !distinct {
                size = 0;
                rows.push(0);
                for row in 0..layout.rows().len() as u32 {
                    size += layout.entries_in(row) * layout.rows().orbit(row);
                    rows.push(size);
                }
            }
            let before = population.size();
            population.slices.push(Slice { material, layout, before, rows, size });
        }
        Ok(population)
    }

    /// How many positions there are.
    pub fn size(&self) -> u64 {
        self.slices.last().map_or(0, |slice| slice.before + slice.size)
    }

    /// The position with this number, which must be below [`size`](Self::size), and of what it is the image:
    /// the slice, the entry, and the symmetry.
    pub fn place(&self, number: u64) -> Place<'_> {
        let index = self.slices.partition_point(|slice| slice.before <= number).saturating_sub(1);
        let slice = &self.slices[index];
        let within = number - slice.before;
        if slice.rows.is_empty() {
            return Place { slice, entry: within, image: 0 };
        }
        let row = slice.rows.partition_point(|&before| before <= within).saturating_sub(1) as u32;
        let orbit = slice.layout.rows().orbit(row);
        let within = within - slice.rows[row as usize];
        Place {
            slice,
            entry: slice.layout.first_entry(row) + within / orbit,
            image: (within % orbit) as usize,
        }
    }
}

/// Where a position of a population stands.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    slice: &'a Slice,
    /// The entry.
    pub entry: u64,
    /// Which image of it, 0 for itself.
    pub image: usize,
}

crate::debug::debug_as!(Place<'_>, |place| entry = place.entry);

impl<'a> Place<'a> {
    /// The material of the slice.
    pub fn material(&self) -> Material {
        self.slice.material
    }

    /// The position that the table holds.
    pub fn position(&self) -> Position {
        let layout = &self.slice.layout;
        layout.position(self.slice.material, layout.location_of(self.entry))
    }

    /// The symmetry that makes the image out of it.
    pub fn transform(&self, rules: &Rules) -> Transform {
        if self.image == 0 {
            return Transform::IDENTITY;
        }
        let layout = &self.slice.layout;
        let placement = layout.rows().placement(layout.location_of(self.entry).row);
        let image = |transform: Transform| -> Bitboard {
            placement.iter().map(|point| transform.apply(point)).collect()
        };
        // The first symmetry that leads to each image, in order.
        let mut seen: Vec<Bitboard> = Vec::new();
        for &transform in rules.symmetry().transforms() {
            let image = image(transform);
            if !seen.contains(&image) {
                if seen.len() == self.image {
                    return transform;
                }
                seen.push(image);
            }
        }
        Transform::IDENTITY
    }

    /// Whether both are images of the same entry.
    pub fn is_same_entry(&self, other: &Place<'a>) -> bool {
        std::ptr::eq(self.slice, other.slice) && self.entry == other.entry
    }
}
