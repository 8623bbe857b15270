//! Pulling planes from one row into the columns of another that correspond to each other in order.

use crate::index::{BitOps, BitWork};

/// Moves planes from the columns in `from` of a row to those in `to` of another, of which there must be as
/// many.
pub struct Pull<'s, Sink> {
    /// The row that is read, word by word, and how many planes each word has.
    pub source: &'s [u64],
    pub stride: usize,
    /// Which of the planes.
    pub planes: [usize; 2],
    pub from: &'s [u64],
    pub to: &'s [u64],
    /// The columns that matter: other words are left out.
    pub wanted: &'s [u64],
    pub packed: &'s mut Vec<[u64; 2]>,
    /// Takes the number of a word of the other row and what arrives there.
    pub sink: Sink,
}

impl<Sink: FnMut(usize, [u64; 2])> BitWork for Pull<'_, Sink> {
    type Output = ();

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) {
        let Pull { source, stride, planes: [one, two], from, to, wanted, packed, mut sink } = self;
        packed.clear();
        packed.resize(from.len() + 2, [0; 2]);
        // Bits are added at the end of the last word; what does not fit begins the next.
        let (mut end, mut filled) = (0, 0);
        for (&mask, word) in from.iter().zip(source.chunks_exact(stride)) {
            if mask == 0 {
                continue;
            }
            let count = mask.count_ones();
            let more = [bits.extract(word[one], mask), bits.extract(word[two], mask)];
            let room = 64 - filled;
            for plane in 0..2 {
                packed[end][plane] |= more[plane] << filled;
                // `room` may be 64, but then nothing is left over.
                packed[end + 1][plane] = more[plane] >> 1 >> (room - 1);
            }
            filled += count;
            if filled >= 64 {
                filled -= 64;
                end += 1;
            }
        }
        let mut place = 0;
        for (word, (&mask, &wanted)) in to.iter().zip(wanted).enumerate() {
            let (index, shift) = (place / 64, place as u32 % 64);
            place += mask.count_ones() as usize;
            if mask & wanted == 0 {
                continue;
            }
            let (low, high) = (packed[index], packed[index + 1]);
            let get =
                |plane: usize| bits.deposit(low[plane] >> shift | high[plane] << 1 << (63 - shift), mask);
            sink(word, [get(0), get(1)]);
        }
    }
}

/// Counts bits.
pub struct Count<'s>(pub &'s [u64]);

impl BitWork for Count<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}
