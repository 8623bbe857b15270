//! `Slice`: the positions of a slice by number.

use std::sync::Arc;

use alquerque::index::PairLayout;
use alquerque::material::Material;
use alquerque::position::{Position, PositionBits};
use alquerque::rules::Rules;
use alquerque::tablebase::{ProbeError, Tablebase};
use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use rayon::prelude::*;

use crate::answers::verdicts;
use crate::batch::{self, Batch, Why};
use crate::errors;
use crate::given::{Arrays, numbers};
use crate::rules::PyRules;

/// The positions of a slice, such as ``"4v3"``, by number; of those that are equal by symmetry or a change of colours
/// one stands for all. Made by ``Tablebase.slice()``.
///
/// ``len(slice)`` is how many there are. A few positions that are symmetric themselves have two numbers.
#[pyclass(frozen, module = "alquerque", name = "Slice")]
pub struct PySlice {
    tables: Arc<Tablebase>,
    layout: Arc<PairLayout>,
    material: Material,
}

/// Entries of a slice, one after the other.
struct Entries<'a> {
    slice: &'a PySlice,
    first: u64,
    count: usize,
}

impl Batch for Entries<'_> {
    fn len(&self) -> usize {
        self.count
    }

    fn with<T>(
        &self,
        index: usize,
        probe: impl FnOnce(&Position) -> Result<T, ProbeError>,
    ) -> Result<T, Why> {
        probe(&self.slice.position(self.first + index as u64)).map_err(Why::Probe)
    }
}

impl PySlice {
    pub fn new(tables: Arc<Tablebase>, material: &str) -> PyResult<PySlice> {
        let material: Material =
            material.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
        // That there is a table comes first: without one a layout may be large.
        tables.table(material, alquerque::table::Metric::Wdl).map_err(|error| errors::table(&error, ""))?;
        let layout = Arc::clone(tables.index().layout(material.pair()));
        Ok(PySlice { tables, layout, material })
    }

    fn rules(&self) -> &'static Rules {
        self.tables.rules()
    }

    fn position(&self, entry: u64) -> Position {
        self.layout.position(self.material, self.layout.location_of(entry))
    }

    fn entries(&self, start: u64, stop: Option<u64>) -> PyResult<Entries<'_>> {
        let all = self.layout.entries();
        let stop = stop.unwrap_or(all);
        if start > stop || stop > all {
            let message = format!("entries {start} to {stop} are out of range: there are {all}");
            return Err(PyIndexError::new_err(message));
        }
        Ok(Entries { slice: self, first: start, count: (stop - start) as usize })
    }

    fn probe<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        stop: Option<u64>,
        distances: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?;
        let entries = self.entries(start, stop)?;
        let columns = py.detach(|| batch::probe(&self.tables, &entries, distances));
        verdicts(py, columns?)
    }
}

#[pymethods]
impl PySlice {
    /// The stones of the side to move, then those of the other side, as in ``"4v3"``.
    #[getter]
    fn material(&self) -> String {
        self.material.to_string()
    }

    /// The rules.
    #[getter(rules)]
    fn rules_of_tables(&self) -> PyRules {
        PyRules(self.rules())
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.layout.entries())?)
    }

    /// The values of the positions ``start`` to ``stop``, as an int8 array of 1, 0 and -1 for the side to move. Needs numpy.
    #[pyo3(signature = (start = 0, stop = None))]
    fn values<'py>(&self, py: Python<'py>, start: u64, stop: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        self.probe(py, start, stop, false)?.getattr("value")
    }

    /// The ``Verdicts`` on the positions ``start`` to ``stop``: values and distances as arrays. Needs numpy.
    #[pyo3(signature = (start = 0, stop = None))]
    fn verdicts<'py>(&self, py: Python<'py>, start: u64, stop: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        self.probe(py, start, stop, true)
    }

    /// The numbers of positions given as arrays, as ``Tablebase.probe_many()`` takes them: an int64 array. Either colour may
    /// be to move. Raises ``PositionError`` for the first position that is none of the slice.
    #[pyo3(signature = (white, black, side, *, no_west = None, no_east = None))]
    fn rank<'py>(
        &self,
        white: &Bound<'py, PyAny>,
        black: &Bound<'py, PyAny>,
        side: &Bound<'py, PyAny>,
        no_west: Option<&Bound<'py, PyAny>>,
        no_east: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let py = white.py();
        py.import("numpy")?;
        let arrays = Arrays::new([white, black, side], [no_west, no_east, None])?;
        let batch = arrays.columns(self.rules())?;
        let ranked: Result<Vec<i64>, PyErr> = py.detach(|| {
            let rank = |index| {
                let place = batch.with(index, |position| {
                    let is_here = Material::of(position) == Some(self.material);
                    Ok(is_here.then(|| self.layout.entry(self.layout.locate(position)) as i64))
                });
                match place.map_err(|why| PyErr::from(batch::Failure::new(index, why)))? {
                    Some(entry) => Ok(entry),
                    None => Err(errors::position(format!(
                        "position {index}: it is not of the slice {}",
                        self.material
                    ))),
                }
            };
            // The first that fails, whichever thread finds it.
            let ranked: Vec<Result<i64, PyErr>> = (0..batch.len()).into_par_iter().map(rank).collect();
            ranked.into_iter().collect()
        });
        Ok(PyArray1::from_vec(py, ranked?))
    }

    /// The positions with these numbers as ``Positions``: arrays of bitboards and sides. White has the side with more stones.
    /// Needs numpy.
    fn unrank<'py>(&self, entries: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        static POSITIONS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let py = entries.py();
        py.import("numpy")?;
        let array = numbers::<i64>("entries", entries)?;
        let entries = array.as_slice()?;
        let all = self.layout.entries();
        if let Some(index) = entries
            .iter()
            .position(|&entry| u64::try_from(entry).is_ok_and(|entry| entry >= all) || entry < 0)
        {
            return Err(PyIndexError::new_err(format!(
                "entry {} is out of range: there are {all}",
                entries[index]
            )));
        }
        let words: Vec<PositionBits> = py.detach(|| {
            entries.par_iter().map(|&entry| PositionBits::from(&self.position(entry as u64))).collect()
        });
        let set = |of: fn(&PositionBits) -> u32| PyArray1::from_iter(py, words.iter().map(of));
        let fields = (
            set(|words| words.white),
            set(|words| words.black),
            PyArray1::from_iter(py, words.iter().map(|words| words.side)),
            set(|words| words.no_west),
            set(|words| words.no_east),
        );
        POSITIONS.import(py, "alquerque._answers", "Positions")?.call1(fields)
    }

    /// Goes over the whole slice, ``size`` positions at a time: an iterator of pairs of ``Positions`` and ``Verdicts``.
    #[pyo3(signature = (size = 65536))]
    fn batches<'py>(slf: &Bound<'py, PySlice>, size: usize) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("alquerque._arrays")?.getattr("batches")?.call1((slf, size))
    }

    fn __repr__(&self) -> String {
        format!("<Slice {} rules='{}'>", self.material, self.rules().name())
    }
}
