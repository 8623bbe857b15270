// Setting up a position. Whether it is one, the server says.

import { byId } from "./dom.js";
import { POINTS } from "./geometry.js";

/** Stones, side to move, forbidden steps and counter, before they are a position. */
export class Draft {
  constructor(board) {
    this.stones = new Map([...board.white.map((point) => [point, "white"]), ...board.black.map((point) => [point, "black"])]);
    this.side = board.side === "white" ? "w" : "b";
    this.forbidden = new Map(board.forbidden);
    this.plies = board.plies;
  }

  put(point, stone) {
    this.forbidden.delete(point);
    if (stone) this.stones.set(point, stone);
    else this.stones.delete(point);
  }

  move(from, to) {
    const stone = this.stones.get(from);
    this.put(from, undefined);
    if (to) this.put(to, stone);
  }

  /** Forbids the stone on `point` the next of the steps that can be, and none after the last. */
  forbidNext(point, forbiddable) {
    const steps = forbiddable.filter(([from]) => from === point).map(([, to]) => to);
    const next = steps[steps.indexOf(this.forbidden.get(point)) + 1];
    if (next) this.forbidden.set(point, next);
    else this.forbidden.delete(point);
  }

  clear() {
    this.stones.clear();
    this.forbidden.clear();
    this.plies = 0;
  }

  /** The text form. */
  text() {
    const letter = (point) => ({ white: "w", black: "b" })[this.stones.get(point)] ?? "1";
    const ranks = [5, 4, 3, 2, 1].map((rank) => {
      const letters = POINTS.filter((point) => point[1] === String(rank)).map(letter).join("");
      return letters.replace(/1+/g, (empty) => String(empty.length));
    });
    const forbidden = [...this.forbidden].map((step) => step.join("-")).join(",");
    return `${ranks.join("/")} ${this.side} ${forbidden || "-"} ${this.plies}`;
  }
}

/** The card with the tools. `handlers`: `changed()`, `text(text)`, `start()`, `done()`. */
export class EditorCard {
  constructor(handlers) {
    this.tool = "white";
    this.draft = undefined;
    for (const button of this.tools()) {
      button.addEventListener("click", () => this.pick(button.dataset.tool));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const shown = this.tools().filter((tool) => !tool.hidden);
        const next = shown[(shown.indexOf(button) + step + shown.length) % shown.length];
        this.pick(next.dataset.tool);
        next.focus();
      });
    }
    byId("edit-side").addEventListener("change", (event) => {
      this.draft.side = event.target.value;
      handlers.changed();
    });
    byId("edit-plies").addEventListener("change", (event) => {
      this.draft.plies = Math.trunc(Number(event.target.value)) || 0;
      handlers.changed();
    });
    byId("edit-clear").addEventListener("click", () => {
      this.draft.clear();
      handlers.changed();
    });
    byId("edit-start").addEventListener("click", () => handlers.start());
    byId("edit-done").addEventListener("click", () => handlers.done());
    byId("edit-form").addEventListener("submit", (event) => {
      event.preventDefault();
      handlers.text(byId("edit-text").value.trim());
    });
    this.pick("white");
  }

  tools() {
    return [...byId("editor").querySelectorAll("[data-tool]")];
  }

  pick(tool) {
    this.tool = tool;
    for (const button of this.tools()) {
      button.setAttribute("aria-checked", button.dataset.tool === tool);
      button.tabIndex = button.dataset.tool === tool ? 0 : -1;
    }
  }

  /** Does on `point` what the tool in hand does. */
  apply(point, forbiddable) {
    if (this.tool === "forbid") this.draft.forbidNext(point, forbiddable);
    else this.draft.put(point, this.tool === "erase" || this.draft.stones.get(point) === this.tool ? undefined : this.tool);
  }

  open(draft) {
    this.draft = draft;
    byId("editor").hidden = false;
  }

  close() {
    this.draft = undefined;
    byId("editor").hidden = true;
    byId("edit-error").textContent = "";
  }

  show(ruleSet, error) {
    byId("edit-side").value = this.draft.side;
    byId("edit-plies").value = this.draft.plies;
    byId("edit-plies").max = ruleSet.ply_limit ?? 0;
    byId("edit-plies-field").hidden = !ruleSet.ply_limit;
    byId("forbid-tool").hidden = !ruleSet.forbidden_steps;
    byId("forbid-note").hidden = !ruleSet.forbidden_steps;
    if (!ruleSet.forbidden_steps && this.tool === "forbid") this.pick("white");
    byId("edit-text").value = this.draft.text();
    byId("edit-error").textContent = error;
  }
}
