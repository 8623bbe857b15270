// Making elements.

export const byId = (id) => document.getElementById(id);

/** An HTML element with attributes (those that are undefined or false are left away) and children. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== "" && child !== false && child !== null && child !== undefined));
  return made;
}

/** Whether something is being pressed: what is replaced meanwhile would not be clicked. */
let pressed = false;
export const isPressed = () => pressed;
for (const [name, is] of [["pointerdown", true], ["pointerup", false], ["pointercancel", false]]) {
  window.addEventListener(name, () => (pressed = is), { capture: true });
}

/** Gives `list` new rows; the keyboard stays on the row that it was on, or goes to the last. */
export function refill(list, rows) {
  const before = [...list.children].findIndex((row) => row.contains(document.activeElement));
  list.replaceChildren(...rows);
  if (before >= 0) list.children[Math.min(before, rows.length - 1)]?.querySelector("button")?.focus();
}
