import { utf8Encode } from "../base/bytes.ts";
import { LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { errorFrame, type Decoded, type Frame } from "../wire/frame.ts";
import { createBatches } from "./batches.ts";
import { newConnection } from "./connection.ts";
import { standIns } from "./handed-over.ts";
import { createFrameReader, encodeLine, type BrokenLine } from "./ndjson.ts";
import { createOutgoingLane } from "./outgoing-lane.ts";
import { closedError, secondReceive } from "./transport-errors.ts";
import type { Arrival, PeerContext, Transport } from "./transport.ts";

/** Two byte streams, one each way: what a line transport stands on. */
export interface ByteDuplex {
  /** The next bytes; `undefined` at the end, and at once after `close`. Rejects where the connection broke. One reader. */
  read(): Promise<Uint8Array | undefined>;
  /** Settles when the bytes are handed over, which is the back-pressure. Calls may overlap and keep their order. Rejects when the peer is gone. */
  write(bytes: Uint8Array): Promise<void>;
  /** Releases a pending `read` at once, then everything else. `flushed` settles when all writes have. Idempotent, never rejects. */
  close(flushed: Promise<void>): Promise<void>;
}

// Enough of a line to recognise it by in a log.
const NOISE_CHARS = 4096;

/** A line that was no message. `text` is what came, or its start; `length` counts its characters, unless it was too long to be kept. */
export interface Noise {
  readonly text: string;
  readonly length?: number;
  readonly why: string;
}

/** `Noise.why` without the place in the line: it is told by keys of the sender's, who may have made them of a payload. */
export function withoutPlace(why: string): string {
  return why.replace(/ at \/.*(?= \(offset \d+\))/s, "");
}

/** How lines of text become messages. */
export interface LineTransportOptions {
  /**
   * What becomes of a line that is no message. `answer` (a server that reads its client): it is owed an error, with its id or with
   * id null. `drop` (a client that reads its server, whose stdout may carry a stray log line): nothing is ever said about noise; only
   * what is clearly a request with an id gets its error. In both, a synthetic error response takes the place of what answers a request of ours, or may
   * have been meant to.
   */
  readonly invalid: "answer" | "drop";
  /** Told of every line that was no message. What it throws is ignored. */
  readonly onNoise?: (noise: Noise) => void;
  readonly limits?: Partial<Limits>;
  readonly host?: Host;
  /** How one line becomes a message; the strict decoder by default. */
  readonly decode?: (text: string, limits: Limits) => Decoded;
}

/** What all that speak in lines of text have in common. */
export const LINE_OPTIONS: OptionTable<Omit<LineTransportOptions, "invalid">> = { onNoise: "a function", limits: "an object", host: "an object", decode: "a function" };

/** MCP's stdio framing over any pair of byte streams. Nothing is read before somebody pulls. */
export function lineTransport(duplex: ByteDuplex, options: LineTransportOptions): Transport {
  checkOptions(options, "the options of a line transport", { ...LINE_OPTIONS, invalid: ["answer", "drop"] });
  const { invalid: treatment, onNoise, host = detectHost() } = options;
  const limits = resolveLimits(options.limits);
  const batches = createBatches(limits);
  const reader = createFrameReader({ limits, host, split: batches.split, ...(options.decode !== undefined ? { decode: options.decode } : {}) });
  const lane = createOutgoingLane((bytes) => duplex.write(bytes), limits.maxQueuedBytes);
  const from: PeerContext = { transport: "stdio", connection: newConnection("stdio") };

  let pulling = false;
  let closed = false;
  // The end of the stream: lines read before it are still pulled.
  let ended: { error?: LocalError } | undefined;
  // Set when the connection is no longer worth reading: what else it sent is not looked at.
  let givenUp: LocalError | undefined;
  // What stands in for the answers in the last line, the next one last.
  let stoodIn: Arrival[] = [];
  let released: Promise<void> | undefined;

  const release = () => {
    if (released === undefined) {
      lane.end();
      released = duplex.close(lane.flushed());
    }
    return released;
  };

  const report = (line: BrokenLine) => {
    try {
      const length = line.why === "too-long" ? {} : { length: line.text.length };
      onNoise?.({ text: line.text.slice(0, NOISE_CHARS), why: line.invalid.error.message, ...length });
    } catch {
      // An observer's fault is no reason to lose the connection.
    }
  };

  // Puts what stands in for a broken line before the next one.
  const onBroken = async (line: BrokenLine): Promise<void> => {
    report(line);
    const { error, id, answers } = line.invalid;
    stoodIn = standIns(line.invalid, from).reverse();
    if (id !== undefined && answers === true) return;
    const mayAnswer = line.kind === "response" || (line.kind === "unknown" && line.object && treatment === "drop");
    if (line.why === "too-long" && id === undefined && mayAnswer) {
      // It may well answer something, and nobody can tell what.
      givenUp = new LocalError("limit_exceeded", `the connection is given up: ${error.message}; the id cannot be read`);
      void release();
    } else if (treatment === "answer" ? line.kind !== "response" : id !== undefined && line.kind === "request") {
      // A broken response is never answered: the peer asked nothing.
      await answer(errorFrame(id ?? null, error));
    }
  };

  // Waits for room like any sender, so that a peer that sends garbage and reads nothing cannot make us hoard answers. They are short, and owed.
  const answer = (frame: Frame) => lane.send(utf8Encode(encodeLine(frame, limits.maxDepth, Infinity), host)).catch(() => {});

  const pull = async (): Promise<Arrival | undefined> => {
    pulling = true;
    try {
      for (;;) {
        if (closed) return undefined;
        const standIn = stoodIn.pop();
        if (standIn !== undefined) return standIn;
        if (givenUp !== undefined) throw givenUp;
        const event = reader.next();
        if (event?.frame !== undefined) {
          batches.learn(event.frame.message, "in");
          return { frame: event.frame, from };
        }
        if (event !== undefined) {
          await onBroken(event.broken);
          continue;
        }
        if (ended !== undefined) {
          if (ended.error !== undefined) throw ended.error;
          return undefined;
        }
        try {
          const chunk = await duplex.read();
          if (chunk !== undefined) reader.push(chunk);
          else ended = {};
        } catch (thrown) {
          ended = { error: thrown instanceof LocalError ? thrown : closedError("reading from the peer failed", thrown) };
          // A broken connection takes nothing either; after a plain end the peer may still be reading.
          lane.end();
        }
        if (ended !== undefined) reader.end();
      }
    } finally {
      pulling = false;
    }
  };

  const encode = (frame: Frame): Uint8Array => {
    const bytes = utf8Encode(encodeLine(frame, limits.maxDepth, limits.maxMessageBytes), host);
    if (bytes.length - 1 > limits.maxMessageBytes) {
      const message = `the message has ${bytes.length - 1} bytes, at most ${limits.maxMessageBytes} may be sent`;
      throw new LocalError("limit_exceeded", message, { details: { bytes: bytes.length - 1, maxMessageBytes: limits.maxMessageBytes } });
    }
    return bytes;
  };

  return {
    // Neither is an async function around another: on the way of each message that costs three promises and as many turns.
    send(frame) {
      let bytes: Uint8Array;
      try {
        bytes = encode(frame);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
      batches.learn(frame.message, "out");
      return lane.send(bytes);
    },
    receive: () => (pulling ? Promise.reject(secondReceive()) : pull()),
    close() {
      closed = true;
      return release();
    },
  };
}
