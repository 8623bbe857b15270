//! Symbols and bytes: what one entry of a table holds and how a block of them is packed.

use super::{Metric, Value};

/// What an entry holds: for WDL 0 (loss), 1 (draw) or 2 (win); for DTC and DTW a number of plies; or
/// [`DONT_CARE`].
pub type Symbol = u16;

/// The entry is never read: a position with a capture, or for distances a draw. The writer fills in what
/// compresses best.
pub const DONT_CARE: Symbol = Symbol::MAX;

/// How the entries of a block become bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Five entries of three values a byte: the first is the lowest digit in base 3.
    Trits,
    /// One byte an entry.
    Bytes,
    /// Two bytes an entry, the low byte first.
    Words,
}

/// Entries that share a byte.
const TRITS: usize = 5;
const POWERS: [u8; TRITS] = [1, 3, 9, 27, 81];

impl Packing {
    /// The packing of `metric` when `longest` is the largest distance in the table.
    pub fn of(metric: Metric, longest: u16) -> Packing {
        match metric {
            Metric::Wdl => Packing::Trits,
            _ if longest <= u8::MAX.into() => Packing::Bytes,
            _ => Packing::Words,
        }
    }

    /// The number by which the header names the packing.
    pub fn code(self) -> u8 {
        match self {
            Packing::Trits => 0,
            Packing::Bytes => 1,
            Packing::Words => 2,
        }
    }

    /// The packing with this number in the header.
    pub fn from_code(code: u8) -> Option<Packing> {
        [Packing::Trits, Packing::Bytes, Packing::Words].into_iter().find(|packing| packing.code() == code)
    }

    /// Entries of a block when the table is written; the last block has what is left. Chosen so that a probe
    /// decodes about 8 KiB.
    pub fn entries_per_block(self) -> u32 {
        match self {
            Packing::Trits => 40_960,
            Packing::Bytes => 8_192,
            Packing::Words => 4_096,
        }
    }

    /// Bytes of `entries` entries.
    pub fn bytes(self, entries: usize) -> usize {
        match self {
            Packing::Trits => entries.div_ceil(TRITS),
            Packing::Bytes => entries,
            Packing::Words => 2 * entries,
        }
    }

    /// Packs `symbols`. Entries that nobody reads repeat what came before.
    pub fn pack(self, symbols: &[Symbol]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes(symbols.len()));
        match self {
            Packing::Trits => {
                let mut before = 0;
                for group in symbols.chunks(TRITS) {
                    before = pack_trits(group, before);
                    bytes.push(before);
                }
            }
            Packing::Bytes | Packing::Words => {
                // Leading ones take the first that is read.
                let mut before = symbols.iter().copied().find(|&symbol| symbol != DONT_CARE).unwrap_or(0);
                for &symbol in symbols {
                    if symbol != DONT_CARE {
                        before = symbol;
                    }
                    bytes.push(before as u8);
                    if self == Packing::Words {
                        bytes.push((before >> 8) as u8);
                    }
                }
            }
        }
        bytes
    }

    /// The symbol of the entry with this number in packed `bytes`, or `None` when there is none.
    #[inline]
    pub fn get(self, bytes: &[u8], entry: usize) -> Option<Symbol> {
        match self {
            Packing::Trits => {
                let byte = *bytes.get(entry / TRITS)?;
                Some((byte / POWERS[entry % TRITS] % 3).into())
            }
            Packing::Bytes => bytes.get(entry).map(|&byte| byte.into()),
            Packing::Words => {
                let pair = bytes.get(2 * entry..2 * entry + 2)?;
                Some(Symbol::from_le_bytes([pair[0], pair[1]]))
            }
        }
    }
}

/// One byte for up to five symbols: the byte before when it serves, else with its last digit repeated.
fn pack_trits(group: &[Symbol], before: u8) -> u8 {
    let digit = |byte: u8, place: usize| Symbol::from(byte / POWERS[place] % 3);
    let serves = |(place, &symbol): (usize, &Symbol)| symbol == DONT_CARE || symbol == digit(before, place);
    if group.iter().enumerate().all(serves) {
        return before;
    }
    let mut last = digit(before, TRITS - 1);
    let mut byte = 0;
    for (place, power) in POWERS.into_iter().enumerate() {
        match group.get(place) {
            Some(&symbol) if symbol != DONT_CARE => last = symbol,
            _ => {}
        }
        byte += last as u8 * power;
    }
    byte
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
        assert_eq!(packing.get(&bytes, bytes.len() * TRITS), None);
    }

    proptest! {
        #[test]
        fn what_is_read_survives(choices in prop::collection::vec(prop::option::of(0..3_u16), 1..200)) {
            let symbols: Vec<Symbol> = choices.into_iter().map(|c| c.unwrap_or(DONT_CARE)).collect();
            for packing in [Packing::Trits, Packing::Bytes, Packing::Words] {
                survives(packing, &symbols);
            }
            let far: Vec<Symbol> = symbols.iter().map(|&s| if s == DONT_CARE { s } else { s * 300 }).collect();
            survives(Packing::Words, &far);
        }
    }
}
