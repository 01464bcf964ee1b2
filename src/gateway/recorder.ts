import { createHmac } from "node:crypto";
import { describeError, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import { isObject } from "../core/base/json.ts";
import { createRandomHex } from "../core/base/random-hex.ts";
import { spliceText } from "../core/base/splice.ts";
import type { Chain } from "../core/chain/chain.ts";
import type { Transport } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import { isErrorResponse, isRequest, isResult, type ErrorObject, type Message } from "../core/wire/message.ts";
import { readyMade } from "../library/catalog.ts";
import { createChain } from "../node/chain.ts";
import { nodeHost } from "../node/host.ts";
import { nodeFiles, type AuditFile, type AuditFiles } from "./audit-file.ts";
import { isRecordingHeader, lineOf, recordedMessage, UNKNOWN_EVENT, type RecordedMessage, type RecordingHeader } from "./recording.ts";

export interface RecorderOptions {
  readonly path: string;
  /** Nothing is masked. */
  readonly raw?: boolean;
  /** The file grows no longer than this; what comes after that is not recorded. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Told when recording ends early. What passes goes on passing. */
  log(message: string): void;
  readonly host?: Host;
  readonly files?: AuditFiles;
}

export interface Recorder {
  readonly header: RecordingHeader;
  /** A transport whose arrivals are on record before they are given away. `from` is who is at its other end. */
  tap(transport: Transport, from: "client" | "server"): Transport;
  close(): Promise<void>;
}

/** The ready-made interceptors that mask recordings, as far as they are there: of each, its mutators, with their default config. */
const MASKS = ["redact", "secret-guard"];
// Requests whose answers are waited for, to know what these answer. Far more than peers have in flight.
const MAX_OPEN = 10_000;

/**
 * Opens a file for one session; one that holds sessions already gets another. Rejects with `invalid_message` for a file that is no recording, and with
 * what the file system says.
 */
export async function openRecorder({ path, raw = false, maxBytes = 64 * 1024 * 1024, log, host = nodeHost(), files = nodeFiles }: RecorderOptions): Promise<Recorder> {
  const masks = raw ? [] : MASKS.filter((name) => readyMade.has(name));
  const mask = maskingBy(masks, log);
  // Keyed, as a short id could be guessed by trying.
  const idKey = createRandomHex(host)(32);
  const session = createRandomHex(host)(8);
  const at = () => new Date(host.wallTime()).toISOString();
  const header: RecordingHeader = { recording: 1, at: at(), session, redactedBy: masks, ...(raw ? { raw: true } : {}) };
  const file = await files.open(path);
  let size = await file.size();
  let ended = false;
  // Lines in the order in which they are written. Each transport waits for its own, so that few ever wait.
  let last: Promise<void> = Promise.resolve();
  const open = new Map<string, string>();

  const append = async (line: string) => {
    if (ended) return;
    const bytes = Buffer.from(`${line}\n`);
    const full = Buffer.from(`${JSON.stringify({ at: at(), session, full: true })}\n`);
    try {
      if (size + bytes.length + full.length > maxBytes) {
        ended = true;
        if (size + full.length <= maxBytes) await file.append(full);
        return log(`the recording ends here: ${path} would have more than ${maxBytes} bytes`);
      }
      await file.append(bytes);
      size += bytes.length;
    } catch (thrown) {
      ended = true;
      log(`the recording ends here, as it cannot be written: ${describeError(thrown)}`);
    }
  };
  const record = async ({ message, text }: Frame, from: "client" | "server") => {
    const seen = { at: at(), session, from, event: eventOf(message, from, open) };
    const masked = raw ? message : await maskId(await mask(message, seen.event));
    const shown = masked ?? (await maskId(message));
    await append(lineOf(recordedMessage(shown, seen, masked === undefined), text === undefined ? undefined : spliceText(text, message, shown)));
  };
  // A request and its answer keep having one id in common.
  const maskId = async <M extends Message | undefined>(message: M): Promise<M> => {
    if (message === undefined || !("id" in message) || typeof message.id !== "string") return message;
    const { id } = message;
    const shown = await mask({ jsonrpc: "2.0", method: "id", params: { id } }, "id");
    const same = shown !== undefined && "params" in shown && shown.params?.["id"] === id;
    return same ? message : { ...message, id: `masked:${createHmac("sha256", idKey).update(id).digest("hex").slice(0, 16)}` };
  };

  try {
    size += await begin(file, size, path);
    await file.makePrivate();
    await append(JSON.stringify(header));
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  if (ended) {
    await file.close();
    throw new LocalError("limit_exceeded", `${path} is full: name another file, or allow more bytes`);
  }
  return {
    header,
    tap: (transport, from) => ({
      ...transport,
      async receive() {
        const arrival = await transport.receive();
        if (arrival !== undefined && !ended) await (last = last.then(() => record(arrival.frame, from)));
        return arrival;
      },
    }),
    async close() {
      await last;
      ended = true;
      await file.close();
    },
  };
}

// Half a line of a session that was killed gets its end, so that the next one is a line of its own. Gives the bytes that took.
async function begin(file: AuditFile, size: number, path: string): Promise<number> {
  if (size === 0) return 0;
  const start = Buffer.from(await file.read(0, 32)).toString("latin1");
  if (!isRecordingHeader(start)) throw new LocalError("invalid_message", `${path} is there already, and is no recording: name another file`);
  if ((await file.read(size - 1, 1))[0] === 0x0a) return 0;
  await file.append(Buffer.from("\n"));
  return 1;
}

function eventOf(message: Message, from: RecordedMessage["from"], open: Map<string, string>): string {
  if ("method" in message) {
    if (isRequest(message)) {
      if (open.size >= MAX_OPEN) for (const oldest of open.keys()) if (open.delete(oldest)) break;
      open.set(JSON.stringify([from, message.id]), message.method);
    }
    return message.method;
  }
  const key = JSON.stringify([from === "client" ? "server" : "client", message.id]);
  const event = open.get(key) ?? UNKNOWN_EVENT;
  open.delete(key);
  return event;
}

/** Masks messages; `undefined` for one that could not be masked, which is not written then. */
function maskingBy(names: readonly string[], log: (message: string) => void): (message: Message, event: string) => Promise<Message | undefined> {
  const chain: Chain = createChain();
  for (const name of names) chain.add((readyMade.get(name)?.create() ?? []).filter(({ descriptor }) => descriptor.type === "mutation"));
  return async (message, event) => {
    const phase = "method" in message ? "request" : "response";
    const error = isErrorResponse(message);
    const payload: JsonObject = isResult(message) ? message.result : error ? { error: message.error } : ("params" in message ? message.params : undefined) ?? {};
    try {
      const { status, finalPayload } = await chain.execute({ event, phase, direction: "sending", payload, error });
      if (status !== "success" || !isObject(finalPayload)) return undefined;
      if (isResult(message)) return { ...message, result: finalPayload };
      // Masks change texts and numbers in an error, and leave it one.
      if (error) return { ...message, error: finalPayload["error"] as ErrorObject };
      return "params" in message && message.params !== undefined ? { ...message, params: finalPayload } : message;
    } catch (thrown) {
      log(`a message was recorded without what it says, as it could not be masked: ${thrown instanceof LocalError ? thrown.code : "unexpected"}`);
      return undefined;
    }
  };
}
