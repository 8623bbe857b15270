"""The game for OpenSpiel: ``pyspiel.load_game("python_alquerque", {"rules": "classic"})`` after this module is imported.

Needs OpenSpiel (``pip install open_spiel``) and numpy. Parameters of the game: ``rules``, the name of a rule set or the path of
a rule file; ``max_game_length``, after so many plies a game is a draw (OpenSpiel needs a bound; the rules alone set one under some rule sets
only).

An action is a move of one step or one jump: ``25 * from + to``. A chain of jumps is a sequence of actions of the same player,
which OpenSpiel allows; so the actions are 625, whatever the position. Where the rules let a chain stop early, ``26 * point``
stops it. Player 0 is the one who begins.
"""

import numpy as np
import pyspiel  # type: ignore[import-not-found]  # it has no stubs

from . import BLACK, WHITE, Position

_POINTS = 25
_ACTIONS = _POINTS * _POINTS
_PLANES = 7
"""Own stones, stones of the other side, both sides' forbidden steps to the west and east, the stone that must jump on, and a plane
for the share of the ply counter."""
_MAX_GAME_LENGTH = 400

_GAME_TYPE = pyspiel.GameType(
    short_name="python_alquerque",
    long_name="Alquerque",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rules": "classic", "max_game_length": _MAX_GAME_LENGTH},
)


def point_name(point):
    """The name of a point: ``a1`` for 0 to ``e5`` for 24."""
    return "abcde"[point % 5] + "12345"[point // 5]


class AlquerqueGame(pyspiel.Game):
    """The game under one rule set."""

    def __init__(self, params=None):
        params = dict(params or {})
        # A RulesError says what is wrong with a name or a file.
        self.start = Position("start", rules=params.get("rules", "classic"))
        self.max_plies = int(params.get("max_game_length", _MAX_GAME_LENGTH))
        if self.max_plies < 1:
            raise ValueError("a game has at least one ply")
        info = pyspiel.GameInfo(
            num_distinct_actions=_ACTIONS,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            # A stone is captured once at most, so that all chains together have few jumps, and as many stops.
            max_game_length=self.max_plies + 48,
        )
        super().__init__(_GAME_TYPE, info, params)

    def new_initial_state(self):
        """The start of a game."""
        return AlquerqueState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        """An observer of states: the tensor is the same for both players but for whose stones are whose."""
        return AlquerqueObserver(params)


class AlquerqueState(pyspiel.State):
    """A position of a game, perhaps in the middle of a chain of jumps."""

    def __init__(self, game):
        super().__init__(game)
        self._max_plies = game.max_plies
        self._position = game.start.copy()
        self._first = self._position.side
        self._plies = 0
        self._jumped = ()
        """The points of the chain that is being played."""
        self._seen = {str(self._position): 1}
        self._moves = None
        self._set_outcome()

    def _set_outcome(self):
        """Finds the legal moves, and whether the game is over."""
        self._moves = [(move.path, move) for move in self._position.legal_moves()]
        value = self._position.outcome()
        if value is None and (self._seen[str(self._position)] >= 3 or self._plies >= self._max_plies):
            value = 0
        mover = self._player_of(self._position.side)
        self._returns = None if value is None else [float(value if player == mover else -value) for player in (0, 1)]

    def _player_of(self, side):
        return 0 if side == self._first else 1

    def current_player(self):
        """The player to move, or that the game is over."""
        if self._returns is not None:
            return pyspiel.PlayerId.TERMINAL
        return self._player_of(self._position.side)

    def _legal_actions(self, player):
        del player
        count = len(self._jumped) or 1
        steps = {
            _POINTS * path[count - 1] + path[count]
            for path, _ in self._moves
            if path[: len(self._jumped)] == self._jumped and len(path) > count
        }
        if any(path == self._jumped for path, _ in self._moves):
            steps.add((_POINTS + 1) * self._jumped[-1])
        return sorted(steps)

    def _apply_action(self, action):
        start, end = divmod(action, _POINTS)
        # Rules may allow a chain to stop before it must: the step from a point to itself.
        jumped = self._jumped if start == end else (*(self._jumped or (start,)), end)
        goes_on = any(path[: len(jumped)] == jumped and len(path) > len(jumped) for path, _ in self._moves)
        if goes_on and start != end:
            self._jumped = jumped
            return
        self._position.push(next(move for path, move in self._moves if path == jumped))
        self._plies += 1
        self._jumped = ()
        text = str(self._position)
        self._seen[text] = self._seen.get(text, 0) + 1
        self._set_outcome()

    def _action_to_string(self, player, action):
        del player
        start, end = divmod(action, _POINTS)
        return "stop" if start == end else f"{point_name(start)}-{point_name(end)}"

    def is_terminal(self):
        """Whether the game is over."""
        return self._returns is not None

    def returns(self):
        """1 for the winner and -1 for the loser; 0 for both in a draw, and while the game goes on."""
        return self._returns or [0.0, 0.0]

    @property
    def position(self):
        """The position on the board, before the chain that is being played."""
        return self._position.copy()

    @property
    def jumped(self):
        """The points of the chain that is being played, empty between moves."""
        return self._jumped

    def __str__(self):
        chain = "x".join(map(point_name, self._jumped))
        return f"{self._position} {chain}".strip()


class AlquerqueObserver:
    """Planes of 25 points each, seen from the side to move."""

    def __init__(self, params):
        if params:
            raise ValueError(f"no parameters of observations are known, not {params}")
        self.tensor = np.zeros(_PLANES * _POINTS, np.float32)
        self.dict = {"observation": self.tensor.reshape(_PLANES, 5, 5)}

    def set_from(self, state, player):
        """Fills the tensor."""
        position = state.position
        own_is_white = (position.side == WHITE) == (state._player_of(position.side) == player)
        white, black = position.white, position.black
        own, other = (white, black) if own_is_white else (black, white)
        planes = self.tensor.reshape(_PLANES, _POINTS)
        planes[:] = 0
        for plane, points in enumerate((own, other, position.no_west, position.no_east)):
            planes[plane] = [points >> point & 1 for point in range(_POINTS)]
        for point in state.jumped[-1:]:
            planes[4][point] = 1
        planes[5] = position.plies / (position.rules.ply_limit or 1)
        planes[6] = 1 if position.side == BLACK else 0

    def string_from(self, state, player):
        """The position as text."""
        del player
        return str(state)


pyspiel.register_game(_GAME_TYPE, AlquerqueGame)
