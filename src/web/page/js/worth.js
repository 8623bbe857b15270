// What a position or a move is worth, in signs and words.

import { number, t } from "./texts.js";

const SIGNS = { win: "+", draw: "=", loss: "−" };

/** Plies to show along with a sign: to the end if known, else to the conversion, else what suffices. */
const plies = (worth) => worth.dtw ?? worth.dtc ?? worth.within;

/** How a worth is classed for its looks. */
export function kind(worth) {
  if (worth.value) return worth.value;
  return typeof worth.estimate === "number" ? "estimate" : "unknown";
}

export function sign(worth) {
  if (worth.value) return SIGNS[worth.value];
  if (typeof worth.estimate !== "number") return "?";
  return worth.estimate > 15 ? "▴" : worth.estimate < -15 ? "▾" : "≈";
}

const stones = (worth) => {
  const tenths = Math.round(worth.estimate / 10);
  return (tenths < 0 ? "−" : tenths > 0 ? "+" : "") + number(Math.abs(tenths / 10), 1);
};

/** The sign with its plies, for a mark on the board. */
export function short(worth) {
  if (typeof worth.estimate === "number") return stones(worth);
  const count = plies(worth);
  return worth.value && worth.value !== "draw" && count ? SIGNS[worth.value] + count : sign(worth);
}

/** What a move is worth to its mover. */
export function ofMove(worth) {
  if (typeof worth.estimate === "number") return t("worth.estimate", { stones: stones(worth) });
  if (!worth.value) return t("worth.unknown");
  if (worth.value === "draw") return t("value.draw");
  if (typeof worth.dtw === "number") return t(`worth.${worth.value}`, { n: worth.dtw });
  if (typeof worth.dtc === "number") return t(`worth.${worth.value}.dtc`, { n: worth.dtc });
  if (typeof worth.within === "number") return t(`worth.${worth.value}.within`, { n: worth.within });
  return t(`value.${worth.value}`);
}

const winner = (board) => ((board.value === "win") === (board.side === "white") ? "white" : "black");

/** Who wins, to somebody at the board. */
export function headline(board) {
  if (board.end) {
    const lost = board.end === "no stone" || board.end === "no move";
    return lost ? t(`over.${board.side === "white" ? "black" : "white"}`) : t("over.draw");
  }
  if (typeof board.estimate === "number") return t("verdict.estimate", { stones: stones(board) });
  if (!board.value) return t("verdict.unknown");
  if (board.value === "draw") return t("verdict.draw");
  const count = board.dtw ?? board.within;
  const side = winner(board);
  if (typeof count !== "number") return t(`verdict.${side}`);
  return t(`verdict.${side}.${typeof board.dtw === "number" ? "in" : "within"}`, { n: count });
}

/** What else there is to say: why it is over, how far the next capture is, and who says so. */
export function detail(board) {
  if (board.end) return t(`end.${board.end.replace(" ", "-")}`, { n: board.plies });
  const parts = [];
  if (typeof board.dtc === "number") parts.push(t(board.dtc === board.dtw ? "detail.dtc.end" : "detail.dtc", { n: board.dtc }));
  parts.push(t(board.source ? `source.${board.source}${board.value ? "" : ".estimate"}` : "source.none"));
  return parts.join(" · ");
}
