"""Exact endgame tables for Alquerque, the 5x5 ancestor of draughts.

>>> import alquerque
>>> with alquerque.open_tablebase("tables", rules="classic") as tables:
...     tables.probe("5/5/1w3/5/w2b1 w").value
<Value.WIN: 1>

Points are numbered along the ranks from a1 = 0 to e5 = 24; a set of points is an ``int`` with bit *n* for point *n*.
Values and distances are for the side to move. ``RULES`` are the names of the built-in rule sets.
"""

from ._alquerque import RULES, Move, Position, Rules, Slice, Tablebase, __version__
from ._answers import Positions, RankedMove, Value, Verdict, Verdicts
from ._errors import MissingTableError, MoveError, PositionError, RulesError, TableError

WHITE = 0
"""The side whose home rank is 1."""
BLACK = 1
"""The side whose home rank is 5."""

open_tablebase = Tablebase

__all__ = [
    "BLACK",
    "RULES",
    "WHITE",
    "MissingTableError",
    "Move",
    "MoveError",
    "Position",
    "PositionError",
    "Positions",
    "RankedMove",
    "Rules",
    "RulesError",
    "Slice",
    "TableError",
    "Tablebase",
    "Value",
    "Verdict",
    "Verdicts",
    "open_tablebase",
]
