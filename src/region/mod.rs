//! Zeroed arrays that threads share.
//!
//! The system provides a page when a thread first touches it, and takes it back when the array is dropped. A
//! general allocator would keep what was freed, so that the program would hold more memory than it uses.

mod memory;

use std::io;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64};

use memory::{Memory, PAGE};

/// Types whose all-zero bit pattern is a valid value, that need no drop, and whose alignment is 4096 bytes or
/// less.
///
/// # Safety
/// All three must hold.
pub unsafe trait Zeroed {}

// SAFETY: false is zero.
unsafe impl Zeroed for AtomicBool {}
// SAFETY: a number.
unsafe impl Zeroed for AtomicU16 {}
// SAFETY: a number.
unsafe impl Zeroed for AtomicU64 {}
// SAFETY: a number.
unsafe impl Zeroed for u64 {}

/// An array of zeros, in memory of its own or in a piece of an [`Arena`].
pub struct Region<T> {
    memory: Arc<Memory>,
    /// Bytes of the memory before the array.
    start: usize,
    length: usize,
    items: PhantomData<T>,
}

impl<T: Zeroed> Region<T> {
    /// An array of `length` zeros in memory of its own.
    ///
    /// # Errors
    /// If the system does not provide the memory.
    pub fn new(length: usize) -> io::Result<Region<T>> {
        let memory = Arc::new(Memory::zeroed(bytes_of::<T>(length)?)?);
        Ok(Region { memory, start: 0, length, items: PhantomData })
    }
}

impl<T: Zeroed> Deref for Region<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the memory has room for this length from `start` on and lives as long as `self`. It begins
        // on a page and `start` is a multiple of a page, so the items are aligned. No other region
        // has this part of it. Zeros are valid items, and since then only items were written. The
        // pointer does not come from a reference, so it allows writing to what atomics hold.
        unsafe { std::slice::from_raw_parts(self.memory.as_mut_ptr().add(self.start).cast(), self.length) }
    }
}

impl<T: Zeroed> DerefMut for Region<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as for `deref`; nobody else can reach the items while `self` is borrowed exclusively.
        unsafe {
            std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().add(self.start).cast(), self.length)
        }
    }
}

/// Provides regions of about the same lifetime. Small ones share pieces with large pages; a piece goes back
/// to the system when the last of its regions is dropped.
#[derive(Default)]
pub struct Arena {
    /// The piece that is not full yet, and how many of its bytes are taken.
    piece: Option<(Arc<Memory>, usize)>,
    /// Whether regions share pieces at all.
    shares: bool,
}

/// Bytes of a piece.
const PIECE: usize = if cfg!(miri) { 1 << 16 } else { 16 << 20 };
/// A region of this many bytes or more gets memory of its own.
const ALONE: usize = PIECE / 4;

impl Arena {
    /// An arena whose small regions share pieces. The default does not share: where memory is tight, a region
    /// must not be kept alive by its neighbours.
    pub fn of_pieces() -> Arena {
        Arena { shares: true, ..Arena::default() }
    }

    /// An array of `length` zeros.
    ///
    /// # Errors
    /// If the system does not provide the memory.
    pub fn region<T: Zeroed>(&mut self, length: usize) -> io::Result<Region<T>> {
        let bytes = bytes_of::<T>(length)?;
        if bytes >= ALONE || !self.shares {
            return Region::new(length);
        }
        let (memory, start) = match self.piece.take() {
            Some((memory, taken)) if memory.len() - taken >= bytes => (memory, taken),
            _ => (Arc::new(Memory::zeroed(PIECE)?), 0),
        };
        self.piece = Some((Arc::clone(&memory), (start + bytes).next_multiple_of(PAGE)));
        Ok(Region { memory, start, length, items: PhantomData })
    }
}

fn bytes_of<T>(length: usize) -> io::Result<usize> {
    Ok(length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    /// Miri takes about a microsecond a word.
    const MANY: usize = if cfg!(miri) { 1 << 12 } else { 1 << 20 };

    #[test]
    fn regions_begin_as_zeros_and_keep_what_is_written() {
        for length in [0, 1, 1000, MANY] {
            let region = Region::<AtomicU64>::new(length).unwrap();
            assert_eq!(region.len(), length);
            assert!(region.iter().all(|word| word.load(Relaxed) == 0));
            if let Some(last) = region.last() {
                last.store(7, Relaxed);
            }
            assert_eq!(region.last().map(|last| last.load(Relaxed)), (length > 0).then_some(7));
        }
    }

    #[test]
    fn an_exclusive_borrow_may_write() {
        let mut arena = Arena::of_pieces();
        let [mut left, right] = [3, 5].map(|length| arena.region::<u64>(length).unwrap());
        left.fill(7);
        left[2] += 1;
        assert_eq!((&left[..], &right[..]), (&[7, 7, 8][..], &[0; 5][..]));
    }

    #[test]
    fn regions_of_an_arena_do_not_overlap() {
        let mut arena = Arena::of_pieces();
        let alone = ALONE / size_of::<u64>();
        let lengths = [1, 511, 512, 513, 0, alone, alone, alone - 1, 2 * alone, alone, 3];
        let regions: Vec<Region<AtomicU64>> = lengths.map(|length| arena.region(length).unwrap()).into();
        for (number, region) in regions.iter().enumerate() {
            assert!(region.iter().all(|word| word.swap(number as u64 + 1, Relaxed) == 0));
        }
        for (number, region) in regions.iter().enumerate() {
            assert_eq!(region.len(), lengths[number]);
            assert!(region.iter().all(|word| word.load(Relaxed) == number as u64 + 1));
        }
        drop(arena);
        assert!(regions[1].iter().all(|word| word.load(Relaxed) == 2));
    }

    #[test]
    fn threads_write_what_all_of_them_read() {
        let mut arena = Arena::of_pieces();
        let region = arena.region::<AtomicU64>(64).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let region = &region;
                scope.spawn(move || {
                    for word in &**region {
                        word.fetch_or(1 << thread, Relaxed);
                    }
                });
            }
        });
        assert!(region.iter().all(|word| word.load(Relaxed) == 0b1111));
        // A region may outlive its arena and move to another thread.
        drop(arena);
        let sum = std::thread::spawn(move || region.iter().map(|word| word.load(Relaxed)).sum::<u64>());
        assert_eq!(sum.join().unwrap(), 64 * 0b1111);
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        assert!(Region::<AtomicU64>::new(usize::MAX).is_err());
        assert!(Region::<AtomicU16>::new(isize::MAX as usize / 2).is_err());
    }
}
