"""Positions and moves."""

import copy
import pickle
import xml.etree.ElementTree

import pytest

import alquerque
from alquerque import Position

START = "bbbbb/bbbbb/bb1ww/wwwww/wwwww"


def test_the_start(rules):
    position = Position(rules=rules)
    side = "b" if rules == "youzai" else "w"
    assert str(position) == f"{START} {side} - 0"
    assert repr(position) == f"Position('{position}', rules='{rules}')"
    assert position.side == (alquerque.BLACK if rules == "youzai" else alquerque.WHITE)
    assert position.white.bit_count() == position.black.bit_count() == 12


def test_bitboards_make_the_same_position():
    position = Position("5/5/3b1/5/b2w1 b d1-e1", rules="qirkat")
    same = Position.from_bitboards(
        position.white, position.black, position.side, no_east=position.no_east, rules="qirkat"
    )
    assert same == position
    assert (position.no_west, position.no_east, position.plies) == (0, 1 << 3, 0)
    assert position != Position("5/5/3b1/5/b2w1 b", rules="qirkat")
    assert position != "5/5/3b1/5/b2w1 b d1-e1"


def test_moves_and_push():
    position = Position("5/5/1bw2/5/b4 w")
    moves = position.legal_moves()
    assert [str(move) for move in moves] == ["c3xa3"]
    (move,) = moves
    assert move.is_capture and move.path == (12, 10) and move.captured == 1 << 11
    assert repr(move) == "<Move c3xa3>"
    assert {move: 1}[Position("5/5/1bw2/5/b4 w").legal_moves()[0]] == 1
    before = position.copy()
    position.push(move)
    assert str(position) == "5/5/w4/5/b4 b - 0"
    assert str(before) == "5/5/1bw2/5/b4 w - 0"
    before.push("c3-a3")
    assert before == position


def test_illegal_moves_leave_the_position():
    position = Position("5/5/1bw2/5/b4 w")
    for text in ["c3-c4", "c3", "castle", ""]:
        with pytest.raises(alquerque.MoveError):
            position.push(text)
    with pytest.raises(TypeError):
        position.push(5)
    assert str(position) == "5/5/1bw2/5/b4 w - 0"


def test_the_ply_counter_ends_the_game():
    over = Position("5/5/2w2/5/b4 w - 50", rules="youzai")
    assert over.legal_moves() == []
    with pytest.raises(alquerque.MoveError):
        over.push("c3-c4")


def test_copies_and_pickles():
    position = Position("5/5/2w2/5/b4 w c3-b3", rules="brainking")
    for other in [copy.copy(position), copy.deepcopy(position), pickle.loads(pickle.dumps(position))]:
        assert other == position and other is not position
    with pytest.raises(TypeError):
        hash(position)


def test_moves_can_be_pickled(rules):
    for text in ["start", "5/5/w4/1b1b1/5 w"]:
        for move in Position(text, rules=rules).legal_moves():
            for other in [copy.copy(move), copy.deepcopy(move), pickle.loads(pickle.dumps(move))]:
                assert other == move and str(other) == str(move) and other.captured == move.captured
    restore = alquerque._alquerque._restored_move
    for path, is_capture in [((), False), ((1,), False), ((1, 2, 3), False), ((0, 1), True), ((0, 99), False), ((3, 3), True)]:
        with pytest.raises(ValueError, match="not the path of a move"):
            restore(path, is_capture)


@pytest.mark.parametrize(
    "text", ["", "5/5/5/5/5 w", "rnbqkbnr", "5/5/2w2/5/5", "5/5/2w2/5/5 w c3-d3", "5/5/2w2/5/5 w - 3"]
)
def test_bad_texts(text):
    with pytest.raises(alquerque.PositionError) as error:
        Position(text)
    assert isinstance(error.value, ValueError) and str(error.value)


def test_bad_bitboards():
    for white, black, side in [(1, 1, 0), (1 << 25, 1, 0), (1, 2, 2), (0, 0, 0)]:
        with pytest.raises(alquerque.PositionError):
            Position.from_bitboards(white, black, side)
    for numbers in [(-1, 1), (1, -1), (1 << 40, 1), (1, 2, -1), (1, 2, 300)]:
        with pytest.raises(alquerque.PositionError, match="out of range"):
            Position.from_bitboards(*numbers)
    with pytest.raises(alquerque.PositionError, match="plies: -1 is out of range"):
        Position.from_bitboards(1, 2, plies=-1, rules="youzai")
    with pytest.raises(TypeError):
        Position.from_bitboards("1", 2)


def test_bad_rules():
    with pytest.raises(alquerque.RulesError, match="chess"):
        Position(rules="chess")


def test_perft(rules):
    assert Position(rules=rules).perft(1) == len(Position(rules=rules).legal_moves())
    assert Position("start", rules="classic").perft(0) == 1


def test_drawings():
    position = Position("5/5/2w2/5/b4 w c3-b3", rules="brainking")
    root = xml.etree.ElementTree.fromstring(position._repr_svg_())
    assert root.tag.endswith("svg")
    assert len([element for element in root if element.tag.endswith("circle")]) == 2
    assert position.diagram().count("w") == 1
