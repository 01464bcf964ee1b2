// The JSON scanner, against a reading of our own that goes by tokens.
import { isDeepStrictEqual } from "node:util";
import { itemSpans, sourceAt } from "../../../src/core/base/json-spans.ts";
import { MESSAGE_CASE_PLACES, scanJson } from "../../../src/core/base/json-text.ts";
import { randomJson, randomText } from "../../support/random-json.ts";
import type { Random } from "../../support/random.ts";
import { mangle } from "./mangle.ts";
import type { Part } from "./part.ts";

interface Spot {
  readonly start: number;
  readonly end: number;
}

/** The first offence of a text, or where each value of it stands, by its pointer. */
export type Reading = { readonly code: string; readonly offset: number; readonly spots?: undefined } | { readonly code?: undefined; readonly offset?: undefined; readonly spots: ReadonlyMap<string, Spot> };

const TOKEN = /[ \t\r\n]*(?:("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?)|(true|false|null)|([[\]{}:,]))/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const CASE_PLACES = ["", "/params", "/params/_meta"];

interface Open {
  readonly pointer: string;
  readonly start: number;
  /** Of an object. */
  readonly names: string[] | undefined;
  step: string;
  items: number;
}

/** Reads a text token by token; by what may come next, and a stack of what is open. */
export function readTokens(text: string, maxDepth: number, variants: boolean): Reading {
  const spots = new Map<string, Spot>();
  const open: Open[] = [];
  const pointer = () => (open.length === 0 ? "" : `${open.at(-1)!.pointer}/${open.at(-1)!.step.replaceAll("~", "~0").replaceAll("/", "~1")}`);
  // A function, as the compiler would take the first value for the only one.
  const first = (): "value" | "value or ]" | "name" | "name or }" | ":" | ", or end" | "nothing" => "value";
  let wanted = first();
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(text);
    if (token === null) return wanted === "nothing" && /^[ \t\r\n]*$/.test(text.slice(from)) ? { spots } : { code: "syntax", offset: -1 };
    const end = TOKEN.lastIndex;
    const [, string, number, word, mark = ""] = token;
    const start = end - (string ?? number ?? word ?? mark).length;
    const top = open.at(-1);
    const ended = (spot: Spot, at: string) => {
      spots.set(at, spot);
      wanted = open.length === 0 ? "nothing" : ", or end";
    };
    if (wanted.startsWith("name") && string !== undefined && top?.names !== undefined) {
      const name = JSON.parse(string) as string; // a JSON string, by the expression
      top.step = name;
      if (top.names.includes(name)) return { code: "duplicate_key", offset: start };
      const alike = (other: string) => other.toLowerCase() === name.toLowerCase() || other.toUpperCase() === name.toUpperCase();
      if (variants && CASE_PLACES.includes(top.pointer) && top.names.some(alike)) return { code: "case_variant_key", offset: start };
      top.names.push(name);
      wanted = ":";
    } else if (wanted === ":" && mark === ":") wanted = "value";
    else if (wanted.startsWith("value") && (mark === "[" || mark === "{")) {
      if (open.length >= maxDepth) return { code: "depth", offset: start };
      open.push({ pointer: pointer(), start, names: mark === "{" ? [] : undefined, step: "0", items: 0 });
      wanted = mark === "{" ? "name or }" : "value or ]";
    } else if (wanted.startsWith("value") && mark === "") {
      if (number !== undefined && !NUMBER.test(number)) return { code: "syntax", offset: -1 };
      if (number !== undefined && !Number.isFinite(Number(number))) return { code: "number_range", offset: start };
      ended({ start, end }, pointer());
    } else if (top !== undefined && mark === (top.names === undefined ? "]" : "}") && (wanted === ", or end" || wanted === "value or ]" || wanted === "name or }")) {
      open.pop();
      ended({ start: top.start, end }, top.pointer);
    } else if (wanted === ", or end" && mark === "," && top !== undefined) {
      top.step = String(++top.items);
      wanted = top.names === undefined ? "value" : "name";
    } else return { code: "syntax", offset: -1 };
  }
}

const PIECES = ['"', "\\", "{", "}", "[", "]", ",", ":", "\\u12", "\\ud800", "\ud800", "\u0000", "\u00a0", "\ufeff", "0", "-", ".", "e5", "1e999", '"a":1,', '"A":1,', "//", "tru", "[".repeat(9)];

function drawText(random: Random): string {
  const value = randomJson(random, 4);
  let text = randomText(random, random.below(3) === 0 ? { params: { _meta: value, name: 1 }, id: 1 } : value);
  const insert = (into: RegExp, what: string) => (text = text.replace(into, (found) => (random.below(2) === 0 ? found + what : found)));
  if (random.below(4) === 0) insert(/\{\s*(?=")/g, random.pick(['"a":0,', '"\\u0061":0,', '"A":0,', '"b":0,"a":0,', '"NAME":0,', '"\u017f":0,"S":0,', '"\u212a":[],"k":1,', '"__proto__":1,']));
  if (random.below(5) === 0) text = text.replace(/("(?:[^"\\]|\\u0[0-9a-f]{3})*")\s*:/, (found) => `${found} [] , ${found}`);
  if (random.below(8) === 0) insert(/(?<=[,[:])\s*/g, random.pick(["1e400,", "-1e309,", "1e308,", "[[[[[[[[[]]]]]]]]],", "1E+400,"]));
  return random.below(2) === 0 ? mangle(random, text, PIECES) : text;
}

export const jsonPart: Part = {
  name: "json",
  cases: 1_500,
  least: { read: 400, syntax: 300, duplicate_key: 60, case_variant_key: 8, depth: 15, number_range: 15, size: 60, found: 1_000, prefix: 200 },
  run(random, count) {
    const text = drawText(random);
    const maxDepth = random.pick([3, 8, 128]);
    const variants = random.below(3) > 0;
    const maxBytes = random.below(8) === 0 ? Buffer.byteLength(text) - random.below(2) : Infinity;
    const expected: Reading = Buffer.byteLength(text) > maxBytes ? { code: "size", offset: 0 } : readTokens(text, maxDepth, variants);
    const { value, refusal } = scanJson(text, { maxDepth, maxBytes, ...(variants && { caseVariants: MESSAGE_CASE_PLACES }) });
    const told = `maxDepth ${maxDepth}: ${JSON.stringify(text)}`;
    count(expected.code ?? "read");
    if (refusal?.code !== expected.code) return `${refusal?.code} instead of ${expected.code}, ${told}`;
    if (refusal !== undefined) {
      const right = expected.offset === -1 ? refusal.offset >= 0 && refusal.offset <= text.length : refusal.offset === expected.offset;
      return right ? undefined : `refused at ${refusal.offset}, not at ${expected.offset}: ${told}`;
    }
    if (!isDeepStrictEqual(value, JSON.parse(text))) return `another value than JSON.parse gives, ${told}`;
    const spots = [...(expected.spots ?? [])];
    for (const [pointer, spot] of spots.slice(0, 40)) {
      const found = sourceAt(text, pointer);
      if (found?.start !== spot.start || found.end !== spot.end) return `${pointer} is not where it is: ${told}`;
      if (sourceAt(text, `${pointer}/~0/none`) !== undefined) return `something is found below ${pointer}: ${told}`;
      count("found");
    }
    const items = spots.filter(([pointer]) => /^\/\d+$/.test(pointer) && Array.isArray(value)).map(([, spot]) => spot);
    if (!isDeepStrictEqual(itemSpans(text), items)) return `other items: ${told}`;
    // No text that was cut off reads as another one.
    if (typeof value === "object" && value !== null) {
      const cut = text.slice(0, random.below(text.trimEnd().length));
      if (scanJson(cut).refusal?.code === undefined) return `a prefix is read: ${told}`;
      count("prefix");
    }
    return undefined;
  },
};
