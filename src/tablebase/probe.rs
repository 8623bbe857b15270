//! Looking up positions.

use super::{Tablebase, Verdict, place};
use crate::material::Material;
use crate::moves::{has_legal_move, must_capture};
use crate::position::{Position, PositionError};
use crate::table::{Metric, Symbol, TableError, Value};

/// Why a position has no verdict.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum ProbeError {
    #[error("illegal position under '{rules}': {error}")]
    Position {
        rules: &'static str,
        #[source]
        error: PositionError,
    },
    #[error(transparent)]
    Table(#[from] TableError),
    /// Only from probes that can be stopped, such as [`Tablebase::probe_while`].
    #[error("the probe was stopped before it was done")]
    Stopped,
}

/// What the side to move can do at all.
enum Stage {
    /// Nothing: it has lost, or the game is drawn.
    Over(Value),
    /// Its opponent has no stone: whatever it does wins.
    Unopposed,
    /// It must capture.
    Capture,
    /// It need not capture; the tables have the value.
    Quiet(Material),
}

impl Tablebase {
    /// The value of a position and the distances for which there are tables.
    ///
    /// A position in which the side to move can capture is looked up through its captures. Under rules with a
    /// ply counter a win or loss stands only if its distance to conversion fits in the plies that are
    /// left.
    ///
    /// # Errors
    /// [`ProbeError`] when the position does not fit the rules, a table is missing (the WDL table of the
    /// material or of one that a capture leads to; DTC too where a ply counter above 0 matters) or
    /// damaged.
    pub fn probe(&self, position: &Position) -> Result<Verdict, ProbeError> {
        self.probe_while(position, || true)
    }

    /// As [`probe`](Self::probe), as long as `goes_on` says so. It is asked before each position that the
    /// probe looks at. In a crowded position captures lead to very many of them.
    ///
    /// # Errors
    /// [`ProbeError::Stopped`] when `goes_on` says no, else as for [`probe`](Self::probe).
    pub fn probe_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Verdict, ProbeError> {
        self.check(position)?;
        self.verdict(position, &mut goes_on)
    }

    /// The value alone, which is faster.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub fn probe_value(&self, position: &Position) -> Result<Value, ProbeError> {
        self.probe_value_while(position, || true)
    }

    /// The value alone, as long as `goes_on` says so.
    ///
    /// # Errors
    /// As for [`probe_while`](Self::probe_while).
    pub fn probe_value_while(
        &self,
        position: &Position,
        mut goes_on: impl FnMut() -> bool,
    ) -> Result<Value, ProbeError> {
        self.check(position)?;
        self.value_within(position, Value::Loss, Value::Win, &mut goes_on)
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
            return Stage::Over(Value::without_moves(rules, position));
        }
        match Material::of(position) {
            _ if counted_out => Stage::Over(Value::Draw),
            _ if must_capture(rules, position) => Stage::Capture,
            Some(material) => Stage::Quiet(material),
            None => Stage::Unopposed,
        }
    }

    /// The value, as far as it matters to somebody who has `low` already and to whom more than `high` is no
    /// more use: exact between the two, beyond them no further from the truth than they are.
    pub(super) fn value_within(
        &self,
        position: &Position,
        low: Value,
        high: Value,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<Value, ProbeError> {
        if !goes_on() {
            return Err(ProbeError::Stopped);
        }
        match self.stage(position) {
            Stage::Over(value) => Ok(value),
            Stage::Unopposed => Ok(Value::Win),
            Stage::Capture => self.value_by_captures(position, low, high, goes_on),
            Stage::Quiet(material) => {
                let entry = self.entry(position, material)?;
                self.quiet_value(position, material, entry)
            }
        }
    }

    pub(super) fn verdict(
        &self,
        position: &Position,
        goes_on: &mut impl FnMut() -> bool,
    ) -> Result<Verdict, ProbeError> {
        if !goes_on() {
            return Err(ProbeError::Stopped);
        }
        match self.stage(position) {
            Stage::Over(Value::Draw) => Ok(Verdict::without_distances(Value::Draw)),
            Stage::Over(value) => Ok(self.ended(value)),
            // Whatever comes next ends the game.
            Stage::Unopposed => Ok(self.ended(Value::Loss).before(false)),
            Stage::Capture => self.verdict_by_captures(position, goes_on),
            Stage::Quiet(material) => {
                let entry = self.entry(position, material)?;
                let value = self.quiet_value(position, material, entry)?;
                if value == Value::Draw {
                    return Ok(Verdict::without_distances(value));
                }
                let knows_end = self.has_table(material, Metric::Dtc) || value == Value::Win;
                if !knows_end && !has_legal_move(self.rules(), position) {
                    return Ok(self.ended(value));
                }
                Verdict::try_new(value, |metric| {
                    let exists = metric.is_distance() && self.has_table(material, metric);
                    exists.then(|| self.symbol(material, metric, entry)).transpose()
                })
            }
        }
    }

    /// The verdict on a position in which the game is over with this result.
    pub(super) fn ended(&self, value: Value) -> Verdict {
        Verdict::new(value, |metric| metric.at_end(self.rules()))
    }

    /// The number of a position in its tables. Without a WDL table it is not worked out: the layout may be
    /// large.
    #[inline]
    fn entry(&self, position: &Position, material: Material) -> Result<u64, ProbeError> {
        self.table(material, Metric::Wdl)?;
        let layout = self.index.layout(material.pair());
        Ok(layout.entry(layout.locate(position)))
    }

    /// The value of a position that need not be resolved by captures, which is `entry` of its tables.
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
