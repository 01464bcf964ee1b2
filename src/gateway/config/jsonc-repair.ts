import type { Refusal } from "../../core/base/json-text.ts";
import { isObject, type JsonObject } from "../../core/base/json.ts";
import { leftOpen } from "./jsonc-open.ts";

/** A text in which one fault is mended, for the sake of those behind it; every offset stays what it was. */
export interface Repaired {
  readonly text: string;
  /** Whether it says now what was surely meant. Elsewhere its values are made up, and say nothing. */
  readonly sure: boolean;
}

/** Mends the fault that a reader has stopped at, or gives up. `text` has spaces in place of comments. `number` differs from call to call. */
export function repair(text: string, { code, offset }: Refusal, number: number): Repaired | undefined {
  const put = (start: number, what: string, sure: boolean): Repaired => ({ text: text.slice(0, start) + what + text.slice(start + what.length), sure });
  if (code === "duplicate_key") {
    const name = /^"((?:[^"\\]|\\.)+)"/s.exec(text.slice(offset, offset + MAX_NAME))?.[1];
    return name === undefined ? undefined : put(offset + 1, String.fromCharCode(FIRST_PRIVATE + number).repeat(name.length), true);
  }
  if (code === "number_range") return put(offset, "0".padEnd(/^[-+.\deE]*/.exec(text.slice(offset))?.[0].length ?? 1), false);
  const char = text[offset];
  if (code !== "syntax") return undefined;
  if (char === undefined) return closed(text);
  if (char === ",") return put(offset, " ", true);
  if (char === "'") {
    const quoted = /^'([^'"\\\r\n]*)'/.exec(text.slice(offset, offset + MAX_NAME))?.[1];
    return quoted === undefined ? undefined : put(offset, `"${quoted}"`, true);
  }
  const before = text.slice(0, offset).trimEnd().at(-1) ?? "";
  if (/["{[\w-]/.test(char) && /["}\]\w]/.test(before) && /\s/.test(text[offset - 1] ?? "")) return put(offset - 1, ",", true);
  const word = /^[A-Za-z_$][\w$.-]*/.exec(text.slice(offset, offset + MAX_NAME))?.[0];
  if (word === undefined) return undefined;
  if (before === ":" || before === "[") return put(offset, "0".padEnd(word.length), false);
  // A name without quotes, in as many characters: its first and its last become the quotes.
  const filler = word.length < 3 ? undefined : String.fromCharCode(FIRST_PRIVATE + number).repeat(word.length - 2);
  return filler === undefined ? undefined : put(offset, `"${filler}"`, false);
}

// Behind a comma or a whole value, the brackets that are missing at the end.
function closed(text: string): Repaired | undefined {
  const open = leftOpen(text);
  const whole = text.trimEnd();
  if (open === undefined || open.closing === "" || !/[\]}"\w,]$/.test(whole)) return undefined;
  return { text: (whole.endsWith(",") ? `${whole.slice(0, -1)} ` : whole) + open.closing, sure: open.aligned };
}

/** A value without the members that stand in a repaired text for the second of two of one name. */
export function withoutRepeated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutRepeated(item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !isPrivate(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutRepeated(member)])) satisfies JsonObject;
}

/** A pointer into a repaired text, as far as it names what the user has written. */
export function withoutMadeUp(pointer: string): string {
  return pointer.replace(/\/[\ue000-\uf8ff].*$/s, "");
}

// Characters that mean nothing to anybody.
const FIRST_PRIVATE = 0xe000;
const LAST_PRIVATE = 0xf8ff;
const MAX_NAME = 1000;

function isPrivate(name: string): boolean {
  const code = name.charCodeAt(0);
  return code >= FIRST_PRIVATE && code <= LAST_PRIVATE;
}
