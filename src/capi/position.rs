//! Positions and their text form.

use std::ffi::c_char;

use super::call::{Answer, call, read};
use super::error::CallError;
use super::{PositionBits, Status, text};
use crate::position::Position;
use crate::rules::Rules;

/// Bytes that are enough for the text form of any position, with its NUL.
pub const ALQ_POSITION_TEXT_SIZE: usize = 256;

/// Writes the start position of `rules` to `position`.
///
/// # Safety
/// Texts are NUL-terminated, and each pointer is null or points to what the function's signature says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_start_position(
    rules: *const c_char,
    position: *mut PositionBits,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (rules, answer) = unsafe { (text::read(rules, "rules")?, Answer::new(position, "position")?) };
        answer.write(PositionBits::from(&Position::start(Rules::by_name_or_toml(rules)?)));
        Ok(())
    })
}

/// Reads the text form of a position under `rules`, such as "5/1b3/2w2/5/5 w" or "start", into `position`.
///
/// # Safety
/// As for `alq_start_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_parse_position(
    rules: *const c_char,
    text: *const c_char,
    position: *mut PositionBits,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (rules, text, answer) = unsafe {
            (text::read(rules, "rules")?, text::read(text, "text")?, Answer::new(position, "position")?)
        };
        answer.write(PositionBits::from(&Position::parse(Rules::by_name_or_toml(rules)?, text)?));
        Ok(())
    })
}

/// Writes the text form of `position` to the `size` bytes at `buffer`; `ALQ_POSITION_TEXT_SIZE` bytes are
/// always enough.
///
/// # Safety
/// As for `alq_start_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_position_text(
    rules: *const c_char,
    position: *const PositionBits,
    buffer: *mut c_char,
    size: usize,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        if buffer.is_null() {
            return Err(CallError::Null("buffer"));
        }
        // SAFETY: by contract of this function.
        let (rules, position, answer) = unsafe {
            let position = read(position, "position")?;
            (text::read(rules, "rules")?, position, text::TextBuffer::new(buffer, size))
        };
        let text = position.position(Rules::by_name_or_toml(rules)?)?.to_string();
        let needed = text.len() + 1;
        let all = answer.write(&text);
        if all { Ok(()) } else { Err(CallError::BufferTooSmall { buffer: "buffer", capacity: size, needed }) }
    })
}
