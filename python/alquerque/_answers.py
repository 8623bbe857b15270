"""What a tablebase answers."""

from enum import IntEnum
from typing import NamedTuple


class Value(IntEnum):
    """The result with best play, for the side to move."""

    LOSS = -1
    DRAW = 0
    WIN = 1


class Verdict(NamedTuple):
    """What best play leads to, for the side to move.

    ``dtc`` counts the plies up to and including the next capture or until the end of the game, ``dtw`` those until the
    end of the game. Each is ``None`` for a draw and where there is no such table.
    """

    value: Value
    dtc: "int | None"
    dtw: "int | None"


class RankedMove(NamedTuple):
    """A legal move and what the mover gets by playing it; distances count from the position before the move."""

    move: object
    position: object
    value: Value
    dtc: "int | None"
    dtw: "int | None"


class Verdicts(NamedTuple):
    """The verdicts on many positions, as numpy arrays of one length.

    ``value`` (int8) is 1, 0 or -1. ``dtc`` and ``dtw`` (int32) hold -1 where :class:`Verdict` has ``None``; they are ``None``
    altogether when distances were not asked for.
    """

    value: object
    dtc: object
    dtw: object


class Positions(NamedTuple):
    """Many positions, as numpy arrays of one length: sets of points (uint32) and the side to move (uint8, 0 White, 1 Black).

    Their first three fields are what ``Tablebase.probe_many()`` takes.
    """

    white: object
    black: object
    side: object
    no_west: object
    no_east: object
