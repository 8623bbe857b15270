//! A position as plain integers: the form that other languages use.

use super::{Position, PositionError};
use crate::board::{Bitboard, Direction, OffBoardError, neighbour};
use crate::rules::{Rules, Side};

/// A position as plain integers. Any values are allowed here; they are checked when they are used.
///
/// Bit n of a set stands for point n, counted along the ranks from a1 = 0 to e5 = 24.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(C)]
pub struct PositionBits {
    /// White's stones.
    pub white: u32,
    /// Black's stones.
    pub black: u32,
    /// Stones of either side that may not step towards file a (no-return rule), else 0.
    pub no_west: u32,
    /// Stones of either side that may not step towards file e (no-return rule), else 0.
    pub no_east: u32,
    /// The side to move: 0 is White, 1 is Black.
    pub side: u8,
    /// Plies without a capture so far, under rules that count them, else 0.
    pub plies: u8,
}

impl PositionBits {
    /// The position under `rules` that these integers describe.
    ///
    /// ```
    /// use alquerque::{position::{Position, PositionBits}, rules::CLASSIC};
    ///
    /// let bits = PositionBits { white: 1 << 12, black: 1 << 18, ..PositionBits::default() };
    /// assert_eq!(bits.position(&CLASSIC).unwrap().to_string(), "5/3b1/2w2/5/5 w - 0");
    /// ```
    ///
    /// # Errors
    /// [`PositionError`] if they do not describe a position.
    #[inline]
    pub fn position(&self, rules: &Rules) -> Result<Position, PositionError> {
        let side = match self.side {
            0 => Side::White,
            1 => Side::Black,
            other => return Err(PositionError::NoSide(other)),
        };
        let position = Position::new(set(self.white)?, set(self.black)?, side)?;
        // Nearly all positions take this path, so it is worth inlining.
        let plain = self.no_west | self.no_east == 0 && self.plies == 0;
        if plain { Ok(position) } else { self.with_state(position, rules) }
    }

    /// `position` with the forbidden steps and the ply counter.
    fn with_state(&self, mut position: Position, rules: &Rules) -> Result<Position, PositionError> {
        for (bits, direction) in [(self.no_west, Direction::West), (self.no_east, Direction::East)] {
            for from in set(bits)?.iter() {
                let to = neighbour(from, direction).ok_or(PositionError::ForbiddenOffBoard(from))?;
                position = position.forbid(rules, from, to)?;
            }
        }
        position.with_plies(rules, self.plies.into())
    }
}

#[inline]
fn set(bits: u32) -> Result<Bitboard, PositionError> {
    Ok(Bitboard::from_bits(bits).ok_or(OffBoardError(bits))?)
}

impl From<&Position> for PositionBits {
    fn from(position: &Position) -> PositionBits {
        PositionBits {
            white: position.white().bits(),
            black: position.black().bits(),
            no_west: position.no_west().bits(),
            no_east: position.no_east().bits(),
            side: position.side() as u8,
            plies: position.plies(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{BRAINKING, CLASSIC, YOUZAI};

    #[test]
    fn words_lead_back_to_the_position() {
        for (rules, text) in [
            (&CLASSIC, "start"),
            (&BRAINKING, "5/5/3b1/5/b2w1 b d1-e1 0"),
            (&BRAINKING, "w4/5/2w2/5/b4 w c3-b3 0"),
            (&YOUZAI, "5/5/3b1/5/3w1 b - 49"),
        ] {
            let position = Position::parse(rules, text).unwrap();
            assert_eq!(PositionBits::from(&position).position(rules), Ok(position), "{text}");
        }
    }

    #[test]
    fn garbage_is_told() {
        let good = PositionBits { white: 1 << 12, black: 1 << 18, ..PositionBits::default() };
        for (rules, bits, part) in [
            (&CLASSIC, PositionBits { white: 1 << 25, ..good }, "outside the board"),
            (&CLASSIC, PositionBits { black: u32::MAX, ..good }, "outside the board"),
            (&CLASSIC, PositionBits { black: 1 << 12, ..good }, "both sides have a stone on c3"),
            (&CLASSIC, PositionBits { side: 2, ..good }, "0 (White) or 1 (Black), not 2"),
            (&CLASSIC, PositionBits { plies: 1, ..good }, "no ply counter"),
            (&CLASSIC, PositionBits { no_west: 1 << 12, ..good }, "no forbidden steps"),
            (&YOUZAI, PositionBits { plies: 51, ..good }, "counter is 51"),
            (&BRAINKING, PositionBits { no_west: 1 << 30, ..good }, "outside the board"),
            (&BRAINKING, PositionBits { no_west: 1 << 11, ..good }, "no stone on b3"),
            (&BRAINKING, PositionBits { white: 1 << 10, no_west: 1 << 10, ..good }, "no point beside a3"),
            (&BRAINKING, PositionBits { no_west: 1 << 12, no_east: 1 << 12, ..good }, "two forbidden steps"),
            (&BRAINKING, PositionBits::default(), "no stones on the board"),
        ] {
            let message = bits.position(rules).unwrap_err().to_string();
            assert!(message.contains(part), "{bits:?}: {message}");
        }
    }
}
