// Taking a board or a game elsewhere.

import * as api from "./api.js";
import { sentence } from "./failure.js";
import { writeRecord } from "./record.js";
import { marksOf } from "./review.js";
import { t } from "./texts.js";

/** All that can be taken: the names of the buttons. */
export const SHARED = ["copy-link", "copy-text", "copy-record", "copy-svg", "save-record", "save-png"];

/** Takes one of them and tells how it went. `second`: the side that moves second under the rules began. */
export async function share(what, { game, position, second }) {
  const file = `alquerque-${game.rules}`;
  const record = () => writeRecord(withResult(game), second, marksOf);
  try {
    if (what === "copy-link") await copy(location.href);
    else if (what === "copy-text") await copy(position);
    else if (what === "copy-record") await copy(record());
    else if (what === "save-record") save(`${file}.pgn`, record(), "text/plain");
    else if (what === "copy-svg") await copy(await api.svg(game.rules, position));
    else save(`${file}.png`, await png(await api.svg(game.rules, position)), "image/png");
    return t(what.startsWith("copy") ? "share.done" : "share.saved");
  } catch (error) {
    return error instanceof api.ApiError ? sentence(error) : t("share.failed");
  }
}

/** The game with its result, if it is over. */
function withResult(game) {
  const last = game.root.rest().at(-1)?.answer;
  if (last?.end && !game.tags.has("Result")) {
    const result = last.value === "draw" ? "1/2-1/2" : (last.value === "win") === (last.side === "white") ? "1-0" : "0-1";
    game.tags.set("Result", result);
  }
  return game;
}

/** Puts `text` on the clipboard, also where the page may not do so by itself. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("no clipboard");
  }
}

/** Saves `content` as a file called `name`. */
function save(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** An SVG image as PNG, `size` pixels wide and high. */
async function png(svg, size = 960) {
  const image = new Image(size, size);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = size;
  canvas.height = size;
  canvas.getContext("2d").drawImage(image, 0, 0, size, size);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no image"))), "image/png");
  });
}
