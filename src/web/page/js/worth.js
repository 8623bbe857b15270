// What a position or a move is worth, in signs and words. Values are for the side to move; to the reader they are told
// by the names of the sides.

import { otherSide } from "./position.js";
import { number, t } from "./texts.js";

const SIGNS = { win: "+", draw: "=", loss: "−" };

/** From this many hundredths of a stone a side is said to be ahead. */
const AHEAD = 15;

/** Plies to show along with a sign: to the end if known, else to the conversion, else what suffices. */
const plies = (worth) => worth.dtw ?? worth.dtc ?? worth.within;
const isEstimate = (worth) => !worth.value && typeof worth.estimate === "number";

/** How a worth is classed for its looks. */
export function kind(worth) {
  if (worth.value) return worth.value;
  return isEstimate(worth) ? "estimate" : "unknown";
}

export function sign(worth) {
  if (worth.value) return SIGNS[worth.value];
  if (!isEstimate(worth)) return "?";
  return worth.estimate >= AHEAD ? "▴" : worth.estimate <= -AHEAD ? "▾" : "≈";
}

const stones = (hundredths) => number(Math.abs(Math.round(hundredths / 10) / 10), 1);

/** The sign with its plies, for a mark on the board. */
export function short(worth) {
  if (isEstimate(worth)) return Math.abs(worth.estimate) < AHEAD ? "≈" : sign(worth) + stones(worth.estimate);
  const count = plies(worth);
  return worth.value && worth.value !== "draw" && count ? SIGNS[worth.value] + count : sign(worth);
}

/** The side that an estimate favours: "white", "black" or "level". `side` is the side that it is for. */
function favoured(worth, side) {
  if (Math.abs(worth.estimate) < AHEAD) return "level";
  return worth.estimate > 0 ? side : otherSide(side);
}

/** What a move is worth to `side`, which plays it. */
export function ofMove(worth, side) {
  if (isEstimate(worth)) return t(`worth.estimate.${favoured(worth, side)}`, { stones: stones(worth.estimate) });
  if (!worth.value) return t("worth.unknown");
  if (worth.value === "draw") return t(worth.alone ? "worth.repetition" : "value.draw");
  if (typeof worth.dtw === "number") return t(`worth.${worth.value}`, { n: worth.dtw });
  if (typeof worth.dtc === "number") return t(`worth.${worth.value}.dtc`, { n: worth.dtc });
  if (typeof worth.within === "number") return t(`worth.${worth.value}.within`, { n: worth.within });
  return t(`value.${worth.value}`);
}

/** Who wins, or is favoured: "white", "black", "level" for draws and the like, or undefined. */
export function winner(board) {
  if (board.value === "draw") return "level";
  if (board.value) return board.value === "win" ? board.side : otherSide(board.side);
  return isEstimate(board) ? favoured(board, board.side) : undefined;
}

/** Who wins, to somebody at the board. */
export function headline(board) {
  const side = winner(board);
  if (board.end) return t(side === "level" ? "over.draw" : `over.${side}`);
  if (isEstimate(board)) return t(`verdict.estimate.${side}`, { stones: stones(board.estimate) });
  if (!board.value) return t("verdict.unknown");
  if (board.value === "draw") return t("verdict.draw");
  const count = board.dtw ?? board.within;
  if (typeof count !== "number") return t(`verdict.${side}`);
  return t(`verdict.${side}.${typeof board.dtw === "number" ? "in" : "within"}`, { n: count });
}

/** What else there is to say: why it is over, how far the next capture is, and who says so. */
export function detail(board) {
  if (board.end) return t(`end.${board.end.replace(" ", "-")}`, { n: board.plies });
  const parts = [];
  // A repetition has changed the value: tell both, or the reader believes the tables wrong.
  if (board.alone) parts.push(t("detail.repetition", { value: headline({ ...board.alone, end: null }) }));
  else if (typeof board.dtc === "number") parts.push(t(board.dtc === board.dtw ? "detail.dtc.end" : "detail.dtc", { n: board.dtc }));
  parts.push(t(board.source ? `source.${board.source}${board.value ? "" : ".estimate"}` : "source.none"));
  return parts.join(" · ");
}

/**
 * How good it is for White, from 1 (won) to -1 (lost), for a chart; a win that takes longer counts a little less.
 * Undefined where nothing is known.
 */
export function forWhite(board) {
  const sign = board.side === "white" ? 1 : -1;
  if (board.value === "draw") return 0;
  if (board.value) return (board.value === "win" ? sign : -sign) * (1 - Math.min(plies(board) ?? 30, 100) / 250);
  return isEstimate(board) ? (sign * Math.atan(board.estimate / 200)) / Math.PI : undefined;
}

/** Whether a search would add nothing: all is known, and if it is a win, the way as well. */
export function isSettled(board) {
  const { source, value, dtc, dtw, moves } = board;
  if (source === "rules") return true;
  if (source !== "tables" && source !== "certificate") return false;
  const hasWay = source === "certificate" || value !== "win" || dtc !== null || dtw !== null;
  return hasWay && moves.every((move) => move.value);
}
