import type { Host } from "../base/host.ts";
import type { Signal } from "../base/signal.ts";
import type { Log } from "../jsonrpc/log.ts";
import { errorFrame, type Frame, type InvalidFrame } from "../wire/frame.ts";
import { isErrorResponse, isResult, type Message, type RequestId } from "../wire/message.ts";
import { asClosed, readJson, readStream, type AnswerItem, type ReaderParts, type StreamReader } from "./answer-reader.ts";
import { failureOf, failureOfStatus, malformed, noAnswer, type Failure, type Outcome } from "./client-outcome.ts";
import type { ByteSource, HttpAnswer } from "./exchange.ts";
import { parseMediaType } from "./media-type.ts";
import { pause, reconnectWait } from "./pause.ts";

export interface ExchangeParts extends ReaderParts {
  readonly host: Host;
  readonly log: Log;
  /** Aborts when the transport closes. */
  readonly closing: Signal;
  /** Tries in a row to resume a stream of which nothing comes. */
  readonly maxReconnects: number;
  /** A response to another request than the one whose stream it came on. */
  stray(frame: Frame): void;
  /** What is no message: requests that it answers, or may have been meant to, have failed. */
  broken(invalid: InvalidFrame): void;
}

/** One request of ours, and the way in which its server answers. */
export interface Exchange {
  readonly id: RequestId;
  readonly signal: Signal;
  /** Messages of the server before its response. Awaited, so that the stream is read no faster than they are taken. */
  passing(frame: Frame): Promise<void>;
  /** Opens the rest of a stream that broke off (GET with Last-Event-ID); absent where the revision has no such thing. */
  readonly resume?: (lastEventId: string, signal: Signal) => Promise<HttpAnswer>;
}

/**
 * Reads the answer of a request's POST to its response, and over all streams that it is resumed on. Never rejects. What comes after the response
 * is read away for a moment, so that the connection can be used again.
 */
export async function readOutcome(exchange: Exchange, answer: HttpAnswer, parts: ExchangeParts): Promise<Outcome> {
  const { status, headers, body } = answer;
  const type = mediaTypeOf(answer);
  try {
    if (status < 200 || status > 299) return await readRefusal(exchange.id, answer, parts);
    if (type === "text/event-stream") return await readStreams(exchange, answer, parts);
    if (type === "application/json" && status !== 202) return await readWhole(exchange, answer, parts);
  } catch (thrown) {
    body.cancel();
    return { failure: failureOf(asClosed(thrown)) };
  }
  body.cancel();
  const what = status === 202 || status === 204 ? `HTTP ${status}, as if it were no request` : `the content type ${JSON.stringify(headers.get("content-type") ?? "")}`;
  return { failure: noAnswer(`the server answered the request with ${what}`, status) };
}

export function mediaTypeOf({ headers }: HttpAnswer): string | undefined {
  const contentType = headers.get("content-type");
  // What nearly everybody sends; the rest is parsed.
  if (contentType === "application/json" || contentType === "text/event-stream") return contentType;
  return contentType === undefined ? undefined : parseMediaType(contentType)?.type;
}

async function readWhole(exchange: Exchange, { body }: HttpAnswer, parts: ExchangeParts): Promise<Outcome> {
  let outcome: Outcome | undefined;
  for (const item of await readJson(body, parts)) outcome = (await take(item, exchange, parts, true)) ?? outcome;
  return outcome ?? { failure: noAnswer("the server's answer holds no response to the request") };
}

/** An error status may carry the JSON-RPC error that says why, whatever its type is called. */
async function readRefusal(id: RequestId, answer: HttpAnswer, parts: ExchangeParts): Promise<Outcome> {
  const { status, headers, body } = answer;
  const failure = failureOfStatus(status, describeStatus(status, headers.get("location")));
  if (mediaTypeOf(answer) === "text/event-stream") {
    body.cancel();
    return { failure };
  }
  try {
    const [item, ...more] = await readJson(body, parts);
    // Whatever the status says: a result that names the request says that it was served.
    if ([item, ...more].some((one) => one?.frame !== undefined && isResult(one.frame.message) && one.frame.message.id === id)) {
      return { failure: noAnswer(`${failure.message}, with a result`, status) };
    }
    const given = more.length > 0 ? undefined : item?.frame;
    if (given === undefined || !isErrorResponse(given.message)) return { failure };
    const frame = answering(id, given);
    // Without the id it is the door that speaks, and what it says by its status counts. Some servers make ids up.
    if (frame === undefined || (frame !== given && (status === 401 || status === 403))) {
      return { failure: { ...failure, message: `${failure.message}: ${given.message.error.message}` } };
    }
    return { frame, status, named: frame === given };
  } catch {
    return { failure };
  }
}

function describeStatus(status: number, location: string | undefined): string {
  // To another origin it would carry the request itself, and the credentials with it.
  if (status >= 300 && status < 400 && location !== undefined) return `the server answered HTTP ${status}, a redirect that is not followed`;
  return `the server answered HTTP ${status}`;
}

async function readStreams(exchange: Exchange, answer: HttpAnswer, parts: ExchangeParts): Promise<Outcome> {
  const { signal, resume } = exchange;
  let { body } = answer;
  let reader = readStream(body, parts);
  let failures = 0;
  let first = true;
  for (;;) {
    const ended = await readToEnd(reader, body, exchange, parts);
    if ("outcome" in ended) return ended.outcome;
    const { lastEventId } = reader;
    if (resume === undefined || !isResumable(lastEventId)) return { failure: ended.failure };
    if (reader.heard) failures = 0;
    let { retryMs } = reader;
    // Tries until a stream opens. What has been read before does not count for the one after.
    for (;;) {
      if (failures > parts.maxReconnects) return { failure: { ...ended.failure, message: `${ended.failure.message}, and could not be resumed` } };
      await pause(parts.host, reconnectWait(retryMs, failures, first), signal);
      first = false;
      if (signal.aborted) return { failure: ended.failure };
      failures++;
      const again = await resume(lastEventId, signal).catch(() => undefined);
      if (again === undefined) continue;
      const type = mediaTypeOf(again);
      if (again.status === 200 && type === "text/event-stream") {
        body = again.body;
        reader = readStream(body, parts, { lastEventId, retryMs });
        break;
      }
      again.body.cancel();
      if (isFinal(again.status)) {
        const message = `${ended.failure.message}, and the server does not resume it (HTTP ${again.status})`;
        return { failure: { message, delivery: "unknown" } };
      }
      retryMs = undefined;
    }
  }
}

/** Whether a status will be the same at the next try. */
export function isFinal(status: number): boolean {
  if (status === 501 || status === 505) return true;
  return status < 500 && status !== 408 && status !== 409 && status !== 425 && status !== 429;
}

/** Whether an event id can be sent back in a header. */
export function isResumable(lastEventId: string): boolean {
  return lastEventId !== "" && lastEventId.length <= 4_096 && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(lastEventId);
}

type Ended = { readonly outcome: Outcome } | { readonly failure: Failure };

async function readToEnd(reader: StreamReader, body: ByteSource, exchange: Exchange, parts: ExchangeParts): Promise<Ended> {
  try {
    for (let item = await reader.next(); item !== undefined; item = await reader.next()) {
      const outcome = await take(item, exchange, parts, false);
      if (outcome === undefined) continue;
      if (outcome.frame === undefined) body.cancel();
      else drain(body, parts);
      return { outcome };
    }
    return { failure: { message: "the server ended the stream without a response", delivery: "unknown" } };
  } catch (thrown) {
    body.cancel();
    return { failure: { message: asClosed(thrown).message, delivery: "unknown" } };
  }
}

// `whole`: nothing else follows, so that what cannot be read was the response.
async function take(item: AnswerItem, exchange: Exchange, parts: ExchangeParts, whole: boolean): Promise<Outcome | undefined> {
  const { id } = exchange;
  if (item.frame !== undefined) {
    const { message } = item.frame;
    if (!isResponse(message)) return void (await exchange.passing(item.frame));
    const frame = answering(id, item.frame);
    return frame === undefined ? void parts.stray(item.frame) : { frame };
  }
  const { invalid, lost } = item;
  if (whole || lost === true || invalid.ends?.includes(id) === true) return { failure: malformed(invalid.error) };
  return void parts.broken(invalid);
}

function isResponse(message: Message): boolean {
  return isResult(message) || isErrorResponse(message);
}

// An error without an id is one about the request in whose exchange it comes.
function answering(id: RequestId, frame: Frame): Frame | undefined {
  const { message } = frame;
  if ("id" in message && message.id === id) return frame;
  if (isErrorResponse(message) && (message.id === null || message.id === undefined)) return errorFrame(id, message.error);
  return undefined;
}

const DRAIN_MS = 1_000;

/** Reads the rest of a body away, which gives its connection back; cuts one that does not end soon. */
export function drain(body: ByteSource, { host, closing }: Pick<ExchangeParts, "host" | "closing">): void {
  if (closing.aborted) return body.cancel();
  let over = false;
  const stop = () => {
    if (over) return;
    over = true;
    unlink();
    cancelTimer();
  };
  const cut = () => {
    stop();
    body.cancel();
  };
  const cancelTimer = host.setTimer(cut, DRAIN_MS, true);
  const unlink = closing.onAbort(cut);
  const read = async () => {
    while (!over && (await body.next()) !== undefined);
  };
  read().then(stop, stop);
}
