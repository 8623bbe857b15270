//! The Python package: thin classes around the library. What they do is described where Python users look,
//! in their docstrings.

mod answers;
mod batch;
mod errors;
mod given;
mod moves;
mod position;
mod slice;
mod tablebase;

use pyo3::prelude::*;

/// The compiled part of the package `alquerque`.
#[pymodule]
fn _alquerque(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<moves::PyMove>()?;
    module.add_class::<position::PyPosition>()?;
    module.add_class::<slice::PySlice>()?;
    module.add_function(wrap_pyfunction!(moves::restored_move, module)?)?;
    module.add_class::<tablebase::PyTablebase>()
}
