"""Probing the tables in the repository."""

import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import ROOT, TABLES, samples

import alquerque
from alquerque import Position


def test_verdicts_are_right(rules, tables):
    known = list(samples(rules))
    assert len(known) > 10
    for text, expected in known:
        verdict = tables.probe(text)
        assert verdict.value == expected.value, text
        # The list does not give every distance.
        for metric in ("dtc", "dtw"):
            if getattr(expected, metric) is not None:
                assert getattr(verdict, metric) == getattr(expected, metric), text
        assert tables.probe(Position(text, rules=rules)) == verdict
        assert tables.probe_wdl(text) == tables.get_wdl(text) == verdict.value
        moves = tables.moves(text)
        if moves:
            # The quickest win need not be the one with the quickest capture.
            assert moves[0].value == verdict.value and moves[0].dtw == verdict.dtw
            after = Position(text, rules=rules)
            after.push(moves[0].move)
            assert after == moves[0].position
            assert len(moves) == len(Position(text, rules=rules).legal_moves())


def test_many_agree_with_one(rules, tables):
    texts = [text for text, _ in samples(rules)]
    positions = [Position(text, rules=rules) for text in texts]
    single = [tables.probe(text) for text in texts]
    none = {None: -1}

    def agree(verdicts):
        assert verdicts.value.dtype == np.int8 and verdicts.dtc.dtype == verdicts.dtw.dtype == np.int32
        assert verdicts.value.tolist() == [verdict.value for verdict in single]
        assert verdicts.dtc.tolist() == [none.get(verdict.dtc, verdict.dtc) for verdict in single]
        assert verdicts.dtw.tolist() == [none.get(verdict.dtw, verdict.dtw) for verdict in single]

    agree(tables.probe_many(texts))
    agree(tables.probe_many(positions))
    agree(tables.probe_many(position if i % 2 else text for i, (position, text) in enumerate(zip(positions, texts))))
    sets = ("white", "black", "side", "no_west", "no_east", "plies")
    columns = {name: [getattr(position, name) for position in positions] for name in sets}
    white, black, side = (columns.pop(name) for name in ("white", "black", "side"))
    agree(tables.probe_many(white, black, side, **columns))
    arrays = {name: np.array(values, dtype=np.uint32) for name, values in columns.items()}
    agree(tables.probe_many(np.array(white, dtype=np.uint32), np.array(black), np.array(side), **arrays))
    values = tables.probe_many(positions, distances=False)
    assert values.value.tolist() == [verdict.value for verdict in single]
    assert values.dtc is None and values.dtw is None


def test_many_take_any_length(classic):
    for length in (0, 1, 1023, 5000):
        white = np.full(length, 1 << 12, dtype=np.uint32)
        verdicts = classic.probe_many(white, np.full(length, 1 << 6), alquerque.WHITE)
        assert verdicts.value.tolist() == [1] * length
        assert verdicts.dtw.tolist() == [1] * length
    assert len(classic.probe_many([]).value) == 0


def test_the_first_bad_position_of_many_is_named(classic):
    good = "5/5/1w3/5/w2b1 w"
    with pytest.raises(alquerque.PositionError, match="position 3000: "):
        classic.probe_many([good] * 3000 + ["nonsense"] + [good] * 3000 + ["nonsense"])
    with pytest.raises(alquerque.MissingTableError, match="position 1: "):
        classic.probe_many([good, "start", "nonsense"])
    with pytest.raises(TypeError):
        classic.probe_many([good, None])
    with pytest.raises(TypeError):
        classic.probe_many([1, 2], [3, 4])
    with pytest.raises(TypeError, match=r"probe\(\) takes a single one"):
        classic.probe_many("start")
    with pytest.raises(TypeError, match="black: a masked array"):
        classic.probe_many([1], np.ma.masked_array([2], mask=[True]), 0)
    with pytest.raises(TypeError, match="side: whole numbers are needed, not bool"):
        classic.probe_many([1], [2], [True])
    with pytest.raises(ValueError, match="black: 2 numbers are needed, not 1"):
        classic.probe_many([1, 2], [4], 0)
    with pytest.raises(TypeError, match="whole numbers"):
        classic.probe_many([1.5], [4], 0)
    with pytest.raises(ValueError, match="white: numbers from 0"):
        classic.probe_many([-1], [4], 0)
    with pytest.raises(alquerque.PositionError, match="outside the board"):
        classic.probe_many([1 << 25], [4], 0)


def test_errors(classic, tmp_path):
    with pytest.raises(alquerque.MissingTableError) as error:
        classic.probe("start")
    assert isinstance(error.value, KeyError) and str(error.value).startswith("there is no wdl table for 12v12")
    assert classic.get("start") is None
    assert classic.get_wdl("start", 7) == 7
    with pytest.raises(alquerque.PositionError):
        classic.get("nonsense")
    with pytest.raises(alquerque.PositionError, match="of the rules 'youzai', not 'classic'"):
        classic.probe(Position("5/5/1w3/5/w2b1 w", rules="youzai"))
    with pytest.raises(TypeError):
        classic.probe(5)
    with pytest.raises(FileNotFoundError):
        alquerque.Tablebase(tmp_path)
    with pytest.raises(alquerque.RulesError):
        alquerque.Tablebase(TABLES, rules="chess")
    (tmp_path / "classic").mkdir()
    (tmp_path / "classic" / "1v1.wdl").write_bytes(b"not a table")
    with pytest.raises(alquerque.TableError, match="1v1.wdl"):
        alquerque.Tablebase(tmp_path)


def test_closing():
    with alquerque.open_tablebase(TABLES, rules="classic") as tables:
        assert tables.rules == "classic" and "2v2" in tables.slices()
        assert repr(tables) == "<Tablebase rules='classic'>"
    assert "closed" in repr(tables)
    for call in (tables.slices, lambda: tables.probe("start"), lambda: tables.probe_many([])):
        with pytest.raises(ValueError, match="closed"):
            call()
    tables.close()


def test_threads_share_a_tablebase(classic):
    known = [(text, classic.probe(text)) for text, _ in samples("classic")]
    barrier = threading.Barrier(16)

    def work(_):
        barrier.wait()
        for text, verdict in known:
            assert classic.probe(text) == verdict
            assert classic.moves(text) is not None
        return classic.probe_many([text for text, _ in known]).value.tolist()

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(work, range(16)))
    assert answers == [[verdict.value for _, verdict in known]] * 16


def test_numpy_is_needed_for_arrays_only():
    program = (
        "import sys; sys.modules['numpy'] = None; import alquerque\n"
        "tables = alquerque.Tablebase('tables')\n"
        "assert tables.probe('5/5/1w3/5/w2b1 w').value == 1\n"
        "try: tables.probe_many(['5/5/1w3/5/w2b1 w'])\n"
        "except ImportError: print('ok')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "ok\n", done.stderr


def test_the_example_runs():
    done = subprocess.run([sys.executable, "examples/probe.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "WIN: conversion in 22 plies, win in 23",
        "best move b3-c3, then 5/5/2w2/5/w2b1 b - 0",
        "[1 1]",
    ], done.stderr


def test_the_manual_shows_the_example():
    page = (ROOT / "docs/python.md").read_text()
    shown = [block.split("```")[0] for block in page.split("```python\n")[1:]]
    assert (ROOT / "examples/probe.py").read_text() in shown


def test_ranked_moves_can_be_pickled(classic):
    moves = classic.moves("5/5/1w3/5/w2b1 w")
    assert pickle.loads(pickle.dumps(moves)) == moves
