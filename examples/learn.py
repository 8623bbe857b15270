"""Trains a small network to tell won, drawn and lost positions apart, and measures it against the truth.

    alquerque export --rules classic --stones 4 --sample 200000 --seed 1 --output sample.npz
    python examples/learn.py sample.npz
"""

import sys

import numpy as np

HIDDEN, STEPS, BATCH, RATE = 128, 1500, 512, 2e-3


def inputs(data):
    """The stones of the side to move and of the other side as 50 numbers, the board turned so that the side to move plays up."""
    bits = np.arange(25)
    white, black = (data[name][:, None] >> bits & 1 for name in ("white", "black"))
    is_black = data["side"][:, None] == 1
    own = np.where(is_black, black[:, ::-1], white)
    other = np.where(is_black, white[:, ::-1], black)
    return np.concatenate([own, other], axis=1).astype(np.float32)


def main(path):
    data = np.load(path)
    x, y = inputs(data), data["value"].astype(int) + 1
    chooser = np.random.default_rng(1)
    order = chooser.permutation(len(y))
    held_out, train = np.split(order, [len(y) // 5])

    shapes = [(50, HIDDEN), (HIDDEN, HIDDEN), (HIDDEN, 3)]
    weights = [chooser.normal(0, (2 / rows) ** 0.5, (rows, columns)).astype(np.float32) for rows, columns in shapes]
    weights += [np.zeros(columns, np.float32) for _, columns in shapes]
    moments = [(np.zeros_like(weight), np.zeros_like(weight)) for weight in weights]

    def forward(x):
        first = np.maximum(x @ weights[0] + weights[3], 0)
        second = np.maximum(first @ weights[1] + weights[4], 0)
        return first, second, second @ weights[2] + weights[5]

    for step in range(1, STEPS + 1):
        chosen = chooser.choice(train, BATCH)
        first, second, scores = forward(x[chosen])
        share = np.exp(scores - scores.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        share[np.arange(BATCH), y[chosen]] -= 1
        to_scores = share / BATCH
        to_second = to_scores @ weights[2].T * (second > 0)
        to_first = to_second @ weights[1].T * (first > 0)
        gradients = [x[chosen].T @ to_first, first.T @ to_second, second.T @ to_scores]
        gradients += [gradient.sum(axis=0) for gradient in (to_first, to_second, to_scores)]
        for weight, (mean, square), gradient in zip(weights, moments, gradients):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            weight -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)

    truth = y[held_out]
    found = forward(x[held_out])[2].argmax(axis=1)
    common = np.bincount(y[train], minlength=3).argmax()
    print(f"{len(train)} positions to learn from, {len(held_out)} to test")
    print(f"always the most common value: {np.mean(truth == common):.1%} right")
    print(f"the network: {np.mean(found == truth):.1%} right")
    for value, name in ((2, "won"), (1, "drawn"), (0, "lost")):
        of_value = truth == value
        if of_value.any():
            print(f"  of those {name}: {np.mean(found[of_value] == value):.1%}")


main(sys.argv[1])
