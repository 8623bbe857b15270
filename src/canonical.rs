//! The canonical form of a position: its identity in searches and certificates.
//!
//! The board is turned so that the side to move plays up. Of the images under the symmetries of the rules,
//! the one with the least [`Key`] represents them all. The ply counter is not part of the form.

use crate::board::{Bitboard, POINTS, SymmetryGroup};
use crate::position::{Position, PositionBits, PositionError};
use crate::rules::{Rules, Side};

/// The representative of all positions that are equal by symmetry or by a change of colours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Canonical {
    // The order of the fields makes the derived order that of the keys.
    key: Key,
}

/// A [`Canonical`] position as two numbers, compared in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key {
    /// The stones of the side to move in bits 0 to 24, those of the other side in bits 25 to 49.
    pub stones: u64,
    /// Stones of either side that may not step west in bits 0 to 24, those that may not step east in bits 25
    /// to 49; 0 under rules without forbidden steps.
    pub forbidden: u64,
}

/// Bits of one set in a key.
const SET: u64 = (1 << POINTS) - 1;

/// The same set of points twice in one word: both halves are transformed at once.
const fn in_both(set: u64) -> u64 {
    set | set << POINTS
}

const FILE_A: u64 = in_both(0x10_8421);
const RANK_1: u64 = in_both(0x1f);
/// The points of file f and rank f + n, for n from 0: diagonals that end on rank 5.
const DIAGONALS: [u64; 5] = {
    let mut diagonals = [0; 5];
    let mut point = 0;
    while point < POINTS {
        let (file, rank) = (point % 5, point / 5);
        if rank >= file {
            diagonals[rank - file] |= in_both(1 << point);
        }
        point += 1;
    }
    diagonals
};

/// Left and right swapped, in both sets.
const fn mirrored(sets: u64) -> u64 {
    (sets & FILE_A) << 4
        | (sets & FILE_A << 1) << 2
        | sets & FILE_A << 2
        | (sets & FILE_A << 3) >> 2
        | (sets & FILE_A << 4) >> 4
}

/// Up and down swapped, in both sets.
const fn upended(sets: u64) -> u64 {
    (sets & RANK_1) << 20
        | (sets & RANK_1 << 5) << 10
        | sets & RANK_1 << 10
        | (sets & RANK_1 << 15) >> 10
        | (sets & RANK_1 << 20) >> 20
}

/// Files and ranks swapped, in both sets.
const fn transposed(sets: u64) -> u64 {
    let mut image = sets & DIAGONALS[0];
    let mut n = 1;
    while n < 5 {
        // A point above the main diagonal goes n files right and n ranks down: 4 n places.
        let above = DIAGONALS[n];
        image |= (sets & above) >> (4 * n) | (sets & above >> (4 * n)) << (4 * n);
        n += 1;
    }
    image
}

/// West and east of the forbidden steps swapped.
const fn swapped(forbidden: u64) -> u64 {
    forbidden >> POINTS | (forbidden & SET) << POINTS
}

impl Canonical {
    /// The canonical form of a position. Two positions share it if and only if a symmetry of the rules or a
    /// change of colours maps one to the other; their ply counters do not matter.
    pub fn of(rules: &Rules, position: &Position) -> Canonical {
        let position = match position.side() {
            Side::White => *position,
            Side::Black => position.colours_swapped(),
        };
        let PositionBits { white, black, no_west, no_east, .. } = PositionBits::from(&position);
        Canonical::of_sets(rules.symmetry(), [white, black], [no_west, no_east])
    }

    /// The canonical form of the position in which the side to move, playing up, has the first of `stones`,
    /// the other side the second, and the stones of `forbidden` may not step west or east.
    #[inline]
    pub(crate) fn of_sets(symmetry: SymmetryGroup, stones: [u32; 2], forbidden: [u32; 2]) -> Canonical {
        let join = |[low, high]: [u32; 2]| u64::from(low) | u64::from(high) << POINTS;
        let (stones, forbidden) = (join(stones), join(forbidden));
        let key = match symmetry {
            SymmetryGroup::Trivial => Key { stones, forbidden },
            SymmetryGroup::Mirror => {
                let key = Key { stones, forbidden };
                let mirror = mirrored(stones);
                if mirror > stones {
                    key
                } else if forbidden == 0 {
                    Key { stones: mirror, forbidden }
                } else {
                    key.min(Key { stones: mirror, forbidden: swapped(mirrored(forbidden)) })
                }
            }
            // Rules with all symmetries have no forbidden steps.
            SymmetryGroup::Square => {
                let half = stones.min(mirrored(stones)).min(upended(stones)).min(upended(mirrored(stones)));
                let turned = transposed(stones);
                let other = turned.min(mirrored(turned)).min(upended(turned)).min(upended(mirrored(turned)));
                Key { stones: half.min(other), forbidden }
            }
        };
        Canonical { key }
    }

    /// The numbers of the position.
    #[inline]
    pub fn key(self) -> Key {
        self.key
    }

    /// The position with these numbers, White to move, the ply counter at 0.
    ///
    /// # Errors
    /// [`PositionError`] if they do not describe a position of `rules`.
    pub fn position_of(rules: &Rules, key: Key) -> Result<Position, PositionError> {
        let set = |word: u64, shift: usize| (word >> shift) as u32;
        let bits = PositionBits {
            white: (key.stones & SET) as u32,
            black: set(key.stones, POINTS),
            no_west: (key.forbidden & SET) as u32,
            no_east: set(key.forbidden, POINTS),
            ..PositionBits::default()
        };
        bits.position(rules)
    }

    /// The canonical form with these numbers, which must come from [`key`](Self::key).
    pub(crate) const fn from_key(key: Key) -> Canonical {
        Canonical { key }
    }

    /// The stones of the side to move.
    #[inline]
    pub fn own(self) -> Bitboard {
        Bitboard::new((self.key.stones & SET) as u32)
    }

    /// The stones of the other side.
    #[inline]
    pub fn opponent(self) -> Bitboard {
        Bitboard::new((self.key.stones >> POINTS) as u32)
    }

    /// Stones that may not step to the next lower file.
    #[inline]
    pub fn no_west(self) -> Bitboard {
        Bitboard::new((self.key.forbidden & SET) as u32)
    }

    /// Stones that may not step to the next higher file.
    #[inline]
    pub fn no_east(self) -> Bitboard {
        Bitboard::new((self.key.forbidden >> POINTS) as u32)
    }

    /// The position with White to move and the ply counter at `plies`.
    #[inline]
    pub fn position(self, plies: u8) -> Position {
        let stones = [self.own(), self.opponent()];
        Position::from_parts(stones, Side::White, self.no_west(), self.no_east(), plies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Transform;
    use crate::rules::{BRAINKING, CLASSIC, QIRKAT};

    fn samples() -> [(&'static Rules, &'static str); 5] {
        [
            (&CLASSIC, "bbbbb/bbbbb/bb1ww/wwwww/wwwww w"),
            (&CLASSIC, "b4/1w3/3b1/2w2/4w b"),
            (&BRAINKING, "5/1b3/2w2/3b1/w4 w c3-b3,d2-e2"),
            (&BRAINKING, "5/2b2/5/2w2/5 w c2-b2"),
            (&QIRKAT, "4b/3w1/bb3/2w2/5 b d4-e4,a3-b3"),
        ]
    }

    #[test]
    fn symmetric_positions_are_one() {
        for (rules, text) in samples() {
            let position = Position::parse(rules, text).unwrap();
            let canonical = Canonical::of(rules, &position);
            let images: Vec<Canonical> = rules
                .symmetry()
                .transforms()
                .iter()
                .flat_map(|&transform| {
                    let image = position.transformed(transform);
                    [image, image.colours_swapped()]
                })
                .map(|image| Canonical::of(rules, &image))
                .collect();
            assert!(images.iter().all(|&image| image == canonical), "{text}: {images:?}");
            // The canonical form is one of the images, the one with the least key.
            let seen = if position.side() == Side::White { position } else { position.colours_swapped() };
            let least = rules
                .symmetry()
                .transforms()
                .iter()
                .map(|&transform| {
                    let bits = PositionBits::from(&seen.transformed(transform));
                    let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << POINTS;
                    Key { stones: join(bits.white, bits.black), forbidden: join(bits.no_west, bits.no_east) }
                })
                .min();
            assert_eq!(Some(canonical.key()), least, "{text}");
            assert_eq!(Canonical::of(rules, &canonical.position(0)), canonical);
            assert_eq!(Canonical::position_of(rules, canonical.key()), Ok(canonical.position(0)));
        }
    }

    #[test]
    fn other_images_are_other_positions() {
        let position = Position::parse(&BRAINKING, "5/1b3/2w2/5/5 w").unwrap();
        let upended = position.transformed(Transform::HALF_TURN);
        assert_ne!(Canonical::of(&BRAINKING, &position), Canonical::of(&BRAINKING, &upended));
        let forbidden = Position::parse(&BRAINKING, "5/1b3/2w2/5/5 w c3-b3").unwrap();
        assert_ne!(Canonical::of(&BRAINKING, &position), Canonical::of(&BRAINKING, &forbidden));
    }
}
