import type { LocalError } from "../base/errors.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import type { Dialect } from "./dialect.ts";
import type { Node } from "./document.ts";
import type { Check } from "./run.ts";

/** One keyword of one schema, as its compiler sees it. */
export interface Keyword {
  readonly value: unknown;
  /** The schema that holds it, for keywords that depend on their neighbours. */
  readonly schema: JsonObject;
  readonly node: Node;
  /** The `schemaPath` of its problems. */
  readonly at: string;
  readonly draft: Dialect["draft"];
  readonly limits: Limits;
  /** The subschema at `steps` below this keyword, applied to members or items. */
  child(...steps: (string | number)[]): Node;
  /** The same, applied to the value itself. */
  inPlace(...steps: (string | number)[]): Node;
  /** The subschema that is a neighbouring keyword's value, applied to the value itself. */
  sibling(keyword: string): Node;
  /** Where a reference from here leads. Throws if it leads nowhere. */
  resolve(reference: string): Node;
  /** Asks for every `$dynamicAnchor` of this name to be compiled. */
  needDynamicAnchor(name: string): void;
  /** Adds to what applying the schema costs. */
  weigh(steps: number): void;
  /** Adds to the sizes of the regular expressions of the schema, and gives the sum. */
  measurePattern(size: number): number;
  /** The error that this keyword is unusable, below it at `steps`. */
  malformed(reason: string, ...steps: (string | number)[]): LocalError;
}

/** Compiles a keyword; undefined where it asserts nothing. Throws `malformed` for a value of the wrong shape. */
export type KeywordCompiler = (keyword: Keyword) => Check | undefined;

/** A count: JSON Schema's "non-negative integer", 2.0 included. */
export function countOf({ value, malformed }: Keyword): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) throw malformed("must be an integer of 0 or more");
  return value;
}

export function numberOf({ value, malformed }: Keyword): number {
  if (typeof value !== "number") throw malformed("must be a number");
  return value;
}

export function stringOf({ value, malformed }: Keyword): string {
  if (typeof value !== "string") throw malformed("must be a string");
  return value;
}

export function objectOf({ value, malformed }: Keyword): JsonObject {
  if (!isObject(value)) throw malformed("must be an object");
  return value;
}

/** The names in a list; steps say where the list lies below the keyword. */
export function namesOf({ malformed }: Keyword, list: unknown, ...steps: (string | number)[]): string[] {
  if (!Array.isArray(list)) throw malformed("must be a list of strings", ...steps);
  return list.map((name: unknown, index) => {
    if (typeof name !== "string") throw malformed("must be a string", ...steps, index);
    return name;
  });
}

/** The subschemas of a non-empty list. */
export function schemaListOf(keyword: Keyword, place: (index: number) => Node): Node[] {
  const { value, malformed } = keyword;
  if (!Array.isArray(value) || value.length === 0) throw malformed("must be a list of one schema or more");
  return value.map((_schema, index) => place(index));
}

/** Text of something in the schema, quoted and cut, for reasons. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
