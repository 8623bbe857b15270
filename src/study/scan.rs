//! A slice and what its positions lead to.

use std::ops::ControlFlow;

use super::values::{SliceValues, Wanted};
use super::{Monitor, StudyError};
use crate::index::PairLayout;
use crate::material::Material;
use crate::moves::{Move, can_capture, for_each_move};
use crate::position::Position;
use crate::progress::Stage;
use crate::rules::Rules;
use crate::table::{Cursor, Metric, Symbol, Table, Value};
use crate::tablebase::{ProbeError, Tablebase, Verdict};

/// A slice that is scanned.
pub struct Slice<'a> {
    pub tables: &'a Tablebase,
    pub material: Material,
    pub layout: &'a PairLayout,
    /// The values after a step, and those with the other side to move; each if it was asked for and fits in
    /// memory.
    after_step: Option<SliceValues>,
    passed: Option<SliceValues>,
}

/// What a scan needs beside the slice itself.
#[derive(Clone, Copy, Default)]
pub struct Needs {
    /// What steps lead to.
    pub steps: bool,
    /// What the positions are worth with the other side to move.
    pub passed: bool,
}

impl<'a> Slice<'a> {
    pub fn new(
        tables: &'a Tablebase,
        material: Material,
        needs: Needs,
        monitor: Monitor,
    ) -> Result<Slice<'a>, StudyError> {
        tables.table(material, Metric::Wdl)?;
        let layout = tables.index().layout(material.pair());
        let load = |is_needed: bool, wanted| match is_needed {
            true => {
                monitor.progress.stage(Stage::Reading(material.passed()));
                SliceValues::load(tables, material.passed(), wanted, monitor)
            }
            false => Ok(None),
        };
        let after_step = load(needs.steps, Wanted::AfterStep)?;
        let passed = load(needs.passed, Wanted::Fresh)?;
        Ok(Slice { tables, material, layout, after_step, passed })
    }

    pub fn rules(&self) -> &'static Rules {
        self.tables.rules()
    }

    /// What the position is worth to the side to move if it were the other side's move.
    pub fn passed(&self, entry: u64, position: &Position) -> Result<Value, StudyError> {
        let passed = position.with_other_side();
        let value = match &self.passed {
            // Both tables of a pair number positions alike, except that with equal sides the mover counts as
            // the row side.
            Some(values) if !self.material.pair().is_even() => values.get(entry),
            Some(values) => values.get(self.layout.entry(self.layout.locate(&passed))),
            None => self.tables.probe_value(&passed)?,
        };
        Ok(value.reversed())
    }

    /// What the mover gets by a move.
    fn value_of(&self, position: &Position, mv: &Move) -> Result<Value, StudyError> {
        let after = position.play(self.rules(), mv);
        let value = match &self.after_step {
            Some(values) if !mv.is_capture() => values.get(self.layout.entry(self.layout.locate(&after))),
            _ => self.tables.probe_value(&after)?,
        };
        Ok(value.reversed())
    }

    /// How many moves there are, and how many of them keep `value`, counted up to `most`.
    pub fn keeping(&self, position: &Position, value: Value, most: usize) -> Result<usize, StudyError> {
        let mut keeping = 0;
        let done = for_each_move(self.rules(), position, |mv| {
            match self.value_of(position, &mv) {
                Ok(found) => keeping += usize::from(found == value),
                Err(error) => return ControlFlow::Break(Err(error)),
            }
            if keeping >= most { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
        });
        match done {
            ControlFlow::Break(Err(error)) => Err(error),
            _ => Ok(keeping),
        }
    }

    /// Whether exactly one of several moves keeps `value`, which a move can lose.
    pub fn has_only_move(&self, position: &Position, value: Value) -> Result<bool, StudyError> {
        if value == Value::Loss || move_count(self.rules(), position, 2) < 2 {
            return Ok(false);
        }
        Ok(self.keeping(position, value, 2)? == 1)
    }

    /// Whether `entry` is the first that holds its position: symmetric rows hold some positions more than
    /// once.
    pub fn is_first_image(&self, entry: u64, row: u32, position: &Position) -> bool {
        let symmetry = self.rules().symmetry();
        let rows = self.layout.rows();
        if rows.orbit(row) == symmetry.order() as u64 {
            return true;
        }
        let images = symmetry.transforms().iter().map(|&transform| position.transformed(transform));
        // Only images in the row's own placement stand in it as they are.
        let own = rows.placement(row);
        let in_row = images.filter(|image| image.white() == own);
        in_row.map(|image| self.layout.entry(self.layout.locate(&image))).all(|other| entry <= other)
    }
}

/// How many legal moves there are, counted up to `most`.
pub fn move_count(rules: &Rules, position: &Position, most: usize) -> usize {
    let mut count = 0;
    let _ = for_each_move(rules, position, |_| {
        count += 1;
        if count >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    count
}

/// Reads the tables of a slice from front to back.
pub struct Lane<'a> {
    tables: &'a Tablebase,
    wdl: (&'a Table, Cursor<'a>),
    /// By metric, those of the distances that have a table.
    distances: [Option<Cursor<'a>>; Metric::ALL.len()],
}

impl<'a> Lane<'a> {
    pub fn new(slice: &Slice<'a>) -> Result<Lane<'a>, StudyError> {
        let cursor = |metric: Metric| {
            let table = slice.tables.table(slice.material, metric).ok();
            table.filter(|_| metric.is_distance()).map(Cursor::new)
        };
        let wdl = slice.tables.table(slice.material, Metric::Wdl)?;
        Ok(Lane { tables: slice.tables, wdl: (wdl, Cursor::new(wdl)), distances: Metric::ALL.map(cursor) })
    }

    /// What the table holds of `entry`; `None` when it holds nothing, because there is a capture.
    #[inline]
    pub fn stored_value(&mut self, entry: u64) -> Result<Option<Value>, StudyError> {
        let (table, cursor) = &mut self.wdl;
        let value =
            |symbol: Symbol| Value::from_symbol(symbol).ok_or_else(|| ProbeError::from(table.damaged(entry)));
        Ok(cursor.get(entry)?.map(value).transpose()?)
    }

    /// The value of `entry`.
    #[inline]
    pub fn value(&mut self, entry: u64, position: &Position) -> Result<Value, StudyError> {
        match self.stored_value(entry)? {
            Some(value) => Ok(value),
            None => Ok(self.tables.probe_value(position)?),
        }
    }

    /// The verdict on `entry`.
    pub fn verdict(&mut self, entry: u64, position: &Position) -> Result<Verdict, StudyError> {
        let Some(value) = self.stored_value(entry)? else { return Ok(self.tables.probe(position)?) };
        if value == Value::Draw {
            return Ok(Verdict::without_distances(value));
        }
        Ok(Verdict::try_new(value, |metric| match &mut self.distances[metric as usize] {
            Some(cursor) => cursor.get(entry),
            None => Ok(None),
        })?)
    }
}

/// Whether no capture is possible on the next ply.
pub fn is_quiet(rules: &Rules, position: &Position) -> bool {
    !can_capture(rules, position)
}
