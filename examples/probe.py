import alquerque
import numpy as np

with alquerque.open_tablebase("tables", rules="classic") as tables:
    position = alquerque.Position("5/5/1w3/5/w2b1 w", rules="classic")
    value, dtc, dtw = tables.probe(position)
    print(f"{value.name}: conversion in {dtc} plies, win in {dtw}")

    best = tables.moves(position)[0]
    position.push(best.move)
    print(f"best move {best.move}, then {position}")

    # Two positions as bitboards: bit n is point n, a1 = 0 to e5 = 24.
    white = np.array([1 << 0 | 1 << 11, 1 << 12], dtype=np.uint32)
    black = np.array([1 << 3, 1 << 6], dtype=np.uint32)
    print(tables.probe_many(white, black, alquerque.WHITE).value)
