// The list of legal moves, best first.

import { element, refill } from "./dom.js";
import { current, t } from "./texts.js";
import { kind, ofMove, sign } from "./worth.js";

/** An estimate that is so many hundredths of a stone worse is worth a question. */
const MUCH = 100;
/** What each list shows. */
const shown = new WeakMap();
const RANK = { win: 2, draw: 1, loss: 0 };

/**
 * Fills `list` with the legal moves of `board`; they can be played if `isOpen`. `handlers`: `play(move)`, `point(move or
 * undefined)`, `why(move)` for a move that is worse than the best.
 */
export function showMoves(list, board, isOpen, withValues, handlers) {
  list.inert = !isOpen;
  // While the next answer is under way the list stays, so that nothing jumps.
  if (!board) return;
  // A list that is made anew under the pointer would lose the click.
  const isShown = shown.get(list);
  if (isShown?.board === board && isShown.withValues === withValues && isShown.language === current()) return;
  shown.set(list, { board, withValues, language: current() });
  // Without values the order must not tell them either.
  const moves = withValues ? board.moves : board.moves.toSorted((one, other) => (one.move < other.move ? -1 : 1));
  const best = Math.max(...moves.map((move) => RANK[move.value] ?? -1));
  refill(list, moves.map((move) => {
    const row = element("button", { type: "button", "data-move": move.move, onclick: () => handlers.play(move) });
    if (withValues) row.append(element("span", { class: `badge ${kind(move)}`, "aria-hidden": "true" }, sign(move)));
    row.append(element("span", { class: "mv" }, move.move));
    if (withValues) row.append(element("span", { class: "worth" }, ofMove(move, board.side)));
    for (const name of ["pointerenter", "focus"]) row.addEventListener(name, () => handlers.point(move));
    for (const name of ["pointerleave", "blur"]) row.addEventListener(name, () => handlers.point(undefined));
    const isWorse = withValues && (move.value ? RANK[move.value] < best : moves[0].estimate - move.estimate >= MUCH);
    const label = t("why.ask", { move: move.move });
    const why = isWorse && element("button", { type: "button", class: "why", "aria-label": label, title: label, onclick: () => handlers.why(move) }, "?");
    return element("li", {}, row, why);
  }));
}

/** Shows no moves. */
export function clearMoves(list) {
  shown.delete(list);
  list.replaceChildren();
}
