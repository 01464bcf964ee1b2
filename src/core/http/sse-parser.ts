import { joinBytes, utf8Decode, utf8DecodeExact, utf8Encode } from "../base/bytes.ts";
import type { Host } from "../base/host.ts";

/** What a stream of server-sent events says, in order. */
export type SseItem =
  /** `type` is `message` where the stream names none. `id` is the last event id, this event's own included; empty where there was none. */
  | { readonly kind: "event"; readonly type: string; readonly data: string; readonly id: string }
  /** How long to wait before connecting again. */
  | { readonly kind: "retry"; readonly ms: number }
  /** An event that is not given: `size`, as soon as it is larger than allowed, or `utf8`, where its bytes are no UTF-8. */
  | { readonly kind: "broken"; readonly why: "size" | "utf8" };

export interface SseParser {
  /** The next piece of the stream, cut anywhere, as bytes or as text; gives what it has completed. The end of a stream completes nothing. */
  push(piece: Uint8Array | string): SseItem[];
  /** Of the last complete event; kept for the streams that resume this one. */
  readonly lastEventId: string;
}

export interface SseParserOptions {
  /** Bytes of one event, its comments not counted. */
  readonly maxEventBytes: number;
  readonly host?: Pick<Host, "utf8">;
  /** Where the stream resumes another: the id that it was asked to go on from. */
  readonly lastEventId?: string;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const BYTE_ORDER_MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/**
 * Reads `text/event-stream` as WHATWG has it (HTML, section 9.2): lines end with LF, CR or CRLF, a byte order mark may lead, data lines are joined
 * by LF, an id with NUL and a retry that is not all digits are ignored, and what the stream leaves unfinished is dropped. Buffers are joined once.
 */
export function createSseParser({ maxEventBytes, host, lastEventId = "" }: SseParserOptions): SseParser {
  let items: SseItem[] = [];
  // The line that is not complete yet; of a comment nothing is kept.
  let pieces: Uint8Array[] = [];
  let lineBytes = 0;
  let comment = false;
  let afterCr = false;
  // Bytes of the mark that may lead, as far as they have come; all of them once it is known whether it does.
  let marked = 0;
  // A text may be cut within a surrogate pair.
  let heldHigh = "";
  // The event under way. `eventBytes` are those of its complete lines.
  let eventBytes = 0;
  let data: string[] = [];
  let type = "";
  let id = lastEventId;
  let broken: "size" | "utf8" | undefined;

  const dispatch = () => {
    lastEventId = id;
    if (broken === "utf8") items.push({ kind: "broken", why: "utf8" });
    else if (broken === undefined && data.length > 0) {
      items.push({ kind: "event", type: type === "" ? "message" : type, data: data.length === 1 ? data[0]! : data.join("\n"), id });
    }
    eventBytes = 0;
    data = [];
    type = "";
    broken = undefined;
  };

  const tooLarge = () => {
    if (broken !== "size") items.push({ kind: "broken", why: "size" });
    broken = "size";
    data = [];
  };

  const takeField = (line: string) => {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (name === "data") {
      if (broken === undefined) data.push(value);
    } else if (name === "event") type = value;
    else if (name === "id") {
      if (!value.includes("\0")) id = value;
    } else if (name === "retry" && /^\d+$/.test(value)) items.push({ kind: "retry", ms: Number(value) });
  };

  const endLine = (bytes: Uint8Array) => {
    if (bytes.length === 0) return dispatch();
    if (bytes[0] === COLON) return;
    eventBytes += bytes.length;
    if (eventBytes > maxEventBytes) tooLarge();
    const line = utf8DecodeExact(bytes, host);
    if (line === undefined) broken ??= "utf8";
    takeField(line ?? utf8Decode(bytes, host));
  };

  // A part of a line, or all of it. The bytes are copied, as the caller may use their buffer again.
  const keep = (bytes: Uint8Array) => {
    if (bytes.length === 0 || comment) return;
    if (lineBytes === 0 && bytes[0] === COLON) {
      comment = true;
      return;
    }
    lineBytes += bytes.length;
    if (eventBytes + lineBytes > maxEventBytes) {
      tooLarge();
      // What is left of the line is of no use, but its first bytes tell an id.
      if (lineBytes > MAX_KEPT_BYTES) return void (pieces = []);
    }
    pieces.push(bytes.slice());
  };

  const finish = (tail: Uint8Array) => {
    // What is dropped of a line must not hang on how the stream is cut.
    const atOnce = lineBytes === 0 && (tail.length <= MAX_KEPT_BYTES || eventBytes + tail.length <= maxEventBytes || tail[0] === COLON);
    if (comment) {
      comment = false;
    } else if (atOnce) {
      endLine(tail);
    } else {
      keep(tail);
      // Of a line that is too long to be kept nothing is known.
      const whole = pieces.length > 0 ? joinBytes(pieces) : undefined;
      pieces = [];
      lineBytes = 0;
      if (whole !== undefined) endLine(whole);
    }
  };

  const pushBytes = (chunk: Uint8Array) => {
    let at = 0;
    while (marked < BYTE_ORDER_MARK.length && at < chunk.length) {
      if (chunk[at] === BYTE_ORDER_MARK[marked]) {
        at++;
        marked++;
      } else {
        // The start of something else.
        keep(BYTE_ORDER_MARK.subarray(0, marked));
        marked = BYTE_ORDER_MARK.length;
      }
    }
    if (afterCr && chunk.length > 0) {
      afterCr = false;
      if (chunk[0] === LF) at = 1;
    }
    // Where the next of each stands, looked for again only once it is passed: otherwise a chunk of one kind is searched once a line.
    let lf = chunk.indexOf(LF, at);
    let cr = chunk.indexOf(CR, at);
    for (;;) {
      if (lf >= 0 && lf < at) lf = chunk.indexOf(LF, at);
      if (cr >= 0 && cr < at) cr = chunk.indexOf(CR, at);
      const end = lf < 0 ? cr : cr < 0 ? lf : Math.min(lf, cr);
      if (end < 0) break;
      finish(chunk.subarray(at, end));
      at = end + 1;
      if (end === cr) {
        if (at === chunk.length) afterCr = true;
        else if (chunk[at] === LF) at++;
      }
    }
    keep(chunk.subarray(at));
  };

  return {
    push(piece) {
      items = [];
      if (typeof piece !== "string") pushBytes(piece);
      else {
        const text = heldHigh + piece;
        const last = text.charCodeAt(text.length - 1);
        heldHigh = last >= 0xd800 && last < 0xdc00 ? text.slice(-1) : "";
        pushBytes(utf8Encode(heldHigh === "" ? text : text.slice(0, -1), host));
      }
      return items;
    },
    get lastEventId() {
      return lastEventId;
    },
  };
}

/** What is kept of a line of an event that is too large already: ids and types are shorter. */
const MAX_KEPT_BYTES = 4_096;
