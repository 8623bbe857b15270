// Questions to the server.

const BASE = "api/v1/";
const kept = new Map();
const MOST_KEPT = 500;

/** Why there is no answer: the server's words, a code, and what the answer said besides. */
export class ApiError extends Error {
  constructor(message, code, body = {}) {
    super(message);
    this.code = code;
    this.body = body;
  }

  /** Whether nobody wants the answer any more. */
  get isAborted() {
    return this.code === "aborted";
  }
}

/** An answer, from the server or as it was given before. */
async function get(path, parameters = {}, { signal, read = (response) => response.json(), keep = true } = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ""));
  const url = BASE + path + (query.size ? "?" + query : "");
  if (kept.has(url)) return kept.get(url);
  const answer = await ask(url, read, signal);
  if (keep) {
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    kept.set(url, answer);
  }
  return answer;
}

async function ask(url, read, signal) {
  let response;
  try {
    response = await fetch(url, { signal });
    if (response.ok) return await read(response);
  } catch {
    throw new ApiError("", signal?.aborted ? "aborted" : "unreachable");
  }
  const body = await response.json().catch(() => ({}));
  throw new ApiError(body.error ?? response.statusText, body.code ?? "internal", body);
}

export const rules = () => get("rules");
export const tables = () => get("tables");
export const board = async (rules, position, moves, { search, signal } = {}) =>
  inGame(await get(`${rules}/board`, { position, moves: moves.join(","), search }, { signal }));
/**
 * The line that answers `move` best, move by move: from the tables, or the best that a search finds in `search`
 * milliseconds.
 */
export async function refutation(rules, first, played, move, { search, signal }) {
  const after = [...played, move];
  const known = await board(rules, first, after, { signal });
  if (known.end) return [];
  const best = known.source === "tables" ? (await line(rules, known.position)).moves : (await board(rules, first, after, { search, signal })).line;
  return best.map((step) => step.move);
}
/** A position in which one move alone wins, or draws: `material`, `goal`, `least` and `most` plies, `seed`. */
export const exercise = (rules, wish) => get(`${rules}/exercise`, wish, { keep: false });
export const line = (rules, position) => get(`${rules}/line`, { position });
export const longest = (rules, material) => get(`${rules}/longest`, { material });
/** The figures of a slice: histograms of its distances, branching and only moves. */
export const stats = (rules, material) => get(`${rules}/stats`, { material });
export const svg = (rules, position) => get(`${rules}/svg`, { position }, { read: (response) => response.text() });

/**
 * The answer with the worths that hold in this game, where a position that occurs again may save the loser; `alone` is
 * what the positions are worth by themselves.
 */
function inGame(answer) {
  const replace = (known) => {
    const here = known.in_game;
    if (!here || (!here.value && typeof here.estimate !== "number")) return known;
    return { ...known, ...here, alone: here.value === known.value ? undefined : known };
  };
  return { ...replace(answer), moves: answer.moves.map(replace) };
}
