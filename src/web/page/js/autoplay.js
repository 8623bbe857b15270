// Steps through the game by itself.

import { byId } from "./dom.js";
import { t } from "./texts.js";

export class Autoplay {
  /** `step()` goes one move on; it returns whether there was one. */
  constructor(step) {
    this.step = step;
    this.timer = undefined;
    byId("autoplay").addEventListener("click", () => this.toggle());
    byId("speed").addEventListener("change", () => {
      if (this.isRunning) this.wait();
    });
  }

  get isRunning() {
    return this.timer !== undefined;
  }

  toggle() {
    if (this.isRunning) this.stop();
    else if (this.step()) this.wait();
    this.show();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.step()) this.wait();
      else this.stop();
    }, Number(byId("speed").value));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.show();
  }

  show() {
    const button = byId("autoplay");
    const label = t(this.isRunning ? "step.pause" : "step.play");
    button.setAttribute("aria-pressed", this.isRunning);
    button.setAttribute("aria-label", label);
    button.title = label;
  }
}
