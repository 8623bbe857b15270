//! Tables and certificates together: what is known of a position, from whichever of them reaches it.
//!
//! Tables come first, as they know distances. Where they do not reach, a certificate has a reply for the side that it
//! proves to win; a position is lost when each of its moves leads to such a reply.

use std::path::Path;

use crate::certificate::{CertificateError, Certificates};
use crate::moves::playable_moves;
use crate::position::Position;
use crate::rules::Rules;
use crate::table::{TableError, Value};
use crate::tablebase::{MainLine, Next, ProbeError, RankedMove, Tablebase, Verdict, follow};

/// The tables and certificates of one rule set.
pub struct Oracle {
    tables: Tablebase,
    certificates: Certificates,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum OracleError {
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
}

impl OracleError {
    /// Whether it is only that no table reaches the position.
    fn is_lack_of_tables(&self) -> bool {
        matches!(self, OracleError::Probe(ProbeError::Table(TableError::NoTable { .. })))
    }
}

impl Oracle {
    /// Opens the tables and certificates for `rules` below `dir`.
    ///
    /// # Errors
    /// [`OracleError`] when there is no folder for the rules, or a file in it is not what its name says.
    pub fn open(dir: impl AsRef<Path>, rules: &'static Rules) -> Result<Oracle, OracleError> {
        let dir = dir.as_ref();
        Ok(Oracle { tables: Tablebase::open(dir, rules)?, certificates: Certificates::open(dir, rules)? })
    }

    /// These tables, and no certificate.
    pub fn of_tables(tables: Tablebase) -> Oracle {
        Oracle { tables, certificates: Certificates::default() }
    }

    /// The tables.
    pub fn tables(&self) -> &Tablebase {
        &self.tables
    }

    /// The certificates.
    pub fn certificates(&self) -> &Certificates {
        &self.certificates
    }

    /// The verdict on a position; from a certificate one without distances.
    ///
    /// # Errors
    /// As for [`probe_with_moves`](Self::probe_with_moves).
    pub fn probe(&self, position: &Position) -> Result<Verdict, OracleError> {
        match self.tables.probe(position).map_err(OracleError::from) {
            Err(error) if error.is_lack_of_tables() => {
                self.by_certificate(position)?.map(|(verdict, _)| verdict).ok_or(error)
            }
            answer => answer,
        }
    }

    /// The verdict on a position and its moves, best first. From a certificate, which knows no distances, come only the
    /// moves whose value it knows: one reply that keeps a win or draw, or all moves of a lost position.
    ///
    /// # Errors
    /// [`OracleError`] when neither tables nor certificates reach the position, or what they say cannot be read.
    pub fn probe_with_moves(&self, position: &Position) -> Result<(Verdict, Vec<RankedMove>), OracleError> {
        match self.tables.probe_with_moves(position).map_err(OracleError::from) {
            Err(error) if error.is_lack_of_tables() => self.by_certificate(position)?.ok_or(error),
            answer => answer,
        }
    }

    /// Best play from `position` to the end of the game, as in [`Tablebase::main_line`], where certificates lead to what
    /// tables know; as far as both together reach. In a lost position the move is played that is answered latest by a
    /// capture or the end.
    ///
    /// # Errors
    /// As for [`probe_with_moves`](Self::probe_with_moves); that nothing reaches a position is one for the first only.
    pub fn main_line(&self, position: &Position) -> Result<MainLine, OracleError> {
        let mut is_first = true;
        follow(self.tables.rules(), position, |position| {
            let best = self.best_move(position);
            match best {
                Err(error) if error.is_lack_of_tables() && !is_first => Ok(Next::Unknown),
                best => {
                    is_first = false;
                    best.map(Next::from)
                }
            }
        })
    }

    /// The best move of a position; `None` when the game is over.
    fn best_move(&self, position: &Position) -> Result<Option<RankedMove>, OracleError> {
        // Tables need none of their own for a game that is over.
        match self.tables.ranked_moves(position).map_err(OracleError::from) {
            Err(error) if error.is_lack_of_tables() => {
                Ok(self.probe_with_moves(position)?.1.first().copied())
            }
            moves => Ok(moves?.first().copied()),
        }
    }

    /// The verdict of a certificate on a position and the moves whose value it knows, best first; `None` when it has none.
    ///
    /// # Errors
    /// [`OracleError`] when a certificate or table cannot be read.
    pub fn by_certificate(
        &self,
        position: &Position,
    ) -> Result<Option<(Verdict, Vec<RankedMove>)>, OracleError> {
        if self.certificates.is_empty() {
            return Ok(None);
        }
        let rules = self.tables.rules();
        let ranked = |mv, position, value| RankedMove { mv, position, verdict: of_value(value) };
        if let Some(answer) = self.certificates.reply(position)? {
            let after = position.play(rules, &answer.mv);
            return Ok(Some((of_value(answer.value), vec![ranked(answer.mv, after, answer.value)])));
        }
        let mut moves = Vec::new();
        for mv in playable_moves(rules, position) {
            let after = position.play(rules, &mv);
            let within = match self.certificates.reply(&after)? {
                Some(answer) if answer.value == Value::Win => answer.within,
                Some(_) => return Ok(None),
                None => match self.tables.probe_value(&after) {
                    Ok(Value::Win) => None,
                    _ => return Ok(None),
                },
            };
            moves.push((within, ranked(mv, after, Value::Loss)));
        }
        moves.sort_by_key(|&(within, _)| std::cmp::Reverse(within));
        let moves: Vec<RankedMove> = moves.into_iter().map(|(_, ranked)| ranked).collect();
        Ok((!moves.is_empty()).then(|| (of_value(Value::Loss), moves)))
    }
}

/// A verdict without distances.
fn of_value(value: Value) -> Verdict {
    Verdict { value, dtc: None, dtw: None }
}
