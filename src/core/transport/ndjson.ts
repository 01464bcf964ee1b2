import { ErrorCode } from "../base/errors.ts";
import { cloneJson } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { decodeFrame, type Decoded, type Frame, type InvalidFrame } from "../wire/frame.ts";
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
export interface FrameReader {
  push(chunk: Uint8Array): void;
  end(): void;
  next(): LineEvent | undefined;
}

export interface FrameReaderOptions {
  readonly limits: Limits;
  readonly utf8: { decode(bytes: Uint8Array): string };
  /** How one line becomes a message; the strict decoder by default. */
  readonly decode?: (text: string, limits: Limits) => Decoded;
}

export function createFrameReader({ limits, utf8, decode = decodeFrame }: FrameReaderOptions): FrameReader {
  const splitter = createLineSplitter(limits.maxMessageBytes, (bytes) => utf8.decode(bytes));

  const read = (line: Line): LineEvent => {
    switch (line.kind) {
      case "line": {
        const { frame, invalid } = decode(line.text, limits);
        return frame !== undefined ? { frame } : { broken: describe(line.text, line.text, "invalid", invalid) };
      }
      case "too-long": {
        const message = `Message too long: ${line.bytes} bytes, at most ${limits.maxMessageBytes} are accepted`;
        return { broken: describe(line.head, line.tail, "too-long", { error: { code: ErrorCode.invalidRequest, message } }) };
      }
      case "unfinished": {
        const message = "The stream ended within a message";
        return { broken: describe(line.text, line.text, "unfinished", { error: { code: ErrorCode.parseError, message } }) };
      }
    }
  };

  return {
    push: (chunk) => splitter.push(chunk),
    end: () => splitter.end(),
    next() {
      const line = splitter.next();
      return line === undefined ? undefined : read(line);
    },
  };
}

function describe(head: string, tail: string, why: BrokenLine["why"], invalid: InvalidFrame): BrokenLine {
  const found = salvage(head, tail);
  return { text: head, why, object: found.object, kind: found.kind, invalid: withSalvage(invalid, found) };
}

/** The frame as one line with its line feed: its own text where it has one, byte for byte unless that holds line breaks. */
export function encodeLine({ message, text }: Frame, maxDepth: number): string {
  // Inside a JSON string a line break is an error, so any that is left stands between tokens, where a space says the same.
  if (text !== undefined) return (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, " ") : text) + "\n";
  let json: string;
  try {
    json = JSON.stringify(cloneJson(message, maxDepth));
  } catch (thrown) {
    throw notJson(thrown);
  }
  // Line ends to a reader that goes by Unicode instead of by bytes; escaped they mean the same.
  if (json.includes("\u2028")) json = json.replaceAll("\u2028", "\\u2028");
  if (json.includes("\u2029")) json = json.replaceAll("\u2029", "\\u2029");
  return json + "\n";
}
