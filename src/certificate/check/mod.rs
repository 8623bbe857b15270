//! Checking a certificate: whether its replies prove its claims.
//!
//! The check shares nothing with the search that made them ([`proof`](crate::proof)) but positions, legal
//! moves, tables and the file format. It plays each claim from the root: the reply of the certificate where
//! the claiming side is to move, every legal move where the other side is. Wherever the claiming side is to
//! move there must be an entry with a bound that fits, and every entry must be needed. The rules alone decide
//! what follows:
//!
//! - To **win**: the bound of an entry is at least 2 larger than that of each entry that follows without a
//!   capture. So the next capture or the end comes in time; captures are few, and at the end the other side
//!   cannot move. Under a rule that draws the game after some plies without a capture, no bound after a
//!   capture exceeds that number, so that the counter plus the bound never exceeds it.
//! - **Not to lose**: there is always a reply, so the claiming side can always move. Endless play is no loss.
//!   Under such a rule, an entry holds for all counters that leave at most its bound in plies, and the entries
//!   that follow have bounds at most 2 smaller. With no plies left the game is drawn if there is a legal move.

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

/// The limits of a check.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// Bytes of memory for the entries of a claim, about 40 for each. A claim that needs more is an error.
    pub memory: u64,
    /// Ends the check when another thread sets it.
    pub stop: Option<&'a AtomicBool>,
}

impl Default for CheckOptions<'_> {
    /// 2 GiB of memory, enough for more entries than any certificate has had so far.
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
    /// Plies within which the winner wins by the certificate, whatever the loser does; `None` for a draw, and
    /// if the named tables lack the distance to win.
    pub plies: Option<u32>,
}

fn broken(canonical: Canonical, flaw: Flaw) -> CheckError {
    CheckError::Broken { position: canonical.position(0), flaw }
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
/// [`CheckError`]: why it proves nothing, or that there was too little memory or the check was stopped.
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
