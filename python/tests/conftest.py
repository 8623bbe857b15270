"""What the tests share."""

from pathlib import Path

import pytest

import alquerque

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "tables"


def samples(rules):
    """Positions with known verdicts, as ``(text, Verdict)``, so far as the tables in the repository cover them."""
    values = {"win": alquerque.Value.WIN, "draw": alquerque.Value.DRAW, "loss": alquerque.Value.LOSS}
    largest = max(sum(map(int, slice.split("v"))) for slice in alquerque.Tablebase(TABLES, rules).slices())
    lines = (ROOT / "tests/data/positions.tsv").read_text().splitlines()
    for line in lines:
        if not line.startswith(rules + "\t"):
            continue
        _, text, value, dtc, dtw = line.split("\t")
        board = text.split()[0]
        if board.count("w") + board.count("b") <= largest:
            dtc, dtw = (None if number in ("-", "-1") else int(number) for number in (dtc, dtw))
            yield text, alquerque.Verdict(values[value], dtc, dtw)


@pytest.fixture(params=[rules for rules in alquerque.RULES if (TABLES / rules).is_dir()])
def rules(request):
    """The rule sets that have tables in the repository."""
    return request.param


@pytest.fixture(params=[*alquerque.RULES, *sorted(map(str, (ROOT / "tests/data/rules").glob("*.toml")))])
def any_rules(request):
    """Every built-in rule set, and rule files for every parameter."""
    return request.param


@pytest.fixture
def tables(rules):
    return alquerque.Tablebase(TABLES, rules=rules)


@pytest.fixture
def classic():
    return alquerque.Tablebase(TABLES)
