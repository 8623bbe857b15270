//! Proofs of the value of positions with any number of stones.
//!
//! The search asks one kind of question: *does this side, the attacker, win?* Two such questions settle a
//! position. If the side to move wins, or its opponent does, that is the value; if neither does, it is a
//! draw. What makes an answer sound:
//!
//! - **The ply counter is part of the question**: "does the attacker win, with *n* plies left before a
//!   draw?". More plies can only help the attacker, so two bounds per position are enough. The search never
//!   runs in circles: each ply without a capture leaves one ply less, and each capture removes stones. No
//!   value depends on the path that led to a position. Under `youzai` this is the rule itself, and both
//!   answers are final.
//! - Under **rules without cycles** (`brainking`, `qirkat`) only so many steps are possible between captures;
//!   the number follows from the rules. The search allows all of them, so both answers are final, and "the
//!   side to move does not win" means that it loses.
//! - Under **rules with endless play** (`classic`) a win within a bound is a win, but the lack of one proves
//!   nothing. The proof that the attacker does not win comes from the graph of positions: a set of positions
//!   in which the other side always has a move that stays in the set, and which the attacker can leave only
//!   for positions that tables know to be not won. In the set the other side can go on for ever, or do
//!   better. A ply counter only helps that side, so this is a proof under `youzai` as well.
//!
//! Positions that tables cover are leaves. A table of bounded size holds what is known about each position
//! and attacker. When it is full, the results that took the least work are forgotten, and found again if
//! needed. So neither its size nor the number of threads can change an answer.
//!
//! ```
//! use alquerque::position::Position;
//! use alquerque::proof::{Request, Solver};
//! use alquerque::rules::QIRKAT;
//! use alquerque::table::Value;
//!
//! let mut solver = Solver::new(&QIRKAT, 16 << 20)?;
//! let position = Position::parse(&QIRKAT, "b4/1b3/2b2/3w1/w3w w")?;
//! let solved = solver.solve(&position, &Request::default(), |_| {})?;
//! assert_eq!(solved.value, Some(Value::Loss));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod bounds;
mod certify;
mod children;
mod control;
mod error;
mod graph;
mod hash;
mod leaves;
mod rank;
mod request;
mod shorten;
mod snapshot;
mod solver;
mod strategy;
mod worker;

pub use error::SolveError;
pub use request::Request;
pub use snapshot::Snapshot;
pub use solver::{Solved, Solver};
