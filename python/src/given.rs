//! Positions as Python hands them over.

use alquerque::position::{ParsePositionError, Position, PositionBits};
use alquerque::rules::Rules;
use alquerque::tablebase::ProbeError;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

use crate::batch::{Batch, Why};
use crate::errors;
use crate::position::PyPosition;

/// A position as Python hands it over.
enum Given {
    Position(Position),
    Text(PyBackedStr),
}

impl Given {
    fn new(given: &Bound<'_, PyAny>, rules: &'static Rules) -> PyResult<Given> {
        if let Ok(position) = given.cast::<PyPosition>() {
            let position = position.try_borrow()?;
            if position.rules == rules {
                return Ok(Given::Position(position.position));
            }
            let (of, needed) = (position.rules.name(), rules.name());
            return Err(errors::position(format!("the position is of the rules '{of}', not '{needed}'")));
        }
        let text = given.extract().map_err(|_| {
            PyTypeError::new_err(format!("a position is a Position or a str, not {}", given.get_type()))
        })?;
        Ok(Given::Text(text))
    }

    fn position(&self, rules: &Rules) -> Result<Position, ParsePositionError> {
        match self {
            Given::Position(position) => Ok(*position),
            Given::Text(text) => Position::parse(rules, text),
        }
    }
}

/// The position that `given` is, under `rules`.
pub fn position_of(given: &Bound<'_, PyAny>, rules: &'static Rules) -> PyResult<Position> {
    Given::new(given, rules)?.position(rules).map_err(errors::position)
}

/// Some positions and texts.
pub struct Sequence {
    rules: &'static Rules,
    given: Vec<Given>,
}

impl Sequence {
    /// What `positions` yields.
    pub fn new(positions: &Bound<'_, PyAny>, rules: &'static Rules) -> PyResult<Sequence> {
        if positions.is_instance_of::<PyString>() {
            // It could be iterated over, letter by letter.
            return Err(PyTypeError::new_err(
                "a sequence of positions is needed; probe() takes a single one",
            ));
        }
        let given = positions.try_iter()?.map(|given| Given::new(&given?, rules));
        Ok(Sequence { rules, given: given.collect::<PyResult<_>>()? })
    }
}

impl Batch for Sequence {
    fn len(&self) -> usize {
        self.given.len()
    }

    fn with<T>(
        &self,
        index: usize,
        probe: impl FnOnce(&Position) -> Result<T, ProbeError>,
    ) -> Result<T, Why> {
        match self.given[index].position(self.rules) {
            Ok(position) => probe(&position).map_err(Why::Probe),
            Err(error) => Err(Why::Text(error)),
        }
    }
}

/// `values` as an array of numbers that Rust can read.
fn column<'py, T: numpy::Element>(
    name: &str,
    values: &Bound<'py, PyAny>,
    length: Option<usize>,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    let py = values.py();
    let make = py.import("alquerque._arrays")?.getattr("column")?;
    let array = make.call1((name, values, numpy::dtype::<T>(py), length))?;
    Ok(array.cast_into::<PyArray1<T>>()?.readonly())
}

/// `values` as an array of numbers of any length.
pub fn numbers<'py, T: numpy::Element>(
    name: &str,
    values: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    column(name, values, None)
}

/// The arrays of `probe_many`, which keep them alive.
pub struct Arrays<'py> {
    white: PyReadonlyArray1<'py, u32>,
    black: PyReadonlyArray1<'py, u32>,
    side: PyReadonlyArray1<'py, u8>,
    no_west: Option<PyReadonlyArray1<'py, u32>>,
    no_east: Option<PyReadonlyArray1<'py, u32>>,
    plies: Option<PyReadonlyArray1<'py, u8>>,
}

impl<'py> Arrays<'py> {
    /// Checks and converts what Python gives: `white`, `black` and `side`; `no_west` and `no_east`, `plies`.
    pub fn new(
        [white, black, side]: [&Bound<'py, PyAny>; 3],
        [no_west, no_east, plies]: [Option<&Bound<'py, PyAny>>; 3],
    ) -> PyResult<Arrays<'py>> {
        let white = column::<u32>("white", white, None)?;
        let length = Some(white.as_slice()?.len());
        let set = |name, values: Option<_>| values.map(|values| column(name, values, length)).transpose();
        Ok(Arrays {
            white,
            black: column("black", black, length)?,
            side: column("side", side, length)?,
            no_west: set("no_west", no_west)?,
            no_east: set("no_east", no_east)?,
            plies: plies.map(|plies| column("plies", plies, length)).transpose()?,
        })
    }

    /// The numbers in the arrays.
    pub fn columns(&self, rules: &'static Rules) -> PyResult<Columns<'_>> {
        Ok(Columns {
            rules,
            white: self.white.as_slice()?,
            black: self.black.as_slice()?,
            side: self.side.as_slice()?,
            no_west: self.no_west.as_ref().map(|set| set.as_slice()).transpose()?,
            no_east: self.no_east.as_ref().map(|set| set.as_slice()).transpose()?,
            plies: self.plies.as_ref().map(|plies| plies.as_slice()).transpose()?,
        })
    }
}

/// Positions as columns of numbers, all of one length.
pub struct Columns<'a> {
    rules: &'static Rules,
    white: &'a [u32],
    black: &'a [u32],
    side: &'a [u8],
    no_west: Option<&'a [u32]>,
    no_east: Option<&'a [u32]>,
    plies: Option<&'a [u8]>,
}

impl Batch for Columns<'_> {
    fn len(&self) -> usize {
        self.white.len()
    }

    #[inline(always)]
    fn with<T>(
        &self,
        index: usize,
        probe: impl FnOnce(&Position) -> Result<T, ProbeError>,
    ) -> Result<T, Why> {
        let bits = PositionBits {
            white: self.white[index],
            black: self.black[index],
            no_west: self.no_west.map_or(0, |set| set[index]),
            no_east: self.no_east.map_or(0, |set| set[index]),
            side: self.side[index],
            plies: self.plies.map_or(0, |plies| plies[index]),
        };
        match bits.position(self.rules) {
            Ok(position) => probe(&position).map_err(Why::Probe),
            Err(error) => Err(Why::Bits(error)),
        }
    }
}
