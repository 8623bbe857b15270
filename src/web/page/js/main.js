// The page: what happens when.

import { readAddress, writeAddress } from "./address.js";
import * as api from "./api.js";
import { Autoplay } from "./autoplay.js";
import { bestLine } from "./bestline.js";
import { BoardView } from "./boardview.js";
import { Chart } from "./chart.js";
import { byId, element } from "./dom.js";
import { Editing } from "./editing.js";
import { Entry } from "./entry.js";
import { sentence } from "./failure.js";
import * as files from "./files.js";
import { Game } from "./game.js";
import { View } from "./geometry.js";
import * as keys from "./keys.js";
import * as openings from "./openings.js";
import { Notes } from "./notes.js";
import { showPanel } from "./panel.js";
import { sideOf, stonesOf, stonesOn } from "./position.js";
import { Review } from "./review.js";
import { share, SHARED } from "./share.js";
import * as tables from "./tables.js";
import * as texts from "./texts.js";
import { Trainer } from "./trainer.js";
import { WhyNot } from "./whynot.js";
import { isSettled, kind, ofMove, short, sign } from "./worth.js";

const { t } = texts;
/** Milliseconds that a search may take where no table reaches. */
const SEARCH = 1500;
/** Milliseconds that a position must stay on the board before a search begins. */
const REST = 150;
/** Milliseconds that the opponent seems to think. */
const PAUSE = 450;

let ruleSets = [];
let game;
let player = "both";
/** What the server says about the game; undefined while it has not answered. */
let board;
/** The stones that were drawn last: they stay while nothing better is known. */
let stones = new Map();
let entry = new Entry();
/** Why the server gave no answer; undefined if it did. */
let failure;
/** Whether a move is being played, so that no other can be begun. */
let busy = false;
/** Counts what was asked for, so that late answers can be told. */
let turn = 0;
/** Stops the questions to the server that the position on the board has raised. */
let asking = new AbortController();
/** Games by rules and first position, so that going back in the browser loses nothing. */
const seen = new Map();

const view = new BoardView(byId("board"), "", {
  activate: press,
  canDrag: (point) => {
    if (editor.draft) return editor.draft.stones.has(point);
    if (!mayMove()) return false;
    return entry.isUnderWay() ? entry.path.at(-1) === point : entry.sources().has(point);
  },
  lift: (point) => {
    if (!editor.draft && !entry.isUnderWay() && entry.path[0] !== point) {
      entry.cancel();
      entry.choose(point);
      render();
    }
  },
  drag: (from, to) => {
    if (editor.draft) editor.move(from, to);
    else if (to && to !== from && (entry.targets().has(to) || entry.endsOn(to))) press(to, true);
    else render();
  },
  swipe: (by) => {
    if (!editor.draft && !busy) step(by);
  },
  label: (point) => {
    const stone = shownStones().get(point);
    const parts = [point, t(stone ? `stone.${stone}` : "stone.none")];
    const target = entry.targets().get(point);
    const source = entry.path.length ? undefined : entry.sources().get(point);
    const worth = (move) => ({ worth: ofMove(move, board.side) });
    if (entry.path.at(-1) === point) parts.push(t("stone.chosen"));
    else if (target) parts.push(valuesShown() ? t("stone.target.worth", worth(target)) : t("stone.target"));
    else if (source && mayMove()) parts.push(valuesShown() ? t("stone.source.worth", worth(source)) : t("stone.source"));
    return parts.join(", ");
  },
});
const editor = new Editing({
  game: () => game,
  board: () => board,
  stones: () => stones,
  pause: () => {
    const mine = ++turn;
    asking.abort();
    entry = new Entry();
    return () => mine === turn;
  },
  show: (edited, push) => {
    game = edited;
    return update({ push });
  },
  restore: (known) => {
    game = known;
    arrive();
  },
  close: closeEditor,
  fail,
  render: () => render(),
  update: () => update(),
});
const chart = new Chart(byId("chart"), (at) => go(at, { push: false }));
const review = new Review(() => showGame());
const whyNot = new WhyNot((moves) => {
  game.addAside(moves);
  writeDown();
  review.run(game);
  render();
});
const notes = new Notes(() => game, (moved) => {
  if (moved) update();
  else {
    writeDown();
    render();
  }
});
const autoplay = new Autoplay(() => {
  if (editor.draft || game.at >= game.line.length) return false;
  go(game.at + 1, { push: false });
  return true;
});

const trainer = new Trainer({
  open: (other, side) => {
    player = side;
    open(other);
  },
  rules: () => game.rules,
  render: () => render(),
  leave: () => {
    player = "both";
    update();
  },
});

const valuesShown = () => byId("show-values").checked && !trainer.isAsking;
const ruleSet = () => ruleSets.find((set) => set.name === game.rules);
const isOpponent = () => !!board && !board.end && player !== "both" && player !== board.side;
const mayMove = () => !!board && !busy && !isOpponent();
/** Whether it is the opponent's turn in the middle of the game, where he does not go on by himself. */
const isLookingBack = () => isOpponent() && game.at < game.line.length;

/** The stones as they are to be drawn: those of the draft, or of the position with a chain under way. */
function shownStones() {
  if (editor.draft) return editor.draft.stones;
  if (!entry.isUnderWay()) return stones;
  const moved = new Map(stones);
  const side = moved.get(entry.path[0]);
  moved.delete(entry.path[0]);
  for (const point of entry.captured()) moved.delete(point);
  moved.set(entry.path.at(-1), side);
  return moved;
}

const lastPath = () => (game.at > 0 ? game.node.move.split(/[-x]/) : []);

function marks() {
  if (editor.draft || !mayMove()) return [];
  const points = entry.path.length ? entry.targets() : entry.sources();
  const small = entry.path.length === 0;
  return [...points].map(([point, move]) => {
    if (!valuesShown()) return small ? undefined : { point, kind: "plain", text: "•", small };
    if (small && kind(move) === "unknown") return undefined;
    const known = kind(move) !== "unknown";
    return { point, kind: kind(move), text: small ? sign(move) : known ? short(move) : "•", small };
  }).filter(Boolean);
}

function render() {
  const draft = editor.draft;
  const isUnderWay = !draft && entry.isUnderWay();
  view.show({
    stones: shownStones(),
    forbidden: draft ? [...draft.forbidden] : board?.forbidden ?? [],
    last: draft || entry.path.length ? [] : lastPath(),
    selected: entry.path.at(-1),
    marks: marks(),
    active: new Set(draft ? [] : mayMove() ? [...entry.sources().keys(), ...entry.targets().keys()] : []),
  });
  byId("chain").hidden = !isUnderWay;
  showGame();
  if (draft) editor.card.show(ruleSet(), failure ? sentence(failure) : "");
}

/** Shows all but the board. */
function showGame() {
  showPanel({
    game, board, player, view: view.view, failure, isEdited: !!editor.draft, withValues: valuesShown(), mayMove: mayMove(),
    isLookingBack: isLookingBack(), isThinking: isOpponent(), isTraining: trainer.isAsking, second: isSecond(), position: position(),
  }, {
    play: (move) => {
      if (!mayMove()) return;
      entry.cancel();
      render();
      play(move);
    },
    point: (move) => view.hint(move?.path, move && valuesShown() ? kind(move) : "plain"),
    why: (move) => whyNot.ask(game, board, move),
    select: (node) => select(node),
  });
  trainer.show();
  chart.show(game, valuesShown());
  notes.show();
  byId("review").setAttribute("aria-pressed", review.isDeep);
}

/** The text of the position on the board, if it is known. */
const position = () => board?.position ?? game.node.position;

/** Whether the side that moves second under the rules began the game. */
function isSecond() {
  const first = ruleSet()?.first;
  const [start] = [game.root.answer?.side, game.first !== "start" && sideOf(game.first)].filter(Boolean);
  return !!first && !!start && start !== first;
}

/** Puts the game into the address; `push` makes it a step that the browser can go back from. */
function writeDown(push = false) {
  seen.set(`${game.rules} ${game.first}`, game);
  const address = writeAddress(game, view.view, player);
  if (address !== location.search) history[push ? "pushState" : "replaceState"](null, "", address);
}

/** Asks about the game on the board and shows the answer; searches where no table reaches. */
async function update({ push = false } = {}) {
  const mine = ++turn;
  asking.abort();
  asking = new AbortController();
  review.cancel();
  whyNot.close();
  writeDown(push);
  const { signal } = asking;
  const shown = game;
  try {
    if (!game.node.answer) await ask(mine, undefined, signal);
    else accept(game.node.answer);
    if (mine !== turn) return;
    const { node } = game;
    if (!editor.draft && !isSettled(node.answer) && !node.isSearched) {
      await new Promise((resolve) => setTimeout(resolve, REST));
      if (mine !== turn) return;
      await ask(mine, SEARCH, signal);
      if (mine !== turn) return;
      node.isSearched = true;
    }
  } catch (error) {
    if (!(error instanceof api.ApiError)) throw error;
    if (mine === turn && !error.isAborted) fail(error);
    return;
  }
  answerBack(mine);
  if (!editor.draft && shown.line.length) review.run(shown);
}

async function ask(mine, search, signal) {
  const answer = await api.board(game.rules, game.first, game.played(), { search, signal });
  if (mine !== turn) return;
  const { path } = entry;
  const wrong = answer.error && game.line[answer.game.length];
  // A move that cannot be played is told, and leaves the game. Those before it are on the board.
  if (wrong) game.remove(wrong);
  game.node.answer = answer;
  accept(answer);
  if (wrong) writeDown();
  if (search && path.length) {
    entry.path = path;
    render();
  }
}

function accept(answer) {
  busy = false;
  failure = answer.error ? new api.ApiError(answer.error.error, answer.error.code) : undefined;
  // It is told once.
  answer.error = null;
  game.learn(answer.game);
  board = answer;
  stones = stonesOn(answer);
  entry = new Entry(editor.draft ? [] : board.moves);
  trainer.ended(board);
  render();
  ready();
}

/** Tells of a failure. What is on the board stays. */
function fail(error) {
  busy = false;
  failure = error;
  if (!editor.draft) {
    board = undefined;
    if (game.node.position) stones = stonesOf(game.node.position);
  }
  entry = new Entry();
  render();
  ready();
}

/** Notes when the page can be used first. */
function ready() {
  const { dataset } = document.documentElement;
  if (!dataset.ready) performance.mark("usable");
  dataset.ready = "true";
}

/** Lets the opponent play, if it is his turn at the end of the game. */
function answerBack(mine) {
  if (editor.draft || !isOpponent() || game.at !== game.line.length) return;
  const [best] = board.moves;
  setTimeout(() => {
    if (mine === turn) play(best, { push: false });
  }, PAUSE);
}

/** A point was clicked, or a stone dropped on it, which then is there already. */
async function press(point, dropped = false) {
  if (editor.draft) {
    editor.press(point);
    return;
  }
  if (!mayMove()) return;
  const entered = entry.path.length;
  const move = entry.choose(point);
  if (move) {
    const isAtEnd = dropped && move.path.length > entered + 1;
    await play(move, { entered, dropped, isAtEnd });
  } else {
    if (entry.path.length > Math.max(1, entered) && !dropped) {
      await view.travel(entry.path.slice(entered - 1), entry.captured().slice(entered - 1));
    }
    render();
  }
}

/** Plays `move`; the stone is at the last of the first `entered` points of its path already, or `isAtEnd`. */
async function play(move, { entered = 1, dropped = false, isAtEnd = false, push = true } = {}) {
  const mine = ++turn;
  busy = true;
  entry.cancel();
  if (!isAtEnd) await view.travel(move.path.slice(Math.max(0, entered - 1)), move.captured.slice(Math.max(0, entered - 1)), dropped);
  if (mine !== turn) return;
  trainer.moved(board, move.move);
  game.play(move.move);
  game.node.position ??= move.position;
  await arrive({ push });
}

/** Shows the position that the game has come to, at first without an answer. */
async function arrive(how) {
  if (!game.node.answer) {
    board = undefined;
    if (game.node.position) stones = stonesOf(game.node.position);
  }
  await update(how);
}

/** Goes to the position after `at` moves of the line, showing a single step as a move. */
async function go(at, { push = true } = {}) {
  closeEditor();
  const mine = ++turn;
  entry.cancel();
  const move = at === game.at + 1 && game.node.answer === board ? game.line[game.at]?.move : undefined;
  const known = board?.moves.find((other) => other.move === move);
  // At once, so that the next step begins from there even while the stone is on its way.
  game.go(at);
  if (known) await view.travel(known.path, known.captured);
  if (mine !== turn) return;
  arrive({ push });
}

/** Goes to a move of the record. */
function select(node) {
  autoplay.stop();
  if (node.parent === game.node && game.line.includes(node)) {
    go(game.at + 1);
    return;
  }
  entry.cancel();
  game.select(node);
  arrive({ push: true });
}

/** One step; against an opponent a step back is one to one's own last move. */
function step(by) {
  const alone = player === "both" || player === "none";
  const back = !alone && by < 0 && !isOpponent() ? -2 : by;
  if (by < 0 && player === "none") player = "both";
  autoplay.stop();
  if (!alone && by > 0 && game.at + 1 < game.line.length) go(game.at + 2);
  else if (game.at + back !== game.at) go(Math.max(0, game.at + back));
}

function turnBoard(flip, mirror) {
  const { flipped, mirrored } = view.view;
  view.setView(new View(flip ? !flipped : flipped, mirror ? !mirrored : mirrored));
  writeDown();
  render();
}

/** Shows another game. */
async function open(other) {
  autoplay.stop();
  closeEditor();
  entry.cancel();
  game = other;
  board = undefined;
  failure = undefined;
  await update({ push: true });
}

function toggleEditor() {
  if (editor.draft) editor.finish();
  else if (ruleSet()) {
    autoplay.stop();
    editor.open();
  }
}

function closeEditor() {
  if (!editor.draft) return;
  editor.close();
  if (failure) failure = undefined;
}

async function mainLine() {
  const mine = turn;
  const note = byId("record-note");
  try {
    const { moves, note: words } = await bestLine(game.rules, board);
    if (mine !== turn) return;
    note.textContent = words;
    if (!moves.length) return;
    game.continueWith(moves);
    player = "both";
    writeDown();
    render();
    review.run(game);
    byId("redo").focus();
  } catch (error) {
    note.textContent = sentence(error);
  }
}

/** Changes the rules; the stones stay where they are, if they are not at the start. */
function changeRules(rules) {
  const atStart = game.first === "start" && game.at === 0;
  const text = atStart || !position() ? "start" : position().split(" ").slice(0, 2).join(" ");
  open(new Game(rules, text));
}

/** Takes the game from the address. */
function take(search) {
  const found = readAddress(search, ruleSets[0].name);
  const known = seen.get(`${found.game.rules} ${found.game.first}`);
  if (known) known.merge(found.game);
  game = known ?? found.game;
  player = found.player;
  view.setView(found.view);
  autoplay.stop();
  closeEditor();
  entry.cancel();
  if (!ruleSet()) {
    fail(new api.ApiError(t("error.rules", { rules: game.rules }), "not_found"));
    return;
  }
  arrive();
}

function relabel() {
  view.setLabel(t("board.label"));
  autoplay.show();
  trainer.show();
  byId("rules").replaceChildren(...ruleSets.map((set) => element("option", { value: set.name }, texts.rulesName(set.name))));
}

function listen() {
  const click = (id, action) => byId(id).addEventListener("click", action);
  const actions = {
    first: () => go(0),
    back: () => step(-1),
    forward: () => step(1),
    last: () => go(game.line.length),
    best: () => mayMove() && board.moves.length && play(board.moves[0]),
    autoplay: () => autoplay.toggle(),
    line: () => byId("main-line").click(),
    cancel: () => {
      editor.cancel();
      entry.cancel();
      render();
    },
    flip: () => turnBoard(true, false),
    mirror: () => turnBoard(false, true),
    values: () => byId("show-values").click(),
    edit: toggleEditor,
    notes: () => {
      byId("notes").open = true;
      byId("notes-comment").focus();
    },
    board: () => view.focus(),
    trainer: () => byId("open-trainer").click(),
    openings: () => byId("open-openings").click(),
    help: keys.help,
  };
  keys.listen(actions);
  click("skip", (event) => {
    event.preventDefault();
    view.focus();
  });
  click("first", actions.first);
  click("undo", actions.back);
  click("redo", actions.forward);
  click("last", actions.last);
  click("flip", actions.flip);
  click("mirror", actions.mirror);
  click("edit", toggleEditor);
  click("open-help", keys.help);
  click("chain-cancel", actions.cancel);
  click("main-line", mainLine);
  click("retry", () => update());
  click("continue", () => {
    const [best] = board.moves;
    if (best) play(best);
  });
  click("review", () => {
    review.isDeep = !review.isDeep;
    review.run(game);
    showGame();
  });
  for (const what of SHARED) {
    click(what, async () => {
      byId("share-note").textContent = await share(what, { game, position: position(), second: isSecond() });
    });
  }
  click("open-tables", () => tables.open({
    name: texts.rulesName,
    visit: (rules, position) => {
      player = "both";
      open(new Game(rules, position));
    },
  }));
  click("open-openings", () => openings.open(game.rules, (moves) => {
    player = "both";
    open(new Game(game.rules, "start", moves));
  }));
  for (const button of document.querySelectorAll("[data-close]")) {
    button.addEventListener("click", () => button.closest("dialog").close());
  }
  files.listen({
    rules: () => game.rules,
    open: (record, fault) => {
      player = "both";
      open(record);
      byId("share-note").textContent = t(fault ? "records.fault" : "records.opened", { fault, n: record.root.rest().length });
    },
    position: (text) => open(new Game(game.rules, text)),
    fail: (key) => {
      byId("share-note").textContent = t(key);
    },
  });
  byId("show-values").addEventListener("change", render);
  byId("rules").addEventListener("change", (event) => changeRules(event.target.value));
  byId("player").addEventListener("change", (event) => {
    player = event.target.value;
    update();
  });
  byId("language").addEventListener("change", async (event) => {
    await texts.choose(event.target.value);
    relabel();
    render();
  });
  window.addEventListener("popstate", () => take(location.search));
  window.addEventListener("online", () => {
    if (failure?.code === "unreachable") update();
  });
}

async function begin() {
  const asked = new URLSearchParams(location.search).get("lang");
  const [languages, sets] = await Promise.all([texts.begin(asked), api.rules()]);
  ruleSets = sets;
  byId("language").replaceChildren(...languages.map(([code, name]) => element("option", { value: code, lang: code }, name)));
  byId("language").value = texts.current();
  relabel();
  listen();
  take(location.search);
}

begin().catch((error) => {
  byId("headline").textContent = t("error.unreachable");
  byId("retry").textContent = t("error.retry");
  byId("retry").hidden = false;
  byId("retry").onclick = () => location.reload();
  ready();
  throw error;
});
