// The board as a picture that can be clicked, dragged on and reached by keyboard.

import { drawn } from "./dom.js";
import { between, LINES, POINTS, SIZE, STONE, View } from "./geometry.js";
import { Gestures } from "./gestures.js";

/** Milliseconds of a step or jump. */
const HOP = 210;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class BoardView {
  /**
   * Draws itself in `host`. `handlers`: `activate(point)` for a click or key, `drag(from, to)`, `cancel()`,
   * `canDrag(point)`, `lift(point)` when a drag begins, `swipe(by)`, `label(point)`.
   */
  constructor(host, label, handlers) {
    this.handlers = handlers;
    this.view = new View();
    this.focused = "c3";
    this.svg = drawn("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": label });
    this.svg.append(definitions());
    this.ground = drawn("g");
    this.below = drawn("g");
    this.stones = drawn("g");
    this.above = drawn("g");
    this.hits = drawn("g");
    this.svg.append(this.ground, this.below, this.stones, this.above, this.hits);
    this.hits.append(...POINTS.map((point) =>
      drawn("circle", { class: "hit", r: 38, role: "button", "data-point": point, tabindex: -1 })));
    this.listen(host);
    this.gestures = new Gestures(this, handlers);
    host.replaceChildren(this.svg);
    this.drawGround();
  }

  setView(view) {
    this.view = view;
    this.drawGround();
  }

  setLabel(label) {
    this.svg.setAttribute("aria-label", label);
  }

  drawGround() {
    const path = LINES.map(([from, to]) => `M${this.view.place(from)}L${this.view.place(to)}`).join("");
    const coordinate = (text, x, y) => drawn("text", { class: "coordinate", x, y }, text);
    const names = [1, 2, 3, 4, 5].flatMap((rank) => {
      const file = "abcde"[rank - 1];
      const [x] = this.view.place(file + 1);
      const [, y] = this.view.place("a" + rank);
      return [coordinate(file, x, SIZE - 11), coordinate(String(rank), 11, y)];
    });
    this.ground.replaceChildren(
      drawn("rect", { class: "frame", x: 1, y: 1, width: SIZE - 2, height: SIZE - 2, rx: 18 }),
      drawn("rect", { x: 22, y: 22, width: SIZE - 44, height: SIZE - 44, rx: 8, fill: "url(#wood)" }),
      drawn("rect", { class: "grain", x: 22, y: 22, width: SIZE - 44, height: SIZE - 44, rx: 8, filter: "url(#grain)" }),
      drawn("rect", { class: "panel-edge", x: 22, y: 22, width: SIZE - 44, height: SIZE - 44, rx: 8 }),
      drawn("path", { class: "lines-light", d: path }),
      drawn("path", { class: "lines", d: path }),
      ...POINTS.map((point) => {
        const [cx, cy] = this.view.place(point);
        return drawn("circle", { class: "dots", cx, cy, r: 5 });
      }),
      ...names,
    );
    for (const hit of this.hits.children) {
      const [cx, cy] = this.view.place(hit.dataset.point);
      hit.setAttribute("cx", cx);
      hit.setAttribute("cy", cy);
    }
  }

  /**
   * Draws what is on the board: `stones` (a map from point to "white" or "black"), `forbidden` steps, the `last`
   * path, the `selected` point, and `marks`: {point, kind, text, small}.
   */
  show({ stones, forbidden = [], last = [], selected, marks = [], active = new Set() }) {
    this.below.replaceChildren();
    if (last.length > 1) {
      const places = last.map((point) => this.view.place(point));
      this.below.append(drawn("path", { class: "last", d: "M" + places.join("L") }));
    }
    this.stones.replaceChildren(...[...stones].map(([point, side]) => this.stone(point, side)));
    this.above.replaceChildren();
    if (selected) {
      const [cx, cy] = this.view.place(selected);
      this.above.append(drawn("circle", { class: "halo", cx, cy, r: STONE + 3 }));
    }
    for (const [from, to] of forbidden) this.above.append(...this.bar(from, to));
    for (const mark of marks) this.above.append(this.mark(mark));
    for (const hit of this.hits.children) {
      const point = hit.dataset.point;
      hit.setAttribute("aria-label", this.handlers.label(point));
      hit.setAttribute("tabindex", point === this.focused ? 0 : -1);
      hit.classList.toggle("active", active.has(point));
      hit.classList.toggle("draggable", this.handlers.canDrag(point));
    }
  }

  stone(point, side) {
    const [x, y] = this.view.place(point);
    const ring = side === "white" ? "rgb(120 95 55 / .22)" : "rgb(255 255 255 / .1)";
    const group = drawn("g", { class: `stone ${side}`, "data-stone": point },
      drawn("ellipse", { cx: 2, cy: 6, rx: STONE + 2, ry: STONE + 1, fill: "url(#shade)" }),
      drawn("circle", { class: "rim", r: STONE, fill: `url(#${side}-stone)` }),
      drawn("circle", { r: STONE * 0.68, fill: "none", stroke: ring, "stroke-width": 2 }));
    group.style.transform = `translate(${x}px, ${y}px)`;
    return group;
  }

  /** A bar beside a stone: that way it may not step. */
  bar(from, to) {
    const [x1, y] = this.view.place(from);
    const [x2] = this.view.place(to);
    const x = x1 + Math.sign(x2 - x1) * (STONE + 7);
    return ["bar-edge", "bar"].map((name) => drawn("path", { class: name, d: `M${x} ${y - 13}V${y + 13}` }));
  }

  mark({ point, kind, text, small }) {
    const [px, py] = this.view.place(point);
    const [x, y] = small ? [px + 22, py - 22] : [px, py];
    const height = small ? 23 : 34;
    const width = Math.max(height, text.length * (small ? 8 : 11) + 12);
    return drawn("g", { class: `mark ${kind}${small ? " small" : ""}` },
      drawn("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: height / 2 }),
      drawn("text", { x, y: y + 1 }, text));
  }

  /** Points out a move, or none. */
  hint(path, kind) {
    this.above.querySelector(".pointer")?.remove();
    if (!path) return;
    const places = path.map((point) => this.view.place(point));
    const [x, y] = places.at(-1);
    this.above.prepend(drawn("g", { class: `mark pointer ${kind}` },
      drawn("path", { class: "arrow", d: "M" + places.join("L") }), drawn("circle", { cx: x, cy: y, r: 13 })));
  }

  /**
   * Moves the stone along `path` and takes `captured` stones off on the way; resolves when it has arrived. A stone
   * that was `dropped` is at the second point already.
   */
  async travel(path, captured, dropped = false) {
    const stone = this.stones.querySelector(`[data-stone=${path[0]}]`);
    if (!stone || calm.matches || document.hidden) return;
    this.above.replaceChildren();
    this.stones.append(stone);
    for (let index = 1; index < path.length; index += 1) {
      const at = (point) => `translate(${this.view.place(point).map((value) => value + "px").join(", ")})`;
      const instant = dropped && index === 1;
      const frames = [{ transform: at(path[index - 1]) }, { transform: at(path[index]) }];
      const hop = stone.animate(frames, { duration: instant ? 0 : HOP, easing: "ease-in-out" });
      stone.style.transform = at(path[index]);
      if (captured.length) {
        const jumped = between(path[index - 1], path[index]);
        this.stones.querySelector(`[data-stone=${jumped}]`)?.classList.add("gone");
      }
      await hop.finished.catch(() => {});
    }
  }

  /** Lifts the stone on `point` off the board; undefined where there is none. */
  lift(point) {
    const stone = this.stones.querySelector(`[data-stone=${point}]`);
    if (!stone) return undefined;
    stone.classList.add("lifted");
    this.stones.append(stone);
    return stone;
  }

  /** Keys are listened for on `host`: an SVG with listeners for the focus would be a tab stop itself. */
  listen(host) {
    const pointOf = (event) => event.target.closest?.("[data-point]")?.dataset.point;
    // Screen readers click without a pointer.
    host.addEventListener("click", (event) => {
      if (event.detail === 0 && pointOf(event)) this.handlers.activate(pointOf(event));
    });
    host.addEventListener("focusin", (event) => {
      if (pointOf(event)) this.focus(pointOf(event), false);
    });
    host.addEventListener("keydown", (event) => {
      const point = pointOf(event);
      const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
      if (!point || event.ctrlKey || event.metaKey || event.altKey) return;
      if (arrows[event.key]) this.focus(this.view.neighbour(point, ...arrows[event.key]), true);
      else if (event.key === "Enter" || event.key === " ") this.handlers.activate(point);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** Makes `point` the one that the keyboard is on. */
  focus(point = this.focused, move = true) {
    this.focused = point;
    for (const hit of this.hits.children) {
      hit.setAttribute("tabindex", hit.dataset.point === point ? 0 : -1);
      if (move && hit.dataset.point === point) hit.focus();
    }
  }
}

function definitions() {
  const stop = (offset, attributes) => drawn("stop", { offset, ...attributes });
  const ball = (id, inner, middle, outer) => drawn("radialGradient", { id, cx: "38%", cy: "32%", r: "75%" },
    stop("0", { "stop-color": inner }), stop(".55", { "stop-color": middle }), stop("1", { "stop-color": outer }));
  return drawn("defs", {},
    drawn("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 }, stop("0", { class: "wood-1" }), stop("1", { class: "wood-2" })),
    drawn("radialGradient", { id: "shade" }, stop(".72", { "stop-color": "#1b0d02", "stop-opacity": ".5" }), stop("1", { "stop-color": "#1b0d02", "stop-opacity": "0" })),
    ball("white-stone", "#fffefa", "#f3ead6", "#cdbb97"),
    ball("black-stone", "#6b625b", "#332d29", "#141110"),
    drawn("filter", { id: "grain", x: 0, y: 0, width: "100%", height: "100%" },
      drawn("feTurbulence", { type: "fractalNoise", baseFrequency: ".008 .16", numOctaves: 4, seed: 11 }),
      drawn("feColorMatrix", { values: "0 0 0 0 .28  0 0 0 0 .15  0 0 0 0 .05  1.6 0 0 0 -.55" }),
      drawn("feComposite", { in2: "SourceGraphic", operator: "in" })));
}
