//! Solving whole rows at a time, where stones have no states.
//!
//! The columns of a row are the bits of words. A step or a capture is possible in the columns that have a
//! stone on some points and none on others (`mask`), and takes them to columns of the same or another row
//! (`route`, `steps`). If that row is the target's own placement, without a symmetry, columns keep their
//! order and move as words (`transfer`). Otherwise, or where few columns move, each is looked up. `traffic`
//! reads and writes either way. Rows are chosen so that most steps need no symmetry.
//!
//! `captures` walks the paths of jumps with the columns in which they are possible. `passes` propagates what
//! is known over the open positions: `resolve` is about captures, `look` looks ahead along the steps, `send`
//! goes back along them (`news`). `singles` does the same where little is left to do in a row. `turn` and
//! `turned` are for equal sides and for captures after which the sides swap roles.

mod captures;
mod look;
mod mask;
mod news;
mod open;
mod passes;
mod prefetch;
mod readable;
mod resolve;
mod route;
mod row;
mod send;
mod singles;
mod smaller;
mod steps;
mod traffic;
mod transfer;
mod turn;
mod turned;

pub use passes::{Passes, last_pass, read_along_steps, resolve, solve};
pub use smaller::{Smaller, Window};
