// The texts of the page in the language of the reader.

const STORED = "alquerque.language";
let language = "en";
/** What can be said before any language has come. */
let texts = new Map([["error.unreachable", "The server cannot be reached."], ["error.retry", "Try again"]]);
let plurals = new Intl.PluralRules("en");

async function read(code) {
  const response = await fetch(`page/lang/${code}.txt`);
  if (!response.ok) throw new Error(`no texts in ${code}`);
  const lines = (await response.text()).split("\n").map((line) => line.trim());
  return new Map(lines.filter((line) => line && !line.startsWith("#")).map((line) => {
    const at = line.indexOf("=");
    return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  }));
}

/** Takes up a language: the one asked for, the one chosen before, or one that the browser names. */
export async function begin(asked) {
  const languages = await (await fetch("page/languages.json")).json();
  const codes = languages.map(([code]) => code);
  const wishes = [asked, localStorage.getItem(STORED), ...navigator.languages.map((tag) => tag.split("-")[0])];
  await use(wishes.find((code) => codes.includes(code)) ?? "en");
  return languages;
}

export async function choose(code) {
  localStorage.setItem(STORED, code);
  await use(code);
}

async function use(code) {
  texts = await read(code);
  language = code;
  plurals = new Intl.PluralRules(code);
  document.documentElement.lang = code;
  translate(document);
}

export const current = () => language;

/** The text called `key`, with {names} replaced. A number `n` chooses between `key.one` and `key.other`. */
export function t(key, values = {}) {
  const form = `${key}.${values.n === undefined ? "" : plurals.select(values.n)}`;
  const text = texts.get(key) ?? texts.get(form) ?? texts.get(`${key}.other`) ?? key;
  return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? number(values[name]) : all));
}

/** The name of rules; those that the page has no text for keep their own. */
export const rulesName = (name) => texts.get(`rules.${name}`) ?? name;
/** What is to be said about rules, if there is a text. */
export const rulesAbout = (name) => texts.get(`rules.${name}.about`) ?? "";

/** A number as the language writes it, with so many decimal places if that is given; a text stays as it is. */
export function number(value, places) {
  if (typeof value !== "number") return value;
  return value.toLocaleString(language, { minimumFractionDigits: places, maximumFractionDigits: places ?? 3 });
}

/** Fills in the texts of elements that name one. */
function translate(root) {
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = t(element.dataset.text);
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
  for (const element of root.querySelectorAll("[data-tip]")) element.title = t(element.dataset.tip);
}
