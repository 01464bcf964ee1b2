import { utf8Decode } from "../core/base/bytes.ts";
import { LocalError } from "../core/base/errors.ts";

// Texts can be written in ways that say the same: what a policy looks for is looked for in all of them.

/** How often one encoding may lie within another. */
const MAX_LAYERS = 3;
// All decodings together, as a multiple of the text: honest text has a few encoded runs, and each layer is shorter than the one around it.
const MAX_GROWTH = 8;
const LEAST_BUDGET_CHARS = 65_536;
const SHORTEST_BASE64 = 16;

/**
 * The text itself, and what it says where parts of it are JSON-escaped, URL-encoded, Base64 (either alphabet, padded or not) or hexadecimal, and so on
 * within those, three layers deep. Linear. Throws `limit_exceeded` for text that is made to have ever more of them, which blocks.
 */
export function decodings(text: string): readonly string[] {
  const all = [text];
  let budget = Math.max(LEAST_BUDGET_CHARS, text.length * MAX_GROWTH);
  let from = 0;
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const end = all.length;
    for (; from < end; from++) {
      for (const decoded of decodedOnce(all[from] ?? "")) {
        budget -= decoded.length;
        if (budget < 0) throw new LocalError("limit_exceeded", "a text has too many encoded parts to be judged");
        all.push(decoded);
      }
    }
  }
  return all;
}

function decodedOnce(text: string): readonly string[] {
  const found: string[] = [];
  if (text.includes("\\")) {
    const plain = text.replace(/\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(["\\/bfnrt]))/g, (_match, unit?: string, byte?: string, escape?: string) =>
      escape === undefined ? String.fromCharCode(parseInt(unit ?? byte ?? "", 16)) : (ESCAPES.get(escape) ?? escape),
    );
    if (plain !== text) found.push(plain);
  }
  if (text.includes("%")) {
    const plain = text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => textOf(hexBytes(run.replaceAll("%", ""))) ?? run);
    if (plain !== text) found.push(plain);
  }
  // As mail and tools write it, in lines, too.
  for (const [run] of text.matchAll(/[0-9A-Za-z+/_-]{16,}(?:[ \t]*\r?\n[ \t]*[0-9A-Za-z+/_-]{4,})*/g)) {
    const digits = run.replace(/\s+/g, "");
    const decoded = /^(?:[0-9A-Fa-f]{2})+$/.test(digits) ? textOf(hexBytes(digits)) : undefined;
    push(found, decoded ?? textOfBase64(digits));
  }
  return found;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([["b", "\b"], ["f", "\f"], ["n", "\n"], ["r", "\r"], ["t", "\t"]]);

function push(into: string[], text: string | undefined): void {
  if (text !== undefined) into.push(text);
}

/**
 * What a run of Base64 characters says, if that is text: of either alphabet, or both, with whatever bits are left at its end. It may have begun before the
 * encoded part did, so each of the four ways to read it is tried until one makes sense.
 */
function textOfBase64(run: string): string | undefined {
  for (let start = 0; start < 4 && run.length - start >= SHORTEST_BASE64; start++) {
    const text = textOf(base64Bytes(run, start));
    if (text !== undefined) return text;
  }
  return undefined;
}

function base64Bytes(run: string, start: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor(((run.length - start) * 3) / 4));
  let end = 0;
  let bits = 0;
  for (let at = start, held = 0; at < run.length; at++) {
    bits = ((bits << 6) | (BASE64.get(run[at] ?? "") ?? 0)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[end++] = bits >> held;
  }
  return bytes.subarray(0, end);
}

const BASE64: ReadonlyMap<string, number> = new Map([
  ...[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].map((letter, value) => [letter, value] as const),
  ["-", 62],
  ["_", 63],
]);

function hexBytes(digits: string): Uint8Array {
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  return bytes;
}

// Bytes that are no text say nothing. A few may be broken: the run was cut, or has something else at its ends.
function textOf(bytes: Uint8Array): string | undefined {
  const text = utf8Decode(bytes);
  const strange = text.length - text.replace(/[\u0000-\u0008\u000e-\u001f\u007f\ufffd]/g, "").length;
  return text.length === 0 || strange * 20 > text.length ? undefined : text;
}
