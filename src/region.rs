//! Large arrays of zeros that threads share.
//!
//! The system gives their pages when they are first touched, by whichever thread that is, and takes them back when the array is
//! dropped. A general allocator keeps what was freed for later, so that the program would take more than it uses.

use std::io;
use std::marker::PhantomData;
use std::ops::Deref;
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

/// An array of zeros in memory of its own.
pub struct Region<T> {
    map: MmapMut,
    length: usize,
    items: PhantomData<T>,
}

/// From so many bytes on, memory is asked for in large pages: what lies far apart is found faster there.
#[cfg(target_os = "linux")]
const LARGE: usize = 4 << 20;

impl<T: Zeroed> Region<T> {
    /// So many zeros.
    ///
    /// # Errors
    /// When the system has not so much memory to give.
    pub fn new(length: usize) -> io::Result<Region<T>> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let map = MmapMut::map_anon(bytes.max(1))?;
        #[cfg(target_os = "linux")]
        if bytes >= LARGE {
            // A wish: nothing but speed depends on it.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Region { map, length, items: PhantomData })
    }
}

impl<T: Zeroed> Deref for Region<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the map has this length, begins on a page and lives as long as `self`; zeros are valid, and only safe code has
        // written since.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), self.length) }
    }
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
    fn more_than_there_is_is_an_error() {
        assert!(Region::<AtomicU64>::new(usize::MAX).is_err());
        assert!(Region::<AtomicU16>::new(isize::MAX as usize / 2).is_err());
    }
}
