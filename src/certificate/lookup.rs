//! Certificates as a source of moves, where tables do not reach.

use std::path::{Path, PathBuf};

use super::{Certificate, CertificateError, ClaimInfo, Goal, successors};
use crate::canonical::Canonical;
use crate::moves::{Move, legal_moves};
use crate::position::Position;
use crate::rules::Rules;
use crate::table::{Value, folder, roots};

/// The extension of certificates that are found beside tables: `DIR/<rules>/start.proof`.
pub const EXTENSION: &str = "proof";

/// A reply that a certificate has for a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The value of the position for the side to move.
    pub value: Value,
    /// A move that keeps it.
    pub mv: Move,
    /// Plies within which the next capture or the end of the game comes, if the side to move wins.
    pub within: Option<u16>,
}

/// All certificates for a rule set in a directory.
#[derive(Debug, Default)]
pub struct Certificates(Vec<Certificate>);

impl FromIterator<Certificate> for Certificates {
    fn from_iter<I: IntoIterator<Item = Certificate>>(certificates: I) -> Certificates {
        Certificates(certificates.into_iter().collect())
    }
}

impl Certificates {
    /// Opens the certificates beside the tables of `rules` below `dir`; none if there is no such folder. Their
    /// claims are not checked; see [`check`](super::check()).
    ///
    /// # Errors
    /// [`CertificateError`] if a file named as a certificate is not one, or is for other rules.
    pub fn open(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Certificates, CertificateError> {
        let open = |path: PathBuf| Certificate::open_for(path, rules);
        Certificates::paths(dir, rules).into_iter().map(open).collect::<Result<_, _>>().map(Certificates)
    }

    /// The files beside the tables of `rules` below `dir` that have the name of a certificate, by name.
    pub fn paths(dir: impl AsRef<Path>, rules: &'static Rules) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for root in roots(dir.as_ref()) {
            let Ok(files) = std::fs::read_dir(folder(&root, rules)) else { continue };
            let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
            paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
            paths.sort();
            all.extend(paths);
        }
        all
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Certificate> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The reply for a position in which a side that wins, or that does not lose at the root of a draw, is to
    /// move; `None` if there is none.
    ///
    /// # Errors
    /// [`CertificateError`] when a certificate is damaged.
    pub fn reply(&self, position: &Position) -> Result<Option<Answer>, CertificateError> {
        for certificate in &self.0 {
            for info in certificate.claims() {
                let is_draw = info.claim.goal == Goal::Hold;
                if is_draw && !certificate.is_drawn_root(info, position) {
                    continue;
                }
                if let Some((mv, bound)) = certificate.reply(info, position)? {
                    let value = if is_draw { Value::Draw } else { Value::Win };
                    return Ok(Some(Answer { value, mv, within: (!is_draw).then_some(bound) }));
                }
            }
        }
        Ok(None)
    }
}

impl Certificate {
    /// Opens a certificate that lies in the folder of `rules`.
    ///
    /// # Errors
    /// As for [`open`](Self::open); and when it is for other rules.
    pub fn open_for(path: impl AsRef<Path>, rules: &'static Rules) -> Result<Certificate, CertificateError> {
        let certificate = Certificate::open(path)?;
        if certificate.rules() == rules {
            return Ok(certificate);
        }
        let (path, of) = (certificate.path().to_owned(), certificate.rules().name());
        Err(CertificateError::Folder { path, rules: of, folder: rules.name() })
    }

    /// Plies that are left before a rule draws the game.
    fn plies_left(&self, position: &Position) -> u16 {
        self.rules().ply_limit().map_or(u16::MAX, |limit| u16::from(limit.saturating_sub(position.plies())))
    }

    /// The reply of a claim to a position in which its side is to move, with its bound.
    fn reply(&self, info: &ClaimInfo, position: &Position) -> Result<Option<(Move, u16)>, CertificateError> {
        let (rules, left) = (self.rules(), self.plies_left(position));
        let Some(entry) = self.find(info, Canonical::of(rules, position).key())? else { return Ok(None) };
        let holds = match info.claim.goal {
            Goal::Win => entry.bound <= left,
            Goal::Hold => rules.ply_limit().is_none() || entry.bound >= left && left > 0,
        };
        let Some(&after) = successors(rules, position).get(usize::from(entry.reply)).filter(|_| holds) else {
            return Ok(None);
        };
        let leads_there = |mv: &Move| Canonical::of(rules, &position.play(rules, mv)) == after;
        Ok(legal_moves(rules, position).into_iter().find(leads_there).map(|mv| (mv, entry.bound)))
    }

    /// Whether a position is the root, a draw is what is claimed of it, and `info` is the claim of the side
    /// to move.
    fn is_drawn_root(&self, info: &ClaimInfo, position: &Position) -> bool {
        let (rules, root) = (self.rules(), self.root());
        self.value() == Some(Value::Draw)
            && info.claim.by_mover
            && position.plies() == root.plies()
            && Canonical::of(rules, position) == Canonical::of(rules, root)
    }
}
