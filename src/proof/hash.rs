//! The table of positions searched so far, bounded and shared between threads.
//!
//! An entry holds the whole position, so that no position is mistaken for another. Each bucket has its own
//! lock, held for a few nanoseconds, so that no entry is read half written. When a bucket is full, the entry
//! that took the least work is replaced; that costs time, but never changes a verdict.

use std::hint;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bounds::{Bounds, Knowledge, Numbers};
use crate::canonical::Key;
use crate::region::{Region, Zeroed};

/// A question: does the attacker win this position?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Question {
    words: [u64; 2],
    place: u64,
}

/// Set in the first word of every question, so that an empty slot answers none.
const PRESENT: u64 = 1 << 63;
/// Set where the attacker is to move.
const ATTACKING: u64 = 1 << 62;

/// One-to-one, and every bit of the result depends on every bit of `word`.
const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Question {
    /// The question for the position with this key.
    #[inline]
    pub fn new(key: Key, attacking: bool) -> Question {
        let first = key.stones | PRESENT | if attacking { ATTACKING } else { 0 };
        let place = mix(mix(first).wrapping_add(key.forbidden.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        Question { words: [first, key.forbidden], place }
    }

    /// A number that differs from that of most other questions.
    #[inline]
    pub fn fingerprint(self) -> u64 {
        self.place
    }
}

const SLOTS: usize = 5;
const WORDS: usize = 3;

/// Two cache lines: a lock and five entries of three words. All zeros: unlocked and empty.
#[repr(C, align(128))]
struct Bucket {
    lock: AtomicU64,
    slots: [[AtomicU64; WORDS]; SLOTS],
}

// SAFETY: atomics, for which zero is a value.
unsafe impl Zeroed for Bucket {}

impl Bucket {
    #[inline]
    fn locked<T>(&self, act: impl FnOnce(&[[AtomicU64; WORDS]; SLOTS]) -> T) -> T {
        while self.lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            hint::spin_loop();
        }
        let result = act(&self.slots);
        self.lock.store(0, Ordering::Release);
        result
    }
}

/// The table.
pub(super) struct HashTable {
    buckets: Region<Bucket>,
    /// Goes up whenever disproofs are forgotten. Disproofs of another epoch do not count.
    epoch: u64,
}

#[inline]
fn answers(slot: &[AtomicU64; WORDS], question: Question) -> bool {
    slot[0].load(Ordering::Relaxed) == question.words[0]
        && slot[1].load(Ordering::Relaxed) == question.words[1]
}

impl HashTable {
    /// A table of about `bytes` bytes, at least 64 buckets. Memory is committed on first use.
    ///
    /// # Errors
    /// If the system cannot provide the memory.
    pub fn new(bytes: u64) -> io::Result<HashTable> {
        let count = (bytes / size_of::<Bucket>() as u64).clamp(64, 1 << 36) as usize;
        Ok(HashTable { buckets: Region::new(count)?, epoch: 0 })
    }

    #[inline]
    fn bucket(&self, question: Question) -> &Bucket {
        let index = (u128::from(question.place) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Starts to fetch what [`get`](Self::get) will read. A search spends most of its time waiting for memory;
    /// the children of a node are fetched together.
    #[inline]
    pub fn prefetch(&self, question: Question) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = std::ptr::from_ref(self.bucket(question)).cast::<i8>();
            // SAFETY: a hint to the processor, which reads nothing; both lines lie in the bucket.
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(bucket);
                _mm_prefetch::<_MM_HINT_T0>(bucket.add(size_of::<Bucket>() / 2));
            }
        }
        #[cfg(any(not(target_arch = "x86_64"), miri))]
        let _ = question;
    }

    /// What is known about a question.
    #[inline]
    pub fn get(&self, question: Question) -> Option<Knowledge> {
        self.bucket(question).locked(|slots| {
            let slot = slots.iter().find(|slot| answers(slot, question))?;
            Some(self.unpack(slot[2].load(Ordering::Relaxed)))
        })
    }

    /// Stores `known`. Bounds proven earlier are kept.
    pub fn put(&self, question: Question, mut known: Knowledge) {
        self.bucket(question).locked(|slots| {
            let mut victim = &slots[0];
            let mut least = u64::MAX;
            for slot in slots {
                let work = slot[2].load(Ordering::Relaxed) >> WORK_AT & 0xff;
                if answers(slot, question) {
                    known.bounds = known.bounds.and(self.unpack(slot[2].load(Ordering::Relaxed)).bounds);
                    known.work = known.work.max(work as u8);
                    victim = slot;
                    break;
                }
                let work = if slot[0].load(Ordering::Relaxed) == 0 { 0 } else { work + 1 };
                if work < least {
                    (victim, least) = (slot, work);
                }
            }
            victim[0].store(question.words[0], Ordering::Relaxed);
            victim[1].store(question.words[1], Ordering::Relaxed);
            victim[2].store(self.pack(known), Ordering::Relaxed);
        });
    }

    /// Forgets all disproofs: for how many plies an attacker does not win. Proofs of wins are kept.
    pub fn forget_disproofs(&mut self) {
        if self.epoch == EPOCHS {
            // The epochs start again: entries of old epochs must not be mistaken for new ones.
            for slot in self.buckets.iter().flat_map(|bucket| &bucket.slots) {
                let word = slot[2].load(Ordering::Relaxed);
                if word != 0 {
                    let known = self.unpack(word);
                    let bounds = Bounds { not_won_below: 0, ..known.bounds };
                    slot[2].store(self.pack(Knowledge { bounds, ..known }), Ordering::Relaxed);
                }
            }
        }
        self.epoch = (self.epoch + 1) & EPOCHS;
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        // Untouched memory stays uncommitted.
        let used = |word: &&AtomicU64| word.load(Ordering::Relaxed) != 0;
        let words = self.buckets.iter().flat_map(|bucket| bucket.slots.iter().flatten());
        words.filter(used).for_each(|word| word.store(0, Ordering::Relaxed));
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.buckets) as u64
    }
}

/// Where the work starts in the third word: above two numbers of 16 bits and two bounds of 10 bits.
const WORK_AT: u32 = 52;
const WORK_BITS: u32 = 8;
const BOUND_BITS: u32 = 10;
/// The largest epoch; then epochs start again.
const EPOCHS: u64 = 15;

impl HashTable {
    fn pack(&self, known: Knowledge) -> u64 {
        let number = |number: u32| u64::from(number.min(u16::MAX.into()));
        number(known.numbers.proof)
            | number(known.numbers.disproof) << 16
            | u64::from(known.bounds.won_from) << 32
            | u64::from(known.bounds.not_won_below) << (32 + BOUND_BITS)
            | u64::from(known.work) << WORK_AT
            | self.epoch << (WORK_AT + WORK_BITS)
    }

    fn unpack(&self, word: u64) -> Knowledge {
        let bound = |at: u32| (word >> at) as u16 & ((1 << BOUND_BITS) - 1);
        let current = word >> (WORK_AT + WORK_BITS) == self.epoch;
        let not_won_below = if current { bound(32 + BOUND_BITS) } else { 0 };
        Knowledge {
            numbers: Numbers { proof: word as u16 as u32, disproof: (word >> 16) as u16 as u32 },
            bounds: Bounds { won_from: bound(32), not_won_below },
            work: (word >> WORK_AT) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(stones: u64) -> Question {
        Question::new(Key { stones, forbidden: 0 }, true)
    }

    fn known(bounds: Bounds, work: u8) -> Knowledge {
        Knowledge { numbers: Numbers { proof: 7, disproof: 70_000 }, bounds, work }
    }

    #[test]
    fn entries_come_back() {
        let table = HashTable::new(0).unwrap();
        let bounds = Bounds { won_from: 900, not_won_below: 31 };
        table.put(question(5), known(bounds, 200));
        let back = table.get(question(5)).unwrap();
        assert_eq!((back.bounds, back.work), (bounds, 200));
        assert_eq!((back.numbers.proof, back.numbers.disproof), (7, 65_535));
        assert_eq!(table.get(question(6)), None);
        assert_eq!(table.get(Question::new(Key { stones: 5, forbidden: 0 }, false)), None);
        assert_eq!(table.get(Question::new(Key { stones: 5, forbidden: 1 }, true)), None);
    }

    #[test]
    fn what_is_proven_is_not_overwritten() {
        let mut table = HashTable::new(0).unwrap();
        table.put(question(5), known(Bounds::won_from(9), 0));
        table.put(question(5), known(Bounds::not_won_below(4), 0));
        let both = Bounds { won_from: 9, not_won_below: 4 };
        assert_eq!(table.get(question(5)).map(|known| known.bounds), Some(both));
        table.forget_disproofs();
        assert_eq!(table.get(question(5)).map(|known| known.bounds), Some(Bounds::won_from(9)));
    }

    #[test]
    fn what_is_forgotten_never_comes_back() {
        let mut table = HashTable::new(0).unwrap();
        table.put(question(5), known(Bounds { won_from: 9, not_won_below: 4 }, 0));
        for _ in 0..3 * (EPOCHS + 1) {
            table.forget_disproofs();
            assert_eq!(table.get(question(5)).map(|known| known.bounds), Some(Bounds::won_from(9)));
        }
    }

    #[test]
    fn nothing_is_left_of_a_table_that_forgets() {
        let mut table = HashTable::new(0).unwrap();
        table.put(question(5), known(Bounds { won_from: 9, not_won_below: 4 }, 0));
        table.forget();
        assert_eq!(table.get(question(5)), None);
        assert_eq!(table.get(question(0)), None);
    }

    #[test]
    fn the_least_work_gives_way() {
        let table = HashTable::new(0).unwrap();
        // More positions than there is room for, from hard to easy.
        let count = if cfg!(miri) { 1_000 } else { 10_000 };
        for number in 0..count {
            table.put(question(number + 1), known(Bounds::WON, (200 - number * 200 / count) as u8));
        }
        let kept = |range: std::ops::Range<u64>| {
            range.filter(|&number| table.get(question(number + 1)).is_some()).count()
        };
        assert!(kept(0..100) > 90, "{}", kept(0..100));
        assert!(kept(0..count) <= 64 * SLOTS);
    }

    #[test]
    fn threads_never_read_half_an_entry() {
        let table = HashTable::new(0).unwrap();
        let rounds = if cfg!(miri) { 10 } else { 5_000 };
        let questions: u64 = if cfg!(miri) { 30 } else { 1_000 };
        // What an entry says follows from its question.
        let expected =
            |number: u64| Bounds { won_from: number as u16 % 500 + 500, not_won_below: number as u16 % 400 };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let table = &table;
                scope.spawn(move || {
                    for round in 0..rounds {
                        let number = (round * 31 + thread * 17) % questions;
                        table.put(question(number + 1), known(expected(number), thread as u8));
                        let other = (number * 13 + 5) % questions;
                        if let Some(found) = table.get(question(other + 1)) {
                            assert_eq!(found.bounds, expected(other));
                        }
                    }
                });
            }
        });
        assert!((0..questions).any(|number| table.get(question(number + 1)).is_some()));
    }
}
