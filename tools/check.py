#!/usr/bin/env python3
"""Check certificates that `alquerque solve --no-tables --certificate FILE` has written.

    python3 tools/check.py [--rules RULE_FILE] [--position POSITION] [--json] FILE...

Prints what each certificate proves: the rules, the position, the claims and the value. Any position can have a
certificate: with --position ("start", or a position as `alquerque` writes it) a certificate about another one fails.
A certificate for the rules of a rule file needs that file (and Python 3.11).
FILE can be "-": then the names come from standard input, one a line. --json prints one object a line for each file.

Shares no code with the program; tables/CERTIFICATES.md describes the format. Needs Python 3.10 or newer and the packages
xxhash and zstandard. Exit code 1 if a certificate proves nothing, 2 if one cannot be read or rests on tables.
"""
import argparse
import io
import json
import os
import struct
import sys
from array import array
from bisect import bisect_left, bisect_right

import zstandard
from xxhash import xxh3_64_intdigest as xxh3

ALL = [(df, dr) for df in (-1, 0, 1) for dr in (-1, 0, 1) if (df, dr) != (0, 0)]
AHEAD = [(df, dr) for df, dr in ALL if dr >= 0]
# The keys of a rule file; what is left out is as in classic.
CLASSIC = {
    "steps": "all", "steps-on-far-rank": True, "captures": "compulsory", "first-jumps": "all", "later-jumps": "all",
    "chains": "must-continue", "no-return": False, "ply-limit": None, "no-moves": "loss",
    "start": "bbbbb/bbbbb/bb1ww/wwwww/wwwww", "first-to-move": "white",
}
FORWARD = {"steps": "forward", "steps-on-far-rank": False}
RULES = {
    "classic": {},
    "brainking": FORWARD | {"first-jumps": "forward", "no-return": True},
    "youzai": FORWARD | {"ply-limit": 50, "first-to-move": "black"},
    "qirkat": FORWARD | {"no-return": True},
    "alfonso": {"captures": "optional", "later-jumps": "none"},
    "murray": {"captures": "optional", "chains": "may-stop"},
}
CLOCKWISE = dict(zip(("n", "ne", "e", "se", "s", "sw", "w", "nw"),
                     [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]))
WIN, HOLD = 0, 1
HEADER, STAMP, BLOCK = 128, 20, 32
MOST_BLOCKS, MOST_BLOCK_ENTRIES, MOST_ENTRIES_PER_BYTE, MOST_ENTRY_BYTES = 1 << 18, 1 << 16, 32, 22
MOST_FILE_BYTES = 1 << 30  # a limit of this program, not of the format


class Broken(Exception):
    """The certificate proves nothing."""


class Unreadable(Exception):
    """The file is not a certificate as the format has it, or not one that this program can check."""


def demand(condition, what):
    if not condition:
        raise Unreadable(what)


def directions(value):
    """The directions that a rule file gives as a word or a list."""
    return {"all": ALL, "forward": AHEAD, "none": []}[value] if isinstance(value, str) else [CLOCKWISE[d] for d in value]


def is_mapped(chosen, image):
    """Whether a change of directions leaves the chosen ones unchanged."""
    return {image(*direction) for direction in chosen} == set(chosen)


def along(point, direction, distance):
    """The point so far along a line of the board, or None."""
    (df, dr), (rank, file) = direction, divmod(point, 5)
    if df and dr and (file + rank) % 2:
        return None
    file, rank = file + df * distance, rank + dr * distance
    return rank * 5 + file if 0 <= file < 5 and 0 <= rank < 5 else None


def points(bits):
    return [point for point in range(25) if bits >> point & 1]


def sets(key):
    """The stones of the side to move and of the other, and those that may not step west, or east."""
    (stones, forbidden), mask = key, (1 << 25) - 1
    return stones & mask, stones >> 25, forbidden & mask, forbidden >> 25


class Game:
    """Moves and normal forms under a rule set. The side to move plays up: towards rank 5."""

    def __init__(self, name):
        rules = CLASSIC | RULES[name]
        steps, first, later = (directions(rules[key]) for key in ("steps", "first-jumps", "later-jumps"))
        on_far_rank, no_return, self.limit = rules["steps-on-far-rank"], rules["no-return"], rules["ply-limit"]
        self.optional, self.may_stop = rules["captures"] == "optional", rules["chains"] == "may-stop"
        # A stone that cannot step both ways along its rank never could step back.
        self.no_return = no_return and {(-1, 0), (1, 0)} <= set(steps)
        self.start = f"{rules['start']} {rules['first-to-move'][0]}"
        self.name = name

        def hexadecimal(chosen):
            return f"{sum(1 << bit for bit, direction in enumerate(CLOCKWISE.values()) if direction in chosen):02x}"

        line = (f"steps={hexadecimal(steps)} far-rank-steps={on_far_rank:d} first-jumps={hexadecimal(first)} "
                f"later-jumps={hexadecimal(later)} no-return={no_return:d} ply-limit={self.limit or 0}")
        line += " captures=optional" * self.optional + " chains=may-stop" * self.may_stop
        demand(rules["no-moves"] == "loss", "draws for want of a legal move are not covered")
        self.hash = xxh3(line.encode())
        self.steps, self.first, self.later = [], [], []
        for point in range(25):
            stuck = point >= 20 and not on_far_rank
            self.steps.append([] if stuck else [q for d in steps if (q := along(point, d, 1)) is not None])
            for jumps, chosen in (self.first, first), (self.later, later):
                pairs = [(along(point, d, 1), along(point, d, 2)) for d in chosen]
                jumps.append([(over, landing) for over, landing in pairs if landing is not None])
        self.maps = []
        sets_of_directions = steps, first, later
        mirror = all(is_mapped(chosen, lambda df, dr: (-df, dr)) for chosen in sets_of_directions)
        quarter = all(is_mapped(chosen, lambda df, dr: (-dr, df)) for chosen in sets_of_directions)
        for code in range(8 if quarter and on_far_rank and not self.no_return else 2 if mirror else 1):
            image = []
            for point in range(25):
                rank, file = divmod(point, 5)
                file = 4 - file if code & 1 else file
                rank = 4 - rank if code & 2 else rank
                image.append(file * 5 + rank if code & 4 else rank * 5 + file)
            self.maps.append((image, bool(code & 1)))

    def normal(self, own, other, no_west=0, no_east=0):
        """The least image under the symmetries, as (stones, forbidden)."""
        def image(bits, places):
            return sum(1 << places[point] for point in points(bits))

        def key(places, west, east):
            forbidden = image(west, places) | image(east, places) << 25
            return image(own, places) | image(other, places) << 25, forbidden

        return min(key(p, *((no_east, no_west) if swaps else (no_west, no_east))) for p, swaps in self.maps)

    def turned(self, own, other, no_west, no_east):
        """The position after a move, as the other side sees it: turned by 180 degrees."""
        def turn(bits):
            return sum(1 << 24 - point for point in points(bits))

        return self.normal(turn(other), turn(own), turn(no_east), turn(no_west))

    def is_legal(self, up, down, no_west, no_east):
        """Whether there is a position with these stones of the side that plays up and of the other, and these that
        may not step west or east."""
        everything = up | down | no_west | no_east
        if everything >> 25 or up & down or not up | down or max(up.bit_count(), down.bit_count()) > 12:
            return False
        # Only a step that the stone could make on an empty board can be forbidden.
        def can_be_banned(change):
            ups = [p for p in points(up) if p + change in self.steps[p]]
            downs = [p for p in points(down) if 24 - p - change in self.steps[24 - p]]
            return sum(1 << p for p in ups + downs) if self.no_return else 0

        return not (no_west & ~can_be_banned(-1) or no_east & ~can_be_banned(1) or no_west & no_east)

    def successors(self, key):
        """The positions after all legal moves, each once, in rising order."""
        own, other, no_west, no_east = sets(key)
        found = set()

        def chain(start, point, taken, jumps):
            ended = True
            for over, landing in jumps[point]:
                standing = other & ~taken
                blocked = own & ~(1 << start) | standing
                if standing >> over & 1 and not blocked >> landing & 1:
                    ended = False
                    chain(start, landing, taken | 1 << over, self.later)
            if taken and (ended or self.may_stop):
                free = ~(1 << start | 1 << point | taken)
                moved = own & ~(1 << start) | 1 << point
                found.add(self.turned(moved, other & ~taken, no_west & free, no_east & free))

        for start in points(own):
            chain(start, start, 0, self.first)
        if found and not self.optional:
            return sorted(found)
        for start in points(own):
            for to in self.steps[start]:
                banned = no_west >> start & 1 and to == start - 1 or no_east >> start & 1 and to == start + 1
                if banned or (own | other) >> to & 1:
                    continue
                west, east = no_west & ~(1 << start), no_east & ~(1 << start)
                if self.no_return:
                    west |= (to == start + 1) << to
                    east |= (to == start - 1) << to
                found.add(self.turned(own & ~(1 << start) | 1 << to, other, west, east))
        return sorted(found)

    def left_after(self, key, after, left):
        """Plies that are left after a move, `left` before it; None where no rule counts them."""
        captures = sets(after)[0].bit_count() < sets(key)[1].bit_count()
        return self.limit if captures else None if left is None else left - 1


class Entries:
    """The replies of a claim: columns in the order of the keys."""

    def __init__(self):
        self.stones, self.forbidden, self.replies, self.bounds = array("Q"), array("Q"), array("H"), array("H")

    def __len__(self):
        return len(self.stones)

    def key(self, place):
        return self.stones[place], self.forbidden[place]

    def find(self, key):
        stones, forbidden = key
        place = bisect_left(self.stones, stones)
        if place < len(self.stones) and self.stones[place] == stones:
            end = bisect_right(self.stones, stones, place)
            place = bisect_left(self.forbidden, forbidden, place, end)
            if place < end and self.forbidden[place] == forbidden:
                return place
        return None


def numbers(data, at, count, bits):
    """So many numbers from a place in a block on, each in as few bytes as it needs; and the place after them."""
    found = []
    for _ in range(count):
        number = shift = 0
        while True:
            demand(at < len(data), "a block ends too early")
            byte = data[at]
            at += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
            demand(shift < 56, "a number is too long")
        demand(number < 1 << bits and (byte or shift == 7), "a number is too large or has more bytes than it needs")
        found.append(number)
    return found, at


def frame_bytes(data):
    """The bytes of the zstd frame that data begins with (RFC 8878)."""
    demand(data[:4] == b"\x28\xb5\x2f\xfd" and len(data) > 4, "a block is not a zstd frame")
    flags = data[4]
    single, content = flags >> 5 & 1, flags >> 6
    at = 5 + (not single) + (0, 1, 2, 4)[flags & 3] + ((single, 2, 4, 8)[content])
    while True:
        demand(at + 3 <= len(data), "a zstd frame is cut off")
        block = int.from_bytes(data[at:at + 3], "little")
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        if block & 1:
            return at + 4 * (flags >> 2 & 1)


def decompress(data, most):
    """The content of a single zstd frame, which has at most so many bytes."""
    demand(frame_bytes(data) == len(data), "a block is not one zstd frame")
    try:
        # Whatever the frame says about itself: no more memory than this.
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 23).stream_reader(io.BytesIO(data))
        content = reader.read(most + 1)
    except zstandard.ZstdError as error:
        raise Unreadable(f"a block cannot be decompressed: {error}") from None
    demand(len(content) <= most, "a block has more content than its entries can take")
    return content


def read(data):
    """The game, the root and the claims as (by the side to move, goal, entries)."""
    demand(data[:8] == b"ALQPROOF", "not a certificate")
    demand(len(data) >= HEADER, "cut off in the header")
    version, claims, side, plies = struct.unpack_from("<HBBB", data, 8)
    demand(version == 1, f"format version {version}; this program reads version 1")
    demand(struct.unpack_from("<Q", data, 120)[0] == xxh3(data[:120]), "the checksum of the header is wrong")
    name = data[16:32].rstrip(b"\0").decode("ascii", "replace")
    demand(name in RULES, f"unknown rules {name!r}")
    game = Game(name)
    demand(struct.unpack_from("<Q", data, 32)[0] == game.hash, f"other rules than those known as {name}")
    white, black, no_west, no_east = struct.unpack_from("<4I", data, 40)
    counts, blocks = struct.unpack_from("<2Q", data, 56), struct.unpack_from("<2I", data, 72)
    codes, tables = data[80:84], struct.unpack_from("<H", data, 84)[0]
    size, lists_hash = struct.unpack_from("<2Q", data, 88)
    demand(claims in (1, 2), f"{claims} claims")
    demand(side in (0, 1), f"side to move {side}")
    demand(plies <= (game.limit or 0), f"a ply counter of {plies}")
    demand(game.is_legal(white, black, no_west, no_east), "the root is not a legal position")
    demand(max(codes) <= 1 and max(blocks) <= MOST_BLOCKS and max(counts) < 1 << 32, "a number is too large")
    if claims == 1:
        demand(counts[1] == blocks[1] == codes[2] == codes[3] == 0, "fields of a second claim, which is not there")
    demand(not any(data[13:16] + data[86:88] + data[104:120]), "reserved bytes are not 0")
    demand(size == len(data), f"{len(data)} bytes, not {size}")
    lists = HEADER + STAMP * tables
    start = lists + BLOCK * sum(blocks)
    demand(start <= len(data), "cut off in the directory")
    demand(lists_hash == xxh3(data[HEADER:start]), "the checksum of the directory is wrong")
    if tables:
        raise Unreadable("it rests on tables: only `alquerque check` can check it")
    at, read_claims = lists, []
    for claim in range(claims):
        by_mover, goal, entries = codes[2 * claim] == 0, codes[2 * claim + 1], Entries()
        # A larger bound would reach past the ply counter; without a counter, not to lose takes no bound.
        most = game.limit or (0 if goal == HOLD else 65535)
        for _ in range(blocks[claim]):
            *first, end, count, checksum = struct.unpack_from("<3Q2I", data, at)
            demand(start < end <= len(data), "a block is outside the file")
            demand(1 <= count <= min(MOST_BLOCK_ENTRIES, MOST_ENTRIES_PER_BYTE * (end - start)),
                   "a block has too many entries")
            demand(end - start <= MOST_ENTRY_BYTES * count + 64, "a block has too many bytes")
            block = data[start:end]
            demand(xxh3(block) & 0xffffffff == checksum, "the checksum of a block is wrong")
            at, start = at + BLOCK, end
            block = decompress(block, MOST_ENTRY_BYTES * count)
            deltas, here = numbers(block, 0, count, 50)
            forbidden, here = numbers(block, here, count, 50) if game.no_return else ([0] * count, here)
            replies, here = numbers(block, here, count, 16)
            bounds, here = numbers(block, here, count, 16)
            demand(here == len(block), "a block has bytes to spare")
            demand(first == [deltas[0], forbidden[0]], "the first key of a block is wrong")
            last = entries.key(-1) if len(entries) else (-1, -1)
            stones = 0
            for delta, banned, reply, bound in zip(deltas, forbidden, replies, bounds):
                stones += delta
                demand(stones < 1 << 50 and (stones, banned) > last, "the keys do not rise")
                if bound > most:
                    raise Broken(f"a bound of {bound} plies; at most {most} are allowed")
                last = stones, banned
                entries.stones.append(stones)
                entries.forbidden.append(banned)
                entries.replies.append(reply)
                entries.bounds.append(bound)
        demand(len(entries) == counts[claim], "the number of entries is wrong")
        read_claims.append((by_mover, goal, entries))
    demand(start == len(data), "bytes after the last block")
    return game, (white, black, no_west, no_east, side, plies), read_claims


def check_claim(game, root, plies, by_mover, goal, entries):
    """Raises Broken unless the entries prove the claim. `None` plies are left where no rule counts them."""
    needed, pending = bytearray(len(entries)), []

    def require(key, left):
        place = entries.find(key)
        if place is None:
            raise Broken(f"there is no reply for the position {key}")
        bound = entries.bounds[place]
        if left is not None and (bound > left if goal == WIN else bound < left):
            raise Broken(f"the bound is {bound}, but {left} plies are left in {key}")
        if not needed[place]:
            needed[place] = 1
            pending.append(place)

    def answers(key, left):
        moves = game.successors(key)
        if left == 0:
            if moves and goal == WIN:
                raise Broken(f"the win comes too late in {key}")
            return
        for after in moves:
            require(after, game.left_after(key, after, left))

    left = game.limit - plies if game.limit else None
    require(root, left) if by_mover else answers(root, left)
    while pending:
        place = pending.pop()
        key, reply, bound = entries.key(place), entries.replies[place], entries.bounds[place]
        moves = game.successors(key)
        if not game.is_legal(*sets(key)) or game.normal(*sets(key)) != key:
            raise Broken(f"not a legal position in canonical form: {key}")
        if goal == WIN and bound == 0:
            raise Broken(f"the win comes too late in {key}")
        if goal == HOLD and game.limit and bound == 0:
            if not moves:
                raise Broken(f"no legal move in {key}")
            continue
        if reply >= len(moves):
            raise Broken(f"no such reply in {key}")
        endless = goal == HOLD and not game.limit
        answers(moves[reply], game.left_after(key, moves[reply], None if endless else bound))
    if sum(needed) != len(entries):
        raise Broken(f"{len(entries) - sum(needed)} entries are not needed")


def name_of(point):
    return "abcde"[point % 5] + str(point // 5 + 1)


def point_of(name):
    demand(len(name) == 2 and name[0] in "abcde" and name[1] in "12345", f"{name!r} is not a point")
    return (int(name[1]) - 1) * 5 + "abcde".index(name[0])


def text(root):
    """A position as `alquerque` writes it."""
    white, black, no_west, no_east, side, plies = root
    ranks = []
    for rank in range(4, -1, -1):
        row = ""
        for point in range(5 * rank, 5 * rank + 5):
            letter = "w" if white >> point & 1 else "b" if black >> point & 1 else None
            if letter:
                row += letter
            elif row and row[-1].isdigit():
                row = row[:-1] + str(int(row[-1]) + 1)
            else:
                row += "1"
        ranks.append(row)
    banned = [f"{name_of(p)}-{name_of(p - 1)}" for p in points(no_west)]
    banned += [f"{name_of(p)}-{name_of(p + 1)}" for p in points(no_east)]
    return f"{'/'.join(ranks)} {'wb'[side]} {','.join(sorted(banned)) or '-'} {plies}"


def parse(game, words):
    """The position that is written so under the rules of a game."""
    if words.strip() == "start":
        words = game.start
    board, side, banned, plies, *rest = (words.split() + ["-", "0"])[:4] + words.split()[4:]
    ranks = board.split("/")
    demand(len(ranks) == 5 and side in ("w", "b") and plies.isdigit() and not rest, f"not a position: {words!r}")
    stones = {"w": 0, "b": 0}
    for rank, row in zip(range(4, -1, -1), ranks):
        row = "".join("." * int(letter) if letter in "12345" else letter for letter in row)
        demand(len(row) == 5 and set(row) <= set("wb."), f"not a position: {words!r}")
        for file, letter in enumerate(row):
            if letter in stones:
                stones[letter] |= 1 << 5 * rank + file
    forbidden = {-1: 0, 1: 0}
    for step in banned.split(",") if banned != "-" else []:
        source, target = map(point_of, step.split("-"))
        demand(target - source in forbidden, f"not a sideways step: {step}")
        forbidden[target - source] |= 1 << source
    return stones["w"], stones["b"], forbidden[-1], forbidden[1], "wb".index(side), int(plies)


def check(path, position=None):
    """What a certificate proves, as a dictionary. Broken or Unreadable if nothing."""
    demand(os.path.isfile(path), "not a regular file")
    demand(os.path.getsize(path) <= MOST_FILE_BYTES, f"more than {MOST_FILE_BYTES} bytes")
    with open(path, "rb") as file:
        data = file.read()
    game, root, claims = read(data)
    white, black, no_west, no_east, side, plies = root
    if position is not None and parse(game, position) != root:
        raise Broken(f"it is about another position: {game.name}, {text(root)}")
    kinds = tuple(sorted(claim[:2] for claim in claims))
    values = {((True, WIN),): "win", ((False, WIN),): "loss", ((False, HOLD), (True, HOLD)): "draw"}
    if kinds not in values:
        raise Broken("the claims do not prove a value")
    key = (game.turned if side else game.normal)(white, black, no_west, no_east)
    for claim in claims:
        check_claim(game, key, plies, *claim)
    sides = ["white", "black"]
    return {
        "file": path, "rules": game.name, "position": text(root), "value": values[kinds],
        "claims": [{"side": sides[side if by_mover else 1 - side], "goal": ("win", "hold")[goal], "entries": len(entries)}
                   for by_mover, goal, entries in claims],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--position", help="fail unless the certificate is about this position")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--rules", metavar="RULE_FILE", help="the rule file that certificates are about")
    options = parser.parse_args()
    if options.rules:
        import tomllib
        with open(options.rules, "rb") as file:
            rules = tomllib.load(file)
        RULES.setdefault(rules["name"], rules)
    worst = 0
    names = (name for file in options.files for name in (map(str.rstrip, sys.stdin) if file == "-" else [file]))
    for path in names:
        try:
            proven = check(path, options.position)
            if options.json:
                print(json.dumps(proven), flush=True)
                continue
            print(f"{path}: {proven['rules']}, {proven['position']}")
            for claim in proven["claims"]:
                goal = "wins" if claim["goal"] == "win" else "does not lose"
                print(f"  proven: {claim['side'].capitalize()} {goal}, by {claim['entries']} replies")
            print(f"  value for the side to move: {proven['value']}", flush=True)
        except (Broken, Unreadable, OSError) as error:
            is_broken = isinstance(error, Broken)
            worst = max(worst, 1 if is_broken else 2)
            what = "proves nothing" if is_broken else "cannot be checked"
            if options.json:
                print(json.dumps({"file": path, "error": str(error), "broken": is_broken}), flush=True)
            else:
                print(f"{path} {what}: {error}", file=sys.stderr)
    sys.exit(worst)


if __name__ == "__main__":
    main()
