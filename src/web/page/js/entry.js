// Entering a move point by point, out of the legal ones that the server has named.

export class Entry {
  constructor(moves = []) {
    this.moves = moves;
    this.path = [];
  }

  /** The moves that begin with what was entered. */
  options() {
    return this.moves.filter((move) => this.path.every((point, index) => move.path[index] === point));
  }

  /** The points with stones that can move, each with its best move: moves come best first. */
  sources() {
    return firsts(this.moves, 0);
  }

  /** The points where the chosen stone can go next, each with the best move that goes there. */
  targets() {
    return this.path.length ? firsts(this.options(), this.path.length) : new Map();
  }

  /** Whether the stone is in the middle of a chain. */
  isUnderWay() {
    return this.path.length > 1;
  }

  /** What has been captured on the way. */
  captured() {
    return this.isUnderWay() ? this.options()[0].captured.slice(0, this.path.length - 1) : [];
  }

  /** Takes `point`; returns the move if it is complete now. A chain that cannot branch any more completes itself. */
  choose(point) {
    if (this.targets().has(point)) {
      this.path.push(point);
      const options = this.options();
      if (options.length === 1) {
        this.path = [];
        return options[0];
      }
    } else if (!this.isUnderWay()) {
      this.path = this.path[0] !== point && this.sources().has(point) ? [point] : [];
    }
    return undefined;
  }

  cancel() {
    this.path = [];
  }
}

function firsts(moves, index) {
  const found = new Map();
  for (const move of moves) if (!found.has(move.path[index])) found.set(move.path[index], move);
  return found;
}
