"""What can go wrong."""


class RulesError(ValueError):
    """There are no rules of that name."""


class PositionError(ValueError):
    """The text or the sets of points are no position of the rules."""


class MoveError(ValueError):
    """The text is not a move, or the move is not legal in the position."""


class TableError(ValueError):
    """A table is damaged, cut off, or not what its name says."""


class MissingTableError(KeyError):
    """The table that the answer needs is not there."""

    # KeyError would quote the message as if it were a key.
    __str__ = Exception.__str__
