//! Legal moves, ranked moves, playing one, and perft.

use std::ffi::c_char;

use super::call::{Answer, Answers, call, read};
use super::{Handle, PositionBits, Status, Verdict, text};
use crate::board::MAX_STONES;
use crate::moves::{self, perft, playable_moves};
use crate::rules::Rules;
use crate::tablebase;

/// The most points that the path of a move can have.
pub const ALQ_MAX_PATH: usize = 13;
/// Bytes of the text form of a move, with its NUL.
pub const ALQ_MOVE_TEXT_SIZE: usize = 40;

const _: () = assert!(ALQ_MAX_PATH == MAX_STONES + 1);
// Two letters a point, a sign between points, the NUL.
const _: () = assert!(ALQ_MOVE_TEXT_SIZE > 3 * ALQ_MAX_PATH - 1);

/// A legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Move {
    /// The text form: "c2-c3" for a step, "c3xc5xe3" for a chain of jumps. NUL-terminated.
    pub text: [c_char; ALQ_MOVE_TEXT_SIZE],
    /// The starting point and every landing point, each 0 (a1) to 24 (e5); 0 beyond `path_length`.
    pub path: [u8; ALQ_MAX_PATH],
    /// How many points the path has: 2 or more.
    pub path_length: u8,
    /// The points of the captured stones, one bit each; 0 for a step.
    pub captured: u32,
}

/// A legal move and what it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// The position after it.
    pub after: PositionBits,
    /// What the mover gets by playing it. Distances count from the position before the move.
    pub verdict: Verdict,
}

impl From<&moves::Move> for Move {
    fn from(mv: &moves::Move) -> Move {
        let mut text = [0; ALQ_MOVE_TEXT_SIZE];
        for (to, from) in text.iter_mut().zip(mv.to_string().bytes()) {
            *to = from as c_char;
        }
        let mut path = [0; ALQ_MAX_PATH];
        for (to, from) in path.iter_mut().zip(mv.path()) {
            *to = from.index() as u8;
        }
        Move { text, path, path_length: mv.path().len() as u8, captured: mv.captured().bits() }
    }
}

impl From<&tablebase::RankedMove> for RankedMove {
    fn from(ranked: &tablebase::RankedMove) -> RankedMove {
        RankedMove {
            mv: Move::from(&ranked.mv),
            after: PositionBits::from(&ranked.position),
            verdict: Verdict::from(&ranked.verdict),
        }
    }
}

/// Writes the legal moves of `position` to `moves`, which has room for `capacity`, and their number to
/// `count`. If there are more than `capacity`, the first ones are written and `ALQ_STATUS_BUFFER_TOO_SMALL`
/// is returned; so `moves` null and `capacity` 0 just count. There are none when the game is over. The order
/// is fixed.
///
/// # Safety
/// As for `alq_start_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_legal_moves(
    rules: *const c_char,
    position: *const PositionBits,
    moves: *mut Move,
    capacity: usize,
    count: *mut usize,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (rules, position, answers, count) = unsafe {
            let answers = Answers::new(moves, capacity, "moves")?;
            let count = Answer::new(count, "count")?;
            (text::read(rules, "rules")?, read(position, "position")?, answers, count)
        };
        let rules = Rules::by_name_or_toml(rules)?;
        let legal = playable_moves(rules, &position.position(rules)?);
        count.write(legal.len());
        answers.write(legal.iter().map(Move::from))
    })
}

/// As `alq_legal_moves`, with what each move leads to; best moves first: wins by fewest plies, then draws,
/// then losses by most plies.
///
/// # Safety
/// As for `alq_probe_value`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_ranked_moves(
    tablebase: *const Handle,
    position: *const PositionBits,
    moves: *mut RankedMove,
    capacity: usize,
    count: *mut usize,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (tables, position, answers, count) = unsafe {
            let tables = &read(tablebase, "tablebase")?.0;
            let answers = Answers::new(moves, capacity, "moves")?;
            (tables, read(position, "position")?, answers, Answer::new(count, "count")?)
        };
        let ranked = tables.ranked_moves(&position.position(tables.rules())?)?;
        count.write(ranked.len());
        answers.write(ranked.iter().map(RankedMove::from))
    })
}

/// Writes to `after` the position after the move that is written `mv`, such as "c2-c3". `after` may be
/// `position`.
///
/// # Safety
/// As for `alq_start_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_play(
    rules: *const c_char,
    position: *const PositionBits,
    mv: *const c_char,
    after: *mut PositionBits,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function. The position is copied, so that the answer may take its
        // place.
        let (rules, position, mv, answer) = unsafe {
            let (rules, mv) = (text::read(rules, "rules")?, text::read(mv, "mv")?);
            (rules, *read(position, "position")?, mv, Answer::new(after, "after")?)
        };
        let rules = Rules::by_name_or_toml(rules)?;
        let position = position.position(rules)?;
        let mv = moves::Move::parse(rules, &position, mv)?;
        answer.write(PositionBits::from(&position.play(rules, &mv)));
        Ok(())
    })
}

/// Writes the number of move sequences of exactly `depth` plies from `position` to `count`.
///
/// # Safety
/// As for `alq_start_position`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn alq_perft(
    rules: *const c_char,
    position: *const PositionBits,
    depth: u32,
    count: *mut u64,
    details: *mut c_char,
    details_size: usize,
) -> Status {
    // SAFETY: by contract of this function.
    let details = unsafe { text::TextBuffer::new(details, details_size) };
    call(details, || {
        // SAFETY: by contract of this function.
        let (rules, position, answer) = unsafe {
            (text::read(rules, "rules")?, read(position, "position")?, Answer::new(count, "count")?)
        };
        let rules = Rules::by_name_or_toml(rules)?;
        answer.write(perft(rules, &position.position(rules)?, depth));
        Ok(())
    })
}
