import { LocalError } from "../base/errors.ts";
import { createSignal } from "../base/signal.ts";
import { resolveUri } from "../schema/uri.ts";
import type { Frame } from "../wire/frame.ts";
import { asClosed, readStream } from "./answer-reader.ts";
import type { Caller } from "./client-call.ts";
import { drain, mediaTypeOf, type ExchangeParts } from "./client-exchange.ts";
import { STREAM_GET } from "./client-headers.ts";
import { failureOf, failureOfStatus, type Failure } from "./client-outcome.ts";
import type { HttpAnswer } from "./exchange.ts";
import { originOf } from "./origin.ts";
import { timedSignal } from "./pause.ts";

export interface LegacyParts extends ExchangeParts {
  readonly url: string;
  readonly call: Caller;
  /** Any message of the server, which has one stream for all of them. */
  arrive(frame: Frame): Promise<void>;
  /** The stream has ended, and with it the connection. */
  ended(error: LocalError): void;
}

/** HTTP+SSE of 2024-11-05: one stream for all that the server says, and an endpoint that takes what we say. */
export interface LegacyClient {
  /** Settles once the server has taken the message: with nothing, or with why it has not. */
  post(body: string): Promise<Failure | undefined>;
}

const ENDPOINT_MS = 10_000;

/** Opens that stream; `undefined` where the server does not answer with one, or names no endpoint of its own origin. */
export async function openLegacy(parts: LegacyParts): Promise<LegacyClient | undefined> {
  const { url, call, host, log, closing } = parts;
  const source = createSignal(closing);
  const limit = timedSignal(host, ENDPOINT_MS, closing);
  const unlink = limit.signal.onAbort((reason) => source.abort(reason));
  let endpoint: string | undefined;
  await openStream();
  unlink();
  limit.abort("done");
  if (endpoint === undefined) {
    source.abort("the server is of no such kind");
    return undefined;
  }
  const target = endpoint;
  return {
    async post(body) {
      try {
        const answer = await call({ method: "POST", headers: [["content-type", "application/json"]], body, url: target, signal: closing });
        drain(answer.body, parts);
        return answer.status < 300 ? undefined : failureOfStatus(answer.status, `the server answered HTTP ${answer.status}`);
      } catch (thrown) {
        return failureOf(thrown);
      }
    },
  };

  // Settles when an endpoint is named, or none will be.
  async function openStream(): Promise<void> {
    let answer: HttpAnswer;
    try {
      answer = await call({ method: "GET", headers: STREAM_GET, signal: source.signal });
    } catch {
      return;
    }
    if (answer.status !== 200 || mediaTypeOf(answer) !== "text/event-stream") return answer.body.cancel();
    await new Promise<void>((settled) => {
      void readAll(answer, settled).then((error) => {
        settled();
        if (endpoint !== undefined && !closing.aborted) parts.ended(error);
      });
    });
  }

  // Reads for as long as the connection lives, and gives the reason for its end.
  async function readAll({ body }: HttpAnswer, settled: () => void): Promise<LocalError> {
    const onEvent = (type: string, data: string) => {
      if (type !== "endpoint" || endpoint !== undefined) return;
      const named = resolveUri(url, data.trim());
      // Elsewhere our messages and credentials have no business.
      if (originOf(named) === originOf(url)) endpoint = named;
      else log({ level: "warning", message: "the server names an endpoint of another origin; it is not used" });
      settled();
    };
    const reader = readStream(body, parts, { onEvent });
    try {
      for (let item = await reader.next(); item !== undefined; item = await reader.next()) {
        if (item.frame !== undefined) await parts.arrive(item.frame);
        else parts.broken(item.invalid);
      }
      return new LocalError("closed", "the server ended the stream");
    } catch (thrown) {
      body.cancel();
      return asClosed(thrown);
    }
  }
}
