//! Symbols and bytes: what one entry of a table holds and how a block of them is packed.

use super::{Metric, TableInfo, Value};

/// What an entry holds: for WDL 0 (loss), 1 (draw) or 2 (win); for DTC and DTW a number of plies; or
/// [`DONT_CARE`].
pub type Symbol = u16;

/// The entry is never read: a position with a capture, or for distances a draw. The writer fills in what
/// compresses best.
pub const DONT_CARE: Symbol = Symbol::MAX;

/// How the entries of a block become bytes.
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
const POWERS_OF_2: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

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
        matches!(self, Packing::Bits | Packing::Trits) == (metric == Metric::Wdl)
    }

    /// Entries of a block when the table is written; the last block has what is left. Chosen so that a probe
    /// decodes 16 KiB.
    pub fn entries_per_block(self) -> u32 {
        match self {
            Packing::Bits => 131_072,
            Packing::Trits => 81_920,
            Packing::Bytes => 16_384,
            Packing::Words => 8_192,
        }
    }

    /// Bytes of `entries` entries.
    pub fn bytes(self, entries: usize) -> usize {
        match self {
            Packing::Bits => entries.div_ceil(POWERS_OF_2.len()),
            Packing::Trits => entries.div_ceil(POWERS_OF_3.len()),
            Packing::Bytes => entries,
            Packing::Words => 2 * entries,
        }
    }

    /// Packs `symbols`. Entries that nobody reads repeat what came before.
    pub fn pack(self, symbols: &[Symbol]) -> Vec<u8> {
        match self {
            Packing::Bits => {
                // Bit 1 is a win, symbol 2.
                let halved = |&symbol: &Symbol| if symbol == DONT_CARE { symbol } else { symbol / 2 };
                pack_digits(&symbols.iter().map(halved).collect::<Vec<_>>(), 2, &POWERS_OF_2)
            }
            Packing::Trits => pack_digits(symbols, 3, &POWERS_OF_3),
            Packing::Bytes => fill_plies(symbols).map(|plies| plies as u8).collect(),
            Packing::Words => fill_plies(symbols).flat_map(Symbol::to_le_bytes).collect(),
        }
    }

    /// The symbol of the entry with this number in packed `bytes`, or `None` when there is none.
    #[inline]
    pub fn get(self, bytes: &[u8], entry: usize) -> Option<Symbol> {
        match self {
            Packing::Bits => {
                let byte = *bytes.get(entry / POWERS_OF_2.len())?;
                Some(Symbol::from(byte >> (entry % POWERS_OF_2.len()) & 1) * 2)
            }
            Packing::Trits => {
                let byte = *bytes.get(entry / POWERS_OF_3.len())?;
                Some((byte / POWERS_OF_3[entry % POWERS_OF_3.len()] % 3).into())
            }
            Packing::Bytes => bytes.get(entry).map(|&byte| byte.into()),
            Packing::Words => {
                let pair = bytes.get(2 * entry..2 * entry + 2)?;
                Some(Symbol::from_le_bytes([pair[0], pair[1]]))
            }
        }
    }
}

/// Packs digits, as many to a byte as there are powers. A byte repeats the one before when that serves; else digits
/// that nobody reads repeat the digit before.
fn pack_digits<const PLACES: usize>(symbols: &[Symbol], base: u8, powers: &[u8; PLACES]) -> Vec<u8> {
    // The byte before and its digits.
    let (mut before, mut digits) = (0, [0; PLACES]);
    let mut bytes = Vec::with_capacity(symbols.len().div_ceil(PLACES));
    let mut pack = |group: &[Symbol; PLACES]| {
        let serves = |(&symbol, &digit): (&Symbol, &Symbol)| symbol == DONT_CARE || symbol == digit;
        if *group != [DONT_CARE; PLACES] && !group.iter().zip(&digits).all(serves) {
            let mut last = digits[PLACES - 1];
            before = 0;
            for ((digit, &symbol), power) in digits.iter_mut().zip(group).zip(powers) {
                if symbol != DONT_CARE {
                    last = symbol;
                }
                *digit = last;
                before += last as u8 * power;
            }
        }
        bytes.push(before);
    };
    let (groups, rest) = symbols.as_chunks();
    groups.iter().for_each(&mut pack);
    if !rest.is_empty() {
        let mut group = [DONT_CARE; PLACES];
        group[..rest.len()].copy_from_slice(rest);
        pack(&group);
    }
    debug_assert!(symbols.iter().all(|&symbol| symbol == DONT_CARE || symbol < base.into()));
    bytes
}

/// Distances, with those that nobody reads repeating the one before; leading ones take the first that is read.
fn fill_plies(symbols: &[Symbol]) -> impl Iterator<Item = Symbol> {
    let mut before = symbols.iter().copied().find(|&symbol| symbol != DONT_CARE).unwrap_or(0);
    symbols.iter().map(move |&symbol| {
        if symbol != DONT_CARE {
            before = symbol;
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

    fn survives(packing: Packing, symbols: &[Symbol]) {
        let bytes = packing.pack(symbols);
        assert_eq!(bytes.len(), packing.bytes(symbols.len()));
        for (entry, &symbol) in symbols.iter().enumerate() {
            let read = packing.get(&bytes, entry).unwrap();
            assert!(symbol == DONT_CARE || symbol == read);
        }
        assert_eq!(packing.get(&bytes, bytes.len() * 8), None);
    }

    proptest! {
        #[test]
        fn what_is_read_survives(choices in prop::collection::vec(prop::option::of(0..3_u16), 1..200)) {
            let symbols: Vec<Symbol> = choices.into_iter().map(|c| c.unwrap_or(DONT_CARE)).collect();
            for packing in [Packing::Trits, Packing::Bytes, Packing::Words] {
                survives(packing, &symbols);
            }
            let decisive: Vec<Symbol> = symbols.iter().map(|&s| if s == 1 { 2 } else { s }).collect();
            survives(Packing::Bits, &decisive);
            let far: Vec<Symbol> = symbols.iter().map(|&s| if s == DONT_CARE { s } else { s * 300 }).collect();
            survives(Packing::Words, &far);
        }
    }
}
