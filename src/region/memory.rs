//! Zeroed memory straight from the system, reached through raw pointers only.
//!
//! No reference to the bytes ever exists, so a pointer into the memory may be used to write to it from any
//! thread. Neither Miri nor WebAssembly can map memory; they get the same from the global allocator.

#[cfg(any(miri, target_arch = "wasm32"))]
pub use allocated::Memory;
#[cfg(not(any(miri, target_arch = "wasm32")))]
pub use mapped::Memory;

/// What every piece of memory begins at a multiple of, in bytes.
pub const PAGE: usize = 4096;

#[cfg(not(any(miri, target_arch = "wasm32")))]
mod mapped {
    use std::io;

    use memmap2::{MmapMut, MmapRaw};

    /// From this many bytes on, large pages are requested: fewer page faults, fewer misses in the address
    /// cache.
    #[cfg(target_os = "linux")]
    const LARGE: usize = 4 << 20;

    /// A memory map that belongs to no file.
    pub struct Memory(MmapRaw);

    impl Memory {
        /// At least `bytes` zeroed bytes.
        ///
        /// # Errors
        /// If the system does not provide the memory.
        pub fn zeroed(bytes: usize) -> io::Result<Memory> {
            let map = MmapRaw::from(MmapMut::map_anon(bytes.max(1))?);
            #[cfg(target_os = "linux")]
            if bytes >= LARGE {
                // A hint: only speed depends on it.
                let _ = map.advise(memmap2::Advice::HugePage);
            }
            Ok(Memory(map))
        }

        /// The first byte.
        #[inline]
        pub fn as_mut_ptr(&self) -> *mut u8 {
            self.0.as_mut_ptr()
        }

        /// The number of bytes.
        pub fn len(&self) -> usize {
            self.0.len()
        }
    }
}

#[cfg(any(miri, target_arch = "wasm32"))]
mod allocated {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::io;
    use std::ptr::NonNull;

    /// An allocation that begins on a page.
    pub struct Memory {
        start: NonNull<u8>,
        layout: Layout,
    }

    // SAFETY: the allocation belongs to this value alone, and nothing here depends on the thread.
    unsafe impl Send for Memory {}
    // SAFETY: shared access gives away a raw pointer and a number.
    unsafe impl Sync for Memory {}

    impl Memory {
        /// At least `bytes` zeroed bytes.
        ///
        /// # Errors
        /// If the allocator does not provide the memory.
        pub fn zeroed(bytes: usize) -> io::Result<Memory> {
            // Miri ends the program where a real allocator would say no.
            let layout = Layout::from_size_align(bytes.max(1), super::PAGE).ok();
            let layout =
                layout.filter(|layout| layout.size() as u64 <= 1 << 32).ok_or(io::ErrorKind::OutOfMemory)?;
            // SAFETY: the layout has at least one byte.
            let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(io::ErrorKind::OutOfMemory)?;
            Ok(Memory { start, layout })
        }

        /// The first byte.
        pub fn as_mut_ptr(&self) -> *mut u8 {
            self.start.as_ptr()
        }

        /// The number of bytes.
        pub fn len(&self) -> usize {
            self.layout.size()
        }
    }

    impl Drop for Memory {
        fn drop(&mut self) {
            // SAFETY: allocated with this layout, and no region uses it any more.
            unsafe { dealloc(self.start.as_ptr(), self.layout) }
        }
    }
}
