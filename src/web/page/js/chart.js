// The value over the game: White above, Black below, a bar for each position.

import { drawn } from "./dom.js";
import { t } from "./texts.js";
import { forWhite, headline, kind } from "./worth.js";

const WIDTH = 320;
const HEIGHT = 72;
const MIDDLE = HEIGHT / 2;

export class Chart {
  /** Draws itself in `host`; `go(at)` is called to show a position. */
  constructor(host, go) {
    this.host = host;
    this.count = 1;
    this.at = 0;
    const at = (event) => {
      const { left, width } = host.getBoundingClientRect();
      return Math.max(0, Math.min(this.count - 1, Math.floor(((event.clientX - left) / width) * this.count)));
    };
    let isDown = false;
    const visit = (event) => at(event) !== this.at && go(at(event));
    host.addEventListener("pointerdown", (event) => {
      isDown = event.button === 0;
      if (isDown) visit(event);
    });
    host.addEventListener("pointermove", (event) => isDown && visit(event));
    window.addEventListener("pointerup", () => (isDown = false));
    window.addEventListener("pointercancel", () => (isDown = false));
    host.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: this.at - 1, ArrowDown: this.at - 1, ArrowRight: this.at + 1, ArrowUp: this.at + 1,
        Home: 0, End: this.count - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      go(Math.max(0, Math.min(this.count - 1, to)));
    });
  }

  show(game, withValues) {
    const nodes = [game.root, ...game.line];
    this.count = nodes.length;
    this.at = game.at;
    const width = WIDTH / this.count;
    const bars = nodes.flatMap((node, index) => this.bar(withValues ? node.answer : undefined, index * width, width));
    this.host.replaceChildren(drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      ...bars,
      drawn("path", { class: "zero", d: `M0 ${MIDDLE}H${WIDTH}` }),
      game.line.length > 0 && drawn("rect", { class: "here", x: game.at * width, y: 0, width, height: HEIGHT })));
    const answer = withValues && game.node.answer;
    const place = t("chart.at", { at: game.at, of: game.line.length });
    this.host.setAttribute("aria-valuemax", game.line.length);
    this.host.setAttribute("aria-valuenow", game.at);
    this.host.setAttribute("aria-valuetext", answer && kind(answer) !== "unknown" ? `${place}, ${headline(answer)}` : place);
  }

  bar(answer, x, width) {
    const value = answer ? forWhite(answer) : undefined;
    if (value === undefined) return [];
    const y = Math.min(MIDDLE, MIDDLE * (1 - value));
    const height = Math.max(3, Math.abs(value) * MIDDLE);
    const side = value > 0 ? "white" : value < 0 ? "black" : "level";
    const gap = Math.min(1, width / 6);
    return [drawn("rect", { class: `bar-${side}${answer.value ? "" : " estimate"}`, x: x + gap / 2, y: value === 0 ? MIDDLE - 1.5 : y, width: width - gap, height })];
  }
}
