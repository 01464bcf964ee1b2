import { describeError, LocalError } from "../core/base/errors.ts";
import { utf8DecodeExact } from "../core/base/bytes.ts";
import { sourceAt } from "../core/base/json-spans.ts";
import { scanJson } from "../core/base/json-text.ts";
import { isObject, type JsonObject } from "../core/base/json.ts";
import type { Phase, Principal } from "../core/wire/gen/interceptors.ts";
import { classify, isErrorResponse, isRequest, isResult, type ErrorObject, type Message, type RequestId } from "../core/wire/message.ts";
import { linesOf } from "./file-lines.ts";

// A recording is JSON lines: for each session a header, its messages, and, where the file became full, a last word. Sessions may be mixed.

/** The first line of a session. */
export interface RecordingHeader {
  /** The version of the form. */
  readonly recording: 1;
  /** ISO 8601. */
  readonly at: string;
  readonly session: string;
  /** The ready-made interceptors that have masked what follows; none, and `raw`, where nothing was masked. */
  readonly redactedBy: readonly string[];
  readonly raw?: true;
}

/** One message, as it came from its sender. It has `params`, `result`, `error`, or, as it could not be masked, `withheld`. */
export interface RecordedMessage {
  readonly at: string;
  readonly session: string;
  readonly from: "client" | "server";
  readonly kind: "request" | "response" | "notification";
  /** The method; of a response, that of its request, or `unknown`. */
  readonly event: string;
  readonly phase: Phase;
  /** What a response and its request have in common, with `from` turned round. */
  readonly id?: RequestId;
  readonly principal?: Principal;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
  readonly withheld?: true;
}

/** What is read of a file. */
export type RecordingLine =
  | { readonly kind: "message"; readonly line: number; readonly entry: RecordedMessage; readonly message: Message | undefined }
  | { readonly kind: "full"; readonly line: number }
  | { readonly kind: "unreadable"; readonly line: number; readonly why: string };

/** Bytes of one line: a message may have 16 MiB, and its masks may be longer than what they stand for. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The event of a response whose request was not seen. */
export const UNKNOWN_EVENT = "unknown";

export function isRecordingHeader(text: string): boolean {
  return text.startsWith('{"recording":1,');
}

/** The line of a message, without its payload where that is `withheld`. */
export function recordedMessage(message: Message, seen: Pick<RecordedMessage, "at" | "session" | "from" | "event">, withheld = false): RecordedMessage {
  const { at, session, from, event } = seen;
  const place = { at, session, from };
  const payload = <T extends object>(members: T) => (withheld ? { withheld: true as const } : members);
  if (isResult(message)) return { ...place, kind: "response", event, phase: "response", id: message.id, ...payload({ result: message.result }) };
  if (isErrorResponse(message)) return { ...place, kind: "response", event, phase: "response", ...(message.id == null ? {} : { id: message.id }), ...payload({ error: message.error }) };
  const params = message.params === undefined ? {} : { params: message.params };
  if (isRequest(message)) return { ...place, kind: "request", event, phase: "request", id: message.id, ...payload(params) };
  return { ...place, kind: "notification", event, phase: "request", ...payload(params) };
}

const IN_MESSAGE: ReadonlySet<string> = new Set(["id", "params", "result", "error"]);

/** An entry as text; with the text of its message, what is of the message is as it stands there: read and written anew, a number of 2^53 or more would lose digits. */
export function lineOf(entry: RecordedMessage, text?: string): string {
  if (text === undefined) return JSON.stringify(entry);
  const members = Object.entries(entry).map(([name, value]) => {
    const span = IN_MESSAGE.has(name) ? sourceAt(text, `/${name}`) : undefined;
    // White space alone holds a line break; within a string it is escaped.
    return `${JSON.stringify(name)}:${span === undefined ? JSON.stringify(value) : text.slice(span.start, span.end).replace(/[\r\n]/g, " ")}`;
  });
  return `{${members.join(",")}}`;
}

/**
 * Reads a recording line by line, or `chunks` in its place. A line that is none of ours is `unreadable`, and the next one is read: a kill leaves half a line, and another session may
 * have been written behind it. Rejects with `invalid_message` for a file that does not begin like a recording, and with what the file system says.
 */
export async function* readRecording(path: string, chunks?: AsyncIterable<Buffer>): AsyncGenerator<RecordingLine> {
  let line = 0;
  for await (const { bytes } of linesOf(path, MAX_LINE_BYTES, chunks)) {
    line++;
    const text = utf8DecodeExact(bytes) ?? "";
    if (line === 1 && !isRecordingHeader(text)) throw new LocalError("invalid_message", `${path} is no recording: its first line is no header`);
    if (text === "") continue;
    const { value, refusal } = scanJson(text);
    if (line === 1 && refusal !== undefined) throw new LocalError("invalid_message", `${path} is no recording: its first line, the header, cannot be read: ${refusal.message}`);
    if (isRecordingHeader(text) && refusal === undefined) continue;
    if (refusal !== undefined || !isObject(value)) yield { kind: "unreadable", line, why: refusal === undefined ? "it is no object" : refusal.message };
    else if (value["full"] === true) yield { kind: "full", line };
    else yield readMessage(value, line);
  }
  if (line === 0) throw new LocalError("invalid_message", `${path} is empty`);
}

function readMessage(value: JsonObject, line: number): RecordingLine {
  const { at, session, from, kind, event, phase, id, params, result, error, principal, withheld } = value;
  const unreadable = (why: string): RecordingLine => ({ kind: "unreadable", line, why });
  if (typeof at !== "string" || Number.isNaN(Date.parse(at))) return unreadable("it has no time");
  if (typeof session !== "string" || typeof event !== "string") return unreadable("it has no session or no event");
  if (from !== "client" && from !== "server") return unreadable("it does not say who has sent it");
  if (kind !== "request" && kind !== "response" && kind !== "notification") return unreadable("it does not say what it is");
  if (phase !== (kind === "response" ? "response" : "request")) return unreadable("its phase is not that of its kind");
  if (principal !== undefined && (!isObject(principal) || typeof principal["type"] !== "string")) return unreadable("its principal is none");
  // The members that count are checked here, and the message as such below.
  const entry = value as unknown as RecordedMessage;
  if (withheld === true) return { kind: "message", line, entry, message: undefined };
  try {
    const own = kind === "response" ? { id: id ?? null, result, error } : { id: kind === "request" ? (id ?? null) : undefined, method: event, params };
    const read = classify(dropUndefined({ jsonrpc: "2.0", ...own }));
    return read.kind === "invalid" ? unreadable(read.error.message) : { kind: "message", line, entry, message: read.message };
  } catch (thrown) {
    return unreadable(describeError(thrown));
  }
}

function dropUndefined(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
