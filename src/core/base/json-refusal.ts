import { keyText, skipSpace } from "./json-spans.ts";
import { formatPointer } from "./json.ts";

/** `syntax`: no JSON. The others are JSON that we refuse, because parsers disagree on it or a limit forbids it. */
export type RefusalCode = "syntax" | "duplicate_key" | "case_variant_key" | "depth" | "size" | "number_range";

/** Why a text was refused, and where. The message quotes nothing of the text, so it may be shown to anybody. */
export interface Refusal {
  readonly code: RefusalCode;
  /** In UTF-16 code units from the start of the text. */
  readonly offset: number;
  /** JSON pointer of the value, or of the second key, that was refused; for `syntax`, of the innermost one begun so far. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * Folds letter case, wider than any parser that matches members regardless of case: full Unicode mapping, lower, upper, lower,
 * without locale. Covers what one direction misses: the Kelvin sign is `k`, the long s is `s`, capital sharp s is `ss`.
 */
export function foldCase(key: string): string {
  return key.toLowerCase().toUpperCase().toLowerCase();
}

// A list or an object that is open. `at` is the step to the value being read, if one is; `keys` and `folds` are those met so far.
interface Level {
  at: string | number | undefined;
  readonly keys: Set<string> | undefined;
  readonly folds: Set<string> | undefined;
}

/**
 * The first offence in the order of the text, or `undefined` where there is none. A full strict reader that builds no value; it runs on refused
 * texts alone, so it is written to be exact. It keeps its own stack, so that no nesting can overflow the engine's.
 */
export function findRefusal(text: string, maxDepth: number, caseVariants: readonly (readonly string[])[]): Refusal | undefined {
  const levels: Level[] = [];
  let at = 0;

  const refuse = (code: RefusalCode, offset: number, message: string): Refusal => {
    const path = levels.map((level) => level.at).filter((step) => step !== undefined);
    return { code, offset, pointer: formatPointer(path), message };
  };
  const malformed = (offset: number): Refusal =>
    refuse("syntax", offset, offset >= text.length ? "the text ends too early" : `the character at offset ${offset} cannot stand there`);

  // Goes to the next value of a level: in an object, reads its key and colon.
  const step = (level: Level): Refusal | undefined => {
    if (level.keys === undefined) {
      level.at = typeof level.at === "number" ? level.at + 1 : 0;
      return undefined;
    }
    level.at = undefined;
    const quote = skipSpace(text, at);
    if (text[quote] !== '"') return malformed(quote);
    const end = stringEnd(text, quote);
    if (end < 0) return malformed(~end);
    const key = keyText(text, quote, end - 1);
    level.at = key;
    if (level.keys.has(key)) return refuse("duplicate_key", quote, "a key stands twice in one object");
    level.keys.add(key);
    const fold = level.folds && foldCase(key);
    if (fold !== undefined && level.folds?.has(fold)) return refuse("case_variant_key", quote, "two keys of one object differ in case alone");
    if (fold !== undefined) level.folds?.add(fold);
    const colon = skipSpace(text, end);
    if (text[colon] !== ":") return malformed(colon);
    at = colon + 1;
    return undefined;
  };

  for (;;) {
    // A value starts here.
    at = skipSpace(text, at);
    const first = text[at];
    if (first === "{" || first === "[") {
      if (levels.length >= maxDepth) return refuse("depth", at, `the nesting is deeper than ${maxDepth}`);
      const inside = skipSpace(text, at + 1);
      if (text[inside] !== (first === "{" ? "}" : "]")) {
        const folds = caseVariants.some((path) => isHere(levels, path)) ? new Set<string>() : undefined;
        const level: Level = { at: undefined, keys: first === "{" ? new Set() : undefined, folds };
        levels.push(level);
        at = inside;
        const refusal = step(level);
        if (refusal !== undefined) return refusal;
        continue;
      }
      at = inside + 1;
    } else {
      const end = first === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (end < 0) return malformed(~end);
      if (first !== '"' && Math.abs(Number(text.slice(at, end))) === Infinity) {
        return refuse("number_range", at, "a number is larger than a double can hold");
      }
      at = end;
    }
    // A value has ended: close what ends with it, then go to its neighbour.
    for (;;) {
      at = skipSpace(text, at);
      const level = levels.at(-1);
      if (level === undefined) return at >= text.length ? undefined : malformed(at);
      if (text[at] === ",") {
        at++;
        const refusal = step(level);
        if (refusal !== undefined) return refusal;
        break;
      }
      if (text[at] !== (level.keys === undefined ? "]" : "}")) return malformed(at);
      levels.pop();
      at++;
    }
  }
}

function isHere(levels: readonly Level[], path: readonly string[]): boolean {
  return levels.length === path.length && levels.every((level, index) => level.at === path[index]);
}

// Both give the offset past the lexeme, or the complement (~) of the first offset that cannot stand there.

function stringEnd(text: string, quote: number): number {
  let at = quote + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    // NaN past the end, or a raw control character.
    if (!(code >= 0x20)) return ~at;
    if (code === 0x5c) {
      at++;
      const escape = text.charAt(at);
      if (escape === "u") {
        for (let digit = 0; digit < 4; digit++) if (!/^[0-9a-fA-F]$/.test(text.charAt(++at))) return ~at;
      } else if (escape === "" || !'"\\/bfnrt'.includes(escape)) return ~at;
    }
    at++;
  }
}

function scalarEnd(text: string, at: number): number {
  for (const literal of ["true", "false", "null"]) {
    if (text[at] !== literal[0]) continue;
    for (let index = 1; index < literal.length; index++) if (text[at + index] !== literal[index]) return ~(at + index);
    return at + literal.length;
  }
  const isDigit = () => {
    const code = text.charCodeAt(at);
    return code >= 0x30 && code <= 0x39;
  };
  const digits = (): boolean => {
    if (!isDigit()) return false;
    while (isDigit()) at++;
    return true;
  };
  if (text[at] === "-") at++;
  if (text[at] === "0") at++;
  else if (!digits()) return ~at;
  if (text[at] === ".") {
    at++;
    if (!digits()) return ~at;
  }
  if (text[at] === "e" || text[at] === "E") {
    at++;
    if (text[at] === "+" || text[at] === "-") at++;
    if (!digits()) return ~at;
  }
  return at;
}
