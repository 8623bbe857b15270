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

  /** Whether a chain of jumps that begins like this ends on `point`. */
  endsOn(point) {
    return this.path.length > 0 && this.options().some((move) => move.path.at(-1) === point);
  }

  /** Whether the stone is in the middle of a chain. */
  isUnderWay() {
    return this.path.length > 1;
  }

  /** What has been captured on the way. */
  captured() {
    return this.isUnderWay() ? this.options()[0].captured.slice(0, this.path.length - 1) : [];
  }

  /**
   * Takes `point`; returns the move if it is complete now. A chain that cannot branch any more completes itself. In a
   * chain, the point where the stone stands ends the move, or takes the last jump back if the chain must go on.
   */
  choose(point) {
    if (this.targets().has(point)) {
      this.path.push(point);
      return this.completed();
    }
    if (this.endsOn(point)) return this.finish(point);
    if (this.isUnderWay()) {
      if (point !== this.path.at(-1)) return undefined;
      const stopped = this.options().find((move) => move.path.length === this.path.length);
      if (stopped) this.path = [];
      else this.path.pop();
      return stopped;
    }
    this.path = this.path[0] !== point && this.sources().has(point) ? [point] : [];
    return undefined;
  }

  /** Goes straight to the end of a chain, or as far as all chains go that end there. */
  finish(point) {
    const chains = this.options().filter((move) => move.path.at(-1) === point);
    if (new Set(chains.map((move) => move.position)).size === 1) {
      this.path = [];
      return chains[0];
    }
    const common = (index) => chains.every((move) => move.path[index] !== undefined && move.path[index] === chains[0].path[index]);
    while (common(this.path.length)) this.path.push(chains[0].path[this.path.length]);
    return undefined;
  }

  completed() {
    const options = this.options();
    if (options.length !== 1) return undefined;
    this.path = [];
    return options[0];
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
