//! The positions that take longest.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{ProbeError, Tablebase};
use crate::material::Material;
use crate::position::Position;
use crate::table::{Metric, Symbol, TableError, Value};

/// Why the longest win or loss of a slice is not known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LongestError {
    /// A table is missing or damaged.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// It was stopped.
    #[error("stopped before the longest line of play was found")]
    Stopped,
}

impl From<TableError> for LongestError {
    fn from(error: TableError) -> LongestError {
        LongestError::Probe(error.into())
    }
}

impl Tablebase {
    /// A position of `material` with this value, a win or a loss, and the largest distance by `metric` that
    /// such a position has; always the same one. `None` when there is none, and for a draw and the metric
    /// WDL, which have no distances.
    ///
    /// It reads the table from front to back, millions of positions a second, until it finds one or `stop` is
    /// set.
    ///
    /// # Errors
    /// [`LongestError`] when the table, or one that a capture leads to, is missing or damaged, or it was
    /// stopped.
    pub fn longest(
        &self,
        material: Material,
        metric: Metric,
        value: Value,
        stop: &AtomicBool,
    ) -> Result<Option<Position>, LongestError> {
        let longest = self.table(material, metric)?.info().longest;
        let wanted = match value {
            Value::Win => longest.win,
            Value::Loss => longest.loss,
            Value::Draw => None,
        };
        let Some(wanted) = wanted else { return Ok(None) };
        let is_longest = |position: &Position| {
            let verdict = self.probe(position)?;
            Ok::<_, ProbeError>(verdict.value == value && verdict.distance(metric) == Some(wanted))
        };
        // The table holds nothing of a position with captures, so those come second. What it holds of a draw
        // means nothing.
        let found = self.find(material, metric, stop, |symbol, position| {
            Ok(symbol == Some(wanted) && is_longest(&position())?)
        })?;
        match found {
            Some(position) => Ok(Some(position)),
            None => self.find(material, metric, stop, |symbol, position| {
                Ok(symbol.is_none() && is_longest(&position())?)
            }),
        }
    }

    /// The first position, in the order of the table, that `is_it`; told are the symbol that the table holds,
    /// if it holds one, and a way to work the position out, which costs more.
    fn find(
        &self,
        material: Material,
        metric: Metric,
        stop: &AtomicBool,
        is_it: impl Fn(Option<Symbol>, &dyn Fn() -> Position) -> Result<bool, ProbeError>,
    ) -> Result<Option<Position>, LongestError> {
        let table = self.table(material, metric)?;
        let layout = self.index.layout(material.pair());
        for number in 0..table.blocks() {
            if stop.load(Ordering::Relaxed) {
                return Err(LongestError::Stopped);
            }
            let block = self.cache.decode(table, number)?;
            for (within, entry) in table.entries_of(number).enumerate() {
                let symbol = block.get(within);
                let position = || layout.position(material, layout.location_of(entry));
                if is_it(symbol, &position)? {
                    return Ok(Some(position()));
                }
            }
        }
        Ok(None)
    }
}
