//! Certificates: proofs of the value of a position, written down so that others can check them and play by
//! them.
//!
//! A certificate makes one or two [`Claim`]s about its root: that a side wins, or that it does not lose. Two
//! claims not to lose make a draw. A [`Strategy`] backs each claim: a reply for every position that its own
//! replies can lead to, with the claiming side to move, whatever the other side answers. Positions are in
//! [canonical form](crate::canonical). If tables are named, their positions are the leaves.
//!
//! Each reply has a *bound* in plies, which ensures that play ends:
//!
//! - In a claim to win, the next capture or the end of the game comes within the bound. A reply and an answer
//!   without a capture lead to an entry with a bound at least 2 smaller, so that play cannot go on for ever.
//!   Under a rule that draws the game after some plies without a capture, the bound fits in the plies left.
//! - In a claim not to lose, under such a rule, the reply holds if at most that many plies are left before
//!   the draw. Under other rules the bound is 0: endless play is no loss.
//!
//! `tables/CERTIFICATES.md` describes the bytes.

// Numbers here come from files that are not trusted: none may overflow unnoticed.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

#[cfg(not(target_arch = "wasm32"))]
mod check;
mod error;
mod format;
mod lookup;
mod read;
#[cfg(not(target_arch = "wasm32"))]
mod write;

#[cfg(not(target_arch = "wasm32"))]
pub use check::{CheckError, CheckOptions, CheckReport, Flaw, check, check_with};
pub use error::CertificateError;
pub use format::{ClaimInfo, MAX_BLOCK_ENTRIES, StoredEntry, TableStamp};
pub use lookup::{Answer, Certificates, EXTENSION};
pub use read::Certificate;
#[cfg(not(target_arch = "wasm32"))]
pub use write::{Summary, can_write_certificate, write_certificate};

use crate::canonical::{Canonical, Key};
use crate::material::Material;
use crate::moves::for_each_move;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::Value;

use std::convert::Infallible;
use std::ops::ControlFlow;

/// What a side claims.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Goal {
    /// It wins.
    Win = 0,
    /// It does not lose.
    Hold = 1,
}

/// A claim about the root of a certificate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Whether the side to move at the root makes it.
    pub by_mover: bool,
    /// What it says.
    pub goal: Goal,
}

/// The value for the side to move that these claims prove together, if any.
pub fn value_of(claims: &[Claim]) -> Option<Value> {
    match claims {
        [Claim { by_mover, goal: Goal::Win }] => Some(if *by_mover { Value::Win } else { Value::Loss }),
        [one, other] => {
            let both = one.by_mover != other.by_mover;
            (both && one.goal == Goal::Hold && other.goal == Goal::Hold).then_some(Value::Draw)
        }
        _ => None,
    }
}

/// The largest bound, in plies, of an entry of a claim with this goal. A larger one would exceed the ply
/// counter of the rules. Without a counter, a claim not to lose needs no bound.
pub const fn most_bound(rules: &Rules, goal: Goal) -> u16 {
    match (rules.ply_limit(), goal) {
        (Some(limit), _) => limit as u16,
        (None, Goal::Win) => u16::MAX,
        (None, Goal::Hold) => 0,
    }
}

/// A reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// A position in which the claiming side is to move.
    pub key: Key,
    /// The position after its move.
    pub reply: Key,
    /// The bound in plies.
    pub bound: u16,
}

/// A claim with the replies that prove it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    /// The claim.
    pub claim: Claim,
    /// The replies, each position once.
    pub entries: Vec<Entry>,
    /// The material of the table positions that the replies lead to.
    pub leaves: Vec<Material>,
}

/// The positions after each legal move, each canonical form once, in rising order. Replies are stored as
/// places in this list.
pub fn successors(rules: &Rules, position: &Position) -> Vec<Canonical> {
    let mut successors = Vec::new();
    let _: ControlFlow<Infallible> = for_each_move(rules, position, |mv| {
        successors.push(Canonical::of(rules, &position.play(rules, &mv)));
        ControlFlow::Continue(())
    });
    successors.sort_unstable();
    successors.dedup();
    successors
}
