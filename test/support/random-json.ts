import { setMember, type JsonObject } from "../../src/core/base/json.ts";
import type { Random } from "./random.ts";

const NAMES = [
  "a", "b", "c", "name", "Name", "_meta", "__proto__", "constructor", "toString", "0", "17", "é", "😀", "", "a/b", "m~n", 'q"', "\\", "\n",
];
const STRINGS = ["", "x", "héllo", "😀", "\ud800", 'a"b', "back\\slash", "\\\\", "line\nbreak", "\u2028", "a/b", "]}{[,:", "\u0000"];
const NUMBERS = [0, -0, 1, -1, 100, 1.5, 1.1, 1e21, 5e-324, 1.7976931348623157e308, Number("1915883588174806058"), 0.1, -1e-7];

/** Plain JSON up to `depth`, rich in what breaks naive code: odd names, escapes, surrogates, -0, big integers. */
export function randomJson(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 9 : 5);
  if (kind === 0) return random.pick([true, false, null]);
  if (kind <= 2) return random.pick(STRINGS);
  if (kind <= 4) return random.pick(NUMBERS);
  if (kind <= 6) return Array.from({ length: random.below(5) }, () => randomJson(random, depth - 1));
  return randomObject(random, depth);
}

export function randomObject(random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  for (let left = random.below(6); left > 0; left--) setMember(object, random.pick(NAMES), randomJson(random, depth - 1));
  return object;
}

/** One of the many texts of a value: white space, escapes and number forms vary. */
export function randomText(random: Random, value: unknown): string {
  const space = () => random.pick(["", "", "", " ", "\n  ", "\t", "\r\n"]);
  const join = (open: string, items: string[], close: string) => open + items.map((item) => space() + item + space()).join(",") + space() + close;
  if (Array.isArray(value)) return join("[", value.map((item) => randomText(random, item)), "]");
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([name, item]) => `${quoted(random, name)}${space()}:${space()}${randomText(random, item)}`);
    return join("{", members, "}");
  }
  if (typeof value === "string") return quoted(random, value);
  if (typeof value === "number") return numberText(random, value);
  return JSON.stringify(value);
}

function quoted(random: Random, text: string): string {
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const unit = text.charAt(at);
    const plain = JSON.stringify(unit).slice(1, -1);
    const escaped = "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0");
    // A surrogate keeps its escape, as the two halves of a pair must be written alike.
    if (plain.startsWith("\\ud")) out += /^[\ud800-\udfff]$/.test(unit) ? escaped : plain;
    else out += random.below(5) === 0 ? escaped : unit === "/" && random.below(2) === 0 ? "\\/" : plain;
  }
  return `"${out}"`;
}

function numberText(random: Random, value: number): string {
  if (Object.is(value, -0)) return random.pick(["-0", "-0.0", "-0e5"]);
  const plain = JSON.stringify(value);
  if (!Number.isInteger(value) || Math.abs(value) > 1e15) return plain;
  return random.pick([plain, `${plain}.0`, `${plain}.00`, `${plain}e0`, value === 0 ? "0E-1" : `${plain}0E-1`, `${plain}e+00`]);
}
