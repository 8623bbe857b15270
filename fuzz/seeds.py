#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets, in fuzz/seeds, from the data of the tests and the tables of the repository."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "fuzz" / "seeds"
# The order is that of REPLACED in fuzz_targets/table.rs.
REPLACED = [
    "classic/2v2.wdl", "classic/3v1.dtw", "classic/1v3.dtc", "brainking/2v1.wdl",
    "brainking/1v2.dtw", "youzai/2v2.dtc", "youzai/1v2.wdl", "qirkat/1v2.dtc",
]  # fmt: skip
GAME = "position startpos moves c2-c3 c4xc2 c1xc3"

ANNOTATED = """[Event "Example"]
[Rules "classic"]
[FEN "5/b4/3w1/3w1/5 w"]

1. d2-e2 $1 {a comment} (1. d3-c3! a4-a5?! 2. d2-d1 {another} (2. c3-b3)) a4-a5 2. e2-d2 1/2-1/2
"""


def save(target: str, name: str, data: bytes) -> None:
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def rows(name: str) -> list[list[str]]:
    lines = (ROOT / "tests" / "data" / name).read_text().splitlines()
    return [line.split("\t") for line in lines[1:] if line and not line.startswith("#")]


def main() -> None:
    texts = ["start\nc2-c3\nc4xc2", "wwwww wwwww bb-ww bbbbb bbbbb w\nc2-c3", "5/5/2w2/5/b4 w c3-b3 7\nc3-c4"]
    for row in rows("positions.tsv")[::40] + rows("moves.tsv"):
        texts += [field for field in row if field.count("/") == 4]
    for number, text in enumerate(texts):
        save("text", f"{number:03}", text.encode())
        save("engine", f"{number:03}", f"ugi\nposition fen {text.splitlines()[0]}\nquery result\ngo\n".encode())
        query = text.splitlines()[0].replace(" ", "+")
        save("http", f"{number:03}", f"api/v1/classic/board?position={query}&moves=c2-c3".encode())
    for number, session in enumerate([
        f"ugi\nisready\nuginewgame\n{GAME}\ngo depth 3\nstop\nquit\n",
        "setoption name Rules value youzai\nposition startpos\nquery gameover\nquery p1turn\ngo movetime 1\n",
        f"{GAME}\ngo p1time 100 p2time 100 p1inc 1 p2inc 1\ngo searchmoves d1-c1\ngo infinite\nstop\n",
    ]):
        save("engine", f"session{number}", session.encode())
    for number, path in enumerate([
        "", "page/languages.json", "api/openapi.json", "api/v1/tables", "api/v1/rules", "healthz",
        "api/v1/classic?position=5/b4/3w1/3w1/5+w", "api/v1/brainking/line?position=5/5/1w3/5/w2b1+w",
        "api/v1/youzai/longest?material=2v2&metric=dtc&value=win", "api/v1/qirkat/svg?position=start",
    ]):
        save("http", f"path{number}", path.encode())
    for number, name in enumerate(REPLACED):
        data = (ROOT / "tables" / name).read_bytes()
        for repaired in range(2):
            save("table", f"{number}-{repaired}", bytes([number, repaired]) + data)
    for path in sorted((ROOT / "tests" / "data" / "rules").glob("*.toml")):
        save("rulefile", path.stem, path.read_bytes())
    games = (ROOT / "tests" / "data" / "games.txt").read_text().splitlines()
    for number, game in enumerate(game for game in games if not game.startswith("#")):
        moves = [word.split(":")[0] for word in game.split()]
        save("record", f"{number:03}", " ".join(moves[:20]).encode())
    save("record", "annotated", ANNOTATED.encode())
    for path in sorted((ROOT / "tests" / "data").glob("**/*.proof")):
        for repaired in range(2):
            save("certificate", f"{path.stem}-{repaired}", bytes([repaired]) + path.read_bytes())


if __name__ == "__main__":
    main()
