//! Opening, closing and probing a tablebase.

use std::ffi::c_char;
use std::ptr;

use super::call::{Answer, call, read};
use super::{PositionBits, Status, text};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;
use crate::tablebase::{self, DEFAULT_CACHE, Tablebase};

/// The open tables of one rule set.
#[derive(Debug)]
pub struct Handle(pub(super) Tablebase);

/// Stands for a distance that there is not: draws, and metrics that are not on disk.
pub const ALQ_NO_DISTANCE: i32 = -1;

/// What best play leads to, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Verdict {
    /// 1 the side to move wins, 0 draw, -1 it loses.
    pub value: i8,
    /// Plies up to and including the next capture or until the end of the game, or `ALQ_NO_DISTANCE`.
    pub dtc: i32,
    /// Plies until the end of the game, or `ALQ_NO_DISTANCE`.
    pub dtw: i32,
}

pub(super) fn number(value: Value) -> i8 {
    match value {
        Value::Loss => -1,
        Value::Draw => 0,
        Value::Win => 1,
    }
}

impl From<&tablebase::Verdict> for Verdict {
    fn from(verdict: &tablebase::Verdict) -> Verdict {
        let distance = |plies: Option<u16>| plies.map_or(ALQ_NO_DISTANCE, i32::from);
        Verdict { value: number(verdict.value), dtc: distance(verdict.dtc), dtw: distance(verdict.dtw) }
    }
}

/// Opens the tables of `rules` below the folder `dir`, which holds a folder for each rule set. Here and in
/// all other calls, `rules` is the name of a built-in rule set, such as "classic", or the whole text of a
/// rule file. Up to about `cache_bytes` bytes of decoded tables are kept in memory; 0 stands for 64 MiB.
/// `*tablebase` is null when it fails. Any number of tablebases can be open, also of the same folder.
///
/// # Safety
/// As for `alq_start_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_open(
    dir: *const c_char,
    rules: *const c_char,
    cache_bytes: u64,
    tablebase: *mut *mut Handle,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let answer = unsafe { Answer::new(tablebase, "tablebase")? };
        answer.write(ptr::null_mut());
        // SAFETY: by contract of this function.
        let (dir, rules) = unsafe { (text::read(dir, "dir")?, text::read(rules, "rules")?) };
        let cache = if cache_bytes == 0 { DEFAULT_CACHE } else { cache_bytes };
        let open = Tablebase::with_cache(dir, Rules::by_name_or_toml(rules)?, cache)?;
        answer.write(Box::into_raw(Box::new(Handle(open))));
        Ok(())
    })
}

/// Closes a tablebase. It must not be used afterwards, nor by another thread at the same time. Null is passed
/// over.
///
/// # Safety
/// `tablebase` is null or comes from `alq_open` and has not been closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_close(tablebase: *mut Handle) {
    // SAFETY: there is no buffer.
    let no_details = unsafe { text::TextBuffer::new(ptr::null_mut(), 0) };
    call(no_details, || {
        if !tablebase.is_null() {
            // SAFETY: by contract it was made by `Box::into_raw` and is not used any more.
            drop(unsafe { Box::from_raw(tablebase) });
        }
        Ok(())
    });
}

/// Writes to `value` who wins `position`: 1 the side to move, 0 nobody, -1 the other side. Faster than
/// `alq_probe`.
///
/// # Safety
/// As for `alq_start_position`; `tablebase` comes from `alq_open` and has not been closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_probe_value(
    tablebase: *const Handle,
    position: *const PositionBits,
    value: *mut i8,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (tables, position, answer) = unsafe {
            let tables = &read(tablebase, "tablebase")?.0;
            (tables, read(position, "position")?, Answer::new(value, "value")?)
        };
        answer.write(number(tables.probe_value(&position.position(tables.rules())?)?));
        Ok(())
    })
}

/// Writes value and distances of `position` to `verdict`.
///
/// # Safety
/// As for `alq_probe_value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_probe(
    tablebase: *const Handle,
    position: *const PositionBits,
    verdict: *mut Verdict,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (tables, position, answer) = unsafe {
            let tables = &read(tablebase, "tablebase")?.0;
            (tables, read(position, "position")?, Answer::new(verdict, "verdict")?)
        };
        answer.write(Verdict::from(&tables.probe(&position.position(tables.rules())?)?));
        Ok(())
    })
}

/// As `alq_probe`, for a position in text form.
///
/// # Safety
/// As for `alq_probe_value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_probe_text(
    tablebase: *const Handle,
    text: *const c_char,
    verdict: *mut Verdict,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (tables, text, answer) = unsafe {
            let tables = &read(tablebase, "tablebase")?.0;
            (tables, text::read(text, "text")?, Answer::new(verdict, "verdict")?)
        };
        answer.write(Verdict::from(&tables.probe(&Position::parse(tables.rules(), text)?)?));
        Ok(())
    })
}
