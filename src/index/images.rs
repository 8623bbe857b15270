//! Images of sets of points.

use crate::board::Point;

const BITS: usize = 9;
const PARTS: usize = 3;

/// A mapping of points to points, applied to sets by looking up three parts of nine points.
pub struct PointImages([[u32; 1 << BITS]; PARTS]);

impl PointImages {
    /// The mapping that takes each point to `image` of it.
    pub fn new(image: impl Fn(Point) -> Point) -> PointImages {
        let mut parts = [[0; 1 << BITS]; PARTS];
        for (part, entries) in parts.iter_mut().enumerate() {
            for (bits, entry) in entries.iter_mut().enumerate() {
                let points = (0..BITS).filter(|bit| bits >> bit & 1 != 0);
                let images = points.filter_map(|bit| Point::new(part * BITS + bit)).map(&image);
                *entry = images.fold(0, |set, image| set | 1 << image.index());
            }
        }
        PointImages(parts)
    }

    /// The images of the points in `set`.
    #[inline(always)]
    pub fn apply(&self, set: u32) -> u32 {
        let part = |part: usize| self.0[part][(set >> (part * BITS)) as usize & ((1 << BITS) - 1)];
        part(0) | part(1) | part(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Bitboard, SymmetryGroup};

    #[test]
    fn images_of_sets_are_sets_of_images() {
        for &transform in SymmetryGroup::Square.transforms() {
            let images = PointImages::new(|point| transform.apply(point));
            for set in (0..1 << 25).step_by(12_345).map(Bitboard::new) {
                let expected: Bitboard = set.iter().map(|point| transform.apply(point)).collect();
                assert_eq!(images.apply(set.bits()), expected.bits());
            }
        }
    }
}
