"""The Python side: ``probe_many.py DIR`` prints the time of a WDL probe in nanoseconds, for the tables and positions in DIR."""

import statistics
import sys
import time

import numpy as np

import alquerque

ROUNDS = 21
WINDOW = 8192
FIELDS = [(name, "u4") for name in ("white", "black", "no_west", "no_east")]
FIELDS += [("side", "u1"), ("plies", "u1"), ("padding", "u2")]

tables = alquerque.open_tablebase(sys.argv[1])
positions = np.fromfile(f"{sys.argv[1]}/positions", dtype=FIELDS)
white, black, side = (np.ascontiguousarray(positions[name]) for name in ("white", "black", "side"))
times = []
for _ in range(ROUNDS + 1):
    for start in range(0, len(positions), WINDOW):
        window = slice(start, start + WINDOW)
        begin = time.perf_counter_ns()
        tables.probe_many(white[window], black[window], side[window], distances=False)
        times.append((time.perf_counter_ns() - begin) / WINDOW)
# The first round warms the cache.
times = times[len(positions) // WINDOW :]
print(f"{statistics.median(times):.1f}")
