//! What happens when memory runs out: a sentence instead of an abort.
//!
//! Whatever can be large is allocated so that a refusal is an error like any other. That leaves thousands of
//! small allocations, which Rust's own handler answers by aborting the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Write};
use std::process;

#[global_allocator]
static ALLOCATOR: Sentence = Sentence;

/// The allocator of the system, which ends the process with a sentence when it refuses a small amount.
struct Sentence;

/// Amounts from this size on may be asked for by code that can do without, and tells why it cannot go on.
const LARGE: usize = 4 << 20;

fn check(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() && size < LARGE {
        // Standard error has no buffer, so that this allocates nothing.
        let _ = io::stderr().write_all(b"alquerque: the system provides no more memory\n");
        process::exit(1);
    }
    block
}

// SAFETY: every call is passed on to the allocator of the system, which keeps the contract; a block that it
// refuses is passed back as it is, or the process ends.
unsafe impl GlobalAlloc for Sentence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        check(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        check(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`; all blocks come from the allocator of the
        // system.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`; all blocks come from the allocator of the
        // system.
        check(unsafe { System.realloc(block, layout, size) }, size)
    }
}
