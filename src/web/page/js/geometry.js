// Where the points of the board are drawn. Points go by their names, a1 to e5.

export const SIZE = 480;
const MARGIN = 60;
const STEP = 90;
const FILES = "abcde";
export const STONE = 30;

export const POINTS = [..."12345"].flatMap((rank) => [...FILES].map((file) => file + rank));

export const coordinates = (point) => [FILES.indexOf(point[0]), Number(point[1]) - 1];
const named = (file, rank) => FILES[file] + (rank + 1);
const onBoard = (file, rank) => file >= 0 && file < 5 && rank >= 0 && rank < 5;

/** The point halfway between two others. */
export function between(from, to) {
  const [f1, r1] = coordinates(from);
  const [f2, r2] = coordinates(to);
  return named((f1 + f2) / 2, (r1 + r2) / 2);
}

/** Where a point goes when the board is mirrored left to right (`across`), top to bottom (`down`), or both. */
export function turned(point, across, down) {
  const [file, rank] = coordinates(point);
  return named(across ? 4 - file : file, down ? 4 - rank : rank);
}

/** The lines of the board, each between two neighbouring points, once. */
export const LINES = POINTS.flatMap((point) => {
  const [file, rank] = coordinates(point);
  const directions = (file + rank) % 2 === 0 ? [[1, 0], [0, 1], [1, 1], [-1, 1]] : [[1, 0], [0, 1]];
  return directions.filter(([f, r]) => onBoard(file + f, rank + r)).map(([f, r]) => [point, named(file + f, rank + r)]);
});

/** How the board is looked at: turned by half, mirrored, or both. */
export class View {
  constructor(flipped = false, mirrored = false) {
    this.flipped = flipped;
    this.mirrored = mirrored;
  }

  /** File and rank as they are seen, counted from the lower left. */
  seen(point) {
    const [file, rank] = coordinates(point);
    return [this.flipped !== this.mirrored ? 4 - file : file, this.flipped ? 4 - rank : rank];
  }

  place(point) {
    const [file, rank] = this.seen(point);
    return [MARGIN + file * STEP, MARGIN + (4 - rank) * STEP];
  }

  /** The point next to `point` in the direction of an arrow key, or the same at the edge. */
  neighbour(point, dx, dy) {
    const [file, rank] = this.seen(point);
    if (!onBoard(file + dx, rank + dy)) return point;
    return POINTS.find((other) => this.seen(other)[0] === file + dx && this.seen(other)[1] === rank + dy);
  }

  /** The point that is at or near (x, y), if one is. */
  nearest(x, y) {
    return POINTS.find((point) => {
      const [px, py] = this.place(point);
      return Math.hypot(px - x, py - y) < STEP / 2;
    });
  }
}
