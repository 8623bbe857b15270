#!/usr/bin/env python3
"""Solves the start position under many rule sets and prints a table.

    tools/survey.py [--program target/release/alquerque] [--time SECONDS] [--hash 1G] [--moves] [RULES...]

RULES are names of built-in rule sets and paths of rule files. Without any, the built-in ones are surveyed and then all
combinations of captures, chains, directions and no-return, whose rule files are written to a temporary directory. The
table has tab-separated columns: rule set, value for the side that starts, first moves with their values, positions
visited, seconds. What was not settled in time is `open`. Each line is printed as soon as it is known.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import tempfile
import time

BUILT_IN = ["classic", "brainking", "youzai", "qirkat", "alfonso", "murray"]
CAPTURES = {"c": 'captures = "compulsory"', "o": 'captures = "optional"'}
CHAINS = {
    "chain": 'chains = "must-continue"',
    "stop": 'chains = "may-stop"',
    "single": 'later-jumps = "none"',
}
DIRECTIONS = {"all": 'steps = "all"', "fwd": 'steps = "forward"\nsteps-on-far-rank = false'}
NO_RETURN = {"": "no-return = false", "-nr": "no-return = true"}


def combinations(folder):
    """Writes a rule file for each combination; yields the paths."""
    for captures, chains, directions, no_return in itertools.product(CAPTURES, CHAINS, DIRECTIONS, NO_RETURN):
        name = f"{directions}-{captures}-{chains}{no_return}"
        path = pathlib.Path(folder) / f"{name}.toml"
        lines = [f'name = "{name}"', CAPTURES[captures], CHAINS[chains], DIRECTIONS[directions], NO_RETURN[no_return]]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield str(path)


def settled(value):
    """The value, or that it is open."""
    return "open" if value == "unknown" else value


def survey(program, rules, options):
    """The columns of a rule set."""
    command = [program, "solve", "--rules", rules, "--no-tables", "--json", "--hash", options.hash]
    command += ["--time", str(options.time)] + (["--moves"] if options.moves else []) + ["start"]
    begun = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = f"{time.monotonic() - begun:.1f}"
    name = pathlib.Path(rules).stem
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        message = done.stderr.strip().splitlines()
        return [name, "error: " + (message[-1] if message else "no answer"), "", "", seconds]
    moves = [f"{move['move']} {settled(move['value'])}" for move in answer.get("moves") or []]
    return [name, settled(answer["value"]), ", ".join(moves), str(answer["nodes"]), seconds]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/alquerque")
    parser.add_argument("--time", type=float, default=3600, help="seconds for the position, and for each move")
    parser.add_argument("--hash", default="1G", help="memory for positions seen")
    parser.add_argument("--moves", action="store_true", help="prove the value of each first move too")
    parser.add_argument("rules", nargs="*")
    options = parser.parse_args()
    print("rules", "value", "first moves", "positions", "seconds", sep="\t", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for rules in options.rules or BUILT_IN + list(combinations(folder)):
            print(*survey(options.program, rules, options), sep="\t", flush=True)


if __name__ == "__main__":
    main()
