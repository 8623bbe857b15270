//! The C interface; `include/alquerque.h` is its header.
//!
//! Build the shared and the static library with
//!
//! ```text
//! cargo rustc --release --lib --features capi --crate-type cdylib,staticlib
//! ```
//!
//! All functions are thin: they check what they are given, call the library and write the answer to where the
//! caller says. There is no global state. Every function may be called by any number of threads at once, on
//! one tablebase or on several; only [`alq_close`] must be the last call on its tablebase. Nothing unwinds
//! into the caller, and null pointers and values without a meaning are errors.
//!
//! Functions return a [`Status`]. If `details` is not null, a sentence that tells what went wrong is written
//! to its `details_size` bytes, cut off if need be and NUL-terminated; an empty one when nothing did.

mod call;
mod error;
mod moves;
mod position;
mod status;
mod tablebase;
mod text;

pub use crate::position::PositionBits;
pub use moves::{
    ALQ_MAX_PATH, ALQ_MOVE_TEXT_SIZE, Move, RankedMove, alq_legal_moves, alq_perft, alq_play,
    alq_ranked_moves,
};
pub use position::{ALQ_POSITION_TEXT_SIZE, alq_parse_position, alq_position_text, alq_start_position};
pub use status::{Status, alq_status_message, alq_version};
pub use tablebase::{
    ALQ_NO_DISTANCE, Handle, Verdict, alq_close, alq_open, alq_probe, alq_probe_text, alq_probe_value,
};
