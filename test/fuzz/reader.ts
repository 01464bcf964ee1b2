// The oracle's own reading of a line: strict JSON, then JSON-RPC as MCP has it. It shares no code with src and is written from the specifications alone, so
// that it can disagree. Slow and plain.
import { MAX_BYTES } from "./breakage.ts";
import { isObject } from "./grammar.ts";
import { loadCorpus } from "../support/message-corpus.ts";

type Json = null | boolean | number | string | Json[] | ReadonlyMap<string, Json>;

export interface Said {
  readonly kind: "request" | "notification" | "result" | "error";
  readonly id: string | number | null | undefined;
  readonly method: string | undefined;
  /** The whole message as `JSON.parse` gives it. */
  readonly message: Record<string, unknown>;
}

/** A valid message, a batch that could be one, or neither. */
export type Reading =
  | { readonly said: Said; readonly items?: undefined }
  | { readonly said?: undefined; readonly items: readonly string[] }
  | { readonly said?: undefined; readonly items?: undefined };

const MAX_DEPTH = 128;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

// Thrown for what is no strict JSON; one object for all, as a stack for each costs more than the reading.
const REFUSED = new Error("no strict JSON");

// Each line is asked for many times.
const read = new Map<string, Reading>();

/** Reads one line. */
export function readLine(line: string): Reading {
  if (read.size > 1_000) read.clear();
  let reading = read.get(line);
  if (reading === undefined) read.set(line, (reading = readAnew(line)));
  return reading;
}

function readAnew(line: string): Reading {
  if (Buffer.byteLength(line) > MAX_BYTES) return {};
  let strict: { value: Json; items: string[] | undefined };
  try {
    strict = readStrictly(line);
  } catch (thrown) {
    if (thrown === REFUSED) return {};
    throw thrown;
  }
  if (strict.items !== undefined) return { items: strict.items };
  if (!(strict.value instanceof Map)) return {};
  const parsed: unknown = JSON.parse(line);
  return isObject(parsed) ? shapeOf(strict.value, parsed) : {};
}

function shapeOf(top: ReadonlyMap<string, Json>, message: Record<string, unknown>): Reading {
  const members = ["jsonrpc", "id", "method", "params", "result", "error"];
  if (top.get("jsonrpc") !== "2.0" || [...top.keys()].some((name) => !members.includes(name)) || variants(top)) return {};
  const [id, method, params] = [top.get("id"), top.get("method"), top.get("params")];
  const usable = typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id));
  const as = (kind: Said["kind"]): Reading => ({
    said: { kind, id: usable ? id : id === null ? null : undefined, method: typeof method === "string" ? method : undefined, message },
  });
  if (params instanceof Map) {
    const meta = params.get("_meta");
    if (variants(params) || (meta instanceof Map && variants(meta)) || (typeof method === "string" && misspelt(method, params))) return {};
  }
  if (top.has("method")) {
    if (typeof method !== "string" || top.has("result") || top.has("error")) return {};
    if (params !== undefined && !(params instanceof Map)) return {};
    return !top.has("id") ? as("notification") : usable ? as("request") : {};
  }
  // A response may carry params: nobody reads them.
  if (top.has("result")) return top.get("result") instanceof Map && !top.has("error") && usable ? as("result") : {};
  const error = top.get("error");
  if (!(error instanceof Map) || !Number.isInteger(error.get("code")) || typeof error.get("message") !== "string") return {};
  return !top.has("id") || id === null || usable ? as("error") : {};
}

function sameButForCase(a: string, b: string): boolean {
  return a !== b && (a.toLowerCase() === b.toLowerCase() || a.toUpperCase() === b.toUpperCase());
}
function variants(object: ReadonlyMap<string, Json>): boolean {
  const names = [...object.keys()];
  return names.some((name, at) => names.slice(at + 1).some((other) => sameButForCase(name, other)));
}

const PARAM_NAMES = new Map<string, Set<string>>();
const ALL_NAMES = new Set<string>(["name", "event", "phase", "payload", "config", "timeoutMs", "context", "cursor", "_meta", "inputResponses", "requestState"]);
for (const { valid, part } of loadCorpus()) {
  if (!valid || part.kind !== "request") continue;
  PARAM_NAMES.set(part.method, new Set());
  for (const name of Object.keys(part.value ?? {})) if (/^[a-z_]+$/i.test(name)) ALL_NAMES.add(name);
}
for (const method of ["interceptors/list", "interceptor/list", "interceptor/invoke", "interceptors/invoke"]) PARAM_NAMES.set(method, new Set());

// A param of a known method that differs in case alone from one that MCP has.
function misspelt(method: string, params: ReadonlyMap<string, Json>): boolean {
  if (!PARAM_NAMES.has(method)) return false;
  return [...params.keys()].some((name) => !ALL_NAMES.has(name) && [...ALL_NAMES].some((known) => sameButForCase(name, known)));
}

function readStrictly(text: string): { value: Json; items: string[] | undefined } {
  let at = 0;
  let items: string[] | undefined;
  const refuse = (): never => {
    throw REFUSED;
  };
  const blanks = () => {
    while (text[at] === " " || text[at] === "\t" || text[at] === "\n" || text[at] === "\r") at++;
  };
  const string = (): string => {
    STRING.lastIndex = at;
    const lexeme = STRING.exec(text)?.[0] ?? refuse();
    at += lexeme.length;
    return JSON.parse(lexeme) as string; // a JSON string, by the expression
  };
  const value = (depth: number): Json => {
    blanks();
    const first = text[at];
    if (first === "{" || first === "[") {
      if (depth > MAX_DEPTH) refuse();
      at++;
      const object = new Map<string, Json>();
      const list: Json[] = [];
      const close = first === "{" ? "}" : "]";
      const starts: string[] = [];
      for (blanks(); text[at] !== close; ) {
        if (first === "{") {
          const name = string();
          blanks();
          if (text[at++] !== ":" || object.has(name)) refuse();
          object.set(name, value(depth + 1));
        } else {
          blanks();
          const start = at;
          list.push(value(depth + 1));
          starts.push(text.slice(start, at));
        }
        blanks();
        if (text[at] === ",") {
          at++;
          blanks();
          if (text[at] === close) refuse();
        } else if (text[at] !== close) refuse();
      }
      at++;
      if (first === "[" && depth === 1) items = starts;
      return first === "{" ? object : list;
    }
    if (first === '"') return string();
    SCALAR.lastIndex = at;
    const lexeme = SCALAR.exec(text)?.[0] ?? refuse();
    at += lexeme.length;
    const parsed = JSON.parse(lexeme) as boolean | number | null; // by the expression
    return typeof parsed === "number" && !Number.isFinite(parsed) ? refuse() : parsed;
  };
  const whole = value(1);
  blanks();
  if (at < text.length) refuse();
  return { value: whole, items: Array.isArray(whole) ? items : undefined };
}
