// What the reader says of a move: a mark, a comment, and which variation is the main one.

import { byId, element } from "./dom.js";
import { markSign } from "./record.js";
import { t } from "./texts.js";

const GIVEN = [1, 2, 3, 4, 5, 6, 7];
const NAMES = { 1: "good", 2: "bad", 3: "great", 4: "blunder", 5: "interesting", 6: "dubious", 7: "only" };

export class Notes {
  /** `game()` is the game that is shown; `changed()` is called when something was said. */
  constructor(game, changed) {
    this.game = game;
    byId("notes-comment").addEventListener("input", (event) => {
      game().node.comment = event.target.value.replace(/\s+/g, " ").replaceAll("}", ")").trimStart();
      changed();
    });
    byId("notes-promote").addEventListener("click", () => {
      game().promote(game().node);
      changed();
    });
    byId("notes-remove").addEventListener("click", () => {
      game().remove(game().node);
      changed(true);
    });
    byId("notes-marks").append(...GIVEN.map((nag) => element("button", {
      type: "button", "data-nag": nag, "aria-pressed": "false", onclick: () => {
        const { node } = game();
        // One mark of this kind at a time.
        node.nags = [...node.nags.filter((other) => !GIVEN.includes(other)), ...(node.nags.includes(nag) ? [] : [nag])];
        changed();
      },
    }, markSign(nag))));
  }

  show() {
    const { node } = this.game();
    for (const button of byId("notes-marks").children) {
      const label = t(`notes.mark.${NAMES[button.dataset.nag]}`);
      button.setAttribute("aria-pressed", node.nags.includes(Number(button.dataset.nag)));
      button.setAttribute("aria-label", label);
      button.title = label;
      button.disabled = !node.parent;
    }
    const field = byId("notes-comment");
    if (document.activeElement !== field || field.value.trim() !== node.comment.trim()) field.value = node.comment;
    byId("notes-promote").disabled = node.path().every((step) => step.parent.children[0] === step);
    byId("notes-remove").disabled = !node.parent;
  }
}
