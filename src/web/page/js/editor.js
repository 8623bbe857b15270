// Setting up a position. Whether it is one, the server says.

import { byId } from "./dom.js";
import { turned } from "./geometry.js";
import { otherSide, stonesOn, textOf } from "./position.js";

/** Stones, side to move, forbidden steps and counter, before they are a position. */
export class Draft {
  constructor(board) {
    this.stones = stonesOn(board);
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

  /** Gives every stone, and the move, to the other side. */
  swapColours() {
    this.stones = new Map([...this.stones].map(([point, side]) => [point, otherSide(side)]));
    this.side = this.side === "w" ? "b" : "w";
  }

  /** Mirrors the position left to right (`across`) or top to bottom (`down`), or turns it by half (both). */
  mirror(across, down) {
    const to = (point) => turned(point, across, down);
    this.stones = new Map([...this.stones].map(([point, side]) => [to(point), side]));
    this.forbidden = new Map([...this.forbidden].map(([from, step]) => [to(from), to(step)]));
  }

  clear() {
    this.stones.clear();
    this.forbidden.clear();
    this.plies = 0;
  }

  /** The text form. */
  text() {
    const forbidden = [...this.forbidden].map((step) => step.join("-")).join(",");
    return `${textOf(this.stones)} ${this.side} ${forbidden || "-"} ${this.plies}`;
  }
}

/**
 * The card with the tools. `handlers`: `changed()` after an edit, `text(text)` for a position that was typed, `start()`,
 * `cancel()` to give the edits up, `done()`.
 */
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
    const button = (id, action) => byId(id).addEventListener("click", action);
    const change = (id, action) => button(id, () => {
      action();
      handlers.changed();
    });
    change("edit-clear", () => this.draft.clear());
    change("edit-swap", () => this.draft.swapColours());
    change("edit-mirror", () => this.draft.mirror(true, false));
    change("edit-turn", () => this.draft.mirror(true, true));
    button("edit-start", () => handlers.start());
    button("edit-cancel", () => handlers.cancel());
    button("edit-done", () => handlers.done());
    byId("edit-form").addEventListener("submit", (event) => {
      event.preventDefault();
      handlers.text(this.typed() ?? this.draft.text());
    });
    this.pick("white");
  }

  /** What was typed and is not on the board yet; undefined if there is nothing. */
  typed() {
    const text = byId("edit-text").value.trim();
    return text && text !== this.written ? text : undefined;
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
    this.written = undefined;
    byId("edit-text").value = "";
    byId("editor").hidden = false;
  }

  close() {
    this.draft = undefined;
    byId("editor").hidden = true;
    byId("edit-error").textContent = "";
  }

  /** Shows the draft. What was typed stays while it is wrong. */
  show(ruleSet, error) {
    byId("edit-side").value = this.draft.side;
    byId("edit-plies").value = this.draft.plies;
    byId("edit-plies").max = ruleSet?.ply_limit ?? 0;
    byId("edit-plies-field").hidden = !ruleSet?.ply_limit;
    byId("forbid-tool").hidden = !ruleSet?.forbidden_steps;
    byId("forbid-note").hidden = !ruleSet?.forbidden_steps;
    if (!ruleSet?.forbidden_steps && this.tool === "forbid") this.pick("white");
    const text = this.draft.text();
    if (text !== this.written) {
      this.written = text;
      byId("edit-text").value = text;
    }
    byId("edit-text").setAttribute("aria-invalid", !!error);
    byId("edit-error").textContent = error;
  }
}
