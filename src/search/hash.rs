//! The table of positions searched so far, shared between threads.
//!
//! An entry holds what is true of its position on any path, and estimates. A draw by repetition holds on one
//! path only and is never stored as a proof. An entry is two words; the first is the key XORed with the
//! second. If two threads write an entry at once, it no longer matches its key and is ignored instead of
//! misread.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use super::score::{Finding, Points, is_decided};
use crate::position::Position;
use crate::region::{Region, Zeroed};

/// A position in 64 bits, and where in the table it belongs.
///
/// Under rules without forbidden steps the key is one to one. With them two positions can have the same key,
/// but hardly the same place as well, for which other bits are mixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Key {
    pub check: u64,
    place: u64,
}

/// One-to-one, and every bit of the result depends on every bit of `word`.
const fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Key {
    #[inline]
    pub fn of(position: &Position) -> Key {
        let stones = u64::from(position.white().bits()) | u64::from(position.black().bits()) << 25;
        let counted = (position.side() as u64) << 50 | u64::from(position.plies()) << 51;
        let forbidden = u64::from(position.no_west().bits()) | u64::from(position.no_east().bits()) << 25;
        let plain = mix(stones | counted);
        if forbidden == 0 {
            return Key { check: plain, place: plain };
        }
        let mixed = mix(forbidden);
        Key { check: plain ^ mixed, place: mix(plain.wrapping_add(mixed.rotate_left(32))) }
    }
}

/// How the points of an entry relate to the score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The score is at least that.
    Lower,
    /// The score is at most that.
    Upper,
    /// The score is that.
    Exact,
}

/// What the table knows of a position. Points count from the position itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub finding: Finding,
    pub bound: Bound,
    pub depth: u8,
    /// The number of the best move in the order of generation.
    pub best: Option<u8>,
}

const NO_MOVE: u8 = u8::MAX;

impl Entry {
    /// Whether the points prove a win or a loss, however deep the search was.
    pub fn is_proof(&self) -> bool {
        let points = self.finding.points;
        is_decided(points) && self.bound != if points > 0 { Bound::Upper } else { Bound::Lower }
    }

    fn pack(&self, generation: u8) -> u64 {
        let bound: u64 = match self.bound {
            Bound::Lower => 1,
            Bound::Upper => 2,
            Bound::Exact => 3,
        };
        u64::from(self.finding.points as i16 as u16)
            | u64::from(self.depth) << 16
            | u64::from(self.best.unwrap_or(NO_MOVE)) << 24
            | u64::from(generation) << 32
            | bound << 40
            | u64::from(self.finding.at_least_draw) << 42
            | u64::from(self.finding.at_most_draw) << 43
    }

    /// The inverse of [`pack`](Self::pack); `None` for an empty entry.
    fn unpack(word: u64) -> Option<Entry> {
        let bound = match word >> 40 & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        let finding = Finding {
            points: Points::from(word as u16 as i16),
            at_least_draw: word >> 42 & 1 != 0,
            at_most_draw: word >> 43 & 1 != 0,
        };
        let best = (word >> 24) as u8;
        Some(Entry { finding, bound, depth: (word >> 16) as u8, best: (best != NO_MOVE).then_some(best) })
    }
}

#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

impl Slot {
    fn load(&self) -> (u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        (self.check.load(Ordering::Relaxed) ^ data, data)
    }

    fn store(&self, check: u64, data: u64) {
        self.check.store(check ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

/// As many entries as share a cache line.
#[repr(align(64))]
#[derive(Default)]
struct Bucket([Slot; 4]);

// SAFETY: a bucket is atomic integers, aligned to 64 bytes; all of them zero is a valid bucket, an empty one.
unsafe impl Zeroed for Bucket {}

/// The table. When a bucket is full, the shallowest entry is replaced, those of earlier searches first.
pub(super) struct HashTable {
    /// Without memory there is no table; the search then remembers nothing.
    buckets: Option<Region<Bucket>>,
    generation: u8,
}

/// An entry of an earlier search counts as this much less deep, for each search in between.
const AGE_IN_DEPTH: i32 = 8;

impl HashTable {
    /// A table of at most `bytes` bytes, but at least one bucket.
    ///
    /// # Errors
    /// If the system cannot provide that much memory.
    pub fn new(bytes: u64) -> io::Result<HashTable> {
        let count = usize::try_from(bytes / size_of::<Bucket>() as u64).unwrap_or(usize::MAX).max(1);
        Ok(HashTable { buckets: Some(Region::new(count)?), generation: 0 })
    }

    /// A table that keeps nothing.
    pub fn none() -> HashTable {
        HashTable { buckets: None, generation: 0 }
    }

    #[inline]
    fn buckets(&self) -> &[Bucket] {
        self.buckets.as_deref().unwrap_or_default()
    }

    /// Bytes of the table.
    pub fn bytes(&self) -> u64 {
        size_of_val(self.buckets()) as u64
    }

    /// Begins a new search: all entries present belong to an earlier one from now on.
    pub fn age(&mut self) {
        // 0 is the generation of a table that is still empty.
        self.generation = self.generation.checked_add(1).unwrap_or(1);
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.generation) > 0 {
            for slot in self.buckets().iter().flat_map(|bucket| &bucket.0) {
                // An empty entry has no data.
                slot.data.store(0, Ordering::Relaxed);
            }
        }
    }

    #[inline]
    fn bucket(&self, key: Key) -> Option<&[Slot; 4]> {
        let buckets = self.buckets();
        let index = (u128::from(key.place) * buckets.len() as u128) >> 64;
        buckets.get(index as usize).map(|bucket| &bucket.0)
    }

    /// What is known of the position.
    #[inline]
    pub fn get(&self, key: Key) -> Option<Entry> {
        let data = self.bucket(key)?.iter().map(Slot::load).find(|&(check, _)| check == key.check)?.1;
        Entry::unpack(data)
    }

    /// Keeps `entry`. What was proven of the position before stays so.
    pub fn put(&self, key: Key, mut entry: Entry) {
        let Some(bucket) = self.bucket(key) else { return };
        let mut victim = (&bucket[0], i32::MAX);
        for slot in bucket {
            let (check, data) = slot.load();
            let Some(old) = Entry::unpack(data) else {
                victim = (slot, i32::MIN);
                continue;
            };
            if check == key.check {
                if old.is_proof() && !entry.is_proof() {
                    return;
                }
                entry.finding.at_least_draw |= old.finding.at_least_draw;
                entry.finding.at_most_draw |= old.finding.at_most_draw;
                entry.best = entry.best.or(old.best);
                victim = (slot, i32::MIN);
                break;
            }
            let age = self.generation.wrapping_sub((data >> 32) as u8);
            let worth = i32::from(old.depth) - AGE_IN_DEPTH * i32::from(age);
            if worth < victim.1 {
                victim = (slot, worth);
            }
        }
        victim.0.store(key.check, entry.pack(self.generation));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{CLASSIC, QIRKAT, YOUZAI};

    fn key(rules: &crate::rules::Rules, text: &str) -> Key {
        Key::of(&Position::parse(rules, text).unwrap())
    }

    fn entry(points: Points, depth: u8) -> Entry {
        Entry { finding: Finding::estimate(points), bound: Bound::Lower, depth, best: Some(7) }
    }

    #[test]
    fn whatever_tells_positions_apart_tells_keys_apart() {
        let free = key(&QIRKAT, "5/5/3b1/5/3w1 b");
        assert_ne!(free, key(&QIRKAT, "5/5/3b1/5/3w1 b d1-e1"));
        assert_ne!(free, key(&QIRKAT, "5/5/3b1/5/3w1 b d1-c1"));
        assert_ne!(free, key(&QIRKAT, "5/5/3b1/5/3w1 w"));
        assert_ne!(key(&YOUZAI, "5/5/3b1/5/3w1 b - 3"), key(&YOUZAI, "5/5/3b1/5/3w1 b - 4"));
    }

    #[test]
    fn entries_survive_packing() {
        let draw = Entry { finding: Finding::DRAW, bound: Bound::Exact, depth: 100, best: None };
        let loss = Entry { finding: Finding::lost(17), bound: Bound::Upper, depth: 3, best: Some(0) };
        for entry in [draw, loss, entry(-250, 9)] {
            assert_eq!(Entry::unpack(entry.pack(200)), Some(entry));
        }
        assert_eq!(Entry::unpack(0), None);
    }

    #[test]
    fn the_shallow_and_the_old_give_way() {
        let mut table = HashTable::new(64).unwrap();
        let keys: Vec<Key> = ["a", "b", "c", "d", "e"]
            .iter()
            .zip(["w4", "1w3", "2w2", "3w1", "4w"])
            .map(|(_, rank)| key(&CLASSIC, &format!("{rank}/5/5/5/b4 w")))
            .collect();
        for (&key, depth) in keys.iter().zip([5, 3, 9, 8]) {
            table.put(key, entry(10, depth));
        }
        table.put(keys[4], entry(10, 1));
        assert_eq!(table.get(keys[1]), None);
        table.age();
        table.put(keys[4], entry(20, 1));
        table.put(keys[1], entry(30, 1));
        assert_eq!(table.get(keys[0]), None);
        assert_eq!(table.get(keys[4]).map(|entry| entry.finding.points), Some(20));
    }

    #[test]
    fn too_large_a_table_is_an_error_and_a_cleared_one_is_empty() {
        assert!(HashTable::new(u64::MAX).is_err());
        assert!(HashTable::new(1 << 60).is_err());
        let mut table = HashTable::new(1 << 10).unwrap();
        assert_eq!((table.bytes(), HashTable::new(0).unwrap().bytes()), (1 << 10, 64));
        let key = key(&CLASSIC, "start");
        table.age();
        table.put(key, entry(10, 3));
        assert!(table.get(key).is_some());
        table.clear();
        assert_eq!(table.get(key), None);
        let nothing = HashTable::none();
        nothing.put(key, entry(10, 3));
        assert_eq!((nothing.bytes(), nothing.get(key)), (0, None));
    }

    #[test]
    fn proofs_are_not_overwritten_by_estimates() {
        let table = HashTable::new(1 << 10).unwrap();
        let key = key(&CLASSIC, "start");
        let win = Entry { finding: Finding::won(4), ..entry(0, 2) };
        table.put(key, win);
        table.put(key, entry(100, 50));
        assert_eq!(table.get(key), Some(win));
    }

    #[test]
    fn an_entry_that_two_threads_write_at_once_is_never_misread() {
        // One bucket for all, so that threads overwrite each other all the time.
        let table = HashTable::new(64).unwrap();
        let keys: Vec<Key> = (1..=24_u64).map(|n| Key { check: mix(n), place: mix(n) }).collect();
        let rounds = if cfg!(miri) { 10 } else { 20_000 };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (table, keys) = (&table, &keys);
                scope.spawn(move || {
                    for round in 0..rounds {
                        let number = (7 * round + 5 * thread) % keys.len();
                        // What an entry says follows from its key.
                        let expected = |number: usize| entry(number as Points, number as u8);
                        table.put(keys[number], expected(number));
                        for (number, &key) in keys.iter().enumerate() {
                            if let Some(found) = table.get(key) {
                                assert_eq!(found, expected(number));
                            }
                        }
                    }
                });
            }
        });
        assert!(keys.iter().any(|&key| table.get(key).is_some()));
    }
}
