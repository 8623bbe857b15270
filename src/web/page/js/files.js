// Game records that come from outside: pasted, dropped on the page, or opened as a file.

import { byId, element } from "./dom.js";
import { readRecords } from "./record.js";
import { t } from "./texts.js";

/** Bytes of the largest file that is read. */
const LARGEST = 5_000_000;
/** The most games of a file to choose from. */
const MOST = 500;

/** Listens for records. `handlers`: `rules()`, `open(game, fault)`, `position(text)`, `fail(key)`. */
export function listen(handlers) {
  const receive = (text) => take(text, handlers);
  const read = async (file) => {
    if (!file) return;
    if (file.size > LARGEST) handlers.fail("records.large");
    else receive(await file.text());
  };
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea, dialog")) return;
    const text = event.clipboardData.getData("text/plain");
    if (text.trim()) {
      event.preventDefault();
      receive(text);
    }
  });
  // Text can still be dragged into fields.
  const isElsewhere = (event) => event.target.closest?.("input, textarea") && !event.dataTransfer.files.length;
  document.addEventListener("dragover", (event) => {
    if (isElsewhere(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    document.body.classList.add("receiving");
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("receiving");
  });
  document.addEventListener("drop", (event) => {
    if (isElsewhere(event)) return;
    event.preventDefault();
    document.body.classList.remove("receiving");
    const [file] = event.dataTransfer.files;
    if (file) read(file);
    else receive(event.dataTransfer.getData("text/plain"));
  });
  byId("open-record").addEventListener("click", () => byId("record-file").click());
  byId("record-file").addEventListener("change", async (event) => {
    await read(event.target.files[0]);
    event.target.value = "";
  });
}

function take(text, handlers) {
  const trimmed = text.trim();
  // A position: five ranks, or the 25 letters of other programs.
  if (/^([wb1-5]{1,5}\/){4}[wb1-5]{1,5}( |$)/.test(trimmed) || /^[wb-]{5}( ?[wb-]{5}){4} [wb]/.test(trimmed) || trimmed === "start") {
    handlers.position(trimmed);
    return;
  }
  const records = readRecords(text, handlers.rules());
  const found = records.filter(({ game }) => game.root.children.length || game.first !== "start");
  if (!found.length) handlers.fail("records.none");
  else if (found.length === 1) handlers.open(found[0].game, found[0].fault);
  else choose(found, handlers);
}

/** Lets the reader choose among several games. */
function choose(records, handlers) {
  const dialog = byId("records");
  byId("records-list").replaceChildren(...records.slice(0, MOST).map(({ game, fault }, index) => {
    const tag = (name) => game.tags.get(name);
    const names = [tag("White"), tag("Black")].some(Boolean) ? `${tag("White") ?? "?"} – ${tag("Black") ?? "?"}` : t("records.game", { n: index + 1 });
    const rest = [tag("Event"), tag("Date"), tag("Result")].filter(Boolean).join(", ");
    const open = () => {
      dialog.close();
      handlers.open(game, fault);
    };
    return element("li", {}, element("button", { type: "button", onclick: open }, element("b", {}, names), rest && ` ${rest}`,
      ` · ${t("plies", { n: game.root.rest().length })}`));
  }));
  dialog.showModal();
}
