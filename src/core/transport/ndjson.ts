import { utf8Decode } from "../base/bytes.ts";
import { ErrorCode } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { Limits } from "../base/limits.ts";
import { decodeFrame, encodeFrame, type Decoded, type Frame, type InvalidFrame } from "../wire/frame.ts";
import { isRequest } from "../wire/message.ts";
import { createLineSplitter, type Line } from "./line-splitter.ts";
import { salvage, withSalvage } from "./salvage.ts";
import { notJson } from "./transport-errors.ts";

/** A line that holds no message. `text` is the line, or the start of it where it was too long. */
export interface BrokenLine {
  readonly text: string;
  readonly why: "invalid" | "too-long" | "unfinished";
  /** Whether the line opens a JSON object at all; what does not is somebody's log, not somebody's message. */
  readonly object: boolean;
  readonly kind: "request" | "response" | "unknown";
  readonly invalid: InvalidFrame;
}

export type LineEvent = { readonly frame: Frame; readonly broken?: undefined } | { readonly frame?: undefined; readonly broken: BrokenLine };

/** Bytes in, messages out, in order; no promise, no clock. Newline-delimited JSON as MCP's stdio transport has it. */
interface FrameReader {
  push(chunk: Uint8Array): void;
  end(): void;
  next(): LineEvent | undefined;
}

interface FrameReaderOptions {
  readonly limits: Limits;
  readonly host: Pick<Host, "utf8">;
  /** How one line becomes a message; the strict decoder by default. */
  readonly decode?: (text: string, limits: Limits) => Decoded;
  /** The messages in a line that is a batch; none is by default. */
  readonly split?: (text: string) => string[] | undefined;
}

export function createFrameReader({ limits, host, decode = decodeFrame, split = () => undefined }: FrameReaderOptions): FrameReader {
  const splitter = createLineSplitter(limits.maxMessageBytes, (bytes) => utf8Decode(bytes, host));
  // What is left of a batch, the next one last.
  let batch: string[] = [];

  const read = (line: Line): LineEvent => {
    switch (line.kind) {
      case "line": {
        if (line.malformed === true) {
          const message = "Parse error: the text is not UTF-8";
          return { broken: describe(line.text, line.text, "invalid", { error: { code: ErrorCode.parseError, message } }) };
        }
        const { frame, invalid } = decode(line.text, limits);
        return frame !== undefined ? { frame } : { broken: describe(line.text, line.text, "invalid", invalid) };
      }
      case "too-long": {
        const message = `Message too long: ${line.bytes} bytes, at most ${limits.maxMessageBytes} are accepted`;
        return { broken: describe(line.head, line.tail, "too-long", { error: { code: ErrorCode.invalidRequest, message } }) };
      }
      case "unfinished": {
        // A whole message lacks nothing but its line feed: an object that were cut short would lack its last brace.
        const { frame } = line.malformed === true ? {} : decode(line.text, limits);
        if (frame !== undefined) return { frame };
        const message = "The stream ended within a message";
        return { broken: describe(line.text, line.text, "unfinished", { error: { code: ErrorCode.parseError, message } }) };
      }
    }
  };

  const readItem = (text: string): LineEvent => {
    const { frame, invalid } = decode(text, limits);
    if (frame === undefined) return { broken: describe(text, text, "invalid", invalid) };
    if (!isRequest(frame.message) || frame.message.method !== "initialize") return { frame };
    const error = { code: ErrorCode.invalidRequest, message: "Invalid message: initialize cannot be part of a batch" };
    return { broken: describe(text, text, "invalid", { error, id: frame.message.id, answers: false }) };
  };

  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end(),
    next() {
      if (batch.length === 0) {
        const line = splitter.next();
        if (line === undefined) return undefined;
        const items = line.kind === "line" && line.malformed !== true ? split(line.text) : undefined;
        if (items === undefined) return read(line);
        batch = items.reverse();
      }
      // There is one: a batch without any is none.
      return readItem(batch.pop()!);
    },
  };
}

function describe(head: string, tail: string, why: BrokenLine["why"], invalid: InvalidFrame): BrokenLine {
  const found = salvage(head, tail);
  return { text: head, why, object: found.object, kind: found.kind, invalid: withSalvage(invalid, found) };
}

/** The frame as one line with its line feed; throws as {@link encodeText} does. */
export function encodeLine(frame: Frame, maxDepth: number, maxBytes: number): string {
  return encodeText(frame, maxDepth, maxBytes) + "\n";
}

/**
 * The frame as one line, without a line feed. Throws `not_json` for a message that JSON cannot carry, or that is nested too deeply, and
 * `limit_exceeded` for one that is certain to have more than `maxBytes`; whoever sends it counts the bytes.
 */
export function encodeText(frame: Frame, maxDepth: number, maxBytes: number): string {
  try {
    return encodeFrame(frame, { maxDepth, maxMessageBytes: maxBytes });
  } catch (thrown) {
    throw notJson(thrown);
  }
}
