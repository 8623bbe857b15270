//! `Position`.

use alquerque::game::{Game, GameResult};
use alquerque::moves::{Move, perft, playable_moves};
use alquerque::position::{Position, PositionBits};
use alquerque::rules::Rules;
use alquerque::table::Value;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::answers::value_of;
use crate::errors;
use crate::moves::PyMove;
use crate::rules::{GivenRules, PyRules, rules_or_classic};

/// A position under one of the rule sets, read from its text form: ``"5/1b3/2w2/5/5 w"``, or ``"start"``.
///
/// A position is mutable: ``push()`` plays a move on it. ``str(position)`` is its text form.
#[pyclass(module = "alquerque", name = "Position")]
pub struct PyPosition {
    /// The rules it is a position of.
    pub rules: &'static Rules,
    /// The position.
    pub position: Position,
}

impl PyPosition {
    fn bits(&self) -> PositionBits {
        PositionBits::from(&self.position)
    }
}

/// `value` as a number of this width; what is out of its range is no part of a position.
fn word<'py, T: FromPyObjectOwned<'py>>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let error: PyErr = error.into();
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            errors::position(format!("{name}: {value} is out of range"))
        } else {
            error
        }
    })
}

/// The same, 0 if it is not given.
fn optional<'py, T: FromPyObjectOwned<'py> + Default>(
    name: &str,
    value: Option<&Bound<'py, PyAny>>,
) -> PyResult<T> {
    value.map_or(Ok(T::default()), |value| word(name, value))
}

#[pymethods]
impl PyPosition {
    #[new]
    #[pyo3(signature = (text = "start", rules = None), text_signature = "(text='start', rules='classic')")]
    fn new(text: &str, rules: Option<GivenRules>) -> PyResult<PyPosition> {
        let rules = rules_or_classic(rules);
        let position = Position::parse(rules, text).map_err(errors::position)?;
        Ok(PyPosition { rules, position })
    }

    /// The position with these sets of points; ``side`` is ``WHITE`` or ``BLACK``.
    #[classmethod]
    #[pyo3(
        signature = (white, black, side = None, *, no_west = None, no_east = None, plies = None, rules = None),
        text_signature = "($cls, white, black, side=None, *, no_west=None, no_east=None, plies=None, rules='classic')"
    )]
    #[allow(clippy::too_many_arguments)]
    fn from_bitboards(
        _class: &Bound<'_, PyType>,
        white: &Bound<'_, PyAny>,
        black: &Bound<'_, PyAny>,
        side: Option<&Bound<'_, PyAny>>,
        no_west: Option<&Bound<'_, PyAny>>,
        no_east: Option<&Bound<'_, PyAny>>,
        plies: Option<&Bound<'_, PyAny>>,
        rules: Option<GivenRules>,
    ) -> PyResult<PyPosition> {
        let rules = rules_or_classic(rules);
        let (white, black) = (word("white", white)?, word("black", black)?);
        let (no_west, no_east) = (optional("no_west", no_west)?, optional("no_east", no_east)?);
        let (side, plies) = (optional("side", side)?, optional("plies", plies)?);
        let bits = PositionBits { white, black, no_west, no_east, side, plies };
        Ok(PyPosition { rules, position: bits.position(rules).map_err(errors::position)? })
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRules {
        PyRules(self.rules)
    }

    /// White's stones as a set of bits.
    #[getter]
    fn white(&self) -> u32 {
        self.bits().white
    }

    /// Black's stones as a set of bits.
    #[getter]
    fn black(&self) -> u32 {
        self.bits().black
    }

    /// The side to move: ``WHITE`` (0) or ``BLACK`` (1).
    #[getter]
    fn side(&self) -> u8 {
        self.bits().side
    }

    /// The stones that may not step towards file a, as a set of bits.
    #[getter]
    fn no_west(&self) -> u32 {
        self.bits().no_west
    }

    /// The stones that may not step towards file e, as a set of bits.
    #[getter]
    fn no_east(&self) -> u32 {
        self.bits().no_east
    }

    /// Plies without a capture so far; always 0 under rules that do not count them.
    #[getter]
    fn plies(&self) -> u8 {
        self.position.plies()
    }

    /// The legal moves, in a fixed order; none when the game is over.
    fn legal_moves(&self) -> Vec<PyMove> {
        playable_moves(self.rules, &self.position).into_iter().map(PyMove).collect()
    }

    /// The value for the side to move if the game is over here, else ``None``. A game can also end by repetition, which a
    /// position does not show.
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let game = Game::from_position(self.rules, self.position);
        let value = game.result().map(|result| match result {
            GameResult::Drawn => Value::Draw,
            // The side that has just moved has won.
            GameResult::Won(_) => Value::Loss,
        });
        value.map(|value| value_of(py, value)).transpose()
    }

    /// Plays a legal move, given as a ``Move`` or in text form. Raises ``MoveError`` when it is not legal.
    fn push(&mut self, r#move: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = match r#move.cast::<PyMove>() {
            Ok(mv) => mv.get().0.to_string(),
            Err(_) => r#move.extract()?,
        };
        let mv = Move::parse(self.rules, &self.position, &text).map_err(errors::mv)?;
        self.position = self.position.play(self.rules, &mv);
        Ok(())
    }

    /// A copy, which does not change with this position.
    fn copy(&self) -> PyPosition {
        PyPosition { rules: self.rules, position: self.position }
    }

    fn __copy__(&self) -> PyPosition {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyPosition {
        self.copy()
    }

    /// The number of move sequences of exactly ``depth`` plies.
    fn perft(&self, py: Python<'_>, depth: u32) -> u64 {
        let (rules, position) = (self.rules, self.position);
        py.detach(|| perft(rules, &position, depth))
    }

    /// The board drawn with letters and lines.
    fn diagram(&self) -> String {
        self.position.diagram().to_string()
    }

    /// The board as an SVG image.
    fn svg(&self) -> String {
        self.position.svg().to_string()
    }

    fn _repr_svg_(&self) -> String {
        self.svg()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<PyPosition>().ok().and_then(|other| other.try_borrow().ok());
        other.is_some_and(|other| other.rules == self.rules && other.position == self.position)
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyPosition>) -> (Bound<'py, PyType>, (String, PyRules)) {
        let position = slf.borrow();
        (slf.get_type(), (position.position.to_string(), PyRules(position.rules)))
    }

    fn __str__(&self) -> String {
        self.position.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', rules='{}')", self.position, self.rules.name())
    }
}
