//! Checking a certificate: whether its replies prove its claims.
//!
//! Nothing here comes from the search that made them. For each claim the check plays from the root: the reply of the
//! certificate where the side that claims is to move, every legal move where the other side is. It must find an entry
//! wherever the former is to move, with a bound that fits, and each entry must be needed. Whatever an entry says, the
//! rules say what follows:
//!
//! - To **win**: the bound of an entry is larger by 2 at least than that of each entry that follows it without a capture.
//!   So only so many plies can pass until a capture or the end, captures are few, and the end is that the other side
//!   cannot move. Under a rule that draws the game after some plies without a capture, bounds after a capture are no
//!   larger than that number; so the counter plus the bound never exceeds it.
//! - **Not to lose**: there is always a reply, so the side that claims is never the one that cannot move. Endless
//!   play is no loss. Under such a rule an entry holds for all counters that leave at most its bound of plies, and is
//!   followed by entries with bounds less by 2 at most; with no plies left the game is drawn if there is a legal
//!   move.

mod book;
mod length;

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::board::MAX_STONES;
use crate::canonical::{Canonical, Key};
use crate::certificate::{Certificate, CertificateError, Claim, Goal, successors};
use crate::material::Material;
use crate::moves::{has_legal_move, legal_moves};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::{Metric, TableError, Value};
use crate::tablebase::{ProbeError, Tablebase};
use book::Book;

/// No rule counts plies: so many are always left.
const ENDLESS: u16 = u16::MAX;

/// What a check found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// The value of the root for the side to move.
    pub value: Value,
    /// Entries of all claims.
    pub entries: u64,
    /// Plies within which the winner wins if he plays by the certificate, whatever the loser does; `None` for a draw and
    /// where a table does not tell.
    pub plies: Option<u32>,
}

/// Why a certificate does not hold.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CheckError {
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error("it rests on the {metric} table of {material}; give the directory of the tables with --dir")]
    NoTables { material: Material, metric: Metric },
    #[error("the {metric} table of {material} is not the one that it rests on: the checksums differ")]
    OtherTable { material: Material, metric: Metric },
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error("its claims do not amount to a value")]
    Claims,
    #[error("{position}: {flaw}")]
    Broken { position: Position, flaw: Flaw },
}

/// What is wrong with a position of a certificate, seen with White to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Flaw {
    #[error("there is no such position under the rules, or it is not in normal form")]
    NotNormal,
    #[error("there is no reply for this position")]
    NoEntry,
    #[error("the reply is none of the legal moves")]
    NoSuchMove,
    #[error("the bound is {bound}, but {left} plies are left")]
    Bound { bound: u16, left: u16 },
    #[error("{left} plies would be left here, but the rules never leave more than {most}")]
    TooManyLeft { left: u16, most: u16 },
    #[error("the reply does not end the game in time")]
    TooLate,
    #[error("the tables say that the claim is wrong here")]
    Table,
    #[error("nothing leads to this entry")]
    NotNeeded,
}

impl From<TableError> for CheckError {
    fn from(error: TableError) -> CheckError {
        CheckError::Probe(error.into())
    }
}

fn broken(normal: Canonical, flaw: Flaw) -> CheckError {
    CheckError::Broken { position: normal.position(0), flaw }
}

/// Checks a certificate, with the tables that it rests on if there are any.
///
/// # Errors
/// [`CheckError`]: why it proves nothing.
pub fn check(certificate: &Certificate, tables: Option<&Tablebase>) -> Result<Report, CheckError> {
    let value = certificate.value().ok_or(CheckError::Claims)?;
    let leaves = Leaves::new(certificate, tables)?;
    let (mut entries, mut plies) = (0, None);
    for info in certificate.claims() {
        let book = Book::read(certificate, info)?;
        entries += info.entries;
        let checker = Checker::new(certificate, info.claim, &leaves, &book);
        checker.check()?;
        if info.claim.goal == Goal::Win {
            plies = checker.length()?;
        }
    }
    Ok(Report { value, entries, plies })
}

/// The tables that a certificate names, whose positions need no reply.
struct Leaves<'a> {
    tables: Option<&'a Tablebase>,
    covered: [[bool; MAX_STONES + 1]; MAX_STONES + 1],
}

impl<'a> Leaves<'a> {
    fn new(certificate: &Certificate, tables: Option<&'a Tablebase>) -> Result<Leaves<'a>, CheckError> {
        let mut covered = [[false; MAX_STONES + 1]; MAX_STONES + 1];
        let mut stamps = certificate.tables().to_vec();
        stamps.sort_by_key(|stamp| stamp.material.total());
        for stamp in stamps {
            let (material, metric) = (stamp.material, stamp.metric);
            let table = match tables {
                Some(tables) => tables.table(material, metric)?,
                None => return Err(CheckError::NoTables { material, metric }),
            };
            if table.checksum()? != stamp.checksum {
                return Err(CheckError::OtherTable { material, metric });
            }
            // Where the side to move can capture, the value comes from the tables of fewer stones.
            let captures = (1..material.opponent()).all(|left| covered[left][material.mover()]);
            covered[material.mover()][material.opponent()] |= metric == Metric::Wdl && captures;
        }
        Ok(Leaves { tables, covered })
    }

    /// What the tables say of a position; `None` if they do not cover it.
    fn value(&self, normal: Canonical, plies: u8) -> Result<Option<Value>, CheckError> {
        let covered = self.covered[normal.own().count()][normal.opponent().count()];
        match self.tables.filter(|_| covered) {
            Some(tables) => Ok(Some(tables.probe_value(&normal.position(plies))?)),
            None => Ok(None),
        }
    }
}

/// Checks one claim.
struct Checker<'a> {
    rules: &'static Rules,
    root: Canonical,
    left_at_root: u16,
    claim: Claim,
    leaves: &'a Leaves<'a>,
    book: &'a Book,
    /// Plies that are left after a capture.
    most_plies: u16,
}

/// The place of an entry in the book.
type Place = u32;

impl<'a> Checker<'a> {
    fn new(certificate: &Certificate, claim: Claim, leaves: &'a Leaves<'a>, book: &'a Book) -> Checker<'a> {
        let (rules, root) = (certificate.rules(), certificate.root());
        let most_plies = rules.ply_limit().map_or(ENDLESS, u16::from);
        Checker {
            rules,
            root: Canonical::of(rules, root),
            left_at_root: most_plies.saturating_sub(root.plies().into()),
            claim,
            leaves,
            book,
            most_plies,
        }
    }

    /// Plays from the root, all positions of the same distance at once.
    fn check(&self) -> Result<(), CheckError> {
        let seen: Vec<AtomicBool> = self.book.keys.iter().map(|_| AtomicBool::new(false)).collect();
        let is_new = |place: &Place| !seen[*place as usize].swap(true, Ordering::Relaxed);
        let mut found = Vec::new();
        if self.claim.by_mover {
            found.extend(self.entry_for(self.root, self.left_at_root)?);
        } else {
            self.answers(self.root, self.left_at_root, &mut found)?;
        }
        while !found.is_empty() {
            let fresh: Vec<Place> = found.into_iter().filter(is_new).collect();
            let follow = |mut next: Vec<Place>, &place: &Place| {
                self.follow(place, &mut next)?;
                next.retain(|place| !seen[*place as usize].load(Ordering::Relaxed));
                Ok::<_, CheckError>(next)
            };
            found = fresh.par_iter().try_fold(Vec::new, follow).try_reduce(Vec::new, |mut a, b| {
                a.extend(b);
                Ok(a)
            })?;
        }
        match seen.iter().position(|seen| !seen.load(Ordering::Relaxed)) {
            Some(place) => Err(broken(Canonical::from_key(self.book.keys[place]), Flaw::NotNeeded)),
            None => Ok(()),
        }
    }

    /// Checks an entry; adds the entries that must hold for it to hold.
    fn follow(&self, place: Place, next: &mut Vec<Place>) -> Result<(), CheckError> {
        let (normal, bound) = (self.normal(place), self.book.bounds[place as usize]);
        if self.claim.goal == Goal::Hold && self.most_plies != ENDLESS && bound == 0 {
            // The game is drawn here, as long as it is not lost.
            let moves = has_legal_move(self.rules, &normal.position(0));
            return if moves { Ok(()) } else { Err(broken(normal, Flaw::NoSuchMove)) };
        }
        let (after, captures) = self.reply(place)?;
        let left = match self.claim.goal {
            _ if captures => self.most_plies,
            Goal::Hold if self.most_plies == ENDLESS => ENDLESS,
            _ => bound.checked_sub(1).ok_or_else(|| broken(normal, Flaw::TooLate))?,
        };
        if captures && self.claim.goal == Goal::Win && bound == 0 {
            return Err(broken(normal, Flaw::TooLate));
        }
        self.answers(after, left, next)
    }

    fn normal(&self, place: Place) -> Canonical {
        Canonical::from_key(self.book.keys[place as usize])
    }

    /// The position after the reply of an entry, and whether that captures.
    fn reply(&self, place: Place) -> Result<(Canonical, bool), CheckError> {
        let normal = self.normal(place);
        let position = Canonical::position_of(self.rules, normal.key())
            .ok()
            .filter(|position| Canonical::of(self.rules, position) == normal)
            .ok_or_else(|| broken(normal, Flaw::NotNormal))?;
        let successors = successors(self.rules, &position);
        let after = successors.get(usize::from(self.book.replies[place as usize]));
        let after = *after.ok_or_else(|| broken(normal, Flaw::NoSuchMove))?;
        Ok((after, after.own().count() < normal.opponent().count()))
    }

    /// The side that claims has moved, `left` plies are left, and all answers of the other side must lead to entries.
    fn answers(&self, normal: Canonical, left: u16, next: &mut Vec<Place>) -> Result<(), CheckError> {
        if self.is_right_leaf(normal, left, false)? {
            return Ok(());
        }
        let position = normal.position(0);
        let moves = legal_moves(self.rules, &position);
        if left == 0 && !moves.is_empty() {
            // The bound is used up, or the game is drawn.
            return match self.claim.goal {
                Goal::Win => Err(broken(normal, Flaw::TooLate)),
                Goal::Hold => Ok(()),
            };
        }
        for mv in &moves {
            let left = match left {
                _ if mv.is_capture() => self.most_plies,
                ENDLESS => ENDLESS,
                left => left - 1,
            };
            next.extend(self.entry_for(Canonical::of(self.rules, &position.play(self.rules, mv)), left)?);
        }
        Ok(())
    }

    /// The entry for a position with `left` plies left; none where tables know it.
    fn entry_for(&self, normal: Canonical, left: u16) -> Result<Option<Place>, CheckError> {
        if self.is_right_leaf(normal, left, true)? {
            return Ok(None);
        }
        let place = self.book.find(normal.key()).ok_or_else(|| broken(normal, Flaw::NoEntry))?;
        let bound = self.book.bounds[place as usize];
        let fits = match self.claim.goal {
            Goal::Win => bound <= left,
            Goal::Hold => left == ENDLESS || bound >= left,
        };
        if fits { Ok(Some(place)) } else { Err(broken(normal, Flaw::Bound { bound, left })) }
    }

    /// Whether tables know the position; an error if they know the claim to be wrong.
    fn is_right_leaf(&self, normal: Canonical, left: u16, by_mover: bool) -> Result<bool, CheckError> {
        // Without a counter all that is left of the bound is enough: the tables know the way.
        let plies = if self.most_plies == ENDLESS { Some(0) } else { self.most_plies.checked_sub(left) };
        let plies = plies.and_then(|plies| u8::try_from(plies).ok());
        let plies = plies.ok_or_else(|| broken(normal, Flaw::TooManyLeft { left, most: self.most_plies }))?;
        let Some(value) = self.leaves.value(normal, plies)? else { return Ok(false) };
        let value = if by_mover { value } else { value.reversed() };
        let right = match self.claim.goal {
            Goal::Win => value == Value::Win,
            Goal::Hold => value != Value::Loss,
        };
        if right { Ok(true) } else { Err(broken(normal, Flaw::Table)) }
    }
}

/// Whether this could be the key of a position.
pub(super) const fn stones_of(key: Key) -> u32 {
    key.stones.count_ones()
}
