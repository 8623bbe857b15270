from collections.abc import Iterable, Iterator
from enum import IntEnum
from os import PathLike
from types import TracebackType
from typing import Any, Final, NamedTuple, TypeVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Self

_T = TypeVar("_T")

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
    "RulesError",
    "Slice",
    "TableError",
    "Tablebase",
    "Value",
    "Verdict",
    "Verdicts",
    "open_tablebase",
]

__version__: str
WHITE: Final = 0
BLACK: Final = 1
RULES: Final[tuple[str, ...]]

class RulesError(ValueError): ...
class PositionError(ValueError): ...
class MoveError(ValueError): ...
class TableError(ValueError): ...
class MissingTableError(KeyError): ...

class Value(IntEnum):
    LOSS = -1
    DRAW = 0
    WIN = 1

class Verdict(NamedTuple):
    value: Value
    dtc: int | None
    dtw: int | None

class RankedMove(NamedTuple):
    move: Move
    position: Position
    value: Value
    dtc: int | None
    dtw: int | None

class Verdicts(NamedTuple):
    value: NDArray[np.int8]
    dtc: NDArray[np.int32] | None
    dtw: NDArray[np.int32] | None

class Positions(NamedTuple):
    white: NDArray[np.uint32]
    black: NDArray[np.uint32]
    side: NDArray[np.uint8]
    no_west: NDArray[np.uint32]
    no_east: NDArray[np.uint32]

@final
class Move:
    @property
    def path(self) -> tuple[int, ...]: ...
    @property
    def captured(self) -> int: ...
    @property
    def is_capture(self) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Position:
    def __new__(cls, text: str = "start", rules: str = "classic") -> Self: ...
    @classmethod
    def from_bitboards(
        cls,
        white: int,
        black: int,
        side: int | None = None,
        *,
        no_west: int | None = None,
        no_east: int | None = None,
        plies: int | None = None,
        rules: str = "classic",
    ) -> Position: ...
    @property
    def rules(self) -> str: ...
    @property
    def white(self) -> int: ...
    @property
    def black(self) -> int: ...
    @property
    def side(self) -> int: ...
    @property
    def no_west(self) -> int: ...
    @property
    def no_east(self) -> int: ...
    @property
    def plies(self) -> int: ...
    def legal_moves(self) -> list[Move]: ...
    def push(self, move: Move | str) -> None: ...
    def copy(self) -> Position: ...
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Position: ...
    def perft(self, depth: int) -> int: ...
    def diagram(self) -> str: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class Slice:
    @property
    def rules(self) -> str: ...
    @property
    def material(self) -> str: ...
    def __len__(self) -> int: ...
    def values(self, start: int = 0, stop: int | None = None) -> NDArray[np.int8]: ...
    def verdicts(self, start: int = 0, stop: int | None = None) -> Verdicts: ...
    def rank(
        self,
        white: ArrayLike,
        black: ArrayLike,
        side: ArrayLike,
        *,
        no_west: ArrayLike | None = None,
        no_east: ArrayLike | None = None,
    ) -> NDArray[np.int64]: ...
    def unrank(self, entries: ArrayLike) -> Positions: ...
    def batches(self, size: int = 65536) -> Iterator[tuple[Positions, Verdicts]]: ...

@final
class Tablebase:
    def __new__(
        cls, directory: str | PathLike[str], rules: str = "classic", *, cache_bytes: int = ...
    ) -> Self: ...
    @property
    def rules(self) -> str: ...
    def slices(self) -> list[str]: ...
    def slice(self, material: str) -> Slice: ...
    def probe(self, position: Position | str) -> Verdict: ...
    def probe_wdl(self, position: Position | str) -> Value: ...
    @overload
    def get(self, position: Position | str) -> Verdict | None: ...
    @overload
    def get(self, position: Position | str, default: _T) -> Verdict | _T: ...
    @overload
    def get_wdl(self, position: Position | str) -> Value | None: ...
    @overload
    def get_wdl(self, position: Position | str, default: _T) -> Value | _T: ...
    def moves(self, position: Position | str) -> list[RankedMove]: ...
    @overload
    def probe_many(
        self,
        positions: Iterable[Position | str],
        black: None = None,
        side: None = None,
        *,
        distances: bool = True,
    ) -> Verdicts: ...
    @overload
    def probe_many(
        self,
        positions: ArrayLike,
        black: ArrayLike,
        side: ArrayLike,
        *,
        no_west: ArrayLike | None = None,
        no_east: ArrayLike | None = None,
        plies: ArrayLike | None = None,
        distances: bool = True,
    ) -> Verdicts: ...
    def close(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...

open_tablebase = Tablebase
