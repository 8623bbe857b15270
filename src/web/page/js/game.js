// The game on the board: where it began, its moves, and how many of them are played. It is kept in the address.

export class Game {
  constructor(rules, first = "start", moves = [], at = moves.length) {
    this.rules = rules;
    this.first = first;
    this.moves = moves;
    this.at = Math.max(0, Math.min(at, moves.length));
  }

  /** The moves that are played. */
  played() {
    return this.moves.slice(0, this.at);
  }

  /** Plays `move`; what came after is forgotten, unless it is the same. */
  play(move) {
    if (this.moves[this.at] !== move) this.moves = [...this.played(), move];
    this.at += 1;
  }

  /** Replaces what comes after the position on the board. */
  continueWith(moves) {
    this.moves = [...this.played(), ...moves];
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.moves.length));
  }
}

/** What an address says: the game, how it is looked at, and the language. */
export function read(search, known) {
  const query = new URLSearchParams(search);
  const rules = known.includes(query.get("rules")) ? query.get("rules") : known[0];
  const moves = (query.get("moves") ?? "").split(",").filter(Boolean);
  const at = query.has("at") ? Number(query.get("at")) : moves.length;
  return {
    game: new Game(rules, query.get("position") ?? "start", moves, Number.isInteger(at) ? at : moves.length),
    flipped: query.get("flip") === "1",
    mirrored: query.get("mirror") === "1",
    language: query.get("lang"),
    player: query.get("play"),
  };
}

/** The address of a game. Spaces, slashes and commas stay readable. */
export function address(game, view, player) {
  const parts = [["rules", game.rules], ["position", game.first]];
  if (game.moves.length) parts.push(["moves", game.moves.join(",")]);
  if (game.at !== game.moves.length) parts.push(["at", String(game.at)]);
  if (view.flipped) parts.push(["flip", "1"]);
  if (view.mirrored) parts.push(["mirror", "1"]);
  if (player !== "both") parts.push(["play", player]);
  const readable = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/%2F/g, "/").replace(/%2C/g, ",");
  return "?" + parts.map(([key, value]) => `${key}=${readable(value)}`).join("&");
}
