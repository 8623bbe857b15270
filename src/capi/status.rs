//! What a call came to, and what that means in words.

use std::ffi::{CStr, c_char};

/// What a call came to. The numbers do not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// A pointer that must not be null is null.
    NullPointer = 1,
    /// A text is not UTF-8.
    NotUtf8 = 2,
    /// There are no rules of that name, or the text of a rule file is wrong.
    UnknownRules = 3,
    /// The position is illegal under the rules.
    InvalidPosition = 4,
    /// The move is not legal in the position, or not written like a move.
    IllegalMove = 5,
    /// There is no folder of tables for the rules.
    NoTables = 6,
    /// The table that the answer needs is not there.
    MissingTable = 7,
    /// A table is damaged, cut off, or not what its name says.
    DamagedTable = 8,
    /// A file cannot be read.
    Io = 9,
    /// The answer is longer than the buffer; what fits has been written.
    BufferTooSmall = 10,
    /// A defect of the library. The call had no effect.
    Internal = 11,
}

impl Status {
    const fn message(status: i32) -> &'static CStr {
        match status {
            0 => c"done",
            1 => c"a pointer that must not be null is null",
            2 => c"a text is not UTF-8",
            3 => c"there are no rules of that name",
            4 => c"the position is illegal under the rules",
            5 => c"the move is not legal in the position, or not written like a move",
            6 => c"there is no folder of tables for the rules",
            7 => c"the table that the answer needs is not there",
            8 => c"a table is damaged, cut off, or not what its name says",
            9 => c"a file cannot be read",
            10 => c"the answer is longer than the buffer",
            11 => c"a defect of the library",
            _ => c"unknown status",
        }
    }
}

/// A short sentence for any `alq_status`, and for any other number. The text is constant: do not free
/// it.
#[unsafe(no_mangle)]
pub extern "C" fn alq_status_message(status: i32) -> *const c_char {
    Status::message(status).as_ptr()
}

/// The version of the library, such as "0.1.0". The text is constant: do not free it.
#[unsafe(no_mangle)]
pub extern "C" fn alq_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}
