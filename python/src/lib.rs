//! The Python package: thin classes around the library. What they do is described where Python users look,
//! in their docstrings.

mod answers;
mod batch;
mod errors;
mod given;
mod moves;
mod position;
mod rules;
mod slice;
mod tablebase;

use alquerque::rules::Rules;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// The compiled part of the package `alquerque`.
#[pymodule]
fn _alquerque(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<moves::PyMove>()?;
    module.add_class::<position::PyPosition>()?;
    module.add_class::<rules::PyRules>()?;
    module.add("RULES", PyTuple::new(module.py(), Rules::ALL.map(|rules| rules.name()))?)?;
    module.add_class::<slice::PySlice>()?;
    module.add_function(wrap_pyfunction!(moves::restored_move, module)?)?;
    module.add_class::<tablebase::PyTablebase>()
}
