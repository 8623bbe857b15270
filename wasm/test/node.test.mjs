// The package in Node: node --test wasm/test, after wasm/build.sh.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const built = process.env.ALQUERQUE_NPM ?? fileURLToPath(new URL("target/npm", root));
const { Alquerque } = createRequire(import.meta.url)(built);

/** The tables and certificates of a rule set, as bytes by name. */
function files(rules) {
  const folder = new URL(`tables/${rules}/`, root);
  const names = readdirSync(folder).filter((name) => !name.startsWith("manifest"));
  return Object.fromEntries(names.map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]));
}

test("a table gives value, distances and moves", () => {
  const classic = new Alquerque("classic", files("classic"));
  const answer = classic.probe("5/5/1w3/5/w2b1 w");
  assert.equal(answer.value, "win");
  assert.equal(answer.source, "tables");
  assert.ok(answer.dtw > 0);
  const [best] = answer.moves;
  assert.deepEqual([best.value, best.dtc], [answer.value, answer.dtc]);
  // A move's distance counts from the probed position: one ply more than what the reply has.
  assert.equal(classic.probe(best.position).value, "loss");
  assert.equal(classic.probe(best.position).dtw, best.dtw - 1);
  const line = classic.line("5/5/1w3/5/w2b1 w");
  assert.equal(line.moves.length, answer.dtw);
  assert.equal(line.end, "game over");
  assert.equal(classic.slices().length, 6);
});

test("positions and moves need no tables", () => {
  const rules = new Alquerque("qirkat");
  assert.equal(rules.rules, "qirkat");
  const moves = rules.moves(rules.start);
  assert.ok(moves.length > 1);
  assert.equal(rules.play(rules.start, moves[0].move), moves[0].position);
  assert.match(rules.svg("start"), /^<svg/);
});

test("a certificate knows the start position", () => {
  const youzai = new Alquerque("youzai", files("youzai"));
  const answer = youzai.probe("start");
  assert.equal(answer.source, "certificate");
  assert.ok(["win", "draw", "loss"].includes(answer.value));
});

test("a search ends in time with a legal move", () => {
  const classic = new Alquerque("classic", files("classic"));
  const begun = performance.now();
  const found = classic.search("start", 200);
  assert.ok(performance.now() - begun < 5000);
  assert.ok(classic.moves("start").some((legal) => legal.move === found.best));
  assert.ok(found.depth >= 1 && found.nodes > 0);
});

test("a rule file is a rule set", () => {
  const rules = new Alquerque('name = "lenient"\ncaptures = "optional"');
  assert.equal(rules.rules, "lenient");
});

test("what is wrong is an error in one sentence", () => {
  assert.throws(() => new Alquerque("chess"), /chess/);
  const classic = files("classic");
  assert.throws(() => new Alquerque("classic", { "2v1.wdl": classic["2v2.wdl"] }), /2v1\.wdl/);
  assert.throws(() => new Alquerque("classic", { "2v2.wdl": classic["2v2.wdl"].slice(0, -1) }), /2v2\.wdl/);
  assert.throws(() => new Alquerque("classic", { "2v2.wdl": "text" }), /Uint8Array/);
  assert.throws(() => new Alquerque("classic", { "notes.txt": new Uint8Array(3) }), /notes\.txt/);
  assert.throws(() => new Alquerque("classic", { "start.proof": files("youzai")["start.proof"] }), /other rules/);
  assert.throws(() => new Alquerque("classic").probe("5/5/1w3/5/w2b1 w"), /table/);
  assert.throws(() => new Alquerque("classic").probe("nonsense"));
  const damaged = classic["2v2.wdl"].slice();
  damaged[damaged.length - 1] ^= 1;
  const tables = new Alquerque("classic", { ...classic, "2v2.wdl": damaged });
  // The last block holds the last positions only: whatever it does, a damaged block gives no value.
  let errors = 0;
  for (const position of ["5/5/1w3/5/w2bb w", "3bb/5/5/5/3ww w", "ww3/bb3/5/5/5 w", "3ww/3bb/5/5/5 b"]) {
    try {
      assert.equal(tables.probe(position).value, new Alquerque("classic", classic).probe(position).value);
    } catch (error) {
      assert.match(String(error), /damaged/);
      errors += 1;
    }
  }
  assert.ok(errors > 0);
});

test("the module for browsers finds its own file and answers the same", async () => {
  const web = pathToFileURL(`${built}/web/alquerque.js`);
  assert.match(readFileSync(web, "utf8"), /new URL\('alquerque_bg\.wasm', import\.meta\.url\)/);
  const { default: init, Alquerque: InBrowser } = await import(web);
  await init({ module_or_path: readFileSync(new URL("alquerque_bg.wasm", web)) });
  const [here, there] = [Alquerque, InBrowser].map((of) => new of("classic", files("classic")));
  assert.deepEqual(there.probe("5/5/1w3/5/w2b1 w"), here.probe("5/5/1w3/5/w2b1 w"));
});
