"""Rule sets: by name, from text, from files."""

import copy
import pickle

import pytest

import alquerque
from conftest import ROOT

OPTIONAL = 'name = "lenient"\ntitle = "Lenient"\ncaptures = "optional"\nply-limit = 30\n'


def test_built_in_rules_are_known_by_name():
    rules = alquerque.Rules("youzai")
    assert rules == "youzai" and rules == alquerque.Position("start", rules="youzai").rules
    assert hash(rules) == hash("youzai") and {rules: 1}["youzai"] == 1
    assert (str(rules), repr(rules)) == ("youzai", "Rules('youzai')")
    assert rules.ply_limit == 50 and not rules.has_distance_to_win
    assert alquerque.RULES == ("classic", "brainking", "youzai", "qirkat", "alfonso", "murray")


def test_a_rule_file_is_read_from_text():
    rules = alquerque.Rules(OPTIONAL)
    assert (rules.name, rules.title, rules.ply_limit, rules.is_acyclic) == ("lenient", "Lenient", 30, False)
    assert rules != "lenient", "a name stands for built-in rules only"
    assert rules != alquerque.Rules(OPTIONAL.replace("30", "31"))
    assert rules == alquerque.Rules(rules.toml())
    assert "A player who can capture may make a step instead." in rules.sentences()
    assert rules.consequences()
    position = alquerque.Position("5/5/2b2/2w2/5 w", rules=rules)
    assert any(not move.is_capture for move in position.legal_moves())
    assert any(move.is_capture for move in position.legal_moves())
    assert position != alquerque.Position("5/5/2b2/2w2/5 w")


def test_rules_survive_pickle():
    rules = alquerque.Rules(OPTIONAL)
    assert pickle.loads(pickle.dumps(rules)) == rules
    for given in ("classic", rules):
        position = alquerque.Position("start", rules=given)
        position.push("d2-c3")
        assert pickle.loads(pickle.dumps(position)) == position == copy.deepcopy(position)


def test_a_rule_file_is_read_from_disk(tmp_path):
    path = ROOT / "tests/data/rules/forced-stop.toml"
    rules = alquerque.Rules.from_file(path)
    assert rules.name == "forced-stop"
    assert alquerque.Position("start", rules=str(path)).rules == rules
    with pytest.raises(alquerque.RulesError, match="cannot read the rule file"):
        alquerque.Rules.from_file(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("chess", "unknown rules 'chess'"),
        ('name = "classic"', "line 1: .*built-in"),
        ('name = "x"\nhuffing = true', "line 2: 'huffing'"),
        ('name = "x"\nsteps = []', "line 2: "),
    ],
)
def test_wrong_rules_are_refused(text, why):
    with pytest.raises(alquerque.RulesError, match=why):
        alquerque.Rules(text)
    with pytest.raises(TypeError, match="rules are a Rules or a str"):
        alquerque.Position("start", rules=3)


def test_the_outcome_is_for_the_side_to_move():
    def outcome(text, rules="classic"):
        return alquerque.Position(text, rules=rules).outcome()

    assert outcome("start") is None
    assert outcome("5/5/5/5/b4 w") is alquerque.Value.LOSS
    assert outcome("4b/5/5/5/w4 w - 50", "youzai") is alquerque.Value.DRAW
    blocked = alquerque.Rules('name = "blocked"\nfirst-jumps = ["n"]\nno-moves = "draw"')
    assert outcome("5/5/b4/bb3/wb3 w", blocked) is alquerque.Value.DRAW
