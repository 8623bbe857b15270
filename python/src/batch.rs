//! Probing many positions at once, on all processors.

use alquerque::table::Value;
use alquerque::tablebase::{Tablebase, Verdict};
use pyo3::PyErr;
use rayon::prelude::*;

use alquerque::position::Position;
use alquerque::tablebase::ProbeError;

use crate::errors;

/// Positions that one processor takes at a time.
const CHUNK: usize = 1024;
/// Stands for a distance that there is not.
const NONE: i32 = -1;

/// Why there is no answer for the position with the number `index`.
pub struct Failure {
    index: usize,
    why: Why,
}

/// What is wrong with it.
pub enum Why {
    /// It is no position.
    Position(String),
    /// It has no verdict.
    Probe(ProbeError),
}

impl From<Failure> for PyErr {
    fn from(Failure { index, why }: Failure) -> PyErr {
        let context = format!("position {index}: ");
        match why {
            Why::Position(error) => errors::position(context + &error),
            Why::Probe(error) => errors::probe(&error, &context),
        }
    }
}

/// The number that stands for a value.
pub fn number(value: Value) -> i8 {
    match value {
        Value::Loss => -1,
        Value::Draw => 0,
        Value::Win => 1,
    }
}

/// The answers, one element a position.
pub struct Columns {
    pub value: Vec<i8>,
    /// DTC and DTW.
    pub distances: Option<[Vec<i32>; 2]>,
}

/// Probes `count` positions; `position` makes the one with a given number. The first that fails is reported.
pub fn probe(
    tables: &Tablebase,
    count: usize,
    with_distances: bool,
    position: impl Fn(usize) -> Result<Position, String> + Sync,
) -> Result<Columns, Failure> {
    let position = |index| position(index).map_err(Why::Position);
    let mut value = vec![0; count];
    if !with_distances {
        let write = |index, value: &mut i8| {
            *value = number(tables.probe_value(&position(index)?).map_err(Why::Probe)?);
            Ok(())
        };
        let done = value.par_iter_mut().with_min_len(CHUNK).enumerate();
        first_failure(done.map(|(index, value)| (index, write(index, value))))?;
        return Ok(Columns { value, distances: None });
    }
    let (mut dtc, mut dtw) = (vec![NONE; count], vec![NONE; count]);
    let write = |index, value: &mut i8, dtc: &mut i32, dtw: &mut i32| {
        let verdict: Verdict = tables.probe(&position(index)?).map_err(Why::Probe)?;
        *value = number(verdict.value);
        *dtc = verdict.dtc.map_or(NONE, i32::from);
        *dtw = verdict.dtw.map_or(NONE, i32::from);
        Ok(())
    };
    let done = (&mut value, &mut dtc, &mut dtw).into_par_iter().with_min_len(CHUNK).enumerate();
    first_failure(done.map(|(index, (value, dtc, dtw))| (index, write(index, value, dtc, dtw))))?;
    Ok(Columns { value, distances: Some([dtc, dtw]) })
}

/// The failure with the smallest number, whatever the processors come to first.
fn first_failure(done: impl IndexedParallelIterator<Item = (usize, Result<(), Why>)>) -> Result<(), Failure> {
    let first = done.find_map_first(|(index, result)| Some(Failure { index, why: result.err()? }));
    first.map_or(Ok(()), Err)
}
