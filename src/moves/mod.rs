//! Legal moves, their text form, and perft.

mod chain;
mod generate;
mod mv;
mod perft;
mod play;

pub use chain::{Chain, for_each_chain};
pub use generate::{can_capture, for_each_move, has_legal_move, legal_moves, must_capture, playable_moves};
pub use mv::{Move, ParseMoveError};
pub use perft::{divide, perft};
