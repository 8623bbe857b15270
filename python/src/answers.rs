//! Answers as objects of the Python part of the package.

use alquerque::tablebase::Verdict;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::batch::{self, Columns};

/// The class `name` of the Python part of the package.
pub fn answer_class<'py>(
    py: Python<'py>,
    cell: &'static PyOnceLock<Py<PyType>>,
    name: &str,
) -> PyResult<&'py Bound<'py, PyType>> {
    cell.import(py, "alquerque._answers", name)
}

/// `value` as Python sees it.
pub fn value_of<'py>(py: Python<'py>, value: alquerque::table::Value) -> PyResult<Bound<'py, PyAny>> {
    static VALUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    answer_class(py, &VALUE, "Value")?.call1((batch::number(value),))
}

pub fn verdict<'py>(py: Python<'py>, verdict: &Verdict) -> PyResult<Bound<'py, PyAny>> {
    static VERDICT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let fields = (value_of(py, verdict.value)?, verdict.dtc, verdict.dtw);
    answer_class(py, &VERDICT, "Verdict")?.call1(fields)
}

pub fn verdicts(py: Python<'_>, columns: Columns) -> PyResult<Bound<'_, PyAny>> {
    static VERDICTS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let [dtc, dtw] = match columns.distances {
        Some(distances) => distances.map(|column| Some(PyArray1::from_vec(py, column))),
        None => [None, None],
    };
    let fields = (PyArray1::from_vec(py, columns.value), dtc, dtw);
    answer_class(py, &VERDICTS, "Verdicts")?.call1(fields)
}
