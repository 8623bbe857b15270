// The moves of the game with marks, comments and variations.

import { element } from "./dom.js";
import { markSign } from "./record.js";
import { marksOf } from "./review.js";
import { t } from "./texts.js";

const NAMES = { "!": "only", "!!": "good", "?": "bad", "??": "blunder", "!?": "good", "?!": "bad", "□": "only" };

/**
 * Fills `list` with the game. `second`: the side that moves second under the rules began. `select(node)` visits a
 * move. The keyboard stays on the move that is on the board.
 */
export function showRecord(list, game, { second, withValues, select }) {
  const hadFocus = list.contains(document.activeElement);
  const shown = new Set(game.line);
  const empty = game.root.children.length ? [] : [element("li", { class: "comment" }, t("game.empty"))];
  const opening = game.root.comment ? [comment(game.root)] : empty;
  list.replaceChildren(...opening, ...rows(game.root, second ? 1 : 0, true, { game, shown, withValues, select }, "main"));
  const current = list.querySelector("[aria-current]") ?? list.querySelector("button");
  if (hadFocus) current?.focus({ preventScroll: true });
  if (current && list.scrollHeight > list.clientHeight) {
    list.scrollTop += current.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
  }
}

/** The rows of what follows `node`; `ply` is that of its children. */
function rows(node, ply, needsNumber, context, name) {
  const made = [];
  for (let parent = node; parent.children.length; parent = parent.children[0], ply += 1) {
    const [main, ...others] = parent.children;
    made.push(...row(main, ply, needsNumber, context, name));
    for (const other of others) {
      made.push(element("li", { class: "variation" }, element("ol", { class: "record", "aria-label": t("game.variation") },
        ...row(other, ply, true, context, "side"), ...rows(other, ply + 1, !!other.comment, context, "side"))));
    }
    needsNumber = others.length > 0 || !!main.comment;
  }
  return made;
}

function row(node, ply, needsNumber, { game, shown, withValues, select }, name) {
  const number = ply % 2 === 0 ? `${ply / 2 + 1}.` : needsNumber ? `${(ply - 1) / 2 + 1}…` : "";
  const current = game.at > 0 && game.node === node ? "step" : undefined;
  const button = element("button", {
    type: "button", class: shown.has(node) ? undefined : "aside", "aria-current": current, "data-ply": node.path().length,
    onclick: () => select(node),
  }, element("span", { class: "n" }, number), node.move, ...(withValues ? marksOf(node) : node.nags).map(mark));
  return [element("li", { class: name }, button), ...(node.comment ? [comment(node)] : [])];
}

function mark(nag) {
  const sign = markSign(nag);
  const name = NAMES[sign] ?? "other";
  return element("b", { class: `nag ${name}`, title: t(`mark.${name}`) }, sign);
}

const comment = (node) => element("li", { class: "comment" }, node.comment);
