// Tasks for the trainer: positions of the tables with exactly one move that wins, or that draws.

import * as api from "./api.js";
import { sideOf } from "./position.js";

/** Slices that are tried before the wish counts as one that cannot be met. */
const TRIES = 12;
/** Plies to the end of the game, or to the next capture, by level. */
const LEVELS = { easy: [3, 11], middle: [11, 23], hard: [23, undefined] };
/** Seeds are below this. */
const SEEDS = 2 ** 32;

/** A task: {rules, position, side, value}, or undefined if none was found. `value`: "win" or "draw". */
export async function draw(rules, value, level) {
  const [least, most] = value === "win" ? LEVELS[level] : [];
  const slices = (await api.tables()).filter((slice) => slice.rules === rules && slice[value] && slice.mover + slice.opponent > 2
    && (slice.max_dtw_win ?? slice.max_dtc_win ?? Infinity) >= (least ?? 0));
  for (const slice of shuffled(graded(slices, value, level)).slice(0, TRIES)) {
    try {
      const seed = Math.floor(Math.random() * SEEDS);
      const { position } = await api.exercise(rules, { material: slice.material, goal: value, least, most, seed });
      return { rules, position, value, side: sideOf(position) };
    } catch (error) {
      if (error.code !== "not_found") throw error;
    }
  }
  return undefined;
}

/** The slices for a level. Draws have no distance: the more stones, the harder. */
function graded(slices, value, level) {
  if (value === "win") return slices;
  const sorted = slices.toSorted((one, other) => one.mover + one.opponent - other.mover - other.opponent);
  const third = Math.ceil(sorted.length / 3);
  const from = { easy: 0, middle: third, hard: 2 * third }[level];
  return sorted.slice(Math.min(from, sorted.length - 1), from + third);
}

/** The list in another order. */
function shuffled(list) {
  const keys = new Map(list.map((item) => [item, Math.random()]));
  return list.toSorted((one, other) => keys.get(one) - keys.get(other));
}
