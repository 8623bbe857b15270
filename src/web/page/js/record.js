// Game records as text, close to PGN: tags in brackets, numbered moves, comments in braces, variations in
// parentheses, marks as NAGs. Whether the moves are legal, the server says.

import { Game } from "./game.js";

const RESULTS = ["1-0", "0-1", "1/2-1/2", "*"];
const MARKS = ["", "!", "?", "!!", "??", "!?", "?!"];
const WIDTH = 80;
/** The most moves of a record, all variations counted. */
const MOST = 5000;
const DEPTH = 64;

const TOKEN = new RegExp([
  String.raw`\[\s*(?<name>\w+)\s+"(?<value>(?:\\.|[^"\\])*)"\s*\]`,
  String.raw`\{(?<comment>[^}]*)\}`,
  String.raw`;(?<rest>[^\n]*)`,
  String.raw`(?<open>\()`,
  String.raw`(?<close>\))`,
  String.raw`\$(?<nag>\d{1,3})`,
  String.raw`(?<result>1-0|0-1|1\/2-1\/2|½-½|\*)(?=$|[\s)])`,
  String.raw`(?<number>\d+\s*\.+|\.+)`,
  String.raw`(?<move>[a-e][1-5](?:[-x:][a-e][1-5])+)`,
  String.raw`(?<mark>[!?]{1,2})`,
  String.raw`(?<other>[^\s,(){};\[\]]+|.)`,
].join("|"), "giy");

/** The sign of a mark by its number; numbers without one keep their number. */
export const markSign = (nag) => MARKS[nag] ?? (nag === 7 ? "□" : `$${nag}`);

/**
 * The games of a text: {game, fault}. `fault` tells what could not be read and where; what came before it is in the
 * game. Games without a `Rules` tag are of `rules`.
 */
export function readRecords(text, rules) {
  const games = [];
  let reader;
  for (const token of tokens(text)) {
    const isTag = token.name !== undefined;
    if (!reader || (isTag && reader.hasMoves) || (reader.isOver && !isTag)) {
      reader = new Reader(rules);
      games.push(reader);
    }
    reader.take(token);
  }
  return games.map(({ game, fault }) => {
    game.follow([], 0);
    return { game, fault };
  });
}

function* tokens(text) {
  const spaces = /[\s,]*/y;
  for (let at = 0; ;) {
    spaces.lastIndex = at;
    spaces.exec(text);
    at = spaces.lastIndex;
    if (at >= text.length) return;
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    at = TOKEN.lastIndex;
    yield found.groups;
  }
}

/** Puts a game together, token by token. */
class Reader {
  constructor(rules) {
    this.game = new Game(rules);
    this.fault = "";
    this.node = this.game.root;
    this.stack = [];
    this.count = 0;
    this.hasMoves = false;
    this.isOver = false;
  }

  take({ name, value, comment, rest, open, close, nag, result, number, move, mark, other }) {
    if (name !== undefined) return this.tag(name, value.replace(/\\(.)/g, "$1"));
    this.hasMoves = true;
    if (this.fault) {
      // The rest of a game that could not be read is passed over.
      if (result) this.isOver = true;
      return undefined;
    }
    if (comment !== undefined || rest !== undefined) {
      const words = (comment ?? rest).trim().replace(/\s+/g, " ");
      this.node.comment = [this.node.comment, words].filter(Boolean).join(" ");
    } else if (open) {
      if (!this.node.parent || this.stack.length >= DEPTH) this.fault = "(";
      else {
        this.stack.push(this.node);
        this.node = this.node.parent;
      }
    } else if (close) {
      if (this.stack.length) this.node = this.stack.pop();
      else this.fault = ")";
    } else if (nag || mark) {
      const given = nag ? Number(nag) : MARKS.indexOf(mark);
      if (given > 0 && this.node.parent && !this.node.nags.includes(given)) this.node.nags.push(given);
    } else if (result) {
      if (!this.stack.length) {
        this.isOver = true;
        if (result !== "*" && !this.game.tags.has("Result")) this.game.tags.set("Result", result === "½-½" ? "1/2-1/2" : result);
      }
    } else if (move) {
      this.count += 1;
      if (this.count > MOST) this.fault = move;
      else this.node = this.node.after(move.toLowerCase().replaceAll(":", "x"));
    } else if (other) this.fault = other.slice(0, 40);
    return number;
  }

  tag(name, value) {
    if (name === "Rules") this.game.rules = value.toLowerCase();
    else if (name === "FEN") this.game.first = value;
    else if (name !== "SetUp" && !(name === "Result" && value === "*")) this.game.tags.set(name, value);
  }
}

/**
 * A game as text. `second` tells whether the side that moves second under the rules begins, `marks` the NAGs of a node.
 */
export function writeRecord(game, second = false, marks = (node) => node.nags) {
  const result = game.tags.get("Result") ?? "*";
  const tags = [...game.tags].filter(([name]) => name !== "Result");
  tags.push(["Rules", game.rules]);
  if (game.first !== "start") tags.push(["FEN", game.first]);
  tags.push(["Result", result]);
  const head = tags.map(([name, value]) => `[${name} "${value.replace(/[\r\n]+/g, " ").replace(/["\\]/g, "\\$&")}"]`);
  const words = [...comments(game.root), ...moveText(game.root, second ? 1 : 0, marks), RESULTS.includes(result) ? result : "*"];
  return `${head.join("\n")}\n\n${wrapped(words)}\n`;
}

/** The words of all that follows `node`; `ply` is that of its children. */
function moveText(node, ply, marks) {
  const words = [];
  let needsNumber = true;
  for (let parent = node; parent.children.length; parent = parent.children[0], ply += 1) {
    const [main, ...others] = parent.children;
    words.push(...one(main, ply, needsNumber, marks));
    for (const other of others) {
      const inner = [...one(other, ply, true, marks), ...moveText(other, ply + 1, marks)];
      inner[0] = `(${inner[0]}`;
      words.push(...inner.slice(0, -1), `${inner.at(-1)})`);
    }
    needsNumber = others.length > 0 || !!main.comment;
  }
  return words;
}

function one(node, ply, needsNumber, marks) {
  const number = ply % 2 === 0 ? [`${ply / 2 + 1}.`] : needsNumber ? [`${(ply - 1) / 2 + 1}...`] : [];
  return [...number, node.move, ...marks(node).map((nag) => `$${nag}`), ...comments(node)];
}

const comments = (node) => (node.comment ? `{${node.comment.replaceAll("}", ")")}}`.split(/\s+/) : []);

function wrapped(words) {
  const lines = [""];
  for (const word of words) {
    const line = lines.at(-1);
    if (line && line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.join("\n");
}
