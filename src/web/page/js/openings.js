// The opening tree: all moves from the start position, unfolded ply by ply, with what tables, certificates and search
// know of each.

import * as api from "./api.js";
import { byId, element } from "./dom.js";
import { sentence } from "./failure.js";
import { t } from "./texts.js";
import { isSettled, kind, ofMove, sign } from "./worth.js";

/** Milliseconds of search for the moves after one, where nothing is proven. */
const SEARCH = 800;

/** Opens the tree of `rules`. `show(moves)` puts a line on the board. */
export function open(rules, show) {
  const list = byId("openings-list");
  byId("openings").showModal();
  unfold(list, { rules, show, moves: [] });
}

/** Fills `list` with the moves after `place.moves`. */
async function unfold(list, place) {
  list.setAttribute("aria-busy", "true");
  if (!list.children.length) list.replaceChildren(element("li", { class: "note" }, t("loading")));
  try {
    let answer;
    for (const search of [undefined, SEARCH]) {
      answer = await api.board(place.rules, "start", place.moves, { search });
      list.replaceChildren(...rows(answer, place, list));
      if (isSettled(answer) || !list.isConnected || !byId("openings").open) break;
    }
    if (!answer.moves.length) list.replaceChildren(element("li", { class: "note" }, t("openings.over")));
  } catch (error) {
    list.replaceChildren(element("li", { class: "error" }, sentence(error)));
  }
  list.removeAttribute("aria-busy");
}

/** The rows of all moves. Branches that are open in `list` stay open when better values come in. */
function rows(answer, place, list) {
  return answer.moves.map((move) => {
    const moves = [...place.moves, move.move];
    const branch = list.querySelector(`:scope > li > ul[data-move="${move.move}"]`)
      ?? element("ul", { class: "openings", "data-move": move.move, hidden: "" });
    const toggle = element("button", { type: "button", class: "unfold", "aria-expanded": String(!branch.hidden) },
      element("span", { class: `badge ${kind(move)}`, "aria-hidden": "true" }, sign(move)),
      element("span", { class: "mv" }, `${number(place.moves.length)} ${move.move}`),
      element("span", { class: "worth" }, ofMove(move, answer.side)));
    toggle.addEventListener("click", () => {
      const isOpen = branch.hidden;
      branch.hidden = !isOpen;
      toggle.setAttribute("aria-expanded", isOpen);
      if (isOpen && !branch.querySelector("button")) unfold(branch, { ...place, moves });
    });
    const label = t("openings.show", { move: move.move });
    const show = element("button", { type: "button", class: "visit", "aria-label": label, title: label, onclick: () => {
      byId("openings").close();
      place.show(moves);
    } }, "↗");
    return element("li", {}, element("div", {}, toggle, show), branch);
  });
}

const number = (ply) => `${Math.floor(ply / 2) + 1}${ply % 2 ? "…" : "."}`;
