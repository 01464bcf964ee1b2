// What is no valid message, each kind by name. All of them are made from the text of a valid one.
import type { Random } from "../support/random.ts";

type Break = (random: Random, text: string) => string;

const before = (text: string, insert: string) => text.replace("{", () => `{${insert},`);
const member = (name: string, value: string): Break => (_random, text) => before(text.replace(new RegExp(`"${name}":(?:"[^"\\\\]*"|-?[\\d.]+),?`), ""), `"${name}":${value}`);

/** No text may be larger in a run of the fuzz. */
export const MAX_BYTES = 6_000;

export const BREAKAGES: Readonly<Record<string, Break>> = {
  "duplicate-key": (random, text) => before(text, random.pick(['"id":1', '"method":"tools/call"', '"jsonrpc":"2.0"', '"params":{}', '"result":{}'])),
  "duplicate-key-inside": (_random, text) => text.replace(/"(params|result)":\{/, (found) => `${found}"twice":1,"tw\\u0069ce":2,`),
  "case-variant": (random, text) => before(text, random.pick(['"Method":"tools/call"', '"ID":7', '"Params":{}', '"ERROR":{}', '"\\u0049d":3'])),
  "case-variant-param": (random, text) => text.replace(/"params":\{/, (found) => `${found}${random.pick(['"Name":"rm","name":"ls",', '"\u212aey":1,"key":2,', '"_META":{},"_meta":{},'])}`),
  "strange-member": (_random, text) => before(text, '"extra":1'),
  "no-version": (_random, text) => text.replace(/"jsonrpc":"2.0",?/, ""),
  "wrong-version": member("jsonrpc", '"1.0"'),
  "odd-id": (random, text) => member("id", random.pick(["null", "1.5", "true", "{}", "[]", "9007199254740993", "1e400", '"half \\ud800"']))(random, text),
  "odd-method": (random, text) => member("method", random.pick(["5", "null", "{}", "[]", "true"]))(random, text),
  "odd-params": (random, text) => text.replace(/"(params|result)":\{.*\}\}?$/, (_found, name: string) => `"${name}":${random.pick(["[]", "null", "5", '"x"'])}}`),
  "both-kinds": (random, text) => before(text, random.pick(['"result":{}', '"error":{"code":1,"message":"m"}', '"method":"ping"'])),
  cut: (random, text) => text.slice(0, random.below(text.length)),
  "cut-front": (random, text) => text.slice(1 + random.below(text.length)),
  "glued": (_random, text) => `${text}${text}`,
  "too-deep": (_random, text) => text.replace(/"(params|result)":\{/, (found) => `${found}"deep":${"[".repeat(200)}${"]".repeat(200)},`),
  "too-long": (random, text) => text.replace(/"(params|result)":\{/, (found) => `${found}"long":"${random.pick(["x", "é", "\u2028"]).repeat(MAX_BYTES)}",`),
  "not-a-number": (random, text) => text.replace(/"(params|result)":\{/, (found) => `${found}"n":${random.pick(["NaN", "Infinity", "01", "1.", "+1", "1e400"])},`),
  "raw-control": (_random, text) => text.replace(/"(params|result)":\{/, (found) => `${found}"c":"\u0001",`),
  noise: (random) => random.pick(["Server running on stdio", "[info] ready", "", " ", "null", "true", "42", '"text"', "{}", "[]", "[1]", "{", "\ufeff{}", '{"id":5}', '{"jsonrpc":"2.0"}']),
  "noise-before": (random, text) => `${random.pick(["[db] connected ", "\ufeff", "log: "])}${text}`,
};

export function breakLine(random: Random, text: string, breakage: string): string {
  const broken = BREAKAGES[breakage]!(random, text);
  return broken.replace(/\n/g, " ");
}
