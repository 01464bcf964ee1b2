import { joinBytes, utf8DecodeExact } from "../base/bytes.ts";
import { ErrorCode, LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { Limits } from "../base/limits.ts";
import { decodeFrame, type Frame, type InvalidFrame } from "../wire/frame.ts";
import { salvage, withSalvage } from "../transport/salvage.ts";
import type { ByteSource } from "./exchange.ts";
import { createSseParser } from "./sse-parser.ts";

/** What an answer's body says: a message, or what was meant for one; `lost`, where nobody can tell whose it was. */
export type AnswerItem =
  | { readonly frame: Frame; readonly invalid?: undefined }
  | { readonly frame?: undefined; readonly invalid: InvalidFrame; readonly lost?: true };

export interface ReaderParts {
  readonly limits: Limits;
  readonly host: Pick<Host, "utf8">;
  /** The messages of a batch, where the revision has them. */
  split(text: string): string[] | undefined;
}

/** The messages of an event stream. */
export interface StreamReader {
  /** `undefined` at a proper end. Rejects with `closed` where the stream was cut. */
  next(): Promise<AnswerItem | undefined>;
  /** Where to resume; empty where the stream cannot be. */
  readonly lastEventId: string;
  /** The wait before that which the server has asked for. */
  readonly retryMs: number | undefined;
  /** Whether anything has come, comments included. */
  readonly heard: boolean;
}

export interface StreamOptions {
  /** Of the stream that this one resumes, and the wait that held there. */
  readonly lastEventId?: string;
  readonly retryMs?: number | undefined;
  /** Told of events of other types than `message`, which are no messages. */
  readonly onEvent?: (type: string, data: string) => void;
}

// Field names and line ends of an event whose data is of the largest size.
const FRAMING_BYTES = 1_024;

/**
 * Reads messages from `text/event-stream`. Events without data and those of other types are none (priming, keep-alive). A body that
 * is JSON for all it says of itself is read as such: it would be a stream without events.
 */
export function readStream(body: ByteSource, parts: ReaderParts, { lastEventId = "", retryMs, onEvent }: StreamOptions = {}): StreamReader {
  const { limits, host } = parts;
  const parser = createSseParser({ maxEventBytes: limits.maxMessageBytes + FRAMING_BYTES, host, lastEventId });
  let items: AnswerItem[] = [];
  let taken = 0;
  let heard = false;
  // Nothing but white space has come.
  let opening = true;
  let json: ByteSource | undefined;

  const parse = (chunk: Uint8Array) => {
    items = [];
    taken = 0;
    for (const item of parser.push(chunk)) {
      if (item.kind === "retry") retryMs = item.ms;
      else if (item.kind === "broken") items.push({ invalid: item.why === "size" ? tooLarge(limits) : NO_UTF8, lost: true });
      else if (item.type !== "message") onEvent?.(item.type, item.data);
      else if (item.data !== "") items.push(...readMessages(item.data, parts));
    }
  };

  return {
    async next() {
      for (;;) {
        if (taken < items.length) return items[taken++];
        if (json !== undefined) {
          items = await readJson(json, parts);
          taken = 0;
          json = undefined;
          if (items.length > 0) continue;
        }
        const chunk = await body.next();
        if (chunk === undefined) return undefined;
        heard = true;
        const first = opening ? chunk.findIndex((byte) => byte > 0x20) : -1;
        if (first >= 0) {
          opening = false;
          // No field of an event begins so.
          if (chunk[first] === 0x7b || chunk[first] === 0x5b) {
            json = startingWith(chunk, body);
            continue;
          }
        }
        parse(chunk);
      }
    },
    get lastEventId() {
      return parser.lastEventId;
    },
    get retryMs() {
      return retryMs;
    },
    get heard() {
      return heard;
    },
  };
}

/** The messages of a JSON body, one as a rule. Rejects as the body does. */
export async function readJson(body: ByteSource, parts: ReaderParts): Promise<AnswerItem[]> {
  const bytes = await readBytes(body, parts.limits.maxMessageBytes);
  if (bytes === undefined) return [{ invalid: tooLarge(parts.limits), lost: true }];
  const text = utf8DecodeExact(bytes, parts.host);
  return text === undefined ? [{ invalid: NO_UTF8, lost: true }] : readMessages(text, parts);
}

/** All bytes of a body; `undefined`, and the body is cancelled, where there are more than `maxBytes`. Rejects with `closed` where it was cut. */
export async function readBytes(body: ByteSource, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) {
    length += chunk.length;
    if (length > maxBytes) {
      body.cancel();
      return undefined;
    }
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}

function readMessages(text: string, { limits, split }: ReaderParts): AnswerItem[] {
  const texts = split(text);
  return (texts ?? [text]).map((item) => readMessage(item, limits));
}

function readMessage(text: string, limits: Limits): AnswerItem {
  const { frame, invalid } = decodeFrame(text, limits);
  return frame !== undefined ? { frame } : { invalid: withSalvage(invalid, salvage(text, text)) };
}

function startingWith(first: Uint8Array, rest: ByteSource): ByteSource {
  let held: Uint8Array | undefined = first;
  return {
    next() {
      const chunk = held;
      held = undefined;
      return chunk === undefined ? rest.next() : Promise.resolve(chunk);
    },
    cancel: () => rest.cancel(),
  };
}

function tooLarge({ maxMessageBytes }: Limits): InvalidFrame {
  return { error: { code: ErrorCode.invalidRequest, message: `Invalid message: it has more than ${maxMessageBytes} bytes (limits.maxMessageBytes)` } };
}

const NO_UTF8: InvalidFrame = { error: { code: ErrorCode.parseError, message: "Parse error: the text is no UTF-8" } };

/** What a body's failure says; an adapter rejects with `closed`. */
export function asClosed(thrown: unknown): LocalError {
  return thrown instanceof LocalError ? thrown : new LocalError("closed", "the connection was cut", { cause: thrown });
}
