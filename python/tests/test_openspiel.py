"""The game in OpenSpiel, where that is installed."""

import random

import pytest

import alquerque

pyspiel = pytest.importorskip("pyspiel")

import alquerque.openspiel as openspiel  # noqa: E402


def game(rules, length=60):
    return pyspiel.load_game("python_alquerque", {"rules": rules, "max_game_length": length})


def test_the_api_test_passes(any_rules):
    pyspiel.random_sim_test(game(any_rules), num_sims=3, serialize=True, verbose=False)


def test_moves_are_those_of_the_rules(any_rules):
    chooser = random.Random(1)
    for _ in range(3):
        state = game(any_rules).new_initial_state()
        position = alquerque.Position("start", rules=any_rules)
        while not state.is_terminal():
            moves = position.legal_moves()
            firsts = {25 * move.path[0] + move.path[1] for move in moves}
            assert set(state.legal_actions()) == firsts
            action = chooser.choice(state.legal_actions())
            path = list(divmod(action, 25))
            state.apply_action(action)
            while state.jumped:
                action = chooser.choice(state.legal_actions())
                if action % 26 == 0 and action // 26 == path[-1]:
                    assert tuple(path) in {move.path for move in moves}
                else:
                    path.append(action % 25)
                state.apply_action(action)
            (move,) = [move for move in moves if list(move.path) == path]
            position.push(move)
            assert state.position == position
        assert sum(state.returns()) == 0


def test_the_side_without_moves_has_lost():
    state = game("classic").new_initial_state()
    state._position = alquerque.Position("5/5/5/1b3/w4 w")
    state._seen = {str(state._position): 1}
    state._set_outcome()
    (action,) = state.legal_actions()
    assert openspiel.point_name(action // 25) == "a1" and openspiel.point_name(action % 25) == "c3"
    state._apply_action(action)
    assert state.is_terminal() and state.returns() == [1.0, -1.0]


def test_a_chain_stops_early_where_it_may():
    state = game("murray").new_initial_state()
    state._position = alquerque.Position("5/1b3/5/1b3/1w3 w", rules="murray")
    state._seen = {str(state._position): 1}
    state._set_outcome()
    jump = 25 * 1 + 11
    assert jump in state.legal_actions()
    state.apply_action(jump)
    stop = 26 * 11
    assert state.jumped == (1, 11)
    assert (stop in state.legal_actions()) == any(move.path == (1, 11) for move in state.position.legal_moves())


def test_unknown_rules_are_refused():
    with pytest.raises(Exception, match="unknown rules"):
        game("chess")
