// Tasks for the trainer: positions of the tables with exactly one move that wins, or that draws. Positions are drawn at
// random; what they are worth, the server says.

import * as api from "./api.js";
import { POINTS } from "./geometry.js";
import { textOf } from "./position.js";

/** Positions that the server is asked about at once, and how often. */
const BATCH = 60;
const ROUNDS = 8;
/** Plies to the end of the game, or to the next capture, by level. */
const LEVELS = { easy: [3, 11], middle: [11, 23], hard: [23, Infinity] };
/** The fewest legal moves among which the one is to be found, by level; of draws this is all that there is to grade. */
const CHOICES = { easy: [3, 5], middle: [5, 8], hard: [8, Infinity] };

/** A task: {rules, position, side, value}, or undefined if none was found. `value`: "win" or "draw". */
export async function draw(rules, value, level) {
  const slices = (await api.tables()).filter((slice) => slice.rules === rules && slice[value] && slice.mover + slice.opponent > 2);
  if (!slices.length) return undefined;
  let second;
  for (let round = 0; round < ROUNDS; round += 1) {
    const positions = Array.from({ length: BATCH }, () => atRandom(pick(slices)));
    const answers = await api.batch(rules, positions);
    const tasks = answers.filter((answer) => isTask(answer, value));
    const found = tasks.find((answer) => fits(answer, level));
    second ??= tasks[0];
    if (found) return task(rules, found);
  }
  // Any task is better than none.
  return second && task(rules, second);
}

const task = (rules, { position, value }) => ({ rules, position, side: position.split(" ")[1] === "b" ? "black" : "white", value });

/** Whether exactly one of several moves keeps the value. */
function isTask({ value, moves }, wanted) {
  return value === wanted && moves.length > 2 && moves.every((move) => move.value) && moves.filter((move) => move.value === value).length === 1;
}

function fits({ value, dtc, dtw, moves }, level) {
  const [measure, [least, most]] = value === "win" ? [dtw ?? dtc ?? 0, LEVELS[level]] : [moves.length, CHOICES[level]];
  return measure >= least && measure < most;
}

const pick = (list) => list[Math.floor(Math.random() * list.length)];

/** A placement of the stones of a slice, as text. */
function atRandom({ mover, opponent }) {
  const [side, other] = pick([["white", "black"], ["black", "white"]]);
  const points = [...POINTS];
  const stones = new Map();
  for (let index = 0; index < mover + opponent; index += 1) {
    const [point] = points.splice(Math.floor(Math.random() * points.length), 1);
    stones.set(point, index < mover ? side : other);
  }
  return `${textOf(stones)} ${side === "white" ? "w" : "b"}`;
}
