//! Large arrays of zeros that threads share.
//!
//! The system gives their pages when they are first touched, by whichever thread that is, and takes them back when the array is
//! dropped. A general allocator keeps what was freed for later, so that the program would take more than it uses.

use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64};

use memmap2::MmapMut;

/// Types whose value with all bits zero is a valid one, that need no drop, and that align to 4096 bytes or less.
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

/// An array of zeros, in memory of its own or in a piece of an [`Arena`].
pub struct Region<T> {
    map: Arc<MmapMut>,
    /// Bytes of the map before the array.
    start: usize,
    length: usize,
    items: PhantomData<T>,
}

/// From so many bytes on, memory is asked for in large pages: there are fewer to give, and what lies far apart is found faster.
const LARGE: usize = 4 << 20;

impl<T: Zeroed> Region<T> {
    /// So many zeros in memory of their own.
    ///
    /// # Errors
    /// When the system has not so much memory to give.
    pub fn new(length: usize) -> io::Result<Region<T>> {
        let map = Arc::new(zeros(bytes_of::<T>(length)?)?);
        Ok(Region { map, start: 0, length, items: PhantomData })
    }
}

impl<T: Zeroed> Deref for Region<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the map has room for this length from there on, begins on a page and lives as long as `self`; `start` is a multiple
        // of a page; no other region has this part of the map; zeros are valid, and only safe code has written since.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(self.start).cast(), self.length) }
    }
}

/// Gives regions that are kept about equally long. Small ones lie together in pieces with large pages; a piece goes back to the
/// system when the last of its regions is dropped.
#[derive(Default)]
pub struct Arena {
    /// The piece that is not full yet, and how much of it is taken.
    piece: Option<(Arc<MmapMut>, usize)>,
    /// Whether regions lie together at all.
    shares: bool,
}

/// Bytes of a piece, and of the regions that get memory of their own instead.
const PIECE: usize = 16 << 20;
const ALONE: usize = PIECE / 4;

/// What regions in a piece begin at multiples of, in bytes.
const PAGE: usize = 4096;

impl Arena {
    /// An arena whose small regions lie together. Where memory is tight they should not, as in the default: then nothing is kept
    /// by a neighbour.
    pub fn of_pieces() -> Arena {
        Arena { shares: true, ..Arena::default() }
    }

    /// So many zeros.
    ///
    /// # Errors
    /// When the system has not so much memory to give.
    pub fn region<T: Zeroed>(&mut self, length: usize) -> io::Result<Region<T>> {
        let bytes = bytes_of::<T>(length)?;
        if bytes >= ALONE || !self.shares {
            return Region::new(length);
        }
        let (map, start) = match self.piece.take() {
            Some((map, taken)) if map.len() - taken >= bytes => (map, taken),
            _ => (Arc::new(zeros(PIECE)?), 0),
        };
        self.piece = Some((Arc::clone(&map), (start + bytes).next_multiple_of(PAGE)));
        Ok(Region { map, start, length, items: PhantomData })
    }
}

fn bytes_of<T>(length: usize) -> io::Result<usize> {
    Ok(length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?)
}

fn zeros(bytes: usize) -> io::Result<MmapMut> {
    let map = MmapMut::map_anon(bytes.max(1))?;
    #[cfg(target_os = "linux")]
    if bytes >= LARGE {
        // A wish: nothing but speed depends on it.
        let _ = map.advise(memmap2::Advice::HugePage);
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn regions_begin_as_zeros_and_keep_what_is_written() {
        for length in [0, 1, 1000, 1 << 20] {
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
    fn regions_of_an_arena_do_not_overlap() {
        let mut arena = Arena::of_pieces();
        let lengths = [1, 511, 512, 513, 0, 1 << 19, 1 << 19, (1 << 20) - 1, 1 << 20, 1 << 19, 3];
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
    fn more_than_there_is_is_an_error() {
        assert!(Region::<AtomicU64>::new(usize::MAX).is_err());
        assert!(Region::<AtomicU16>::new(isize::MAX as usize / 2).is_err());
    }
}
