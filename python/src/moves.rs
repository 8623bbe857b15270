//! `Move`.

use alquerque::moves::Move;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A legal move: a step or a chain of jumps.
///
/// ``str(move)`` is its text form: ``c2-c3`` for a step, ``c3xc5xe3`` for a chain.
#[pyclass(frozen, eq, hash, module = "alquerque", name = "Move")]
#[derive(PartialEq, Eq, Hash)]
pub struct PyMove(pub Move);

#[pymethods]
impl PyMove {
    /// The starting point and every landing point, each 0 (a1) to 24 (e5).
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.path().iter().map(|point| point.index()))
    }

    /// The points of the captured stones as a set of bits; 0 for a step.
    #[getter]
    fn captured(&self) -> u32 {
        self.0.captured().bits()
    }

    /// Whether the move is a chain of jumps.
    #[getter]
    fn is_capture(&self) -> bool {
        self.0.is_capture()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Move {}>", self.0)
    }
}
