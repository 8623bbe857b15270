// The game: a tree of moves. One line of it is shown, and `at` of its moves are on the board.

/** What belongs to a move besides the move: what was said about it, and the moves after it, the main one first. */
export class Node {
  constructor(move = "", parent = undefined) {
    this.move = move;
    this.parent = parent;
    this.children = [];
    this.comment = "";
    this.nags = [];
    /** The position after the move; undefined until the server has named it. */
    this.position = undefined;
  }

  /** The node after `move`, which is made if there is none. */
  after(move) {
    let child = this.children.find((other) => other.move === move);
    if (!child) {
      child = new Node(move, this);
      this.children.push(child);
    }
    return child;
  }

  /** The nodes that lead here, from the first move. */
  path() {
    const path = [];
    for (let node = this; node.parent; node = node.parent) path.unshift(node);
    return path;
  }

  /** The nodes of the main line after this one. */
  rest() {
    const rest = [];
    for (let node = this.children[0]; node; node = node.children[0]) rest.push(node);
    return rest;
  }
}

export class Game {
  constructor(rules, first = "start", moves = [], at = moves.length) {
    this.rules = rules;
    this.first = first;
    this.tags = new Map();
    this.root = new Node();
    /** The nodes of the line that is shown. */
    this.line = [];
    this.at = 0;
    this.follow(moves, at);
  }

  get moves() {
    return this.line.map((node) => node.move);
  }

  /** The node of the position on the board. */
  get node() {
    return this.at ? this.line[this.at - 1] : this.root;
  }

  /** The moves that are on the board. */
  played() {
    return this.moves.slice(0, this.at);
  }

  /** Shows the line of `moves`, which are added where the tree lacks them. */
  follow(moves, at = moves.length) {
    const end = moves.reduce((node, move) => node.after(move), this.root);
    this.line = [...end.path(), ...end.rest()];
    this.go(at);
  }

  /** Plays `move`. Another move than the one that follows becomes a variation. */
  play(move) {
    const child = this.node.after(move);
    if (this.line[this.at] !== child) this.line = [...child.path(), ...child.rest()];
    this.at += 1;
  }

  /** Adds `moves` after the position on the board and shows them. */
  continueWith(moves) {
    this.follow([...this.played(), ...moves], this.at);
  }

  /** Adds `moves` after the position on the board as a variation; what is shown stays. */
  addAside(moves) {
    const end = moves.reduce((node, move) => node.after(move), this.node);
    if (!this.line[this.at]) this.line = [...end.path(), ...end.rest()];
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.line.length));
  }

  /** Goes to the position after `node`, on whatever line it is. */
  select(node) {
    const path = node.path();
    if (this.line[path.length - 1] !== node) this.line = [...path, ...node.rest()];
    this.go(path.length);
  }

  /** Removes a move and all that follows it. */
  remove(node) {
    const { parent } = node;
    const before = node.path().length - 1;
    parent.children = parent.children.filter((other) => other !== node);
    if (this.line[before] !== node) return;
    this.line = [...parent.path(), ...parent.rest()];
    this.go(Math.min(this.at, before));
  }

  /** Makes the line through `node` the main one. */
  promote(node) {
    for (const step of node.path()) {
      const siblings = step.parent.children;
      siblings.splice(siblings.indexOf(step), 1);
      siblings.unshift(step);
    }
  }

  /** Takes over how the server writes the moves on the board, and the positions after them. */
  learn(played) {
    played.forEach(({ move, position }, index) => {
      const node = this.line[index];
      if (!node) return;
      const twin = node.parent.children.find((other) => other !== node && other.move === move);
      if (twin) {
        absorb(twin, node);
        node.parent.children = node.parent.children.filter((other) => other !== node);
        this.follow([...twin.path().map((step) => step.move), ...this.moves.slice(index + 1)], this.at);
      } else node.move = move;
      this.line[index].position = position;
    });
  }

  /** Whether there is more to it than one line of moves. */
  isAnnotated() {
    const more = (node) => node.children.length > 1 || node.comment || node.nags.length || node.children.some(more);
    return this.tags.size > 0 || !!more(this.root);
  }

  /** Adds what another game with the same beginning has. */
  merge(other) {
    absorb(this.root, other.root);
    for (const [name, value] of other.tags) if (!this.tags.has(name)) this.tags.set(name, value);
    this.follow(other.moves, other.at);
  }
}

/** Adds what `from` has to `into`, which stands for the same move. */
function absorb(into, from) {
  into.comment ||= from.comment;
  if (!into.nags.length) into.nags = from.nags;
  for (const child of from.children) absorb(into.after(child.move), child);
}
