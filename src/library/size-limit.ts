import { utf8Length } from "../core/base/bytes.ts";
import { formatPointer, isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, mutator, validator } from "../core/interceptor/define.ts";
import { allow, deny, mutated, unchanged } from "../core/interceptor/verdict.ts";
import { eventsSchema, invalid, readChoice, readConfig, readEvents, readWhole } from "./config.ts";
import { perCall } from "./per-call.ts";

/** How large a payload may be, and its parts. */
export interface SizeLimitConfig {
  /** Bytes of the payload's JSON text in UTF-8; 1 MiB unless given. */
  readonly maxBytes?: number;
  /** Bytes of one text in it. No limit of its own unless given. */
  readonly maxTextBytes?: number;
  /** Items of one list, members of one object; 10,000 unless given. */
  readonly maxItems?: number;
  /** Levels of lists and objects; 64 unless given. */
  readonly maxDepth?: number;
  /**
   * What becomes of a tool's result that is too large: `block` (default) refuses it, `truncate` cuts its texts and leaves out its last blocks, with a
   * note in their place. What has structured content is blocked all the same, as is everything else that is too large.
   */
  readonly action?: "block" | "truncate";
  /** Methods, as hooks name them; all unless given. */
  readonly events?: readonly string[];
}

interface Bounds {
  readonly maxBytes: number;
  readonly maxTextBytes: number;
  readonly maxItems: number;
  readonly maxDepth: number;
}

const OWNER = "size-limit";
const DEFAULTS: Bounds = { maxBytes: 1_048_576, maxTextBytes: Infinity, maxItems: 10_000, maxDepth: 64 };
// A note has to fit, too.
const LEAST_BYTES = 256;

export const sizeLimitConfigSchema: JsonObject = {
  type: "object",
  properties: {
    maxBytes: { type: "integer", minimum: LEAST_BYTES },
    maxTextBytes: { type: "integer", minimum: LEAST_BYTES },
    maxItems: { type: "integer", minimum: 1 },
    maxDepth: { type: "integer", minimum: 1 },
    action: { enum: ["block", "truncate"] },
    events: eventsSchema,
  },
  additionalProperties: false,
};

/**
 * The validator `size-limit` refuses payloads that are too large, and names the place and the bound. Under `action: "truncate"` results of tools are left
 * to the mutator `size-limit-truncate`, which runs after all that redact (`priorityHint: 2000`): a secret that is cut in half would not be found. Throws
 * `invalid_argument` for a wrong config.
 */
export function sizeLimit(config: SizeLimitConfig = {}): readonly Interceptor[] {
  const settings = perCall(config, readSizeLimit);
  const { action, events } = settings({});
  const shared = { version: "1.0.0", configSchema: sizeLimitConfigSchema };
  const block = validator(
    {
      ...shared,
      name: OWNER,
      description: "Refuses payloads that are too large.",
      hooks: [
        { events, phase: "request" },
        { events, phase: "response" },
      ],
      handlesErrors: true,
    },
    ({ payload, event, phase, config: called }) => {
      const { bounds, action: own } = settings(called);
      const fault = tooLarge(payload, bounds);
      if (fault === undefined) return allow();
      // What the other one can cut is its business.
      if (own === "truncate" && isCutResult(event, phase, payload) && cutResult(payload, bounds) !== undefined) return allow();
      return deny(fault.message, { path: fault.path });
    },
  );
  if (action === "block") return [block];
  const truncate = mutator(
    {
      ...shared,
      name: "size-limit-truncate",
      description: "Cuts results of tools that are too large.",
      hooks: [{ events: ["tools/call"], phase: "response" }],
      priorityHint: 2000,
      // It has nothing to cut from an error; the validator measures it.
      handlesErrors: true,
    },
    ({ payload, event, phase, config: called }) => {
      const { bounds } = settings(called);
      if (!isCutResult(event, phase, payload) || tooLarge(payload, bounds) === undefined) return unchanged();
      const cut = cutResult(payload, bounds);
      // What cannot be cut the validator refuses.
      return cut === undefined ? unchanged() : mutated(cut.result as typeof payload, { info: cut.info });
    },
  );
  return [block, truncate];
}

function readSizeLimit(value: unknown) {
  const config = readConfig(value, ["maxBytes", "maxTextBytes", "maxItems", "maxDepth", "action", "events"], OWNER);
  const action = ownMember(config, "action");
  const bounds: Bounds = {
    maxBytes: readWhole(config, "maxBytes", OWNER, LEAST_BYTES) ?? DEFAULTS.maxBytes,
    maxTextBytes: readWhole(config, "maxTextBytes", OWNER, LEAST_BYTES) ?? DEFAULTS.maxTextBytes,
    maxItems: readWhole(config, "maxItems", OWNER, 1) ?? DEFAULTS.maxItems,
    maxDepth: readWhole(config, "maxDepth", OWNER, 1) ?? DEFAULTS.maxDepth,
  };
  const events = readEvents(config, "events", OWNER) ?? ["*"];
  const own = action === undefined ? "block" : readChoice(action, ["block", "truncate"], "action", OWNER);
  if (own === "truncate" && !events.some((event) => event === "*" || event === "tools/*" || event === "tools/call")) throw invalid(OWNER, "action", 'truncate is for tools/call, which "events" leaves out');
  return { bounds, action: own, events };
}

interface Fault {
  readonly message: string;
  readonly path: string;
}

/** The first bound that a value breaks. One walk, which stops there. */
function tooLarge(value: unknown, bounds: Bounds): Fault | undefined {
  const path: (string | number)[] = [];
  let bytes = 0;
  const fault = (what: string): Fault => ({ message: `Too large: ${what}`, path: formatPointer(path) });
  const add = (more: number) => (bytes += more) > bounds.maxBytes;
  const whole: Fault = { message: `Too large: more than ${bounds.maxBytes} bytes in all`, path: "" };
  const walk = (one: unknown, depth: number): Fault | undefined => {
    if (typeof one === "string") {
      // As JSON writes it; a text that is too long by itself need not be measured.
      const length = one.length > bounds.maxBytes ? Infinity : utf8Length(one);
      if (length > bounds.maxTextBytes) return fault(`a text of more than ${bounds.maxTextBytes} bytes`);
      return add(length + 2) ? whole : undefined;
    }
    if (typeof one !== "object" || one === null) return add(String(one).length) ? whole : undefined;
    if (depth === bounds.maxDepth) return fault(`more than ${bounds.maxDepth} levels`);
    const names = Array.isArray(one) ? undefined : Object.keys(one);
    const count = names?.length ?? (one as readonly unknown[]).length;
    if (count > bounds.maxItems) return fault(`more than ${bounds.maxItems} ${names === undefined ? "items" : "members"}`);
    if (add(2 + count)) return whole;
    for (let at = 0; at < count; at++) {
      const name = names?.[at] ?? at;
      if (typeof name === "string" && add(utf8Length(name) + 3)) return whole;
      path.push(name);
      const found = walk((one as Readonly<Record<string | number, unknown>>)[name], depth + 1);
      if (found !== undefined) return found;
      path.pop();
    }
    return undefined;
  };
  // Depth is bounded, so recursion is.
  return walk(value, 0);
}

function isCutResult(event: string, phase: string, payload: unknown): payload is JsonObject & { readonly content: readonly unknown[] } {
  return event === "tools/call" && phase === "response" && isObject(payload) && Array.isArray(payload["content"]) && payload["structuredContent"] === undefined;
}

/**
 * The result with texts that fit, as many blocks as do, and a note for what is missing. Blocks of other kinds are kept whole or left out. Undefined where
 * it is too large even so, by its `_meta`.
 */
function cutResult(payload: JsonObject & { readonly content: readonly unknown[] }, bounds: Bounds) {
  const { maxBytes, maxTextBytes, maxItems, maxDepth } = bounds;
  const bytesOf = (value: unknown) => utf8Length(JSON.stringify(value));
  let room = maxBytes - bytesOf({ ...payload, content: [] }) - LEAST_BYTES / 2;
  const content: unknown[] = [];
  let cut = 0;
  for (const block of payload.content) {
    if (content.length >= maxItems - 1 || tooLarge(block, { maxBytes: Infinity, maxTextBytes: Infinity, maxItems, maxDepth: maxDepth - 2 }) !== undefined) break;
    const text = isObject(block) && block["type"] === "text" ? ownMember(block, "text") : undefined;
    const bytes = bytesOf(block);
    if (bytes <= room && (typeof text !== "string" || utf8Length(text) <= maxTextBytes)) {
      content.push(block);
      room -= bytes + 1;
      continue;
    }
    // Of a text as much as fits; anything else is not in pieces.
    if (typeof text !== "string" || !isObject(block)) break;
    const kept = firstBytes(text, Math.min(maxTextBytes, room - (bytes - bytesOf(text)) - 2) - NOTE_BYTES);
    if (kept === "") break;
    const shorter = { ...block, text: `${kept}\n[truncated: ${kept.length} of ${text.length} characters]` };
    content.push(shorter);
    cut++;
    room -= bytesOf(shorter) + 1;
  }
  const missing = payload.content.length - content.length;
  if (missing > 0) content.push({ type: "text", text: `[truncated: ${missing} of ${payload.content.length} blocks are left out]` });
  const result = { ...payload, content };
  return tooLarge(result, bounds) === undefined ? { result, info: { truncated: { texts: cut, blocks: missing } } } : undefined;
}

const NOTE_BYTES = 64;

/** The longest beginning of a text whose JSON takes so many bytes at most, not cut through a character. */
function firstBytes(text: string, most: number): string {
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    const pair = (text.codePointAt(at) ?? 0) > 0xffff;
    // An escape takes six at most, a character outside the basic plane four.
    const size = unit === 0x22 || unit === 0x5c ? 2 : unit < 0x20 ? 6 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : unit >= 0xd800 && unit <= 0xdfff ? 6 : 3;
    if (bytes + size > most) break;
    bytes += size;
    at += pair ? 2 : 1;
  }
  return text.slice(0, at);
}
