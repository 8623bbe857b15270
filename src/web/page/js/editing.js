// Setting up a position in place of a game. The game stays until something is edited, and comes back when the edits
// are given up.

import * as api from "./api.js";
import { byId } from "./dom.js";
import { Draft, EditorCard } from "./editor.js";
import { Game } from "./game.js";

export class Editing {
  /**
   * `page`: `game()`, `board()` and `stones()` tell what is shown; `pause()` gives up what is under way; `show(game,
   * push)` shows an edited game, `restore(game)` the one from before; `close()` ends the editing; `fail(error)`,
   * `render()` and `update()`.
   */
  constructor(page) {
    this.page = page;
    this.card = new EditorCard({
      changed: () => this.edited(),
      text: (text) => this.typed(text),
      start: () => this.typed("start"),
      cancel: () => this.cancel(),
      done: () => this.finish(),
    });
  }

  get draft() {
    return this.card.draft;
  }

  open() {
    const { page } = this;
    this.before = page.game();
    this.isPushed = false;
    page.pause();
    const board = page.board();
    this.card.open(new Draft(board ?? { white: [], black: [], side: "white", forbidden: [], plies: 0 }));
    // Without an answer the stones that are to be seen are a beginning.
    if (!board) this.draft.stones = new Map(page.stones());
    page.render();
  }

  close() {
    this.card.close();
  }

  /** Does on `point` what the tool in hand does. */
  press(point) {
    this.card.apply(point, this.page.board()?.forbiddable ?? []);
    this.edited();
  }

  move(from, to) {
    this.draft.move(from, to);
    this.edited();
  }

  edited() {
    this.show(new Game(this.before.rules, this.draft.text()));
  }

  /** Shows an edited game. The first edit is a step that the browser can go back from. */
  show(game) {
    const push = !this.isPushed;
    this.isPushed = true;
    return this.page.show(game, push);
  }

  /** Takes over a position that was typed; tells whether it is one. */
  async typed(text) {
    const { page } = this;
    const wanted = page.pause();
    const { draft } = this;
    try {
      const answer = await api.board(this.before.rules, text, []);
      if (!wanted() || this.draft !== draft) return false;
      this.card.draft = new Draft(answer);
      const game = new Game(this.before.rules, text === "start" ? text : answer.position);
      game.root.answer = answer;
      await this.show(game);
      return true;
    } catch (error) {
      if (!(error instanceof api.ApiError)) throw error;
      if (wanted() && this.draft === draft) page.fail(error);
      return false;
    }
  }

  /** Ends the editing. What was typed and not taken over yet is taken over first, or stays if it is wrong. */
  async finish() {
    const text = this.card.typed();
    if (text && !(await this.typed(text))) {
      byId("edit-text").focus();
      return;
    }
    this.page.close();
    this.page.update();
  }

  /** Gives the edits up. */
  cancel() {
    if (!this.draft) return;
    this.page.close();
    this.page.restore(this.before);
  }
}
