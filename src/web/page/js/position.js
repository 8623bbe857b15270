// The text of a position as stones, to show a position that the server has named before it says what it is worth.

import { POINTS } from "./geometry.js";

/** The stones of a position text in the server's own form: a map from point to "white" or "black". */
export function stonesOf(text) {
  const ranks = text.split(" ")[0].split("/");
  const stones = new Map();
  ranks.forEach((rank, index) => {
    let file = 0;
    for (const letter of rank) {
      if (letter === "w" || letter === "b") {
        const point = POINTS.find((other) => other === "abcde"[file] + (5 - index));
        stones.set(point, letter === "w" ? "white" : "black");
        file += 1;
      } else file += Number(letter);
    }
  });
  return stones;
}

/** The ranks of a position text, with these stones. */
export function textOf(stones) {
  const letter = (point) => ({ white: "w", black: "b" })[stones.get(point)] ?? "1";
  return [5, 4, 3, 2, 1].map((rank) => {
    const letters = POINTS.filter((point) => point[1] === String(rank)).map(letter).join("");
    return letters.replace(/1+/g, (empty) => String(empty.length));
  }).join("/");
}

/** The stones of an answer of the server. */
export const stonesOn = ({ white, black }) =>
  new Map([...white.map((point) => [point, "white"]), ...black.map((point) => [point, "black"])]);

/** The side that moves in a position text: "white" or "black". */
export const sideOf = (text) => (text.split(" ")[1] === "b" ? "black" : "white");

export const otherSide = (side) => (side === "white" ? "black" : "white");
