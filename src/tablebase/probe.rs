//! The verdict on a position.

use super::{Tablebase, place};
use crate::material::Material;
use crate::moves::{can_capture, has_legal_move};
use crate::position::{Position, PositionError};
use crate::table::{Metric, Symbol, TableError, Value};

/// What best play leads to, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Verdict {
    /// Win, draw or loss.
    pub value: Value,
    /// Plies up to and including the next capture, or until the end of the game; `None` for a draw, and when the
    /// table is missing. 0 = no legal move.
    pub dtc: Option<u16>,
    /// Plies until the end of the game; `None` for a draw, when the table is missing, and under rules in which a
    /// ply counter ends games. 0 = the side to move has lost.
    pub dtw: Option<u16>,
}

/// Why a position has no verdict.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ProbeError {
    #[error("the position is none of the rules '{rules}': {error}")]
    Position { rules: &'static str, error: PositionError },
    #[error(transparent)]
    Table(#[from] TableError),
}

/// What the side to move can do at all.
enum Stage {
    /// Nothing: it has lost, or the game is drawn.
    Over(Value),
    /// Its opponent has no stone: whatever it does wins.
    Unopposed,
    /// It must capture.
    Capture,
    /// It may step; the tables have the value.
    Quiet(Material),
}

impl Tablebase {
    /// The value of a position and the distances for which there are tables.
    ///
    /// A position in which the side to move can capture is looked up through its captures. Under rules with a ply
    /// counter a win or loss stands only if its distance to conversion fits in the plies that are left.
    ///
    /// # Errors
    /// [`ProbeError`] when the position does not fit the rules, a table is missing (the WDL table of the material
    /// or of one that a capture leads to; DTC too where a ply counter above 0 matters) or damaged.
    pub fn probe(&self, position: &Position) -> Result<Verdict, ProbeError> {
        self.check(position)?;
        self.verdict(position)
    }

    /// The value alone, which is faster.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub fn probe_value(&self, position: &Position) -> Result<Value, ProbeError> {
        self.check(position)?;
        self.value(position)
    }

    #[inline]
    pub(super) fn check(&self, position: &Position) -> Result<(), ProbeError> {
        let plain = (position.no_west() | position.no_east()).is_empty() && position.plies() == 0;
        if plain {
            return Ok(());
        }
        let rules = self.rules();
        position.check(rules).map_err(|error| ProbeError::Position { rules: rules.name(), error })
    }

    // Inlined wherever it is used: as a call of its own it takes a tenth of a probe.
    #[inline(always)]
    fn stage(&self, position: &Position) -> Stage {
        let rules = self.rules();
        let (own, opponent) = (position.own(), position.opponent());
        // The lack of moves is looked at before any draw; where steps abound the table knows it.
        let counted_out = rules.ply_limit().is_some_and(|limit| position.plies() >= limit);
        let unopposed = opponent.is_empty();
        if (own.is_empty() || counted_out || unopposed) && !has_legal_move(rules, position) {
            return Stage::Over(Value::Loss);
        }
        match Material::of(position) {
            _ if counted_out => Stage::Over(Value::Draw),
            _ if can_capture(rules, position) => Stage::Capture,
            Some(material) => Stage::Quiet(material),
            None => Stage::Unopposed,
        }
    }

    pub(super) fn value(&self, position: &Position) -> Result<Value, ProbeError> {
        self.value_within(position, Value::Loss, Value::Win)
    }

    /// The value, as far as it matters to somebody who has `low` already and to whom more than `high` is no more use: exact
    /// between the two, beyond them no further from the truth than they are.
    pub(super) fn value_within(
        &self,
        position: &Position,
        low: Value,
        high: Value,
    ) -> Result<Value, ProbeError> {
        match self.stage(position) {
            Stage::Over(value) => Ok(value),
            Stage::Unopposed => Ok(Value::Win),
            Stage::Capture => self.value_by_captures(position, low, high),
            Stage::Quiet(material) => {
                let entry = self.entry(position, material)?;
                self.quiet_value(position, material, entry)
            }
        }
    }

    pub(super) fn verdict(&self, position: &Position) -> Result<Verdict, ProbeError> {
        match self.stage(position) {
            Stage::Over(Value::Draw) => Ok(Verdict { value: Value::Draw, dtc: None, dtw: None }),
            Stage::Over(value) => Ok(self.decided(value, 0, Some(0))),
            Stage::Unopposed => Ok(self.decided(Value::Win, 1, Some(1))),
            Stage::Capture => self.verdict_by_captures(position),
            Stage::Quiet(material) => {
                let entry = self.entry(position, material)?;
                let value = self.quiet_value(position, material, entry)?;
                if value == Value::Draw {
                    return Ok(Verdict { value, dtc: None, dtw: None });
                }
                let knows_end = self.has_table(material, Metric::Dtc) || value == Value::Win;
                if !knows_end && !has_legal_move(self.rules(), position) {
                    return Ok(self.decided(value, 0, Some(0)));
                }
                let distance = |metric| {
                    let exists = self.has_table(material, metric);
                    exists.then(|| self.symbol(material, metric, entry)).transpose()
                };
                Ok(Verdict { value, dtc: distance(Metric::Dtc)?, dtw: distance(Metric::Dtw)? })
            }
        }
    }

    /// A win or loss with these distances; those that the rules do not have are left out.
    pub(super) fn decided(&self, value: Value, dtc: u16, dtw: Option<u16>) -> Verdict {
        Verdict { value, dtc: Some(dtc), dtw: dtw.filter(|_| self.rules().has_distance_to_win()) }
    }

    /// The number of a position in its tables. Without a WDL table it is not worked out: the layout may be large.
    #[inline]
    fn entry(&self, position: &Position, material: Material) -> Result<u64, ProbeError> {
        self.table(material, Metric::Wdl)?;
        let layout = self.index.layout(material.pair());
        Ok(layout.entry(layout.locate(position)))
    }

    /// The value of a position without captures, which is `entry` of its tables.
    fn quiet_value(&self, position: &Position, material: Material, entry: u64) -> Result<Value, ProbeError> {
        let symbol = self.symbol(material, Metric::Wdl, entry)?;
        let damaged = || {
            let table = self.table(material, Metric::Wdl);
            table.map_or_else(|error| error, |table| table.damaged(entry))
        };
        let value = Value::from_symbol(symbol).ok_or_else(damaged)?;
        match self.rules().ply_limit() {
            Some(limit) if position.plies() > 0 && value != Value::Draw => {
                let distance = self.symbol(material, Metric::Dtc, entry)?;
                let left = limit.saturating_sub(position.plies());
                Ok(if distance <= left.into() { value } else { Value::Draw })
            }
            _ => Ok(value),
        }
    }

    #[inline]
    fn symbol(&self, material: Material, metric: Metric, entry: u64) -> Result<Symbol, ProbeError> {
        let table = self.table(material, metric)?;
        Ok(self.cache.symbol(table, place(material, metric) as u32, entry)?)
    }
}

/// What tables say; `None` where one is missing.
pub(crate) fn covered<T>(answer: Result<T, ProbeError>) -> Result<Option<T>, ProbeError> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(ProbeError::Table(TableError::NoTable { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Verdict {
    /// The verdict for the mover on the position before a move, if that move is played: this is the verdict for
    /// the opponent after it.
    pub(crate) fn before(self, by_capture: bool) -> Verdict {
        let value = self.value.reversed();
        let dtc = match value {
            Value::Draw => None,
            _ if by_capture => Some(1),
            _ => self.dtc.map(|plies| plies + 1),
        };
        Verdict { value, dtc, dtw: self.dtw.map(|plies| plies + 1) }
    }

    /// The verdict when the mover can choose between what leads to `self` and what leads to `other`: the better value,
    /// and by each distance for itself the sooner win or the later loss. A distance that one of two equal values
    /// lacks is not known.
    #[must_use]
    pub(crate) fn or(self, other: Verdict) -> Verdict {
        if self.value != other.value {
            return if self.value > other.value { self } else { other };
        }
        let choose = |own: Option<u16>, others: Option<u16>| {
            let (own, others) = own.zip(others)?;
            Some(if self.value == Value::Win { own.min(others) } else { own.max(others) })
        };
        Verdict { value: self.value, dtc: choose(self.dtc, other.dtc), dtw: choose(self.dtw, other.dtw) }
    }
}
