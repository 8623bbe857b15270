//! A hint to the processor.

use crate::solve::values::Cell;

/// Requests memory that is about to be read.
#[inline(always)]
pub fn prefetch(cell: &Cell) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: every x86-64 processor has the instruction, and it has no effect but on speed.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(
            std::ptr::from_ref(cell).cast(),
        );
    }
    #[cfg(any(not(target_arch = "x86_64"), miri))]
    let _ = cell;
}
