// What the moves of the game were worth: a value after each, and marks for moves that threw something away or were the
// only ones. All values come from the server.

import * as api from "./api.js";
import { isPressed } from "./dom.js";
import { isSettled } from "./worth.js";

/** Milliseconds between two looks at new values. */
const REST = 150;
/** Milliseconds that a search may take for each position that no table reaches. */
const SEARCH = 400;
/** A win that takes so many plies longer than necessary is marked. */
const LONGER = 6;
const RANK = { win: 2, draw: 1, loss: 0 };

/** The mark of the move that led to `node`, as a NAG: 4 `??`, 2 `?`, 1 `!`; undefined where there is nothing to say. */
export function automaticMark(node) {
  const moves = node.parent?.answer?.moves ?? [];
  const played = moves.find((other) => other.move === node.move);
  if (!played?.value) return undefined;
  const known = moves.filter((other) => other.value);
  const best = known.reduce((best, other) => (RANK[other.value] > RANK[best.value] ? other : best));
  if (RANK[played.value] < RANK[best.value]) return 4;
  const distance = (worth) => worth.dtw ?? worth.dtc;
  const shortest = Math.min(...known.filter((other) => other.value === "win").map((other) => distance(other) ?? Infinity));
  if (played.value === "win" && distance(played) - shortest >= LONGER) return 2;
  // Only where all others are known to be worse.
  const isOnly = moves.length > 1 && moves.every((other) => other === played || (other.value && RANK[other.value] < RANK[played.value]));
  return isOnly ? 1 : undefined;
}

/** The marks to show at a node: those that somebody gave, or else what the values say. */
export function marksOf(node) {
  const automatic = node.nags.length ? undefined : automaticMark(node);
  return automatic ? [automatic] : node.nags;
}

/** For each side: its moves, the only moves found, and how often it threw the value away. */
export function summary(game) {
  const sides = { white: { moves: 0, only: 0, blunders: 0 }, black: { moves: 0, only: 0, blunders: 0 } };
  for (const node of game.line) {
    const side = node.parent.answer?.side;
    if (!side) continue;
    const mark = automaticMark(node);
    sides[side].moves += 1;
    sides[side].only += mark === 1;
    sides[side].blunders += mark === 4;
  }
  return sides;
}

/** Looks up the values of a game, move by move, as long as it is the one that is shown. */
export class Review {
  /** `changed()` is called when values have come, but not for each. */
  constructor(changed) {
    this.shown = changed;
    /** Whether to search where no table reaches. */
    this.isDeep = false;
    this.stop = new AbortController();
    this.waiting = undefined;
  }

  cancel() {
    this.stop.abort();
    this.stop = new AbortController();
  }

  changed() {
    this.waiting ??= setTimeout(() => {
      this.waiting = undefined;
      if (isPressed()) this.changed();
      else this.shown();
    }, REST);
  }

  /** Looks up what is not known of `game` yet. */
  async run(game) {
    this.cancel();
    const { signal } = this.stop;
    const nodes = [game.root, ...game.line];
    for (const [ply, node] of nodes.entries()) {
      if (signal.aborted) return;
      if (node.answer && (isSettled(node.answer) || !this.isDeep || node.isSearched)) continue;
      const search = this.isDeep && node.answer ? SEARCH : undefined;
      try {
        let answer = await this.ask(game, ply, search, signal);
        if (this.isDeep && !search && !isSettled(answer)) answer = await this.ask(game, ply, SEARCH, signal);
        // What comes after a move that cannot be played has no value.
        if (signal.aborted || answer.error) return;
        node.answer = answer;
        node.isSearched = this.isDeep;
        game.learn(answer.game);
      } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        return;
      }
      this.changed();
    }
    this.isDeep = false;
    this.changed();
  }

  ask(game, ply, search, signal) {
    return api.board(game.rules, game.first, game.moves.slice(0, ply), { search, signal });
  }
}
