import type { InvalidFrame } from "../wire/frame.ts";
import type { RequestId } from "../wire/message.ts";

/** What can still be told of a text that is no valid message. `object` is false for text that does not even open a JSON object. */
interface Salvage {
  readonly object: boolean;
  readonly id?: RequestId;
  readonly kind: "request" | "response" | "unknown";
}

const MEMBER = /\s*"((?:[^"\\]|\\.)*)"\s*:\s*/y;
const SCALAR = /-?\d+(?=[\s,}])|"(?:[^"\\]|\\.)*"/y;
const COMMA = /\s*,/y;
// What is looked at from either end. Bounded, so that no text makes the expressions below slow or deep.
const SALVAGE_CHARS = 4096;

// Members with scalar values right before the last brace of the line. If the text is JSON at all, that brace closes the message
// itself, and a quote that is not escaped opens a member's name: so these are top-level members, whatever came before.
const LAST_MEMBERS = /((?:,\s*"(?:jsonrpc|id|method)"\s*:\s*(?:-?\d+|"(?:[^"\\]|\\.)*")\s*){1,3})\}\s*$/;

/**
 * Looks for the id at both ends of a broken or over-long text: most peers write it first, the official TypeScript SDK writes it last.
 * `head` and `tail` may be the same text; only their outer ends are read. Never throws.
 */
export function salvage(head: string, tail: string): Salvage {
  const opening = head.slice(0, SALVAGE_CHARS).trimStart();
  if (!opening.startsWith("{")) return { object: false, kind: "unknown" };
  const found = new Map<string, string>();
  scanMembers(opening, 1, found);
  const last = LAST_MEMBERS.exec(tail.slice(-SALVAGE_CHARS))?.[1];
  if (last !== undefined) scanMembers(`${last}}`, 1, found);
  const id = readId(found.get("id"));
  const kind = found.has("method") ? "request" : found.has("result") || found.has("error") ? "response" : "unknown";
  return id === undefined ? { object: true, kind } : { object: true, id, kind };
}

/** The same as `decodeFrame` reports, for a text that it could not read an id from. */
export function withSalvage(invalid: InvalidFrame, found: Salvage): InvalidFrame {
  if (invalid.id !== undefined || found.id === undefined || found.kind === "unknown") return invalid;
  const answers = found.kind === "response";
  return { error: invalid.error, id: found.id, answers, ...(answers ? { ends: [found.id] } : {}) };
}

// Walks top-level members from `at`; the first one whose value does not end within the text is noted, then it stops.
function scanMembers(text: string, at: number, found: Map<string, string>): void {
  for (;;) {
    MEMBER.lastIndex = at;
    const raw = MEMBER.exec(text)?.[1];
    if (raw === undefined) return;
    const name = raw.includes("\\") ? unescaped(raw) : raw;
    at = MEMBER.lastIndex;
    SCALAR.lastIndex = at;
    const scalar = SCALAR.exec(text)?.[0];
    // First come, first kept: a second `id` further on cannot take over what an earlier one claims.
    if (!found.has(name)) found.set(name, scalar ?? "");
    const end = scalar === undefined ? skipValue(text, at) : SCALAR.lastIndex;
    if (end === undefined) return;
    COMMA.lastIndex = end;
    if (!COMMA.test(text)) return;
    at = COMMA.lastIndex;
  }
}

// `"\u0069d"` is `"id"` to every parser.
function unescaped(name: string): string {
  try {
    return String(JSON.parse(`"${name}"`));
  } catch {
    return name;
  }
}

// The end of an object, a list or a literal; undefined where the text ends first.
function skipValue(text: string, at: number): number | undefined {
  let depth = 0;
  for (let index = at; index < text.length; index++) {
    const char = text[index];
    if (char === '"') {
      for (index++; index < text.length && text[index] !== '"'; index++) if (text[index] === "\\") index++;
    } else if (char === "{" || char === "[") depth++;
    else if (char === "}" || char === "]") {
      if (depth === 0) return index;
      if (--depth === 0) return index + 1;
    } else if (char === "," && depth === 0) return index;
  }
  return undefined;
}

function readId(scalar: string | undefined): RequestId | undefined {
  if (scalar === undefined || scalar === "") return undefined;
  try {
    const id: unknown = JSON.parse(scalar);
    return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : undefined;
  } catch {
    return undefined;
  }
}
