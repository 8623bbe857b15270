//! The library's errors as Python exceptions.

use alquerque::moves::ParseMoveError;
use alquerque::table::TableError;
use alquerque::tablebase::ProbeError;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError};
use pyo3::prelude::*;

/// The exceptions, which are classes of Python.
mod python {
    use pyo3::import_exception;

    import_exception!(alquerque._errors, RulesError);
    import_exception!(alquerque._errors, PositionError);
    import_exception!(alquerque._errors, MoveError);
    import_exception!(alquerque._errors, TableError);
    import_exception!(alquerque._errors, MissingTableError);
}

/// That there are no such rules.
pub fn rules(error: impl ToString) -> PyErr {
    python::RulesError::new_err(error.to_string())
}

/// That something is no position.
pub fn position(error: impl ToString) -> PyErr {
    python::PositionError::new_err(error.to_string())
}

/// That something is no move.
pub fn mv(error: ParseMoveError) -> PyErr {
    python::MoveError::new_err(error.to_string())
}

/// What is wrong with a table; `context` goes before the sentence.
pub fn table(error: &TableError, context: &str) -> PyErr {
    let sentence = format!("{context}{error}");
    match error {
        TableError::NoFolder { .. } => PyFileNotFoundError::new_err(sentence),
        TableError::NoTable { .. } => python::MissingTableError::new_err(sentence),
        TableError::Io { .. } => PyOSError::new_err(sentence),
        _ => python::TableError::new_err(sentence),
    }
}

/// Why there is no verdict; `context` goes before the sentence.
pub fn probe(error: &ProbeError, context: &str) -> PyErr {
    match error {
        ProbeError::Position { .. } => position(format!("{context}{error}")),
        ProbeError::Table(error) => table(error, context),
        _ => python::TableError::new_err(format!("{context}{error}")),
    }
}

/// Whether `error` says that a table is missing.
pub fn is_missing_table(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<python::MissingTableError>(py)
}
