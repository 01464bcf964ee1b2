import { ErrorCode } from "../base/errors.ts";
import { cloneJson, type JsonObject } from "../base/json.ts";
import { MESSAGE_CASE_PLACES, scanJson, type Refusal } from "../base/json-text.ts";
import { DEFAULT_LIMITS, type Limits } from "../base/limits.ts";
import { classify, type ErrorObject, type Message, type RequestId } from "./message.ts";
import { readTopLevel } from "./top-level.ts";

/** One message as it travels. `text`, where there is any, is its exact source, without the line ending. */
export interface Frame {
  readonly message: Message;
  readonly text?: string;
}

/**
 * A text that is no valid message. `id` is set where a usable one could be read: then `answers` tells whether the text is a broken
 * response (its request must not wait for ever) or a broken request (it is owed one answer, which is `error`). `ends` names the requests that this
 * answers, or may have been meant to answer: where they are in flight, they wait no longer.
 */
export interface InvalidFrame {
  readonly error: ErrorObject;
  readonly id?: RequestId;
  readonly answers?: boolean;
  readonly ends?: readonly RequestId[];
}

/** One line of text: a frame, or why it is no message. */
export type Decoded =
  | { readonly frame: Frame; readonly invalid?: undefined }
  | { readonly frame?: undefined; readonly invalid: InvalidFrame };

/**
 * Reads the text of one message: strict JSON, then classification. Never throws. Text that is no JSON gives -32700 and no id. JSON that
 * parsers disagree on, or that breaks a limit, gives -32600, with the id where the text has exactly one; `data` says
 * `{ reason, pointer, offset }`.
 */
export function decodeFrame(text: string, limits: Limits): Decoded {
  const { value, refusal } = scanJson(text, { maxDepth: limits.maxDepth, maxBytes: limits.maxMessageBytes, caseVariants: MESSAGE_CASE_PLACES });
  if (refusal !== undefined) return { invalid: refused(text, refusal) };
  const classified = classify(value);
  if (classified.kind !== "invalid") return { frame: { message: classified.message, text } };
  const { kind: _kind, ...invalid } = classified;
  return { invalid };
}

function refused(text: string, { code, pointer, offset, message }: Refusal): InvalidFrame {
  const where = `${pointer === "" ? "" : ` at ${shorten(pointer)}`} (offset ${offset})`;
  const data = { reason: code, pointer: shorten(pointer), offset };
  if (code === "syntax") {
    return { error: { code: ErrorCode.parseError, message: `Parse error: ${message}${where}. ${ADVICE.syntax}`, data } };
  }
  const error = { code: ErrorCode.invalidRequest, message: `Invalid message: ${message}${where}. ${ADVICE[code]}`, data };
  return { error, ...readTopLevel(text) };
}

const ADVICE: Readonly<Record<Refusal["code"], string>> = {
  syntax: "Send one JSON object, as RFC 8259 has it.",
  duplicate_key: "Give each member of an object once.",
  case_variant_key: "Give each member once, and spelt exactly as the protocol has it.",
  depth: "Nest less deeply, or raise limits.maxDepth on this side.",
  size: "Send less at once, or raise limits.maxMessageBytes on this side.",
  number_range: "Send numbers that a double can hold; put larger ones into strings.",
};

// A pointer holds keys of the sender's choice, and goes into an answer and into logs.
const LONGEST_POINTER = 200;

function shorten(pointer: string): string {
  return pointer.length <= LONGEST_POINTER ? pointer : `${pointer.slice(0, LONGEST_POINTER)}…`;
}

/**
 * The text of a frame: its source where it has one, else its message as JSON. One line without a raw line break: LF and CR between the tokens
 * of a source become spaces, and all else of it stays to the letter. In what we write ourselves U+2028 and U+2029 are escaped, since some peers
 * take them for line breaks, too. Throws a `LocalError`: `not_json` for a message that JSON cannot carry, or that is nested too deeply, and
 * `limit_exceeded` for one that is certain to have more than `maxMessageBytes`, as a few objects have that are held in many places.
 */
export function encodeFrame(frame: Frame, limits: Pick<Limits, "maxDepth" | "maxMessageBytes"> = DEFAULT_LIMITS): string {
  const { text } = frame;
  if (text !== undefined) return text.includes("\n") || text.includes("\r") ? text.replace(/[\n\r]/g, " ") : text;
  // Stringify alone would drop or alter what JSON cannot carry.
  const written = JSON.stringify(cloneJson(frame.message, limits.maxDepth, limits.maxMessageBytes));
  return written.includes("\u2028") || written.includes("\u2029") ? written.replace(/[\u2028\u2029]/g, (found) => (found === "\u2028" ? "\\u2028" : "\\u2029")) : written;
}

export function notificationFrame(method: string, params?: JsonObject): Frame {
  return { message: params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params } };
}

export function resultFrame(id: RequestId, result: JsonObject): Frame {
  return { message: { jsonrpc: "2.0", id, result } };
}

/** `id` is null where the request's own could not be read. */
export function errorFrame(id: RequestId | null, error: ErrorObject): Frame {
  return { message: { jsonrpc: "2.0", id, error } };
}
