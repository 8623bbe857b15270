//! Material: how many stones each side has. It names the slices of the game.

use std::fmt;
use std::str::FromStr;

use crate::board::MAX_STONES;
use crate::position::Position;

/// The stones of the side to move and of the other side, each 1 to 12. Written `3v2`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Material {
    mover: u8,
    opponent: u8,
}

impl Material {
    /// The material of `mover` against `opponent` stones, or `None` unless both are 1 to 12.
    pub const fn new(mover: usize, opponent: usize) -> Option<Material> {
        if mover == 0 || opponent == 0 || mover > MAX_STONES || opponent > MAX_STONES {
            return None;
        }
        Some(Material { mover: mover as u8, opponent: opponent as u8 })
    }

    /// The material of a position, or `None` when a side has no stone.
    pub fn of(position: &Position) -> Option<Material> {
        Material::new(position.own().count(), position.opponent().count())
    }

    /// Stones of the side to move.
    pub const fn mover(self) -> usize {
        self.mover as usize
    }

    /// Stones of the other side.
    pub const fn opponent(self) -> usize {
        self.opponent as usize
    }

    /// Stones of both sides together, 2 to 24.
    pub const fn total(self) -> usize {
        self.mover() + self.opponent()
    }

    /// The material after a step: the other side is to move.
    #[must_use]
    pub const fn passed(self) -> Material {
        Material { mover: self.opponent, opponent: self.mover }
    }

    /// The pair to which the slice of this material belongs.
    pub const fn pair(self) -> Pair {
        if self.mover >= self.opponent {
            Pair { larger: self.mover, smaller: self.opponent }
        } else {
            Pair { larger: self.opponent, smaller: self.mover }
        }
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.mover, self.opponent)
    }
}

/// The text is not a material.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a material; write for instance 3v2, each side 1 to {MAX_STONES}")]
pub struct ParseMaterialError(String);

impl FromStr for Material {
    type Err = ParseMaterialError;

    fn from_str(text: &str) -> Result<Material, ParseMaterialError> {
        // Only the canonical form is taken, so that no two names mean the same file.
        let number = |text: &str| text.parse().ok().filter(|n: &usize| n.to_string() == text);
        let parse = || {
            let (mover, opponent) = text.split_once('v')?;
            Material::new(number(mover)?, number(opponent)?)
        };
        parse().ok_or_else(|| ParseMaterialError(text.to_owned()))
    }
}

/// Two slices that lead to each other by steps, `AvB` and `BvA`: the unit of solving. With equal sides the
/// two are one slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    larger: u8,
    smaller: u8,
}

impl Pair {
    /// Stones of the side that has more, or as many.
    pub const fn larger(self) -> usize {
        self.larger as usize
    }

    /// Stones of the side that has fewer, or as many.
    pub const fn smaller(self) -> usize {
        self.smaller as usize
    }

    /// Stones of both sides together.
    pub const fn total(self) -> usize {
        self.larger() + self.smaller()
    }

    /// Whether both sides have as many stones.
    pub fn is_even(self) -> bool {
        self.larger == self.smaller
    }

    /// The slice in which the larger side moves, then the one in which the smaller moves; only one when they
    /// are the same.
    pub fn slices(self) -> impl Iterator<Item = Material> {
        let first = Material { mover: self.larger, opponent: self.smaller };
        let second = (!self.is_even()).then_some(first.passed());
        std::iter::once(first).chain(second)
    }

    /// The slices that captures from this pair lead to, each once, larger ones first.
    pub fn captures_lead_to(self) -> Vec<Material> {
        let (a, b) = (self.larger(), self.smaller());
        let by_larger = (1..b).filter_map(|left| Material::new(left, a));
        let by_smaller = (1..a).filter_map(|left| Material::new(left, b));
        let mut slices: Vec<Material> = by_larger.chain(by_smaller).collect();
        slices.sort_by_key(|material| (std::cmp::Reverse(material.total()), *material));
        slices.dedup();
        slices
    }

    /// All pairs with at most `stones` stones together, in the order of work: captures lead only to earlier
    /// ones.
    pub fn up_to(stones: usize) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for total in 2..=stones {
            for smaller in 1..=total / 2 {
                if let Some(material) = Material::new(total - smaller, smaller) {
                    pairs.push(material.pair());
                }
            }
        }
        pairs
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.larger, self.smaller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_survives_a_round_trip() {
        assert_eq!("12v3".parse::<Material>().unwrap().to_string(), "12v3");
        for text in ["", "3", "3v", "v3", "0v3", "13v1", "3v2v1", "03v2", "+3v2", "3V2", "3v 2"] {
            assert!(text.parse::<Material>().is_err(), "{text}");
        }
    }

    #[test]
    fn pairs_come_after_what_their_captures_lead_to() {
        let pairs = Pair::up_to(24);
        assert_eq!(pairs.len(), 78);
        for (index, pair) in pairs.iter().enumerate() {
            for material in pair.captures_lead_to() {
                assert!(pairs[..index].contains(&material.pair()), "{pair} -> {material}");
            }
        }
    }
}
