//! An engine for match runners and graphical interfaces. It speaks UGI, the Universal Game Interface: the
//! counterpart of chess's UCI for other board games, as documented by the match runner cutegames.
//!
//! ```
//! use alquerque::engine::{Settings, serve};
//!
//! let questions = "ugi\nposition fen 5/1b3/2w2/5/2w2 w\nquery p1turn\ngo depth 4\n";
//! serve(questions.as_bytes(), std::io::stdout(), Settings::default());
//! ```
//!
//! The first player is the side that moves first in the start position of the rules. Positions are written as
//! everywhere in this crate, moves with every landing point: `c2-c3`, `c3xc5xe3`. If the game is over, `go`
//! answers `bestmove 0000`. A command that makes no sense is answered by `info string error: …` and ignored;
//! words that `go` does not know are reported in the same way, and the rest of the command is executed.
//!
//! Where tables cover the position, the engine plays the best move by [`ranked_moves`]: it never gives away a
//! win or a draw, and it makes progress towards a win, also if the tables have no distances. Elsewhere it
//! plays what [`search`](crate::search) finds. It answers `stop` within 10 milliseconds and keeps a time
//! limit to within a few.
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
