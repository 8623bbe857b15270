#!/usr/bin/env python3
"""Check a certificate that `alquerque solve --no-tables --certificate FILE` has written.

    python3 tools/check.py FILE...

Shares no code with the program. tables/CERTIFICATES.md describes the format. Needs Python 3.9 and the package zstandard, or
Python 3.14. Checksums are left to `alquerque check`. Exit code 1 if a certificate proves nothing, 2 if it cannot be read.
"""
import struct
import sys
from itertools import accumulate

try:
    from compression.zstd import decompress
except ImportError:
    import zstandard

    def decompress(data):
        return zstandard.ZstdDecompressor().decompressobj().decompress(data)


ALL = [(df, dr) for df in (-1, 0, 1) for dr in (-1, 0, 1) if (df, dr) != (0, 0)]
AHEAD = [(df, dr) for df, dr in ALL if dr >= 0]
# name: (steps, first jumps, steps on the far rank, no-return rule, plies without a capture that make a draw)
RULES = {
    "classic": (ALL, ALL, True, False, None),
    "brainking": (AHEAD, AHEAD, False, True, None),
    "youzai": (AHEAD, ALL, False, False, 50),
    "qirkat": (AHEAD, ALL, False, True, None),
}
WIN, HOLD, ENDLESS = 0, 1, 1 << 30


class Broken(Exception):
    """The certificate proves nothing."""


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
        steps, first, on_far_rank, self.no_return, self.limit = RULES[name]
        self.steps, self.first, self.later = [], [], []
        for point in range(25):
            stuck = point >= 20 and not on_far_rank
            self.steps.append([] if stuck else [q for d in steps if (q := along(point, d, 1)) is not None])
            for jumps, directions in (self.first, first), (self.later, ALL):
                pairs = [(along(point, d, 1), along(point, d, 2)) for d in directions]
                jumps.append([(over, landing) for over, landing in pairs if landing is not None])
        self.maps = []
        for code in range(8 if name == "classic" else 2):
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

    def successors(self, key):
        """The positions after all legal moves, each once, in rising order; and whether the moves are captures."""
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
            if ended and taken:
                free = ~(1 << start | 1 << point | taken)
                moved = own & ~(1 << start) | 1 << point
                found.add(self.turned(moved, other & ~taken, no_west & free, no_east & free))

        for start in points(own):
            chain(start, start, 0, self.first)
        if found:
            return sorted(found), True
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
        return sorted(found), False


def varints(data, at, count):
    numbers = []
    for _ in range(count):
        number, shift = data[at] & 127, 7
        while data[at] > 127:
            at += 1
            number |= (data[at] & 127) << shift
            shift += 7
        at += 1
        numbers.append(number)
    return numbers, at


def read(path):
    """The rules, the root as (key, plies) and the claims as (by mover, goal, {key: (reply, bound)})."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"ALQPROOF":
        raise ValueError("no certificate")
    version, claims, side, plies = struct.unpack_from("<HBBB", data, 8)
    if version != 1:
        raise ValueError(f"format version {version}; this program reads version 1")
    name = data[16:32].rstrip(b"\0").decode()
    game = Game(name)
    white, black, no_west, no_east = struct.unpack_from("<4I", data, 40)
    counts, blocks = struct.unpack_from("<2Q", data, 56), struct.unpack_from("<2I", data, 72)
    codes, tables = data[80:84], struct.unpack_from("<H", data, 84)[0]
    if tables:
        raise ValueError("it rests on tables: only `alquerque check` can check it")
    root = (game.turned if side else game.normal)(white, black, no_west, no_east)
    at, start, read_claims = 128, 128 + 32 * sum(blocks), []
    for number in range(claims):
        entries = {}
        # A larger bound would reach past the ply counter; without a counter, not to lose takes no bound.
        most = game.limit or (0 if codes[2 * number + 1] == HOLD else 65535)
        for _ in range(blocks[number]):
            _, _, end, count, _ = struct.unpack_from("<3Q2I", data, at)
            block = decompress(data[start:end])
            at, start = at + 32, end
            deltas, here = varints(block, 0, count)
            forbidden, here = varints(block, here, count) if game.no_return else ([0] * count, here)
            numbers, here = varints(block, here, 2 * count)
            for stones, banned, *entry in zip(accumulate(deltas), forbidden, numbers, numbers[count:]):
                if (stones, banned) in entries:
                    raise Broken("a position has two replies")
                if entry[1] > most:
                    raise Broken(f"a bound of {entry[1]} plies; at most {most} are allowed")
                entries[stones, banned] = entry
        if len(entries) != counts[number]:
            raise ValueError("the number of entries is wrong")
        read_claims.append((codes[2 * number] == 0, codes[2 * number + 1], entries))
    return game, root, plies, read_claims


def check_claim(game, root, plies, by_mover, goal, entries):
    most = game.limit or ENDLESS
    needed, pending = set(), []

    def require(key, left):
        if key not in entries:
            raise Broken(f"there is no reply for the position {key}")
        bound = entries[key][1]
        if bound > left if goal == WIN else left < ENDLESS and bound < left:
            raise Broken(f"the bound is {bound}, but {left} plies are left in {key}")
        if key not in needed:
            needed.add(key)
            pending.append(key)

    def answers(key, left):
        moves, captures = game.successors(key)
        if left == 0 and moves:
            if goal == WIN:
                raise Broken(f"the win comes too late in {key}")
            return
        for after in moves:
            require(after, most if captures or left == ENDLESS else left - 1)

    left = most - plies if game.limit else ENDLESS
    require(root, left) if by_mover else answers(root, left)
    while pending:
        key = pending.pop()
        reply, bound = entries[key]
        moves, captures = game.successors(key)
        if goal == HOLD and game.limit and bound == 0 and moves:
            continue
        if reply >= len(moves) or goal == WIN and bound == 0 or game.normal(*sets(key)) != key:
            raise Broken(f"no such reply, or no such position: {key}")
        endless = goal == HOLD and not game.limit
        answers(moves[reply], most if captures or endless else bound - 1)
    if len(needed) != len(entries):
        raise Broken(f"{len(entries) - len(needed)} entries are not needed")


def check(path):
    """The value that the certificate proves for the side to move, and the number of its replies."""
    game, root, plies, claims = read(path)
    for claim in claims:
        check_claim(game, root, plies, *claim)
    kinds = tuple(sorted(claim[:2] for claim in claims))
    values = {((True, WIN),): "win", ((False, WIN),): "loss", ((False, HOLD), (True, HOLD)): "draw"}
    if kinds not in values:
        raise Broken("the claims do not amount to a value")
    return values[kinds], sum(len(entries) for _, _, entries in claims)


def main():
    worst = 0 if sys.argv[1:] else sys.exit(__doc__)
    for path in sys.argv[1:]:
        try:
            value, count = check(path)
            print(f"{path}: {value}, proven by {count} replies")
        except Broken as flaw:
            print(f"{path} proves nothing: {flaw}", file=sys.stderr)
            worst = max(worst, 1)
        except Exception as error:  # of many kinds: the file can hold anything
            print(f"{path} cannot be read: {error}", file=sys.stderr)
            worst = 2
    sys.exit(worst)


if __name__ == "__main__":
    main()
