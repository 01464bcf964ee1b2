import { utf8Length } from "./bytes.ts";
import { findRefusal, foldCase, type Refusal } from "./json-refusal.ts";
import { closingQuote } from "./json-spans.ts";
import { DEFAULT_MAX_DEPTH, isObject, ownMember, type JsonObject } from "./json.ts";

export type { Refusal, RefusalCode } from "./json-refusal.ts";

/** What {@link scanJson} refuses beyond bad syntax, duplicate keys and numbers out of range, which it always refuses. */
export interface ScanOptions {
  /** Nesting of lists and objects; a scalar has depth 0, `[]` has depth 1. Default `DEFAULT_MAX_DEPTH`. */
  readonly maxDepth?: number;
  /** Size of the text as UTF-8. Default: no bound. */
  readonly maxBytes?: number;
  /** Paths of objects in which two keys may not differ in case alone (see `foldCase`). Default: none. */
  readonly caseVariants?: readonly (readonly string[])[];
}

/**
 * Where a JSON-RPC message may not hold keys that differ in case alone: some parsers match members regardless of case, so
 * `"name":"echo","Name":"rm"` would be judged as one call and run as another. For {@link ScanOptions.caseVariants}.
 */
export const MESSAGE_CASE_PLACES: readonly (readonly string[])[] = [[], ["params"], ["params", "_meta"]];

export type Scanned =
  | { readonly value: unknown; readonly refusal?: undefined }
  | { readonly value?: undefined; readonly refusal: Refusal };

/**
 * Reads JSON as `JSON.parse` does, and refuses what parsers disagree on: duplicate keys (compared after unescaping), numbers that
 * overflow, keys that differ in case alone where the options say so, and what is too deep or too large. A refusal names the first
 * offence in the order of the text (too large comes before all). Never throws.
 */
export function scanJson(text: string, options: ScanOptions = {}): Scanned {
  const { maxDepth = DEFAULT_MAX_DEPTH, maxBytes = Infinity, caseVariants = [] } = options;
  if (text.length > maxBytes || (text.length * 3 > maxBytes && utf8Length(text) > maxBytes)) {
    return { refusal: { code: "size", offset: 0, pointer: "", message: `the text is larger than ${maxBytes} bytes` } };
  }
  // The platform's parser gives the value. What it keeps to itself costs one lean pass over the text and one over the value: a valid text
  // has as many members as colons outside of strings, and its value has fewer exactly if a key was repeated. Only a text that fails is
  // read again, by the slow reader that knows where and why (4 to 12 times the time of JSON.parse).
  // Node 20, in units of JSON.parse alone: a call of 1 kB 2.0 (3.5 µs), a list of 83 kB 1.6, indented 2.3, 4 MB of prose 1.0, 3.3 MB of small
  // rows 2.0, 9 MB of escapes in one string 3.6 (past a third of maxBytes the bytes are counted, too).
  const members = countColons(text, maxDepth);
  if (members >= 0) {
    const read = readNatively(text, members);
    if (read !== undefined && !caseVariants.some((path) => hasCaseVariants(read.value, path))) return read;
  }
  const refusal = findRefusal(text, maxDepth, caseVariants);
  return { refusal: refusal ?? { code: "syntax", offset: 0, pointer: "", message: "the text is beyond what this engine can read" } };
}

function readNatively(text: string, members: number): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return countMembers(value) === members ? { value } : undefined;
  } catch {
    // Bad syntax; or, under a limit set very high, an engine out of stack.
    return undefined;
  }
}

// Colons outside of strings, or -1 where a string does not end or the nesting is too deep. Checks no syntax: JSON.parse does.
function countColons(text: string, maxDepth: number): number {
  const length = text.length;
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = closingQuote(text, at);
      if (at < 0) return -1;
    } else if (code === 0x3a) colons++;
    else if ((code | 0x20) === 0x7b) {
      if (++depth > maxDepth) return -1;
    } else if ((code | 0x20) === 0x7d) depth--;
  }
  return colons;
}

// Members in all objects of the value; NaN, which equals no count, where a number is not finite. The recursion is as deep as countColons let pass.
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return typeof value === "number" && value - value !== 0 ? NaN : 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object" ? item !== null : typeof item === "number" && item - item !== 0) count += countMembers(item);
    }
    return count;
  }
  // JSON.parse made it: a plain object with data members only.
  const object = value as JsonObject;
  const names = Object.keys(object);
  for (let index = 0; index < names.length; index++) {
    const item = object[names[index]!];
    if (typeof item === "object" ? item !== null : typeof item === "number" && item - item !== 0) count += countMembers(item);
  }
  return count + names.length;
}

function hasCaseVariants(root: unknown, path: readonly string[]): boolean {
  let value = root;
  for (const step of path) value = isObject(value) ? ownMember(value, step) : undefined;
  if (!isObject(value)) return false;
  const names = Object.keys(value);
  return mayVary(names) && new Set(names.map(foldCase)).size < names.length;
}

// False only if no two names fold alike. Folding is dear (1 µs for a usual message), and usual names are few and ASCII: a hash in which letter
// case does not count tells those apart.
function mayVary(names: readonly string[]): boolean {
  if (names.length > 16) return true;
  const hashes: number[] = [];
  for (const name of names) {
    let hash = 0;
    for (let at = 0; at < name.length; at++) {
      const code = name.charCodeAt(at);
      if (code > 0x7f) return true;
      hash = (Math.imul(hash, 31) + (code | 0x20)) | 0;
    }
    if (hashes.includes(hash)) return true;
    hashes.push(hash);
  }
  return false;
}
