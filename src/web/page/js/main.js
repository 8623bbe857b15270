// The page: what happens when.

import * as api from "./api.js";
import { BoardView } from "./boardview.js";
import { byId, element } from "./dom.js";
import { Draft, EditorCard } from "./editor.js";
import { Entry } from "./entry.js";
import { address, Game, read } from "./game.js";
import { View } from "./geometry.js";
import { showPanel } from "./panel.js";
import { copy } from "./share.js";
import * as tables from "./tables.js";
import * as texts from "./texts.js";
import { kind, ofMove, short, sign } from "./worth.js";

const { t } = texts;
/** Milliseconds that a search may take where no table reaches. */
const SEARCH = 1500;
/** Milliseconds that the opponent seems to think. */
const PAUSE = 450;

let ruleSets = [];
let game;
let player = "both";
/** What the server says about the game; undefined while it has not answered. */
let board;
let entry = new Entry();
let failure = "";
/** Whether a move is being played, so that no other can be begun. */
let busy = false;
/** Counts what was asked for, so that late answers can be told. */
let turn = 0;

const view = new BoardView(byId("board"), "", {
  activate: press,
  cancel: () => {
    entry.cancel();
    render();
  },
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
    if (editor.draft) {
      editor.draft.move(from, to);
      edited();
    } else if (to && to !== from && entry.targets().has(to)) press(to, true);
    else render();
  },
  key: (key) => {
    const action = { u: () => step(-1), r: () => step(1), f: () => turnBoard(true, false), m: () => turnBoard(false, true) }[key];
    action?.();
    return action !== undefined;
  },
  label: (point) => {
    const stone = shownStones().get(point);
    const parts = [point, t(stone ? `stone.${stone}` : "stone.none")];
    const target = entry.targets().get(point);
    const source = entry.path.length ? undefined : entry.sources().get(point);
    if (entry.path.at(-1) === point) parts.push(t("stone.chosen"));
    else if (target) parts.push(valuesShown() ? t("stone.target.worth", { worth: ofMove(target) }) : t("stone.target"));
    else if (source && mayMove()) parts.push(valuesShown() ? t("stone.source.worth", { worth: ofMove(source) }) : t("stone.source"));
    return parts.join(", ");
  },
});
const editor = new EditorCard({
  changed: edited,
  text: (text) => setUp(text, true),
  start: () => setUp("start", true),
  done: closeEditor,
});

const valuesShown = () => byId("show-values").checked;
const ruleSet = () => ruleSets.find((set) => set.name === game.rules);
const mayMove = () => !!board && !busy && (player === "both" || player === board.side);

/** The stones as they are to be drawn: those of the draft, or of the position with a chain under way. */
function shownStones() {
  if (editor.draft) return editor.draft.stones;
  const stones = new Map(board ? [...board.white.map((point) => [point, "white"]), ...board.black.map((point) => [point, "black"])] : []);
  if (entry.isUnderWay()) {
    const side = stones.get(entry.path[0]);
    stones.delete(entry.path[0]);
    for (const point of entry.captured()) stones.delete(point);
    stones.set(entry.path.at(-1), side);
  }
  return stones;
}

const lastPath = () => (game.at > 0 ? game.moves[game.at - 1].split(/[-x]/) : []);

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
  view.show({
    stones: shownStones(),
    forbidden: draft ? [...draft.forbidden] : board?.forbidden ?? [],
    last: draft || entry.path.length ? [] : lastPath(),
    selected: entry.path.at(-1),
    marks: marks(),
    active: new Set(draft ? [] : mayMove() ? [...entry.sources().keys(), ...entry.targets().keys()] : []),
  });
  showPanel({ game, board, player, view: view.view, failure, isEdited: !!draft, withValues: valuesShown(), mayMove: mayMove() }, {
    play: (move) => {
      entry.cancel();
      render();
      play(move);
    },
    point: (move) => view.hint(move?.path, move && valuesShown() ? kind(move) : "plain"),
    go,
  });
  if (draft) editor.show(ruleSet(), failure);
}

/** Whether a search would add nothing: all is known, and if it is a win, the way as well. */
function isSettled({ source, value, dtc, dtw }) {
  return source === "rules" || source === "certificate" || (source === "tables" && (value !== "win" || dtc !== null || dtw !== null));
}

/** Asks about the game on the board and shows the answer; searches where no table reaches. */
async function update({ push = false } = {}) {
  const mine = ++turn;
  const url = address(game, view.view, player);
  if (url !== location.search) history[push ? "pushState" : "replaceState"](null, "", url);
  for (const search of [undefined, SEARCH]) {
    try {
      const answer = await api.board(game.rules, game.first, game.played(), search);
      if (mine !== turn) return;
      busy = false;
      board = answer;
      failure = "";
      const path = entry.path;
      entry = new Entry(editor.draft ? [] : board.moves);
      if (search) entry.path = path;
    } catch (error) {
      if (mine !== turn) return;
      busy = false;
      failure = error.message || t("error.unreachable");
      if (!editor.draft) board = undefined;
      entry = new Entry();
    }
    render();
    ready();
    if (failure || editor.draft || isSettled(board)) break;
  }
  if (!failure) answerBack(mine);
}

/** Notes when the page can be used first. */
function ready() {
  const { dataset } = document.documentElement;
  if (!dataset.ready) performance.mark("usable");
  dataset.ready = "true";
}

/** Lets the perfect side play, if it is its turn. */
function answerBack(mine) {
  if (editor.draft || board.end || mayMove() || game.at !== game.moves.length) return;
  const best = board.moves[0];
  setTimeout(() => {
    if (mine === turn) play(best);
  }, PAUSE);
}

/** A point was clicked, or a stone dropped on it, which then is there already. */
async function press(point, dropped = false) {
  if (editor.draft) {
    editor.apply(point, board?.forbiddable ?? []);
    edited();
    return;
  }
  if (!mayMove()) return;
  const entered = entry.path.length;
  const move = entry.choose(point);
  if (move) {
    await play(move, entered, dropped);
  } else {
    if (entry.isUnderWay() && !dropped) await view.travel(entry.path.slice(-2), entry.captured().slice(-1));
    render();
  }
}

/** Plays `move`; the stone is at the last of the first `entered` points of its path already. */
async function play(move, entered = 1, dropped = false) {
  const mine = ++turn;
  busy = true;
  entry.cancel();
  await view.travel(move.path.slice(entered - 1), move.captured.slice(entered - 1), dropped);
  if (mine !== turn) return;
  game.play(move.move);
  await update();
}

/** Goes to the position after `at` moves, showing a single step as a move. */
async function go(at) {
  closeEditor(false);
  const mine = ++turn;
  entry.cancel();
  const move = at === game.at + 1 ? game.moves[game.at] : undefined;
  const known = board?.moves.find((other) => other.move === move);
  if (known) await view.travel(known.path, known.captured);
  if (mine !== turn) return;
  game.go(at);
  update();
}

/** One step; against an opponent a step back is one to one's own last move. */
function step(by) {
  const alone = player === "both" || player === "none";
  const back = !alone && by < 0 && mayMove() ? -2 : by;
  if (by < 0 && player === "none") player = "both";
  if (!alone && by > 0 && game.at + 1 < game.moves.length) go(game.at + 2);
  else go(game.at + back);
}

function turnBoard(flip, mirror) {
  const { flipped, mirrored } = view.view;
  view.setView(new View(flip ? !flipped : flipped, mirror ? !mirrored : mirrored));
  history.replaceState(null, "", address(game, view.view, player));
  render();
}

/** Begins a new game from `text`. */
async function setUp(text, inEditor = false) {
  game = new Game(game.rules, text);
  await update({ push: true });
  if (inEditor && !failure) {
    editor.open(new Draft(board));
    entry = new Entry();
    render();
  }
}

function edited() {
  game = new Game(game.rules, editor.draft.text());
  update();
}

function closeEditor(again = true) {
  if (!editor.draft) return;
  editor.close();
  if (again) update();
}

async function mainLine() {
  const mine = turn;
  try {
    const moves = board.source === "tables" ? (await api.line(game.rules, board.position)).moves : board.line;
    if (mine !== turn || !moves.length) return;
    game.continueWith(moves.map(({ move }) => move));
    player = "both";
    history.replaceState(null, "", address(game, view.view, player));
    render();
    byId("redo").focus();
  } catch (error) {
    byId("record-note").textContent = error.message || t("error.unreachable");
  }
}

/** Changes the rules; the stones stay where they are, if they are not at the start. */
async function changeRules(rules) {
  closeEditor(false);
  const atStart = game.first === "start" && game.at === 0;
  const text = atStart || !board ? "start" : board.position.split(" ").slice(0, 2).join(" ");
  game = new Game(rules, text);
  await update({ push: true });
}

async function share(what) {
  const note = byId("share-note");
  try {
    if (what === "link") await copy(location.href);
    else if (what === "text") await copy(board.position);
    else await copy(await api.svg(game.rules, board.position));
    note.textContent = t("share.done");
  } catch {
    note.textContent = t("share.failed");
  }
}

/** Takes the game from the address. */
function take(search) {
  const found = read(search, ruleSets.map((set) => set.name));
  game = found.game;
  player = ["white", "black", "none"].includes(found.player) ? found.player : "both";
  view.setView(new View(found.flipped, found.mirrored));
  editor.close();
}

function relabel() {
  view.setLabel(t("board.label"));
  byId("rules").replaceChildren(...ruleSets.map((set) => element("option", { value: set.name }, t(`rules.${set.name}`))));
}

function listen() {
  const click = (id, action) => byId(id).addEventListener("click", action);
  click("first", () => go(0));
  click("undo", () => step(-1));
  click("redo", () => step(1));
  click("last", () => go(game.moves.length));
  click("flip", () => turnBoard(true, false));
  click("mirror", () => turnBoard(false, true));
  click("main-line", mainLine);
  click("edit", () => {
    if (editor.draft) closeEditor();
    else if (!board) setUp("start", true);
    else {
      game = new Game(game.rules, board.position);
      editor.open(new Draft(board));
      update();
    }
  });
  for (const what of ["link", "text", "svg"]) click(`copy-${what}`, () => share(what));
  click("open-tables", () => tables.open({
    name: (rules) => t(`rules.${rules}`),
    visit: (rules, position) => {
      closeEditor(false);
      player = "both";
      game = new Game(rules, position);
      update({ push: true });
    },
  }));
  click("close-tables", () => byId("tables").close());
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
  window.addEventListener("popstate", () => {
    take(location.search);
    update();
  });
}

const asked = new URLSearchParams(location.search).get("lang");
const [languages, sets] = await Promise.all([texts.begin(asked), api.rules()]);
ruleSets = sets;
byId("language").replaceChildren(...languages.map(([code, name]) => element("option", { value: code, lang: code }, name)));
byId("language").value = texts.current();
relabel();
listen();
take(location.search);
update();
