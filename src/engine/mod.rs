//! An engine for match runners and interfaces, which speaks UGI, the Universal Game Interface: the relative of the
//! UCI of chess for other board games, as the match runner cutegames documents it.
//!
//! ```
//! use alquerque::engine::{Settings, serve};
//!
//! let questions = "ugi\nposition fen 5/1b3/2w2/5/2w2 w\nquery p1turn\ngo depth 4\n";
//! serve(questions.as_bytes(), std::io::stdout(), Settings::default());
//! ```
//!
//! The first player is the side that moves first in the start position of the rules. Positions are written as
//! everywhere in this crate, moves with every landing point: `c2-c3`, `c3xc5xe3`. `go` answers `bestmove 0000` when
//! the game is over. What is wrong with a command is said in an `info string error: …`; nothing else happens then.
//!
//! While the tables cover the position, the move is the best by [`ranked_moves`]: no win or draw is
//! ever left, and a win makes progress. Elsewhere it is looked for by [`search`](crate::search).
//!
//! [`ranked_moves`]: crate::tablebase::Tablebase::ranked_moves

mod clock;
mod command;
mod report;
mod serve;
mod settings;
mod thinking;

pub use serve::serve;
pub use settings::Settings;
