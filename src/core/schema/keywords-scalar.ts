import { equalJson } from "../base/json.ts";
import { countOf, numberOf, quote, stringOf, type Keyword, type KeywordCompiler } from "./keyword.ts";
import { codePointLength, isMultipleOf } from "./numbers.ts";
import { compilePattern, MAX_PATTERN_CHARS, MAX_PATTERNS_SIZE, patternSize, type Pattern } from "./pattern.ts";
import { fail, spend, type Check } from "./run.ts";

/** Keywords that look at the value as a whole, at numbers and at strings. */
export const SCALAR_KEYWORDS: readonly (readonly [string, KeywordCompiler])[] = [
  ["type", compileType],
  ["const", compileConst],
  ["enum", compileEnum],
  ["minimum", (keyword) => compileBound(keyword, "at least", (value, bound) => value >= bound)],
  ["maximum", (keyword) => compileBound(keyword, "at most", (value, bound) => value <= bound)],
  ["exclusiveMinimum", (keyword) => compileBound(keyword, "more than", (value, bound) => value > bound)],
  ["exclusiveMaximum", (keyword) => compileBound(keyword, "less than", (value, bound) => value < bound)],
  ["multipleOf", compileMultipleOf],
  ["minLength", compileMinLength],
  ["maxLength", compileMaxLength],
  ["pattern", compilePatternKeyword],
];

const TYPES = new Map<unknown, { readonly name: string; readonly is: (value: unknown) => boolean }>([
  ["null", { name: "null", is: (value) => value === null }],
  ["boolean", { name: "a boolean", is: (value) => typeof value === "boolean" }],
  ["string", { name: "a string", is: (value) => typeof value === "string" }],
  ["number", { name: "a number", is: (value) => typeof value === "number" }],
  ["integer", { name: "an integer", is: Number.isInteger }],
  ["array", { name: "a list", is: Array.isArray }],
  ["object", { name: "an object", is: (value) => typeof value === "object" && value !== null && !Array.isArray(value) }],
]);

function compileType({ value: declared, at, malformed }: Keyword): Check {
  const listed: readonly unknown[] = Array.isArray(declared) ? declared : [declared];
  if (listed.length === 0) throw malformed("must name a type");
  if (new Set(listed).size < listed.length) throw malformed("must not name a type twice");
  const types = listed.map((name, index) => {
    const type = TYPES.get(name);
    if (type === undefined) throw malformed(`must be one of ${[...TYPES.keys()].join(", ")}`, ...(Array.isArray(declared) ? [index] : []));
    return type;
  });
  const reason = `must be ${types.map((type) => type.name).join(" or ")}`;
  const [first] = types;
  if (types.length === 1 && first !== undefined) {
    const { is } = first;
    return (value, run) => is(value) || fail(run, at, reason);
  }
  return (value, run) => types.some((type) => type.is(value)) || fail(run, at, reason);
}

function compileConst({ value: constant, at, weigh }: Keyword): Check {
  const reason = `must be ${quote(constant)}`;
  weigh(sizeOf(constant));
  return (value, run) => equalJson(value, constant) || fail(run, at, reason);
}

function compileEnum({ value: listed, at, weigh, malformed }: Keyword): Check {
  if (!Array.isArray(listed)) throw malformed("must be a list");
  const isScalar = (item: unknown) => typeof item !== "object" || item === null;
  // A Set takes -0 for 0 and 1 for 1.0, and tells 1 from "1" and true, as JSON Schema does.
  const scalars = new Set<unknown>(listed.filter(isScalar));
  const containers: readonly unknown[] = listed.filter((item) => !isScalar(item));
  weigh(sizeOf(containers) + listed.reduce<number>((most, item) => Math.max(most, sizeOf(isScalar(item) ? item : undefined)), 0));
  const reason = `must be one of ${quote(listed).slice(1).replace(/\]$/, "")}`;
  return (value, run) =>
    scalars.has(value) ||
    (containers.length > 0 && !isScalar(value) && containers.some((item) => equalJson(value, item))) ||
    fail(run, at, reason);
}

// Comparing costs at most the size of the schema's side. Depth is bounded: the schema is a clone.
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length >> 6;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + 1 + sizeOf(item), 0);
}

function compileBound(keyword: Keyword, word: string, holds: (value: number, bound: number) => boolean): Check {
  const bound = numberOf(keyword);
  const { at } = keyword;
  const reason = `must be ${word} ${bound}`;
  return (value, run) => typeof value !== "number" || holds(value, bound) || fail(run, at, reason);
}

const DECIMAL_STEPS = 256;

function compileMultipleOf(keyword: Keyword): Check {
  const divisor = numberOf(keyword);
  if (divisor <= 0) throw keyword.malformed("must be more than 0");
  const { at } = keyword;
  const reason = `must be a multiple of ${divisor}`;
  return (value, run) => {
    if (typeof value !== "number" || !Number.isFinite(value)) return true;
    // Decimals of hundreds of digits take microseconds.
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) spend(run, DECIMAL_STEPS, at);
    return isMultipleOf(value, divisor) || fail(run, at, reason);
  };
}

function compileMinLength(keyword: Keyword): Check {
  const least = countOf(keyword);
  const { at } = keyword;
  const reason = `must have at least ${least} ${least === 1 ? "character" : "characters"}`;
  return (value, run) => {
    // A code point takes one unit or two, so most lengths need no count.
    if (typeof value !== "string" || value.length >= least * 2) return true;
    if (value.length >= least) {
      spend(run, value.length >> 3, at);
      if (codePointLength(value) >= least) return true;
    }
    return fail(run, at, reason);
  };
}

function compileMaxLength(keyword: Keyword): Check {
  const most = countOf(keyword);
  const { at } = keyword;
  const reason = `must have at most ${most} ${most === 1 ? "character" : "characters"}`;
  return (value, run) => {
    if (typeof value !== "string" || value.length <= most) return true;
    if (value.length <= most * 2) {
      spend(run, value.length >> 3, at);
      if (codePointLength(value) <= most) return true;
    }
    return fail(run, at, reason);
  };
}

function compilePatternKeyword(keyword: Keyword): Check {
  const pattern = patternOf(stringOf(keyword), keyword);
  const { at } = keyword;
  const reason = `must match the pattern ${quote(keyword.value)}`;
  return (value, run) => typeof value !== "string" || pattern.test(value, run, at) || fail(run, at, reason);
}

/** Compiles a regular expression of the schema, at `steps` below the keyword. */
export function patternOf(source: string, { limits, malformed, measurePattern }: Keyword, ...steps: (string | number)[]): Pattern {
  const measure = (size: number) => {
    if (measurePattern(size) > MAX_PATTERNS_SIZE) throw malformed("is one pattern too many: together they are too large", ...steps);
  };
  measure(patternSize(source));
  if (source.length > MAX_PATTERN_CHARS) throw malformed(`is a regular expression of more than ${MAX_PATTERN_CHARS} characters`, ...steps);
  const pattern = compilePattern(source, limits);
  if (pattern === undefined) throw malformed("is no regular expression that ECMAScript knows", ...steps);
  measure(pattern.size);
  return pattern;
}
