// The trainer: a position from the tables with one move that wins, or one that draws. The reader finds it and plays it
// out against the best defence.

import { byId } from "./dom.js";
import { sentence } from "./failure.js";
import { Game } from "./game.js";
import * as tasks from "./tasks.js";
import { t } from "./texts.js";

const STORED = "alquerque.trainer";
/** So many moves of a draw suffice. */
const HOLD = 6;
const RANK = { win: 2, draw: 1, loss: 0 };

export class Trainer {
  /** `page`: `open(game, player)`, `rules()`, `render()`, `leave()`. */
  constructor(page) {
    this.page = page;
    this.isOpen = false;
    /** Whether the reader is to find moves, so that values are hidden. */
    this.isAsking = false;
    this.found = 0;
    this.score = { solved: 0, tried: 0, streak: 0, ...JSON.parse(localStorage.getItem(STORED) ?? "{}") };
    const click = (id, action) => byId(id).addEventListener("click", action);
    click("open-trainer", () => this.open());
    click("trainer-close", () => this.close());
    click("trainer-next", () => this.next());
    click("trainer-again", () => this.again());
    click("trainer-show", () => this.reveal());
    for (const id of ["trainer-kind", "trainer-level"]) byId(id).addEventListener("change", () => this.next());
  }

  open() {
    this.isOpen = true;
    byId("trainer").hidden = false;
    this.next();
    byId("trainer-next").focus();
  }

  close() {
    this.isOpen = false;
    this.isAsking = false;
    byId("trainer").hidden = true;
    this.page.leave();
  }

  /** Gives the next task. */
  async next() {
    this.tell("loading");
    try {
      const task = await tasks.draw(this.page.rules(), byId("trainer-kind").value, byId("trainer-level").value);
      if (!this.isOpen) return;
      this.task = task;
      if (!task) {
        this.isAsking = false;
        this.tell("trainer.none");
        return;
      }
      this.isCounted = false;
      this.again();
    } catch (error) {
      this.isAsking = false;
      byId("trainer-task").textContent = sentence(error);
    }
  }

  /** Begins the task, or begins it again. */
  again() {
    if (!this.task) return;
    this.isAsking = true;
    this.found = 0;
    const { rules, position, side, value } = this.task;
    this.page.open(new Game(rules, position), side);
    this.tell(`trainer.task.${value}.${side}`);
  }

  /** Ends the task and shows the values. */
  reveal() {
    if (!this.task) return;
    this.count(false);
    this.isAsking = false;
    this.tell("trainer.shown");
    this.page.render();
  }

  /** Takes note of a move of the reader: `before` is the answer about the position in which it was played. */
  moved(before, name) {
    if (!this.isOpen || !this.isAsking || !before || before.side !== this.task.side) return;
    const played = before.moves.find(({ move }) => move === name);
    const [best] = before.moves;
    if (!played?.value || !best.value) return;
    if (RANK[played.value] < RANK[best.value]) {
      this.count(false);
      this.isAsking = false;
      this.tell("trainer.wrong", { move: name, best: best.move });
      return;
    }
    this.found += 1;
    if (this.found === 1) {
      this.count(true);
      this.tell(`trainer.right.${this.task.value}`);
    } else if (this.task.value === "draw" && this.found > HOLD) {
      this.isAsking = false;
      this.tell("trainer.held");
    }
  }

  /** Takes note of the end of the game. */
  ended(board) {
    if (!this.isOpen || !this.isAsking || !board.end) return;
    this.isAsking = false;
    this.tell(board.value === "draw" ? "trainer.held" : "trainer.won", { n: this.found });
  }

  count(solved) {
    if (this.isCounted) return;
    this.isCounted = true;
    const { score } = this;
    score.tried += 1;
    score.solved += solved;
    score.streak = solved ? score.streak + 1 : 0;
    localStorage.setItem(STORED, JSON.stringify(score));
  }

  tell(key, values) {
    this.told = [key, values];
    this.show();
  }

  show() {
    if (!this.isOpen) return;
    if (this.told) byId("trainer-task").textContent = t(...this.told);
    byId("trainer-score").textContent = t("trainer.score", this.score);
    byId("trainer-again").disabled = !this.task;
    byId("trainer-show").disabled = !this.isAsking;
  }
}
