// The address of the page: which game, and how it is looked at. A link shows the same board.

import { Game } from "./game.js";
import { View } from "./geometry.js";
import { readRecords, writeRecord } from "./record.js";

/** Longer addresses leave the comments and variations out: servers refuse them. */
const LONGEST = 16000;
export const PLAYERS = ["both", "white", "black", "none"];

/** What an address says. Rules that it names need not exist. */
export function readAddress(search, rules) {
  const query = new URLSearchParams(search);
  const moves = (query.get("moves") ?? "").split(",").map((move) => move.trim()).filter(Boolean);
  const at = Number(query.get("at") ?? "x");
  const game = new Game(query.get("rules") ?? rules, query.get("position")?.trim() || "start");
  const [record] = query.has("game") ? readRecords(query.get("game"), game.rules) : [];
  if (record) {
    game.root = record.game.root;
    game.tags = record.game.tags;
  }
  game.follow(moves, Number.isInteger(at) ? at : moves.length);
  if (!query.has("at")) game.go(moves.length);
  const player = query.get("play");
  return {
    game,
    view: new View(query.get("flip") === "1", query.get("mirror") === "1"),
    player: PLAYERS.includes(player) ? player : "both",
  };
}

/** The address of a game. Spaces, slashes and commas stay readable. */
export function writeAddress(game, view, player) {
  const parts = [["rules", game.rules], ["position", game.first]];
  if (game.line.length) parts.push(["moves", game.moves.join(",")]);
  if (game.at !== game.line.length) parts.push(["at", String(game.at)]);
  if (view.flipped) parts.push(["flip", "1"]);
  if (view.mirrored) parts.push(["mirror", "1"]);
  if (player !== "both") parts.push(["play", player]);
  const short = joined(parts);
  if (!game.isAnnotated()) return short;
  const whole = joined([...parts, ["game", inOneLine(game)]]);
  return whole.length > LONGEST ? short : whole;
}

/** The record without what the rest of the address says. */
function inOneLine(game) {
  const lines = writeRecord(game).split("\n");
  return lines.filter((line) => line && !/^\[(Rules|FEN) |^\[Result "\*"/.test(line)).join(" ");
}

function joined(parts) {
  const readable = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/%2F/g, "/").replace(/%2C/g, ",");
  return "?" + parts.map(([key, value]) => `${key}=${readable(value)}`).join("&");
}
