//! Text in and out of C.

use std::ffi::{CStr, c_char};

use super::error::CallError;

/// The text at `text`, which `name` is the name of.
///
/// # Safety
/// `text` is null or points to a NUL-terminated text that stays as it is for `'a`.
pub(super) unsafe fn read<'a>(text: *const c_char, name: &'static str) -> Result<&'a str, CallError> {
    if text.is_null() {
        return Err(CallError::Null(name));
    }
    // SAFETY: not null, and by contract NUL-terminated.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| CallError::NotUtf8(name))
}

/// The longest start of `text` of at most `bytes` bytes that cuts no letter in two.
pub(super) fn head(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

/// A buffer of the caller for text.
#[derive(Clone, Copy)]
pub(super) struct TextBuffer {
    data: *mut c_char,
    size: usize,
}

impl TextBuffer {
    /// The `size` bytes at `data`; none when `data` is null.
    ///
    /// # Safety
    /// `data` is null, or `size` bytes there can be written, by nobody else, while the buffer is in use.
    pub(super) unsafe fn new(data: *mut c_char, size: usize) -> TextBuffer {
        TextBuffer { data, size: if data.is_null() { 0 } else { size } }
    }

    /// Writes as much of `text` as fits and a NUL. Tells whether all of it fitted.
    pub(super) fn write(self, text: &str) -> bool {
        let Some(room) = self.size.checked_sub(1) else { return false };
        let head = head(text, room);
        // SAFETY: `head` and the NUL are at most `size` bytes, which by contract can be written.
        unsafe {
            self.data.cast::<u8>().copy_from_nonoverlapping(head.as_ptr(), head.len());
            self.data.add(head.len()).write(0);
        }
        head.len() == text.len()
    }
}
