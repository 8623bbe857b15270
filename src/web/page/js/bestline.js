// Best play from a position, and why it ends where it does.

import * as api from "./api.js";
import { t } from "./texts.js";

/** The moves of best play after `board`, from the tables or as the search or the certificate goes, and a note. */
export async function bestLine(rules, board) {
  const isExact = board.source === "tables";
  const { moves, end } = isExact ? await api.line(rules, board.position) : { moves: board.line, end: board.source };
  return { moves: moves.map(({ move }) => move), note: note(moves.length, end) };
}

function note(length, end) {
  if (!length) return t("line.none");
  return end === "game over" ? "" : t(`line.${end.replace(" ", "-")}`, { n: length });
}
