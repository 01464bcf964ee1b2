import { BriefMap } from "../base/brief-map.ts";
import { ErrorCode, LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { createSignal, type SignalSource } from "../base/signal.ts";
import { safeLog, type Log } from "../jsonrpc/log.ts";
import type { Era } from "../mcp/lifecycle.ts";
import { createBatches } from "../transport/batches.ts";
import { newConnection } from "../transport/connection.ts";
import { createInbox, DONE } from "../transport/inbox.ts";
import { closedError } from "../transport/transport-errors.ts";
import type { Arrival, PeerContext, Transport } from "../transport/transport.ts";
import type { Frame, InvalidFrame } from "../wire/frame.ts";
import { isErrorResponse, isNotification, isRequest, type NotificationMessage, type RequestId, type RequestMessage } from "../wire/message.ts";
import { isHandshakeVersion } from "../wire/versions.ts";
import { createCaller, type Authorize, type HeaderRecord } from "./client-call.ts";
import type { ExchangeParts } from "./client-exchange.ts";
import { openLegacy, type LegacyClient } from "./client-legacy.ts";
import { failureOf, malformed, standInFor, type Outcome } from "./client-outcome.ts";
import { createSessionClient } from "./client-session.ts";
import { createStatelessClient } from "./client-stateless.ts";
import type { HttpSend } from "./exchange.ts";
import { outgoingText } from "./outgoing-text.ts";
import { versionInBody } from "./routing-headers.ts";
import { createSendLanes } from "./send-lanes.ts";

/** How a server over HTTP is reached. */
export interface HttpTransportOptions {
  /** The server's MCP endpoint, `http:` or `https:`. */
  readonly url: string;
  readonly send: HttpSend;
  /** Go with every request. Those that follow from what is sent (`Accept`, `Mcp-…`) cannot be set. */
  readonly headers?: HeaderRecord;
  readonly authorize?: Authorize;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  /** Told of all that the server sent and that is no message, answers of requests included: what is wrong with it. Default: what is no answer goes to `log`. Must not throw. */
  readonly onNoise?: (why: string) => void;
  /** Tries in a row to resume the stream of a request of which nothing comes, before the request fails; 5. */
  readonly maxReconnects?: number;
  /** Whether a server that knows no `initialize` by POST is tried as one of 2024-11-05 (HTTP+SSE). Default true. */
  readonly legacySse?: boolean;
  /**
   * Called when a lost session was opened anew, without what had been set up in it (subscriptions, the log's level). With a failure: it cannot be, as the server
   * speaks another revision now; a new connection may. Must not throw.
   */
  readonly renewed?: (failure?: LocalError) => void;
  /** Called once, when everything else is over: for connections behind `send` that are this transport's own. Must not throw. */
  readonly release?: () => void;
}

const OPTIONS: OptionTable<HttpTransportOptions> = {
  url: "any",
  send: "a function",
  headers: "an object",
  authorize: "a function",
  host: "an object",
  limits: "an object",
  log: "a function",
  onNoise: "a function",
  maxReconnects: "any",
  legacySse: "a boolean",
  renewed: "a function",
  release: "a function",
};

/**
 * MCP over HTTP as one transport, whatever the server speaks: era, revision and session are learnt from what passes through. Each request has an
 * exchange of its own, and fails alone: then an error response stands in, whose `data` has `delivery` and, where there was an answer, `httpStatus`.
 *
 * A session that the server has lost (404) is opened anew, and what it refused is sent again once; nothing else is ever sent twice, but calls whose
 * routing headers were refused (-32020) or which were not authorized (401). Where the revision has them, a stream of the server's own messages is
 * kept open, and cut streams are resumed. In the stateless revisions cancelling a request closes its stream; tools that HTTP clients must refuse
 * (`x-mcp-header`) are left out of lists.
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  checkOptions(options, "the options of a transport over HTTP", OPTIONS);
  const { url, headers, authorize, host = detectHost(), maxReconnects = 5, legacySse = true } = options;
  if (!/^https?:\/\/[^/?#\s]/i.test(url)) throw new LocalError("invalid_argument", "the url of a server is absolute, http: or https:");
  if (!(Number.isSafeInteger(maxReconnects) && maxReconnects >= 0)) throw new LocalError("invalid_argument", "maxReconnects is 0 or a positive integer");
  const limits = resolveLimits(options.limits);
  const log = safeLog(options.log);
  const call = createCaller({ url, send: options.send, headers, authorize });
  const inbox = createInbox(limits.maxQueuedFrames);
  const from: PeerContext = { transport: "http", connection: newConnection("http") };
  const closing = createSignal();
  const batches = createBatches(limits);
  const sendLanes = createSendLanes(limits.maxQueuedBytes);
  // Requests that wait for their response.
  const open = new BriefMap<RequestId, Open>();
  /** What the last request was: notifications do not always tell by themselves. */
  let era: Era = "handshake";
  let legacy: LegacyClient | undefined;
  let released: Promise<void> | undefined;

  const arrive = (frame: Frame, related?: RequestId) => inbox.put(related === undefined ? { frame, from } : { frame, related, from });

  // Refused after the end alone, when nobody waits for it.
  const hand = (arrival: Arrival) => void inbox.put(arrival).catch(() => {});

  const settle = (id: RequestId, lane: Open, outcome: Outcome) => {
    if (open.get(id) !== lane) return;
    open.delete(id);
    if (outcome.frame !== undefined) {
      batches.learn(outcome.frame.message, "in");
      hand({ frame: outcome.frame, related: id, from });
    } else hand(standInFor(id, outcome.failure, from));
  };

  const stray = (frame: Frame) => {
    const { message } = frame;
    const id = "id" in message ? message.id : undefined;
    const lane = id === undefined || id === null ? undefined : open.get(id);
    if (id === undefined || id === null || lane === undefined) {
      return log({ level: "debug", message: "a response fits no request that waits", details: { id: id ?? null } });
    }
    settle(id, lane, { frame });
    lane.source.abort("it was answered on another stream");
  };

  const broken = (invalid: InvalidFrame) => {
    const { error, ends = [] } = invalid;
    if (options.onNoise === undefined) log({ level: "warning", message: "the server sent what is no message", details: { why: error.message } });
    else options.onNoise(error.message);
    for (const id of ends) {
      const lane = open.get(id);
      if (lane === undefined) continue;
      settle(id, lane, { failure: malformed(error) });
      lane.source.abort("what was meant for its answer came on another stream");
    }
  };

  const parts: ExchangeParts = { limits, host, log, closing: closing.signal, maxReconnects, split: batches.split, stray, broken };
  const session = createSessionClient({ ...parts, call, arrive, renewed: (failure) => options.renewed?.(failure) });
  const stateless = createStatelessClient({ ...parts, call, arrive });

  const initialize = async (message: RequestMessage, body: string, lane: Open): Promise<Outcome | undefined> => {
    const outcome = await session.initialize(message, body, lane.source.signal);
    if (!legacySse || lane.source.signal.aborted || !mayBeLegacy(outcome)) return outcome;
    // Its stream brings the answer, as it does all answers.
    legacy = await openLegacy({ ...parts, url, call, arrive: receiveLegacy, ended: (error) => void end(error) });
    if (legacy === undefined) return outcome;
    log({ level: "debug", message: "the server speaks HTTP+SSE, of 2024-11-05" });
    return await postLegacy(legacy, body);
  };

  const receiveLegacy = async (frame: Frame): Promise<void> => {
    const { message } = frame;
    if (isRequest(message) || isNotification(message)) await arrive(frame);
    else stray(frame);
  };

  const postLegacy = async (client: LegacyClient, body: string): Promise<Outcome | undefined> => {
    const failure = await client.post(body);
    return failure === undefined ? undefined : { failure };
  };

  const request = async (message: RequestMessage, body: string, lane: Open) => {
    const { signal } = lane.source;
    const outcome =
      legacy !== undefined ? await postLegacy(legacy, body)
      : lane.era === "stateless" ? await stateless.request(message, body, signal)
      : message.method === "initialize" ? await initialize(message, body, lane)
      : await session.request(message, body, signal);
    // Over HTTP+SSE the answer is still to come.
    if (outcome === undefined) return;
    if (outcome.failure?.malformed !== undefined) options.onNoise?.(outcome.failure.malformed.message);
    settle(message.id, lane, outcome);
    lane.source.dispose();
  };

  const startRequest = (message: RequestMessage, body: string): Promise<void> => {
    const { id } = message;
    if (open.has(id)) return Promise.reject(new LocalError("invalid_message", "a request with this id waits for its answer", { details: { delivery: "none" } }));
    if (open.size >= limits.maxPendingRequests) {
      return Promise.reject(new LocalError("limit_exceeded", "too many requests wait for an answer (maxPendingRequests)", { details: { delivery: "none" } }));
    }
    era = isStateless(message) ? "stateless" : "handshake";
    const lane: Open = { source: createSignal(closing.signal), era };
    open.set(id, lane);
    batches.learn(message, "out");
    request(message, body, lane).catch((thrown: unknown) => settle(id, lane, { failure: failureOf(thrown) }));
    return DONE;
  };

  const takeCancelled = ({ params }: NotificationMessage): Open | undefined => {
    const id = params?.["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return undefined;
    return open.delete(id);
  };

  const tell = async (method: string, body: string, viaStateless?: NotificationMessage, answers?: RequestId) => {
    if (legacy !== undefined) {
      const failure = await legacy.post(body);
      if (failure !== undefined) log({ level: "warning", message: "a message that has no answer could not be sent", details: { method, why: failure.message } });
    } else if (viaStateless === undefined) await session.tell(method, body, closing.signal, answers);
    else {
      await stateless.notify(viaStateless, body, closing.signal).catch((error: unknown) => {
        if (!closing.signal.aborted) log({ level: "warning", message: "a notification could not be sent", details: { method }, error });
      });
    }
  };

  const end = (error: LocalError): Promise<void> => {
    inbox.end(error);
    return release();
  };

  const release = () =>
    (released ??= (async () => {
      const ended = legacy === undefined ? session.end() : DONE;
      closing.abort("the connection is closed");
      open.clear();
      await ended;
      options.release?.();
    })());

  return {
    send(frame, route) {
      if (released !== undefined) return Promise.reject(closedError());
      const { message } = frame;
      let body: string;
      try {
        body = outgoingText(frame, limits);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
      if (isRequest(message)) return startRequest(message, body);
      if (!isNotification(message)) {
        if (era === "stateless") return Promise.reject(new LocalError("invalid_message", "a client of this revision sends no responses"));
        const id = isErrorResponse(message) ? (message.id ?? undefined) : message.id;
        return sendLanes.run(route?.related ?? id, body.length, () => tell("response", body, undefined, id));
      }
      const { method } = message;
      const cancelled = method === "notifications/cancelled" ? takeCancelled(message) : undefined;
      if (method === "notifications/cancelled" && (cancelled?.era ?? era) === "stateless") {
        cancelled?.source.abort("the request was cancelled");
        return DONE;
      }
      const viaStateless = isStateless(message) || (era === "stateless" && legacy === undefined);
      return sendLanes.run(route?.related, body.length, async () => {
        await tell(method, body, viaStateless ? message : undefined);
        // No response comes any more, so there is no stream to wait for either.
        cancelled?.source.abort("the request was cancelled");
      });
    },
    receive: () => inbox.receive(),
    close() {
      inbox.close();
      return release();
    },
  };
}

interface Open {
  readonly source: SignalSource;
  readonly era: Era;
}

function isStateless(message: RequestMessage | NotificationMessage): boolean {
  if (message.method === "initialize") return false;
  const version = versionInBody(message);
  return version !== undefined && !isHandshakeVersion(version);
}

// Errors that only a server of the newer kind gives; all others may come from one that takes no POST here (2026-07-28, Backward Compatibility).
const MODERN: ReadonlySet<number> = new Set([
  ErrorCode.methodNotFound,
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedProtocolVersion,
]);

function mayBeLegacy(outcome: Outcome): boolean {
  const { frame } = outcome;
  if (frame !== undefined && isErrorResponse(frame.message) && MODERN.has(frame.message.error.code)) return false;
  const status = outcome.failure === undefined ? outcome.status : outcome.failure.status;
  return status === 400 || status === 404 || status === 405;
}
