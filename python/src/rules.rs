//! `Rules`.

use std::path::PathBuf;

use alquerque::rules::Rules;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::errors;

/// A rule set: one of ``RULES`` by its name, or a rule set of one's own from the text of a rule file.
///
/// Rule sets are equal when they have the same name and the same rules; a ``str`` is equal to the built-in rule set of
/// that name. ``str(rules)`` is the name.
#[pyclass(frozen, module = "alquerque", name = "Rules")]
pub struct PyRules(pub &'static Rules);

#[pymethods]
impl PyRules {
    #[new]
    fn new(text: &str) -> PyResult<PyRules> {
        Rules::by_name_or_toml(text).map(PyRules).map_err(errors::rules)
    }

    /// The rule set in a rule file. Raises ``RulesError`` when the file cannot be read or is no rule file.
    #[classmethod]
    fn from_file(_class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<PyRules> {
        Rules::from_file(path).map(PyRules).map_err(errors::rules)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// What the rules are called among people.
    #[getter]
    fn title(&self) -> &'static str {
        self.0.parameters().title
    }

    /// After how many plies without a capture the game is a draw, if ever.
    #[getter]
    fn ply_limit(&self) -> Option<u8> {
        self.0.ply_limit()
    }

    /// Whether no position can occur twice in a game.
    #[getter]
    fn is_acyclic(&self) -> bool {
        self.0.is_acyclic()
    }

    /// Whether there are distances to win.
    #[getter]
    fn has_distance_to_win(&self) -> bool {
        self.0.has_distance_to_win()
    }

    /// The rules as a rule file, with every key.
    fn toml(&self) -> String {
        self.0.to_toml()
    }

    /// What the rules are, a sentence each.
    fn sentences(&self) -> Vec<String> {
        self.0.sentences()
    }

    /// What follows from the rules for games and tables, a sentence each.
    fn consequences(&self) -> Vec<String> {
        self.0.consequences()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<PyRules>() {
            Ok(rules) => rules.get().0 == self.0,
            Err(_) => other
                .extract::<&str>()
                .is_ok_and(|name| Rules::by_name(name).is_ok_and(|rules| rules == self.0)),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // As that of the name, which can be equal to it.
        PyString::new(py, self.0.name()).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyRules>) -> (Bound<'py, PyType>, (String,)) {
        (slf.get_type(), (recipe(slf.get().0),))
    }

    fn __str__(&self) -> &'static str {
        self.0.name()
    }

    fn __repr__(&self) -> String {
        match Rules::by_name(self.0.name()) {
            Ok(_) => format!("Rules('{}')", self.0.name()),
            Err(_) => format!("<Rules {}>", self.0.name()),
        }
    }
}

/// A text of which `Rules` makes the same rule set again.
fn recipe(rules: &Rules) -> String {
    match Rules::by_name(rules.name()) {
        Ok(_) => rules.name().to_owned(),
        Err(_) => rules.to_toml(),
    }
}

/// Rules as Python hands them over: a ``Rules``, the name of a built-in rule set, or the path of a rule file.
#[derive(Clone, Copy)]
pub struct GivenRules(&'static Rules);

impl<'py> FromPyObject<'_, 'py> for GivenRules {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<GivenRules> {
        if let Ok(rules) = given.cast::<PyRules>() {
            return Ok(GivenRules(rules.get().0));
        }
        let text: &str = given.extract().map_err(|_| {
            PyTypeError::new_err(format!("rules are a Rules or a str, not {}", given.get_type()))
        })?;
        Rules::by_name_or_file(text).map(GivenRules).map_err(errors::rules)
    }
}

/// The rules that are given; those of `classic` if none are.
pub fn rules_or_classic(given: Option<GivenRules>) -> &'static Rules {
    given.map_or(&alquerque::rules::CLASSIC, |GivenRules(rules)| rules)
}
