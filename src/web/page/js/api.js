// Questions to the server.

const BASE = "api/v1/";
const kept = new Map();
const MOST_KEPT = 500;

/** Why there is no answer: the server's words and a code, or that it cannot be reached. */
export class ApiError extends Error {
  constructor(message, code) {
    super(message);
    this.code = code;
  }
}

/** An answer, from the server or as it was given before. */
function get(path, parameters = {}, read = (response) => response.json()) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
  const url = BASE + path + (query.size ? "?" + query : "");
  if (!kept.has(url)) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    const answer = ask(url, read);
    kept.set(url, answer);
    answer.catch(() => kept.delete(url));
  }
  return kept.get(url);
}

async function ask(url, read) {
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new ApiError("", "unreachable");
  }
  if (response.ok) return read(response);
  const body = await response.json().catch(() => ({}));
  throw new ApiError(body.error ?? response.statusText, body.code ?? "internal");
}

export const rules = () => get("rules");
export const tables = () => get("tables");
export const board = (rules, position, moves, search) =>
  get(`${rules}/board`, { position, moves: moves.join(","), search });
export const line = (rules, position) => get(`${rules}/line`, { position });
export const longest = (rules, material) => get(`${rules}/longest`, { material });
export const svg = (rules, position) => get(`${rules}/svg`, { position }, (response) => response.text());
