//! Gathering and scattering bits: with BMI2 where the processor has it, otherwise portably; same results.

use std::ops::Range;
use std::sync::LazyLock;

/// If this environment variable is set to anything, the program does not use BMI2. It serves to compare both
/// ways.
const PORTABLE_VARIABLE: &str = "ALQUERQUE_PORTABLE";

static USE_BMI2: LazyLock<bool> =
    LazyLock::new(|| processor_has_bmi2() && std::env::var_os(PORTABLE_VARIABLE).is_none());

fn processor_has_bmi2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// One way to gather and scatter bits.
pub trait BitOps: Copy {
    /// The bits of `value` under `mask`, moved together at the low end.
    fn extract(self, value: u64, mask: u64) -> u64;

    /// The low bits of `value`, moved apart to the places under `mask`: the inverse of
    /// [`extract`](Self::extract).
    fn deposit(self, value: u64, mask: u64) -> u64;
}

/// The way that works everywhere.
#[derive(Clone, Copy)]
pub struct Portable;

impl BitOps for Portable {
    #[inline]
    fn extract(self, value: u64, mut mask: u64) -> u64 {
        let (mut result, mut place) = (0, 0);
        // Runs of the mask move as a whole.
        while mask != 0 {
            let start = mask.trailing_zeros();
            let length = (!(mask >> start)).trailing_zeros();
            let run = u64::MAX >> (64 - length);
            result |= (value >> start & run) << place;
            place += length;
            mask &= !(run << start);
        }
        result
    }

    #[inline]
    fn deposit(self, value: u64, mut mask: u64) -> u64 {
        let (mut result, mut place) = (0, 0);
        while mask != 0 {
            let start = mask.trailing_zeros();
            let length = (!(mask >> start)).trailing_zeros();
            let run = u64::MAX >> (64 - length);
            result |= (value >> place & run) << start;
            place += length;
            mask &= !(run << start);
        }
        result
    }
}

/// The instructions of BMI2, and with them AVX2, which came at the same time. There is one only where the
/// processor has them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Bmi2(());

#[cfg(target_arch = "x86_64")]
impl BitOps for Bmi2 {
    #[inline(always)]
    fn extract(self, value: u64, mask: u64) -> u64 {
        // SAFETY: a `Bmi2` is made only after the processor was asked.
        unsafe { std::arch::x86_64::_pext_u64(value, mask) }
    }

    #[inline(always)]
    fn deposit(self, value: u64, mask: u64) -> u64 {
        // SAFETY: a `Bmi2` is made only after the processor was asked.
        unsafe { std::arch::x86_64::_pdep_u64(value, mask) }
    }
}

/// Work that is compiled once for each way. `run` should be marked `#[inline(always)]`, so that all of it is
/// compiled for the instructions that it may use.
pub trait BitWork {
    /// What comes out.
    type Output;

    /// Does the work.
    fn run<B: BitOps>(self, bits: B) -> Self::Output;
}

/// Does `work` in the best way that the processor has.
#[inline]
pub fn with_best_bits<W: BitWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if *USE_BMI2 {
        // SAFETY: the processor has the instructions.
        return unsafe { run_with_bmi2(work, Bmi2(())) };
    }
    work.run(Portable)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run_with_bmi2<W: BitWork>(work: W, bits: Bmi2) -> W::Output {
    work.run(bits)
}

/// Calls `visit` with the number of every set bit, from the lowest on.
#[inline(always)]
pub fn each_bit(mut word: u64, mut visit: impl FnMut(u32)) {
    while word != 0 {
        visit(word.trailing_zeros());
        word &= word - 1;
    }
}

/// Copies `count` bits of `words`, from bit `first` on, to `into` from bit `at` on, where all bits must be
/// zero. `words` must have one more word than hold the bits; its contents do not matter.
#[inline(always)]
pub fn put_bits(words: &[u64], first: usize, count: usize, into: &mut [u64], at: usize) {
    // Up to 64 bits from a place on.
    let get =
        |place: usize| words[place / 64] >> (place % 64) | words[place / 64 + 1] << 1 << (63 - place % 64);
    let low = |bits: u64, count: usize| if count == 0 { 0 } else { bits & u64::MAX >> (64 - count) };
    let head = (at.wrapping_neg() % 64).min(count);
    if head > 0 {
        into[at / 64] |= low(get(first), head) << (at % 64);
    }
    // The others fill words from their lowest bit on.
    let (first, at, whole) = (first + head, (at + head) / 64, (count - head) / 64);
    let shift = first % 64;
    let words_from = &words[first / 64..first / 64 + whole + 1];
    for (into, pair) in into[at..at + whole].iter_mut().zip(words_from.windows(2)) {
        *into = pair[0] >> shift | pair[1] << 1 << (63 - shift);
    }
    let tail = (count - head) % 64;
    if tail > 0 {
        into[at + whole] |= low(get(first + 64 * whole), tail);
    }
}

/// Sets the bits with these numbers.
pub fn set_bits(into: &mut [u64], numbers: Range<usize>) {
    let mut next = numbers.start;
    while next < numbers.end {
        let here = (64 - next % 64).min(numbers.end - next);
        into[next / 64] |= u64::MAX >> (64 - here) << (next % 64);
        next += here;
    }
}

/// How many bits are set in all words before each, and in all of them.
pub fn counts_before(words: &[u64]) -> (Vec<u32>, u32) {
    with_best_bits(CountsBefore(words))
}

struct CountsBefore<'a>(&'a [u64]);

impl BitWork for CountsBefore<'_> {
    type Output = (Vec<u32>, u32);

    #[inline(always)]
    fn run<B: BitOps>(self, _: B) -> (Vec<u32>, u32) {
        let mut sum = 0;
        let add = |word: &u64| {
            let before = sum;
            sum += word.count_ones();
            before
        };
        (self.0.iter().map(add).collect(), sum)
    }
}

struct Extract(u32, u32);

impl BitWork for Extract {
    type Output = u32;

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) -> u32 {
        bits.extract(self.0.into(), self.1.into()) as u32
    }
}

/// The bits of `value` under `mask`, moved together at the low end.
#[inline]
pub fn extract(value: u32, mask: u32) -> u32 {
    with_best_bits(Extract(value, mask))
}

struct Deposit(u32, u32);

impl BitWork for Deposit {
    type Output = u32;

    #[inline(always)]
    fn run<B: BitOps>(self, bits: B) -> u32 {
        bits.deposit(self.0.into(), self.1.into()) as u32
    }
}

/// The low bits of `value`, moved apart to the places under `mask`: the inverse of [`extract`].
#[inline]
pub fn deposit(value: u32, mask: u32) -> u32 {
    with_best_bits(Deposit(value, mask))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Both(u64, u64);

    impl BitWork for Both {
        type Output = (u64, u64);

        fn run<B: BitOps>(self, bits: B) -> (u64, u64) {
            (bits.extract(self.0, self.1), bits.deposit(self.0, self.1))
        }
    }

    /// Bit by bit, as the definition says.
    fn gathered(value: u64, mask: u64) -> u64 {
        let places = (0..64).filter(|place| mask >> place & 1 != 0);
        places.enumerate().map(|(to, from)| (value >> from & 1) << to).sum()
    }

    proptest! {
        #[test]
        fn bits_are_put_where_they_belong(
            words in prop::collection::vec(any::<u64>(), 4),
            first in 0..200_usize,
            at in 0..100_usize,
            count in 0..=200_usize,
        ) {
            let count = count.min(256 - first);
            let bit = |words: &[u64], number: usize| words[number / 64] >> (number % 64) & 1;
            let mut into = vec![0; 5];
            put_bits(&[&words[..], &[u64::MAX]].concat(), first, count, &mut into, at);
            for number in 0..into.len() * 64 {
                let put = (at..at + count).contains(&number);
                let expected = if put { bit(&words, first + number - at) } else { 0 };
                prop_assert_eq!(bit(&into, number), expected);
            }
            let mut set = vec![0; 5];
            set_bits(&mut set, at..at + count);
            for number in 0..set.len() * 64 {
                prop_assert_eq!(bit(&set, number) != 0, (at..at + count).contains(&number));
            }
            let (before, all) = counts_before(&words);
            prop_assert_eq!(before[3] + words[3].count_ones(), all);
            prop_assert_eq!(before[1], words[0].count_ones());
        }

        #[test]
        fn both_ways_agree(value: u64, mask in prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]) {
            let portable = Both(value, mask).run(Portable);
            prop_assert_eq!(with_best_bits(Both(value, mask)), portable);
            prop_assert_eq!(portable.0, gathered(value, mask));
            prop_assert_eq!(Portable.deposit(portable.0, mask), value & mask);
            prop_assert_eq!(u64::from(extract(value as u32, mask as u32)), gathered(value & 0xffff_ffff, mask & 0xffff_ffff));
            prop_assert_eq!(deposit(extract(value as u32, mask as u32), mask as u32), (value & mask) as u32);
        }
    }
}
