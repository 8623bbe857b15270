// What stands beside the board: the verdict, the moves, the game, and the state of the buttons.

import { byId } from "./dom.js";
import * as failures from "./failure.js";
import { clearMoves, showMoves } from "./moves.js";
import { otherSide } from "./position.js";
import { showRecord } from "./recordview.js";
import { summary } from "./review.js";
import { rulesAbout, rulesName, t } from "./texts.js";
import { detail, headline, kind, sign, winner } from "./worth.js";

/**
 * Shows a state of the page. `handlers`: `play(move)`, `point(move or undefined)`, `why(move)`, `select(node)`.
 */
export function showPanel(state, handlers) {
  showVerdict(state);
  const { game, board, player, view, isEdited, withValues, mayMove, isLookingBack, isTraining, second } = state;
  byId("moves-card").hidden = isEdited;
  byId("game-card").hidden = isEdited;
  if (state.failure && !board) clearMoves(byId("moves"));
  showMoves(byId("moves"), board, mayMove, withValues, handlers);
  byId("moves-title").textContent = t(withValues ? "moves.title" : "moves.plain");
  byId("moves-note").textContent = movesNote(state);
  byId("continue").hidden = !isLookingBack;
  showRecord(byId("record"), game, { second, withValues, select: handlers.select });
  byId("record-tags").textContent = players(game);
  byId("record-summary").textContent = withValues ? summaryNote(game) : "";
  byId("main-line").disabled = !board || isTraining || !!board.end || (board.source !== "tables" && !board.line.length);
  byId("review").disabled = isTraining || !game.line.length;
  for (const id of ["first", "undo"]) byId(id).disabled = game.at === 0;
  for (const id of ["redo", "last"]) byId(id).disabled = game.at === game.line.length;
  for (const id of ["copy-text", "copy-svg", "save-png"]) byId(id).disabled = !state.position;
  byId("flip").setAttribute("aria-pressed", view.flipped);
  byId("mirror").setAttribute("aria-pressed", view.mirrored);
  byId("edit").setAttribute("aria-pressed", isEdited);
  byId("rules").value = game.rules;
  byId("player").value = player;
  byId("play-note").textContent = playNote(state);
  byId("rules-name").textContent = rulesName(game.rules);
  byId("rules-about").textContent = rulesAbout(game.rules);
  document.title = title(state);
}

/** Who played, where, and how it ended, if a record says so. */
function players({ tags }) {
  const names = tags.has("White") || tags.has("Black") ? `${tags.get("White") ?? "?"} – ${tags.get("Black") ?? "?"}` : "";
  return [names, tags.get("Event"), tags.get("Date"), tags.get("Result")].filter(Boolean).join(", ");
}

/** The result, the move just played, and the name of the page. */
function title({ game, board, failure, withValues }) {
  const told = board && !failure && (withValues || board.end) ? headline(board) : "";
  return [told, game.at > 0 && game.node.move, "Alquerque"].filter(Boolean).join(" · ");
}

function showVerdict({ game, board, failure, isEdited, withValues }) {
  const badge = byId("verdict-badge");
  const words = byId("headline");
  const isTold = !!board && !failure && (withValues || !!board.end);
  const side = isTold ? winner(board) : undefined;
  badge.className = `badge big ${isTold ? `${kind(board)} ${side ?? ""}` : "unknown"}`;
  // The stone of the side that wins: a sign for the side to move would turn with every ply.
  badge.textContent = isTold ? (side === "level" ? (board.value ? "=" : "≈") : side ? (board.value ? "+" : "▴") : sign(board)) : failure ? "!" : board ? "?" : "…";
  byId("turn").textContent = board && !failure ? whoseTurn(game, board) : "";
  const failed = failure && failures.words(failure);
  words.textContent = failed?.text ?? (isTold ? headline(board) : t(board ? "verdict.hidden" : "loading"));
  const rest = byId("detail");
  rest.textContent = failed?.detail ?? (isTold && (board.source || !isEdited) ? detail(board) : "");
  // The server's own words are English.
  rest.lang = failed?.detail ? "en" : "";
  byId("retry").hidden = !failure || !failures.isPassing(failure);
}

/** The move just played, and who is to move. */
function whoseTurn(game, board) {
  const parts = board.end ? [] : [t(`turn.${board.side}`)];
  if (game.at > 0) parts.unshift(t(`played.${otherSide(board.side)}`, { move: game.node.move }));
  return parts.join(" · ");
}

function movesNote({ board, isLookingBack, isThinking }) {
  if (!board || board.end) return "";
  if (isLookingBack) return t("moves.back");
  return isThinking ? t("moves.opponent") : "";
}

/** How good the opponent is: perfect where the values are known, and else as good as a search. */
function playNote({ board, player }) {
  if (!board || board.end || player === "both") return "";
  return t(board.value && board.source !== "search" ? "play.note.perfect" : "play.note.search");
}

/** How well both sides have played, as far as the values are known. */
function summaryNote(game) {
  const sides = summary(game);
  const parts = ["white", "black"].filter((side) => sides[side].only || sides[side].blunders).map((side) => {
    const { only, blunders } = sides[side];
    const words = [blunders && t("review.blunders", { n: blunders }), only && t("review.only", { n: only })].filter(Boolean);
    return `${t(`side.${side}`)}: ${words.join(", ")}`;
  });
  return parts.join(" · ");
}
