// What a mouse, pen or finger does on the board: click, drag a stone, or swipe to step through the game.

/** Units of the drawing from which a press is a drag or a swipe. */
const DRAG = 7;
const SWIPE = 60;

export class Gestures {
  /** `view` is the board. `handlers`: see there. */
  constructor(view, handlers) {
    this.view = view;
    this.handlers = handlers;
    this.press = undefined;
    view.svg.addEventListener("pointerdown", (event) => this.down(event));
    window.addEventListener("pointermove", (event) => this.move(event));
    window.addEventListener("pointerup", (event) => this.up(event));
    window.addEventListener("pointercancel", () => this.drop());
  }

  /** Where on the drawing something happens. */
  place({ clientX, clientY }) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.view.svg.getScreenCTM().inverse());
    return [x, y];
  }

  down(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    const point = event.target.closest?.("[data-point]")?.dataset.point;
    this.press = { point, start: this.place(event), stone: undefined, id: event.pointerId };
    if (point) this.view.focus(point, false);
  }

  /** How far the press has gone, across and up or down; undefined if another pointer moves. */
  way(event) {
    if (this.press?.id !== event.pointerId) return undefined;
    const [x, y] = this.place(event);
    return { x, y, dx: x - this.press.start[0], dy: y - this.press.start[1] };
  }

  move(event) {
    const way = this.way(event);
    if (!way) return;
    const { press } = this;
    if (!press.stone && press.point && Math.hypot(way.dx, way.dy) > DRAG && this.handlers.canDrag(press.point)) {
      this.handlers.lift(press.point);
      press.stone = this.view.lift(press.point);
    }
    if (press.stone) press.stone.style.transform = `translate(${way.x}px, ${way.y}px)`;
  }

  up(event) {
    const way = this.way(event);
    if (!way) return;
    const { point, stone } = this.press;
    this.press = undefined;
    const to = this.view.view.nearest(way.x, way.y);
    if (stone) this.handlers.drag(point, to);
    else if (event.pointerType !== "mouse" && Math.abs(way.dx) > Math.max(SWIPE, 2 * Math.abs(way.dy))) {
      this.handlers.swipe(way.dx < 0 ? 1 : -1);
    } else if (point && to === point) this.handlers.activate(point);
  }

  /** Puts a dragged stone back. */
  drop() {
    if (this.press?.stone) this.handlers.drag(this.press.point, this.press.point);
    this.press = undefined;
  }
}
