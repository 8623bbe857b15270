// The tables on disk: a chart of every slice, its longest win, and how its distances are distributed.

import * as api from "./api.js";
import { byId, element } from "./dom.js";
import { sentence } from "./failure.js";
import { number, t } from "./texts.js";

const size = (slice) => Object.values(slice.bytes).reduce((sum, bytes) => sum + (bytes ?? 0), 0);
const longestWin = (slice) => slice.max_dtw_win ?? slice.max_dtc_win;

function bytes(count) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(count, 1)) / 3));
  const value = count / 1000 ** power;
  return `${number(power && value < 100 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[power]}`;
}

/** Opens the list. `handlers`: `name(rules)` in words, `visit(rules, position)`. */
export async function open(handlers) {
  const list = byId("tables-list");
  byId("tables-filter").value = "";
  byId("tables-note").textContent = "";
  list.replaceChildren(element("p", { class: "note" }, t("loading")));
  byId("tables").showModal();
  try {
    const slices = await api.tables();
    const sections = [...grouped(slices)].map(([rules, slices]) => section(rules, slices, handlers));
    list.replaceChildren(...(sections.length ? sections : [element("p", {}, t("tables.none"))]));
    if (slices.length) byId("tables-note").textContent = t(slices.some(longestWin) ? "tables.longest.about" : "tables.longest.none");
  } catch (error) {
    list.replaceChildren(element("p", { class: "error" }, sentence(error)));
  }
  byId("tables-filter").oninput = (event) => filter(event.target.value);
}

/** Shows the slices whose rules and material contain all words of `text`. */
function filter(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of byId("tables-list").querySelectorAll("section")) {
    let isEmpty = true;
    for (const row of section.querySelectorAll("tr[data-words]")) {
      row.hidden = !words.every((word) => row.dataset.words.includes(word));
      if (!row.hidden) {
        isEmpty = false;
        count += 1;
      }
    }
    section.hidden = isEmpty;
  }
  byId("tables-note").textContent = t("tables.filtered", { n: count });
}

function grouped(slices) {
  const groups = new Map();
  for (const slice of slices) groups.set(slice.rules, [...(groups.get(slice.rules) ?? []), slice]);
  return groups;
}

function section(rules, slices, handlers) {
  const positions = slices.reduce((sum, slice) => sum + slice.positions, 0);
  const total = slices.reduce((sum, slice) => sum + size(slice), 0);
  const hasLongest = slices.some(longestWin);
  const column = (key, name) => element("th", { scope: "col", class: name }, t(key));
  const name = handlers.name(rules);
  return element("section", {},
    element("h3", {}, name, element("small", {}, t("tables.summary", { slices: slices.length, positions, size: bytes(total) }))),
    element("table", {},
      element("thead", {}, element("tr", {}, column("tables.slice"), column("tables.chart"), hasLongest && column("tables.longest", "number"),
        column("tables.positions", "number optional"), column("tables.size", "number optional"))),
      element("tbody", {}, ...slices.map((slice) => row(rules, name, slice, hasLongest, handlers)))));
}

function row(rules, name, slice, hasLongest, handlers) {
  const longest = longestWin(slice);
  const visit = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    try {
      const found = await api.longest(rules, slice.material);
      byId("tables").close();
      handlers.visit(rules, found.position);
    } catch (error) {
      button.replaceWith(element("span", { class: "error" }, sentence(error)));
    }
    button.disabled = false;
  };
  const label = t("tables.visit", { slice: slice.material, plies: t("plies", { n: longest ?? 0 }) });
  const link = () => element("button", { type: "button", onclick: visit, "aria-label": label }, t("plies", { n: longest }));
  const words = `${rules} ${name} ${slice.material}`.toLowerCase();
  const unfold = (event) => figures(event.currentTarget, rules, slice);
  return element("tr", { "data-words": words },
    element("th", { scope: "row" }, element("button", { type: "button", class: "quiet", "aria-expanded": "false", onclick: unfold }, slice.material)),
    element("td", { class: "chart" }, chart(slice)),
    hasLongest && element("td", { class: "number" }, longest ? link() : "–"),
    element("td", { class: "number optional" }, number(slice.positions)),
    element("td", { class: "number optional" }, bytes(size(slice))));
}

/** Shows the figures of a slice below its row, or hides them. */
async function figures(button, rules, slice) {
  const row = button.closest("tr");
  const isOpen = button.getAttribute("aria-expanded") === "true";
  button.setAttribute("aria-expanded", String(!isOpen));
  if (isOpen) {
    row.nextElementSibling.remove();
    return;
  }
  const cell = element("td", { colspan: row.children.length }, t("loading"));
  row.after(element("tr", { class: "figures", "data-words": row.dataset.words }, cell));
  try {
    const found = await api.stats(rules, slice.material);
    const share = found.choices ? found.only_moves / found.choices : 0;
    cell.replaceChildren(...histogram(found),
      element("p", { class: "note" }, t("tables.figures", { moves: number(found.branching, 1), share: `${number(100 * share, 1)}%` })));
  } catch (error) {
    cell.replaceChildren(element("span", { class: "error" }, sentence(error)));
  }
}

/** Won positions by their distance above a line, lost ones below it, on a logarithmic scale. */
function histogram(found) {
  const metric = found.dtw ? "dtw" : "dtc";
  const counts = found[metric];
  const plies = Math.max(counts?.won.length ?? 0, counts?.lost.length ?? 0);
  if (!plies) return [];
  const most = Math.log1p(Math.max(...counts.won, ...counts.lost));
  const bar = (value, count) => {
    const made = element("span", { class: value });
    made.style.height = `${(100 * Math.log1p(count)) / most}%`;
    return made;
  };
  const columns = Array.from({ length: plies }, (_, n) => {
    const [won, lost] = [counts.won[n] ?? 0, counts.lost[n] ?? 0];
    const title = `${t("plies", { n })}: ${t("value.win")} ${number(won)}, ${t("value.loss")} ${number(lost)}`;
    return element("div", { title }, element("div", {}, bar("win", won)), element("div", {}, bar("loss", lost)));
  });
  const about = t("tables.histogram", { metric: t(`tables.${metric}`), n: plies - 1 });
  return [element("p", {}, about), element("div", { class: "histogram", role: "img", "aria-label": about }, ...columns)];
}

function chart(slice) {
  const parts = [["win", "+"], ["draw", "="], ["loss", "−"]].map(([value, sign]) => {
    const count = slice[value];
    return { value, sign, count, share: count / slice.positions };
  });
  // Nearly all is not all, and nearly none is not none.
  const places = (share) => (share < 0.1 || (share > 0.99 && share < 1) ? 1 : 0);
  const percent = (share) => `${number(Math.min(Math.max(100 * share, 0.1), share < 1 ? 99.9 : 100), places(share))}%`;
  const words = parts.map(({ value, count, share }) => `${t(`value.${value}`)}: ${number(count)} (${percent(share)})`).join(", ");
  const bars = parts.filter(({ count }) => count).map(({ value, sign, share }) => {
    const bar = element("span", { class: value }, share > 0.17 ? `${sign} ${percent(share)}` : share > 0.06 ? sign : "");
    bar.style.flex = `${share} 1 2px`;
    return bar;
  });
  return element("div", { class: "stack", role: "img", "aria-label": words, title: words }, ...bars);
}
