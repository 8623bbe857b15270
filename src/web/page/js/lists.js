// The list of moves, best first, and the record of the game.

import { element, refill } from "./dom.js";
import { kind, ofMove, sign } from "./worth.js";

/** Fills `list` with the legal moves. `handlers`: `play(move)`, `point(move or undefined)`. */
export function showMoves(list, moves, withValues, handlers) {
  refill(list, moves.map((move) => {
    const row = element("button", { type: "button", "data-move": move.move, onclick: () => handlers.play(move) });
    if (withValues) row.append(element("span", { class: `badge ${kind(move)}`, "aria-hidden": "true" }, sign(move)));
    row.append(element("span", { class: "mv" }, move.move));
    if (withValues) row.append(element("span", { class: "worth" }, ofMove(move)));
    for (const name of ["pointerenter", "focus"]) row.addEventListener(name, () => handlers.point(move));
    for (const name of ["pointerleave", "blur"]) row.addEventListener(name, () => handlers.point(undefined));
    return element("li", {}, row);
  }));
}

/** Fills `list` with the moves of the game, the last one played marked. */
export function showRecord(list, game, go) {
  refill(list, game.moves.map((move, index) => {
    const name = index + 1 > game.at ? "later" : undefined;
    const current = index + 1 === game.at ? "step" : undefined;
    const number = element("span", { class: "n" }, String(index + 1));
    return element("li", {}, element("button", { type: "button", class: name, "aria-current": current, onclick: () => go(index + 1) }, number, move));
  }));
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
}
