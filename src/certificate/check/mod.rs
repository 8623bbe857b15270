//! Checking a certificate: whether its replies prove its claims.
//!
//! Nothing here comes from the search that made them ([`proof`](crate::proof)): what both use are the
//! positions, the legal moves, the tables and the format of the file. For each claim the check plays from the
//! root: the reply of the certificate where the side that claims is to move, every legal move where the other
//! side is. It must find an entry wherever the former is to move, with a bound that fits, and each entry must
//! be needed. Whatever an entry says, the rules say what follows:
//!
//! - To **win**: the bound of an entry is larger by 2 at least than that of each entry that follows it
//!   without a capture. So only so many plies can pass until a capture or the end, captures are few, and the
//!   end is that the other side cannot move. Under a rule that draws the game after some plies without a
//!   capture, bounds after a capture are no larger than that number; so the counter plus the bound never
//!   exceeds it.
//! - **Not to lose**: there is always a reply, so the side that claims is never the one that cannot move.
//!   Endless play is no loss. Under such a rule an entry holds for all counters that leave at most its bound
//!   of plies, and is followed by entries with bounds less by 2 at most; with no plies left the game is drawn
//!   if there is a legal move.

mod book;
mod claim;
mod error;
mod leaves;
mod length;

pub use error::{CheckError, Flaw};

use std::sync::atomic::{AtomicBool, Ordering};

use super::{Certificate, Goal};
use crate::canonical::Canonical;
use crate::table::Value;
use crate::tablebase::Tablebase;
use book::Book;
use claim::Checker;
use leaves::Leaves;

/// The place of an entry in the book.
type Place = u32;

/// What a check may take.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// Bytes of memory for the entries of a claim, about 40 for each. A claim that needs more is an error.
    pub memory: u64,
    /// Ends the check when another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for CheckOptions<'_> {
    /// 2 GiB of memory: for more entries than any certificate so far has had.
    fn default() -> Self {
        CheckOptions { memory: 2 << 30, stop: None }
    }
}

impl CheckOptions<'_> {
    fn go_on(&self) -> Result<(), CheckError> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(CheckError::Stopped),
            _ => Ok(()),
        }
    }
}

/// What a check found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckReport {
    /// The value of the root for the side to move.
    pub value: Value,
    /// Entries of all claims.
    pub entries: u64,
    /// Plies within which the winner wins if he plays by the certificate, whatever the loser does; `None`
    /// for a draw, and where the named tables do not have the distance to win.
    pub plies: Option<u32>,
}

fn broken(normal: Canonical, flaw: Flaw) -> CheckError {
    CheckError::Broken { position: normal.position(0), flaw }
}

/// Checks a certificate, with the tables that it rests on if there are any.
///
/// # Errors
/// [`CheckError`]: why it proves nothing.
pub fn check(certificate: &Certificate, tables: Option<&Tablebase>) -> Result<CheckReport, CheckError> {
    check_with(certificate, tables, &CheckOptions::default())
}

/// As [`check`], within limits.
///
/// # Errors
/// [`CheckError`]: why it proves nothing, or that it was not checked for want of memory or because it was stopped.
pub fn check_with(
    certificate: &Certificate,
    tables: Option<&Tablebase>,
    options: &CheckOptions<'_>,
) -> Result<CheckReport, CheckError> {
    let value = certificate.value().ok_or(CheckError::Claims)?;
    let leaves = Leaves::new(certificate, tables, options)?;
    let (mut entries, mut plies) = (0_u64, None);
    for info in certificate.claims() {
        let book = Book::read(certificate, info, options)?;
        entries = entries.saturating_add(info.entries);
        let checker = Checker::new(certificate, info.claim, &leaves, &book, options);
        checker.check()?;
        if info.claim.goal == Goal::Win {
            plies = checker.length()?;
        }
    }
    Ok(CheckReport { value, entries, plies })
}
