//! `Move`.

use alquerque::board::Point;
use alquerque::moves::Move;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A legal move: a step or a chain of jumps.
///
/// ``str(move)`` is its text form: ``c2-c3`` for a step, ``c3xc5xe3`` for a chain.
#[pyclass(frozen, eq, hash, module = "alquerque", name = "Move")]
#[derive(PartialEq, Eq, Hash)]
pub struct PyMove(pub Move);

/// What pickle asks for: a function, and what it is called with to make the move again.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyTuple>, bool));

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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        let restore = py.import("alquerque._alquerque")?.getattr("_restored_move")?;
        Ok((restore, (self.path(py)?, self.is_capture())))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Move {}>", self.0)
    }
}

/// A move as it was pickled. Whether it is legal depends on the position, so that ``Position.push()`` looks at it.
#[pyfunction(name = "_restored_move")]
pub fn restored_move(path: Vec<usize>, is_capture: bool) -> PyResult<PyMove> {
    let points: Option<Vec<Point>> = path.into_iter().map(Point::new).collect();
    let mv = points.and_then(|points| Move::from_path(&points, is_capture));
    mv.map(PyMove).ok_or_else(|| PyValueError::new_err("the points are not the path of a move"))
}
