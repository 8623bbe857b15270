//! Proofs of the value of positions with any number of stones.
//!
//! The search asks one kind of question: *does this side, the attacker, win?* Two such questions settle a
//! position. If the side to move wins, or its opponent does, that is the value; if neither does, it is a
//! draw. What makes an answer sound:
//!
//! - **The ply counter is part of the question**: "does the attacker win, with so many plies left before a
//!   draw?". More plies left can only help him, so that two bounds per position hold all there is to know,
//!   and the search never goes in a circle: each ply without a capture leaves one less, each capture takes
//!   stones away. No value depends on the path that led to a position. Under `youzai` this is the rule
//!   itself, and both answers are final.
//! - Under **rules without cycles** (`brainking`, `qirkat`) a stone can make at most 20 steps between
//!   captures: four sideways on each of four ranks, and four forward. So 480 plies are never used up by 24
//!   stones, both answers are final, and "the side to move does not win" is "it loses".
//! - Under **rules with endless play** (`classic`) a win within a bound is a win; that there is none within a
//!   bound proves nothing. That the attacker does not win is proven on the graph of positions instead: by a
//!   set of positions in which the other side always has a move that stays in the set, and which no move of
//!   the attacker leaves, other than to positions that tables know he does not win. From there the other side
//!   can go on for ever or better. A ply counter only helps it, so that this is a proof under `youzai` as
//!   well.
//!
//! Positions that tables cover are leaves. What is known of a position is kept by its whole identity, the
//! side of the attacker included, in a table of bounded size; when it is full, what took the least work is
//! forgotten and found again if need be. So neither its size nor the number of threads can change an answer.
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
