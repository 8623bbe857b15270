//! Random samples that are the same everywhere: a seed decides which numbers are chosen.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A sample of the numbers below a limit, each set of that size about as likely as any other, in rising order
/// and each number once.
///
/// The numbers are those that a keyed permutation of all numbers maps below the size of the sample, a Feistel
/// network of eight rounds with XXH3 as the round function. So the sample needs memory for itself at most,
/// and none at all if it is large.
pub struct Sampler {
    population: u64,
    size: u64,
    half_bits: u32,
    seed: u64,
}

crate::debug::debug_as!(Sampler, |sampler| population = sampler.population, size = sampler.size);

/// Samples up to this size are sorted in memory; in larger ones each number is looked at.
const MOST_SORTED: u64 = 1 << 23;
const ROUNDS: u64 = 8;

impl Sampler {
    /// `size` of the numbers below `population`, or all if there are no more.
    pub fn new(population: u64, size: u64, seed: u64) -> Sampler {
        let bits = u64::BITS - population.saturating_sub(1).leading_zeros();
        Sampler { population, size: size.min(population), half_bits: bits.div_ceil(2).max(1), seed }
    }

    /// How many numbers are chosen.
    pub fn size(&self) -> u64 {
        self.size
    }

    fn round(&self, number: u64, half: u64) -> u64 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&half.to_le_bytes());
        xxh3_64_with_seed(&bytes, self.seed) & self.mask()
    }

    fn mask(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.half_bits)
    }

    /// The permutation, walked until it leads below the population.
    fn place(&self, number: u64) -> u64 {
        let mut number = number;
        loop {
            let (mut left, mut right) = (number >> self.half_bits, number & self.mask());
            for round in 0..ROUNDS {
                (left, right) = (right, left ^ self.round(round, right));
            }
            number = left << self.half_bits | right;
            if number < self.population {
                return number;
            }
        }
    }

    /// The inverse of the permutation.
    fn number_at(&self, place: u64) -> u64 {
        let mut number = place;
        loop {
            let (mut left, mut right) = (number >> self.half_bits, number & self.mask());
            for round in (0..ROUNDS).rev() {
                (left, right) = (right ^ self.round(round, left), left);
            }
            number = left << self.half_bits | right;
            if number < self.population {
                return number;
            }
        }
    }

    /// Whether `number` is chosen.
    pub fn contains(&self, number: u64) -> bool {
        number < self.population && (self.size == self.population || self.place(number) < self.size)
    }

    /// The chosen numbers in rising order.
    pub fn numbers(&self) -> Box<dyn Iterator<Item = u64> + Send + '_> {
        if self.size == self.population {
            return Box::new(0..self.population);
        }
        if self.size > MOST_SORTED {
            return Box::new((0..self.population).filter(|&number| self.contains(number)));
        }
        let mut numbers: Vec<u64> =
            (0..self.size).into_par_iter().map(|place| self.number_at(place)).collect();
        numbers.par_sort_unstable();
        Box::new(numbers.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_exact_and_reproducible() {
        for (population, size) in
            [(0, 5), (1, 1), (1, 0), (2, 1), (7, 3), (100, 99), (1000, 1000), (4097, 100)]
        {
            for seed in 0..5 {
                let sampler = Sampler::new(population, size, seed);
                let numbers: Vec<u64> = sampler.numbers().collect();
                assert_eq!(numbers.len() as u64, size.min(population));
                assert!(
                    numbers.is_sorted_by(|a, b| a < b) && numbers.iter().all(|&number| number < population)
                );
                let others = (0..population).filter(|&number| sampler.contains(number));
                assert!(others.eq(numbers.iter().copied()));
            }
        }
        // What the seed 1 chooses must never change.
        let numbers: Vec<u64> = Sampler::new(1_000_000, 4, 1).numbers().collect();
        assert_eq!(numbers, Sampler::new(1_000_000, 4, 1).numbers().collect::<Vec<_>>());
        assert_ne!(numbers, Sampler::new(1_000_000, 4, 2).numbers().collect::<Vec<_>>());
    }

    #[test]
    fn every_number_is_as_likely() {
        const POPULATION: u64 = 50;
        let mut counts = [0_u32; POPULATION as usize];
        for seed in 0..4000 {
            Sampler::new(POPULATION, 10, seed).numbers().for_each(|number| counts[number as usize] += 1);
        }
        // 800 expected, with a standard deviation of 25.
        assert!(counts.iter().all(|count| (680..920).contains(count)), "{counts:?}");
    }
}
