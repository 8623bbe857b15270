//! Probing many positions at once, on all processors.

use alquerque::position::{ParsePositionError, Position, PositionError};
use alquerque::table::Value;
use alquerque::tablebase::{ProbeError, Tablebase, Verdict};
use pyo3::PyErr;
use rayon::prelude::*;

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
    /// Its text is no position.
    Text(ParsePositionError),
    /// Its bits are no position.
    Bits(PositionError),
    /// It has no verdict.
    Probe(ProbeError),
}

impl Failure {
    /// That there is no answer for the position with this number.
    pub fn new(index: usize, why: Why) -> Failure {
        Failure { index, why }
    }
}

impl From<Failure> for PyErr {
    fn from(Failure { index, why }: Failure) -> PyErr {
        let context = format!("position {index}: ");
        match why {
            Why::Text(error) => errors::position(format!("{context}{error}")),
            Why::Bits(error) => errors::position(format!("{context}{error}")),
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

/// Many positions, as Python hands them over.
pub trait Batch: Sync {
    /// How many there are.
    fn len(&self) -> usize;
    /// What `probe` says of the one with the number `index`. The position is handed on at once: moving it about in
    /// results costs more than making it.
    fn with<T>(&self, index: usize, probe: impl FnOnce(&Position) -> Result<T, ProbeError>)
    -> Result<T, Why>;
}

/// Probes all positions of a batch. The first that fails is reported.
pub fn probe(tables: &Tablebase, batch: &impl Batch, with_distances: bool) -> Result<Columns, Failure> {
    let count = batch.len();
    let mut value = vec![0; count];
    if !with_distances {
        let write = |index, value: &mut i8| {
            *value = number(batch.with(index, |position| tables.probe_value(position))?);
            Ok(())
        };
        let failure = value.par_chunks_mut(CHUNK).enumerate().find_map_first(|(chunk, values)| {
            let failed = |(within, value)| failure(chunk * CHUNK + within, |index| write(index, value));
            values.iter_mut().enumerate().find_map(failed)
        });
        return failure.map_or(Ok(Columns { value, distances: None }), Err);
    }
    let (mut dtc, mut dtw) = (vec![NONE; count], vec![NONE; count]);
    let write = |index, [dtc, dtw]: [&mut i32; 2], value: &mut i8| {
        let verdict: Verdict = batch.with(index, |position| tables.probe(position))?;
        *value = number(verdict.value);
        *dtc = verdict.dtc.map_or(NONE, i32::from);
        *dtw = verdict.dtw.map_or(NONE, i32::from);
        Ok(())
    };
    let chunks = (value.par_chunks_mut(CHUNK), dtc.par_chunks_mut(CHUNK), dtw.par_chunks_mut(CHUNK));
    let failure = chunks.into_par_iter().enumerate().find_map_first(|(chunk, (values, dtcs, dtws))| {
        let failed = |(within, ((value, dtc), dtw))| {
            failure(chunk * CHUNK + within, |index| write(index, [dtc, dtw], value))
        };
        values.iter_mut().zip(dtcs).zip(dtws).enumerate().find_map(failed)
    });
    failure.map_or(Ok(Columns { value, distances: Some([dtc, dtw]) }), Err)
}

/// What goes wrong with the position with the number `index`, if anything does.
fn failure(index: usize, write: impl FnOnce(usize) -> Result<(), Why>) -> Option<Failure> {
    write(index).err().map(|why| Failure { index, why })
}
