//! Symbols and bytes: what one quiet entry of a table holds and how those of a block are packed.

use super::{Metric, TableInfo, Value};
use crate::index::{BitOps, BitWork, with_best_bits};

/// What a quiet entry holds: for WDL 0 (loss), 1 (draw) or 2 (win); for distances a number of plies.
pub type Symbol = u16;

/// The distance of a draw, which is never read. The writer fills in what compresses best.
pub const DONT_CARE: Symbol = Symbol::MAX;

/// What entries hold, as it is given to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// WDL: which entries of a range are won and which are lost, a bit each. Those that are not quiet do not
    /// matter.
    Values {
        /// Those that are won.
        won: Vec<u64>,
        /// Those that are lost.
        lost: Vec<u64>,
    },
    /// Distances: the plies of the quiet entries, one after the other, [`DONT_CARE`] for draws.
    Distances(Vec<Symbol>),
}

/// How the quiet entries of a block become bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Eight entries of two values a byte, the first in the lowest bit: a slice without draws.
    Bits,
    /// Five entries of three values a byte: the first is the lowest digit in base 3.
    Trits,
    /// One byte an entry.
    Bytes,
    /// Two bytes an entry, the low byte first.
    Words,
}

const POWERS_OF_3: [u8; 5] = [1, 3, 9, 27, 81];

impl Packing {
    /// The packing of the table that `info` describes.
    pub fn of(info: &TableInfo) -> Packing {
        match info.metric {
            Metric::Wdl if info.draw == 0 => Packing::Bits,
            Metric::Wdl => Packing::Trits,
            _ if info.longest.max() <= u8::MAX.into() => Packing::Bytes,
            _ => Packing::Words,
        }
    }

    const ALL: [Packing; 4] = [Packing::Trits, Packing::Bytes, Packing::Words, Packing::Bits];

    /// The number by which the header names the packing.
    pub fn code(self) -> u8 {
        Self::ALL.into_iter().zip(0..).find(|(packing, _)| *packing == self).map_or(0, |(_, code)| code)
    }

    /// The packing with this number in the header.
    pub fn from_code(code: u8) -> Option<Packing> {
        Self::ALL.into_iter().find(|packing| packing.code() == code)
    }

    /// The packings that a table of `metric` can have.
    pub fn fits(self, metric: Metric) -> bool {
        matches!(self, Packing::Bytes | Packing::Words) == metric.is_distance()
    }

    /// Bytes of `entries` entries.
    pub fn bytes(self, entries: usize) -> usize {
        match self {
            Packing::Bits => entries.div_ceil(8),
            Packing::Trits => entries.div_ceil(POWERS_OF_3.len()),
            Packing::Bytes => entries,
            Packing::Words => entries.saturating_mul(2),
        }
    }

    /// Packs what the quiet entries of a block hold; `quiet` says which ones they are.
    pub fn pack(self, quiet: &[u64], content: &Content) -> Vec<u8> {
        match content {
            Content::Values { won, lost } => {
                let entries = quiet.iter().map(|word| word.count_ones() as usize).sum();
                let won = gather(quiet, won);
                match self {
                    Packing::Bits => {
                        let bytes = won.iter().flat_map(|word| word.to_le_bytes());
                        bytes.take(self.bytes(entries)).collect()
                    }
                    _ => pack_trits(&won, &gather(quiet, lost), self.bytes(entries)),
                }
            }
            Content::Distances(plies) => match self {
                Packing::Words => fill_draws(plies).flat_map(Symbol::to_le_bytes).collect(),
                _ => fill_draws(plies).map(|plies| plies as u8).collect(),
            },
        }
    }

    /// The symbol of the entry with this number in packed `bytes`, or `None` when there is none.
    // All divisors are constants above 0.
    #[allow(clippy::arithmetic_side_effects)]
    #[inline]
    pub fn get(self, bytes: &[u8], entry: usize) -> Option<Symbol> {
        match self {
            Packing::Bits => {
                let byte = *bytes.get(entry / 8)?;
                Some(Symbol::from(byte >> (entry % 8) & 1) << 1)
            }
            Packing::Trits => {
                let byte = *bytes.get(entry / POWERS_OF_3.len())?;
                Some((byte / POWERS_OF_3[entry % POWERS_OF_3.len()] % 3).into())
            }
            Packing::Bytes => bytes.get(entry).map(|&byte| byte.into()),
            Packing::Words => {
                let from = entry.checked_mul(2)?;
                let pair = bytes.get(from..)?.first_chunk()?;
                Some(Symbol::from_le_bytes(*pair))
            }
        }
    }
}

/// Packs trits: five entries a byte. What neither is won nor lost is drawn.
// Nothing here comes from a file.
#[allow(clippy::arithmetic_side_effects)]
fn pack_trits(won: &[u64], lost: &[u64], bytes: usize) -> Vec<u8> {
    /// What the digits of five bits are worth.
    const WORTH: [u8; 32] = {
        let mut worth = [0; 32];
        let mut bits = 0;
        while bits < worth.len() {
            let mut place = 0;
            while place < POWERS_OF_3.len() {
                worth[bits] += (bits >> place & 1) as u8 * POWERS_OF_3[place];
                place += 1;
            }
            bits += 1;
        }
        worth
    };
    let five = |plane: &[u64], first: usize| {
        let (word, bit) = (first / 64, first % 64);
        // The next word counts only where five bits are not left in this one.
        let next = plane.get(word + 1).map_or(0, |next| next << 1 << (63 - bit));
        WORTH[((plane[word] >> bit | next) % 32) as usize]
    };
    let all_drawn = WORTH[31];
    (0..bytes).map(|byte| all_drawn + five(won, 5 * byte) - five(lost, 5 * byte)).collect()
}

/// The bits of `plane` where `mask` has one, without gaps.
// Nothing here comes from a file.
#[allow(clippy::arithmetic_side_effects)]
fn gather(mask: &[u64], plane: &[u64]) -> Vec<u64> {
    struct Gather<'a>(&'a [u64], &'a [u64]);

    impl BitWork for Gather<'_> {
        type Output = Vec<u64>;

        #[inline(always)]
        fn run<B: BitOps>(self, bits: B) -> Vec<u64> {
            let mut gathered = Vec::with_capacity(self.0.len());
            let (mut word, mut filled) = (0, 0);
            for (&mask, &plane) in self.0.iter().zip(self.1) {
                let (more, count) = (bits.extract(plane, mask), mask.count_ones());
                word |= more << filled;
                if filled + count >= 64 {
                    gathered.push(word);
                    word = if filled == 0 { 0 } else { more >> (64 - filled) };
                }
                filled = (filled + count) % 64;
            }
            gathered.extend((filled > 0).then_some(word));
            gathered
        }
    }

    with_best_bits(Gather(mask, plane))
}

/// Distances, with those of draws repeating the one before; leading ones take the first that is read.
fn fill_draws(plies: &[Symbol]) -> impl Iterator<Item = Symbol> {
    let mut before = plies.iter().copied().find(|&plies| plies != DONT_CARE).unwrap_or(0);
    plies.iter().map(move |&plies| {
        if plies != DONT_CARE {
            before = plies;
        }
        before
    })
}

impl Value {
    /// The symbol that stands for this value.
    pub const fn symbol(self) -> Symbol {
        self as Symbol
    }

    /// The value for which `symbol` stands.
    pub const fn from_symbol(symbol: Symbol) -> Option<Value> {
        match symbol {
            0 => Some(Value::Loss),
            1 => Some(Value::Draw),
            2 => Some(Value::Win),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every entry with the words of a plane as bits.
    fn bits(words: &[u64]) -> impl Iterator<Item = bool> {
        (0..64 * words.len()).map(|entry| words[entry / 64] >> (entry % 64) & 1 != 0)
    }

    proptest! {
        #[test]
        fn values_survive(planes in prop::collection::vec(any::<[u64; 4]>(), 0..6)) {
            // Masks of all densities.
            let quiet: Vec<u64> = planes.iter().map(|[mask, more, ..]| mask & (more | u64::MAX << (more % 64))).collect();
            let won: Vec<u64> = planes.iter().map(|plane| plane[2]).collect();
            let lost: Vec<u64> = planes.iter().map(|plane| plane[3] & !plane[2]).collect();
            let decided: Vec<u64> = won.iter().map(|won| !won).collect();
            let symbols = |lost: &[u64]| -> Vec<Symbol> {
                let values = bits(&quiet).zip(bits(&won)).zip(bits(lost)).filter(|((quiet, _), _)| *quiet);
                values.map(|((_, won), lost)| 1 + Symbol::from(won) - Symbol::from(lost)).collect()
            };
            for (packing, lost) in [(Packing::Trits, lost), (Packing::Bits, decided)] {
                let expected = symbols(&lost);
                let bytes = packing.pack(&quiet, &Content::Values { won: won.clone(), lost });
                prop_assert_eq!(bytes.len(), packing.bytes(expected.len()));
                for (entry, &symbol) in expected.iter().enumerate() {
                    prop_assert_eq!(packing.get(&bytes, entry), Some(symbol));
                }
                prop_assert_eq!(packing.get(&bytes, bytes.len() * 8), None);
            }
        }

        #[test]
        fn distances_survive(choices in prop::collection::vec(prop::option::of(0..255_u16), 1..200), factor in 1..250_u16) {
            for (packing, factor) in [(Packing::Bytes, 1), (Packing::Words, factor)] {
                let symbols = choices.iter().map(|choice| choice.map_or(DONT_CARE, |plies| plies * factor));
                let symbols: Vec<Symbol> = symbols.collect();
                let bytes = packing.pack(&[], &Content::Distances(symbols.clone()));
                prop_assert_eq!(bytes.len(), packing.bytes(symbols.len()));
                for (entry, &symbol) in symbols.iter().enumerate() {
                    let read = packing.get(&bytes, entry).unwrap();
                    prop_assert!(symbol == DONT_CARE || symbol == read);
                }
                prop_assert_eq!(packing.get(&bytes, symbols.len()), None);
            }
        }
    }
}
