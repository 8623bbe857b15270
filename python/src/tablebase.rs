//! `Tablebase`.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};

use alquerque::rules::Rules;
use alquerque::tablebase::{DEFAULT_CACHE, RankedMove, Tablebase, Verdict};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use crate::answers::{answer_class, value_of, verdict, verdicts};
use crate::batch;
use crate::errors;
use crate::given::{Arrays, Sequence, position_of};
use crate::moves::PyMove;
use crate::position::PyPosition;
use crate::rules::{GivenRules, PyRules, rules_or_classic};
use crate::slice::PySlice;

/// The open tables of one rule set, in the folder ``directory``, which holds a folder for each rule set.
///
/// Up to about ``cache_bytes`` bytes of decoded tables are kept in memory. A tablebase can be used by any number of threads
/// at once, and as a context manager. Raises ``FileNotFoundError`` when there is no folder of tables for the rules, and
/// ``TableError`` when a table is not sound.
#[pyclass(frozen, module = "alquerque", name = "Tablebase")]
pub struct PyTablebase {
    rules: &'static Rules,
    tables: RwLock<Option<Arc<Tablebase>>>,
}

fn ranked_move<'py>(
    py: Python<'py>,
    rules: &'static Rules,
    ranked: &RankedMove,
) -> PyResult<Bound<'py, PyAny>> {
    static RANKED_MOVE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let Verdict { value, dtc, dtw } = ranked.verdict;
    let position = PyPosition { rules, position: ranked.position };
    let fields = (PyMove(ranked.mv), position, value_of(py, value)?, dtc, dtw);
    answer_class(py, &RANKED_MOVE, "RankedMove")?.call1(fields)
}

impl PyTablebase {
    fn tables(&self) -> PyResult<Arc<Tablebase>> {
        let tables = self.tables.read().unwrap_or_else(PoisonError::into_inner);
        tables.clone().ok_or_else(|| PyValueError::new_err("the tablebase is closed"))
    }
}

#[pymethods]
impl PyTablebase {
    #[new]
    #[pyo3(
        signature = (directory, rules = None, *, cache_bytes = DEFAULT_CACHE),
        text_signature = "(directory, rules='classic', *, cache_bytes=...)"
    )]
    fn new(
        py: Python<'_>,
        directory: PathBuf,
        rules: Option<GivenRules>,
        cache_bytes: u64,
    ) -> PyResult<PyTablebase> {
        let rules = rules_or_classic(rules);
        let opened = py.detach(|| Tablebase::with_cache(directory, rules, cache_bytes));
        let tables = opened.map_err(|error| errors::table(&error, ""))?;
        Ok(PyTablebase { rules, tables: RwLock::new(Some(Arc::new(tables))) })
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.rules)
    }

    /// The slices that have tables, such as ``"3v2"``: the stones of the side to move, then those of the other side.
    fn slices(&self) -> PyResult<Vec<String>> {
        Ok(self.tables()?.slices().iter().map(|slice| slice.material.to_string()).collect())
    }

    /// The positions of a slice, such as ``"4v3"``, by number, for whole arrays of them.
    ///
    /// Raises ``MissingTableError`` when there is no table of its values.
    fn slice(&self, material: &str) -> PyResult<PySlice> {
        PySlice::new(self.tables()?, material)
    }

    /// The ``Verdict`` on a position, which is a ``Position`` or its text form.
    ///
    /// Raises ``MissingTableError`` when a table that the answer needs is not there, ``TableError`` when it is damaged.
    fn probe<'py>(&self, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        let position = position_of(position, self.rules)?;
        let tables = self.tables()?;
        let probed = py.detach(|| tables.probe(&position));
        verdict(py, &probed.map_err(|error| errors::probe(&error, ""))?)
    }

    /// The ``Value`` of a position alone, which is faster. Raises what ``probe()`` raises.
    fn probe_wdl<'py>(&self, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = position.py();
        let position = position_of(position, self.rules)?;
        let tables = self.tables()?;
        let probed = py.detach(|| tables.probe_value(&position));
        value_of(py, probed.map_err(|error| errors::probe(&error, ""))?)
    }

    /// As ``probe()``, but ``default`` when a table is missing.
    #[pyo3(signature = (position, default = None))]
    fn get<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        or_default(position.py(), self.probe(position), default)
    }

    /// As ``probe_wdl()``, but ``default`` when a table is missing.
    #[pyo3(signature = (position, default = None))]
    fn get_wdl<'py>(
        &self,
        position: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        or_default(position.py(), self.probe_wdl(position), default)
    }

    /// The legal moves of a position as ``RankedMove``, best first: wins by fewest plies, then draws, then losses by most plies.
    ///
    /// Empty when the game is over. Raises what ``probe()`` raises.
    fn moves<'py>(&self, position: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = position.py();
        let position = position_of(position, self.rules)?;
        let tables = self.tables()?;
        let ranked = py.detach(|| tables.ranked_moves(&position));
        let ranked = ranked.map_err(|error| errors::probe(&error, ""))?;
        ranked.iter().map(|ranked| ranked_move(py, self.rules, ranked)).collect()
    }

    /// The ``Verdicts`` on many positions, on all processors and without holding the GIL. Needs numpy.
    ///
    /// Either ``probe_many(positions)``, with a sequence of ``Position`` and text forms, or ``probe_many(white, black, side)`` with
    /// arrays of bitboards and of sides (0 White, 1 Black; one number stands for all), optionally with arrays
    /// ``no_west``, ``no_east`` and ``plies``. With ``distances=False`` values alone are probed, which is faster.
    /// Raises what ``probe()`` raises, for the first position that has no answer.
    #[pyo3(signature = (
        positions, black = None, side = None, *, no_west = None, no_east = None, plies = None, distances = true
    ))]
    #[allow(clippy::too_many_arguments)]
    fn probe_many<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
        black: Option<&Bound<'py, PyAny>>,
        side: Option<&Bound<'py, PyAny>>,
        no_west: Option<&Bound<'py, PyAny>>,
        no_east: Option<&Bound<'py, PyAny>>,
        plies: Option<&Bound<'py, PyAny>>,
        distances: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = positions.py();
        // Without numpy an ImportError, rather than a panic further down.
        py.import("numpy")?;
        let (rules, tables) = (self.rules, self.tables()?);
        let (black, side) = match (black, side) {
            (Some(black), Some(side)) => (black, side),
            (None, None) if no_west.or(no_east).or(plies).is_none() => {
                let batch = Sequence::new(positions, rules)?;
                let columns = py.detach(|| batch::probe(&tables, &batch, distances));
                return verdicts(py, columns?);
            }
            _ => return Err(PyTypeError::new_err("white, black and side are needed together")),
        };
        let arrays = Arrays::new([positions, black, side], [no_west, no_east, plies])?;
        let batch = arrays.columns(rules)?;
        let columns = py.detach(|| batch::probe(&tables, &batch, distances));
        verdicts(py, columns?)
    }

    /// Closes the tables. Calls that are under way finish; later ones raise ``ValueError``.
    fn close(&self) {
        *self.tables.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn __enter__(slf: Py<PyTablebase>) -> Py<PyTablebase> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        self.close();
    }

    fn __repr__(&self) -> String {
        let closed = if self.tables().is_err() { ", closed" } else { "" };
        format!("<Tablebase rules='{}'{closed}>", self.rules.name())
    }
}

fn or_default<'py>(
    py: Python<'py>,
    answer: PyResult<Bound<'py, PyAny>>,
    default: Option<Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if errors::is_missing_table(py, &error) => Ok(default),
        Err(error) => Err(error),
    }
}
