//! All values of a slice in memory, captures included: two bits a position.

use rayon::prelude::*;

use super::walk::{CHUNK, CHUNK_BITS, chunk, chunks, walk};
use super::{Monitor, StudyError};
use crate::index::PairLayout;
use crate::material::Material;
use crate::table::{Cursor, Metric, Value};
use crate::tablebase::{ProbeError, Tablebase};

/// The most memory that the values of a slice may take; beyond, each position is probed when it is needed.
const MOST_BYTES: u64 = 1 << 30;
const PER_WORD: u64 = 32;

/// The values of a slice.
pub struct SliceValues {
    chunks: Vec<Box<[u64]>>,
}

/// For which positions values are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Those of the slice, no ply played without a capture.
    Fresh,
    /// Those that come about by a step: where plies are counted, one has been played.
    AfterStep,
}

impl SliceValues {
    /// Reads the values of the slice of `material`; `None` if they would take too much memory.
    pub fn load(
        tables: &Tablebase,
        material: Material,
        wanted: Wanted,
        monitor: Monitor,
    ) -> Result<Option<SliceValues>, StudyError> {
        let layout = tables.index().layout(material.pair());
        if layout.entries() / 4 > MOST_BYTES {
            return Ok(None);
        }
        let reading = Reading { tables, layout, material, wanted, monitor };
        let chunks: Result<Vec<Box<[u64]>>, StudyError> =
            (0..chunks(layout)).into_par_iter().map(|number| reading.chunk(number)).collect();
        Ok(Some(SliceValues { chunks: chunks? }))
    }

    /// The value of `entry`.
    #[inline]
    pub fn get(&self, entry: u64) -> Value {
        let within = entry % CHUNK;
        let word = self.chunks[(entry >> CHUNK_BITS) as usize][(within / PER_WORD) as usize];
        match word >> (2 * (within % PER_WORD)) & 3 {
            0 => Value::Loss,
            1 => Value::Draw,
            _ => Value::Win,
        }
    }
}

struct Reading<'a> {
    tables: &'a Tablebase,
    layout: &'a PairLayout,
    material: Material,
    wanted: Wanted,
    monitor: Monitor<'a>,
}

impl Reading<'_> {
    fn chunk(&self, number: u64) -> Result<Box<[u64]>, StudyError> {
        self.monitor.check()?;
        let entries = chunk(self.layout, number);
        let length = entries.end - entries.start;
        let mut words = vec![0_u64; length.div_ceil(PER_WORD) as usize].into_boxed_slice();
        let wdl = self.tables.table(self.material, Metric::Wdl)?;
        let mut values = Cursor::new(wdl);
        // A win or loss that needs all plies that may be played is a draw after one of them.
        let limit = self.tables.rules().ply_limit().filter(|_| self.wanted == Wanted::AfterStep);
        let mut distances = match limit {
            Some(limit) => {
                let table = self.tables.table(self.material, Metric::Dtc)?;
                let is_near = table.info().longest.max() < limit.into();
                (!is_near).then(|| (limit, Cursor::new(table)))
            }
            None => None,
        };
        walk(self.layout, self.material, entries.clone(), |entry, _, position| {
            let value = match values.get(entry)? {
                None => self.tables.probe_value(position)?,
                Some(symbol) => {
                    let damaged = || ProbeError::from(wdl.damaged(entry));
                    let value = Value::from_symbol(symbol).ok_or_else(damaged)?;
                    match &mut distances {
                        Some((limit, distances)) if value != Value::Draw => {
                            let plies = distances.get(entry)?.unwrap_or(0);
                            if plies >= u16::from(*limit) { Value::Draw } else { value }
                        }
                        _ => value,
                    }
                }
            };
            let within = entry - entries.start;
            words[(within / PER_WORD) as usize] |= (value as u64) << (2 * (within % PER_WORD));
            Ok::<(), StudyError>(())
        })?;
        self.monitor.progress.advanced(length);
        Ok(words)
    }
}
