// What stands beside the board: the verdict, the moves, the game, and the state of the buttons.

import { byId } from "./dom.js";
import { showMoves, showRecord } from "./lists.js";
import { t } from "./texts.js";
import { detail, headline, kind, sign } from "./worth.js";

/** Shows a state of the page. `handlers`: `play(move)`, `point(move or undefined)`, `go(at)`. */
export function showPanel(state, handlers) {
  showVerdict(state);
  const { game, board, player, view, isEdited, withValues, mayMove } = state;
  byId("moves-card").hidden = isEdited;
  showMoves(byId("moves"), mayMove ? board.moves : [], withValues, handlers);
  byId("moves-note").textContent = movesNote(state);
  showRecord(byId("record"), game, handlers.go);
  byId("record-note").textContent = game.moves.length ? "" : t("game.empty");
  byId("main-line").disabled = !board || !!board.end || (board.source !== "tables" && !board.line.length);
  for (const id of ["first", "undo"]) byId(id).disabled = game.at === 0;
  for (const id of ["redo", "last"]) byId(id).disabled = game.at === game.moves.length;
  byId("flip").setAttribute("aria-pressed", view.flipped);
  byId("mirror").setAttribute("aria-pressed", view.mirrored);
  byId("edit").setAttribute("aria-pressed", isEdited);
  byId("rules").value = game.rules;
  byId("player").value = player;
  byId("rules-name").textContent = t(`rules.${game.rules}`);
  byId("rules-about").textContent = t(`rules.${game.rules}.about`);
}

function showVerdict({ game, board, failure, isEdited, withValues }) {
  const badge = byId("verdict-badge");
  const words = byId("headline");
  const isTold = !!board && !failure && (withValues || !!board.end);
  badge.className = `badge big ${isTold ? kind(board) : "unknown"}`;
  badge.textContent = isTold ? sign(board) : failure ? "!" : board ? "?" : "…";
  byId("turn").textContent = board && !failure ? whoseTurn(game, board) : "";
  words.textContent = failure || (isTold ? headline(board) : t(board ? "verdict.hidden" : "loading"));
  // Failures are told in the words of the server.
  words.lang = failure ? "en" : "";
  byId("detail").textContent = isTold && (board.source || !isEdited) ? detail(board) : "";
}

/** The move just played, and who is to move. */
function whoseTurn(game, board) {
  const parts = board.end ? [] : [t(`turn.${board.side}`)];
  const other = board.side === "white" ? "black" : "white";
  if (game.at > 0) parts.unshift(t(`played.${other}`, { move: game.moves[game.at - 1] }));
  return parts.join(" · ");
}

function movesNote({ board, player, mayMove }) {
  if (!board || board.end) return "";
  if (!mayMove && player !== "both") return t("moves.opponent");
  return board.source ? "" : t("moves.searching");
}
