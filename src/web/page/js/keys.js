// Keys that work wherever the keyboard is, and the list that explains them.

import { byId, element } from "./dom.js";
import { t } from "./texts.js";

/** What the keys do, in the order of the list. Letters work in either case. */
const KEYS = [
  ["back", ["ArrowLeft", "u"]],
  ["forward", ["ArrowRight", "r"]],
  ["first", ["Home", "ArrowUp"]],
  ["last", ["End", "ArrowDown"]],
  ["best", ["b"]],
  ["autoplay", ["p"]],
  ["line", ["l"]],
  ["cancel", ["Escape"]],
  ["flip", ["f"]],
  ["mirror", ["m"]],
  ["values", ["v"]],
  ["edit", ["e"]],
  ["notes", ["c"]],
  ["board", ["g"]],
  ["trainer", ["t"]],
  ["openings", ["o"]],
  ["help", ["?"]],
];
/** Where it is kept that single letters are not wanted: they hinder who speaks to the computer. */
const STORED = "alquerque.letters";
const SHOWN = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

/** Listens for keys. `actions`: a function for each of the names above. */
export function listen(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const { target } = event;
    if (target.closest?.("input:not([type=checkbox]), textarea, select, [role=radiogroup], [role=slider]") && event.key !== "Escape") return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key.length === 1 && key !== "?" && localStorage.getItem(STORED) === "off") return;
    const found = KEYS.find(([, keys]) => keys.includes(key));
    if (!found) return;
    // Vertical arrows scroll the page, unless the game is at hand.
    if (["ArrowUp", "ArrowDown"].includes(key) && !target.closest?.("#record, .toolbar")) return;
    event.preventDefault();
    actions[found[0]]();
  });
}

/** Opens the list of keys. */
export function help() {
  byId("help-list").replaceChildren(...KEYS.flatMap(([name, keys]) => [
    element("dt", {}, ...keys.flatMap((key) => [" ", element("kbd", {}, SHOWN[key] ?? key.toUpperCase())]).slice(1)),
    element("dd", {}, t(`keys.${name}`)),
  ]));
  const letters = byId("help-letters");
  letters.checked = localStorage.getItem(STORED) !== "off";
  letters.onchange = () => localStorage.setItem(STORED, letters.checked ? "on" : "off");
  byId("help").showModal();
}
