// "Why not?": how the other side answers a move that is worse than the best, as shortly as it can be shown.

import * as api from "./api.js";
import { byId, element } from "./dom.js";
import { sentence } from "./failure.js";
import { t } from "./texts.js";
import { ofMove } from "./worth.js";

/** Milliseconds of search where no table reaches. */
const SEARCH = 1500;

export class WhyNot {
  /** `add(moves)` puts a line into the game, as a variation. */
  constructor(add) {
    this.add = add;
    this.stop = new AbortController();
  }

  close() {
    this.stop.abort();
    byId("whynot").hidden = true;
  }

  /** Shows why `move` is not the best on `board`, which is reached in `game`. */
  async ask(game, board, move) {
    this.close();
    this.stop = new AbortController();
    const { signal } = this.stop;
    const host = byId("whynot");
    host.hidden = false;
    host.replaceChildren(element("p", {}, t("loading")));
    try {
      const moves = await api.refutation(game.rules, game.first, game.played(), move.move, { search: SEARCH, signal });
      if (signal.aborted) return;
      host.replaceChildren(...this.answer(board, move, moves));
    } catch (error) {
      if (!error.isAborted) host.replaceChildren(element("p", { class: "error" }, sentence(error)), this.button("close", () => this.close()));
    }
  }

  answer(board, move, moves) {
    const [best] = board.moves;
    const told = { move: move.move, worth: ofMove(move, board.side), best: best.move, bestWorth: ofMove(best, board.side) };
    const line = [move.move, ...moves];
    return [
      element("p", {}, t("why.answer", told)),
      element("p", {}, element("b", {}, move.move), ...moves.flatMap((step) => [" ", element("span", {}, step)])),
      element("p", { class: "row" }, this.button("why.add", () => {
        this.close();
        this.add(line);
      }), this.button("close", () => this.close())),
    ];
  }

  button(key, action) {
    return element("button", { type: "button", onclick: action }, t(key));
  }
}
