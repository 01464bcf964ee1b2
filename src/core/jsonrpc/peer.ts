import { LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import type { JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import type { Arrival, PeerContext, Route, Transport } from "../transport/transport.ts";
import { isNotification, isRequest, type Message, type NotificationMessage, type RequestId } from "../wire/message.ts";
import { createIncoming, type IncomingRequest } from "./incoming.ts";
import { callDetached, safeLog, type Log } from "./log.ts";
import { createPipeline, type Wrapper } from "./middleware.ts";
import { createOutgoing, type CallOptions, type Outgoing, type RequestOptions } from "./outgoing.ts";

export type RequestHandler = (request: IncomingRequest) => unknown;
/** Wraps the handling of the peer's requests. */
export type Middleware = Wrapper<IncomingRequest, unknown>;

/** A request of ours on its way out, as the middleware for those sees it. */
export interface OutgoingRequest {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
}
/** Wraps the sending of our own requests. */
export type OutgoingMiddleware = Wrapper<OutgoingRequest, Promise<JsonObject>>;

/** A notification of the peer's, as handlers get it. */
export interface IncomingNotification {
  readonly method: string;
  /** `{}` where the message has none. */
  readonly params: JsonObject;
  readonly from: PeerContext;
  /** The request of ours in whose exchange it came. */
  readonly related: RequestId | undefined;
}

/** How a peer answers, and how long it waits for answers. Times are in milliseconds. */
export interface PeerOptions {
  /**
   * Answers the peer's requests: an object is the result, nothing is `{}`. A thrown `RpcError` is the error response; anything
   * else that is thrown becomes a generic -32603 and goes to the log. Called in the order of arrival, and never waited for.
   */
  readonly handler: RequestHandler;
  /** True drops a request of the peer's without an answer, before anything else is made of it: for protocols that have none in this direction. */
  readonly drops?: ((method: string) => boolean) | undefined;
  /** Gets every notification but `notifications/cancelled` and `notifications/progress`, which are handled here. */
  readonly onNotification?: ((notification: IncomingNotification) => unknown) | undefined;
  readonly log?: Log;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  /** Default of `timeoutMs` for requests of ours; 60,000. `Infinity` waits for ever. */
  readonly requestTimeoutMs?: number | undefined;
  /** Default of `maxTotalTimeoutMs` where progress resets the timeout; 3,600,000. */
  readonly maxTotalTimeoutMs?: number;
  /** Sends the text of unexpected errors to the peer. Off by default: it may quote anything. */
  readonly exposeErrors?: boolean | undefined;
}

/**
 * JSON-RPC 2.0 in both roles over one transport. Each request of the peer's gets one answer, whatever its handler does, unless the
 * peer cancels it, the connection ends, or it is one that is dropped. Each request of ours settles: with the result, an `RpcError` (the peer's error
 * response), or a `LocalError` (`timeout`, `aborted`, `closed`, `limit_exceeded`, `not_json`).
 */
export interface Peer {
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Settles once the transport has accepted it. A rejection that nobody looks at is not reported as unhandled. */
  notify(method: string, params?: JsonObject, options?: { readonly related?: RequestId }): Promise<void>;
  /** For the requests that arrive from now on; the first one used is the outermost. */
  use(middleware: Middleware): void;
  useOutgoing(middleware: OutgoingMiddleware): void;
  /** Ends the connection: what waits rejects with `closed`, the signals of running handlers abort. Idempotent, never rejects. */
  close(why?: LocalError): Promise<void>;
  /** Settles once, after the end: with the reason, or with nothing where either side closed in peace. */
  readonly closed: Promise<LocalError | undefined>;
  stats(): PeerStats;
}

/** All but the last three are 0 when nothing is going on. */
export interface PeerStats {
  /** Our requests that wait for an answer. */
  readonly pending: number;
  /** The peer's requests that are owed an answer. */
  readonly incoming: number;
  /** Request handlers that have not ended, those of cancelled requests included. */
  readonly running: number;
  /** Notification handlers that have not ended. */
  readonly notifying: number;
  /** Answers that the transport has not accepted yet. */
  readonly answering: number;
  /** Responses that came after their request was given up. */
  readonly lateResponses: number;
  /** Responses to what was never asked. */
  readonly unknownResponses: number;
  /** Requests that were answered with an error before any handler saw them: an id in use, or too many at once. */
  readonly refused: number;
}

// Shared, as an error costs a stack, and over HTTP a connection may last for one request. Whether the peer has seen a request that waits for its
// answer cannot be known.
const IN_PEACE = new LocalError("closed", "the connection is closed", { details: { delivery: "unknown" } });

function closedFor(why: LocalError): LocalError {
  return new LocalError("closed", `the connection is closed: ${why.message}`, { details: { delivery: "unknown" }, cause: why });
}

/** JSON-RPC 2.0 on a transport, both directions: it pulls from the transport until that closes, and owns it from then on. */
export function createPeer(transport: Transport, options: PeerOptions): Peer {
  const { handler, drops, onNotification, host = detectHost(), exposeErrors = false } = options;
  const { requestTimeoutMs = 60_000, maxTotalTimeoutMs = 3_600_000 } = options;
  const limits = resolveLimits(options.limits);
  const log = safeLog(options.log);
  let ended = false;
  let notifying = 0;
  let settleClosed!: (why: LocalError | undefined) => void;
  const closed = new Promise<LocalError | undefined>((resolve) => (settleClosed = resolve));

  const send = (message: Message, route?: Route): Promise<void> => {
    if (ended) return Promise.reject(new LocalError("closed", "the connection is closed", { details: { delivery: "none" } }));
    try {
      return transport.send({ message }, route);
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };
  // Made when it is first of use: over HTTP most connections last for one request of the peer's.
  let asking: Outgoing | undefined;
  const outgoing = () => (asking ??= createOutgoing({ host, limits, log, requestTimeoutMs, maxTotalTimeoutMs, send }));
  const received = createPipeline<IncomingRequest, unknown>(handler);
  const sent = createPipeline<OutgoingRequest, Promise<JsonObject>>((call) => outgoing().request(call.method, call.params, call.options));
  const request = (method: string, params: JsonObject | undefined, call: CallOptions): Promise<JsonObject> => {
    try {
      return sent.run({ method, params, options: call });
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  };
  const incoming = createIncoming({ limits, log, exposeErrors, handle: received.run, send, request, flooded: (why) => void close(why) });

  const onNotified = ({ from, related }: Arrival, { method, params = {} }: NotificationMessage) => {
    if (method === "notifications/cancelled") {
      const id = params["requestId"];
      if (typeof id !== "string" && typeof id !== "number") return;
      if (!incoming.cancel(id, params["reason"])) asking?.endSubscription(id);
    } else if (method === "notifications/progress") {
      asking?.progress(params);
    } else if (onNotification !== undefined) {
      if (notifying >= limits.maxIncomingRequests) {
        log({ level: "warning", message: "too many notifications at once; one was dropped", details: { method } });
        return;
      }
      notifying++;
      callDetached(log, `the handler of ${method}`, () => onNotification({ method, params, from, related }), () => notifying--);
    }
  };

  const close = (why?: LocalError): Promise<void> => {
    if (!ended) {
      ended = true;
      const error = why === undefined ? IN_PEACE : closedFor(why);
      asking?.close(error);
      incoming.close(error);
      transport.close(why).then(
        () => settleClosed(why),
        (thrown: unknown) => {
          log({ level: "error", message: "the transport did not close cleanly", error: thrown });
          settleClosed(why);
        },
      );
    }
    return closed.then(() => {});
  };

  const pump = async () => {
    for (;;) {
      const arrival = await transport.receive();
      if (arrival === undefined || ended) return;
      const { message } = arrival.frame;
      if (isRequest(message)) {
        if (drops?.(message.method) !== true) incoming.accept(arrival, message);
      } else if (isNotification(message)) onNotified(arrival, message);
      else outgoing().settle(message);
    }
  };
  pump().then(
    () => close(),
    (thrown: unknown) => close(thrown instanceof LocalError ? thrown : new LocalError("closed", "the transport broke", { cause: thrown })),
  );

  return {
    closed,
    request: (method, params, call = {}) => request(method, params, call),
    notify(method, params, { related } = {}) {
      const accepted = send(
        params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params },
        related === undefined ? undefined : { related },
      );
      accepted.catch(() => {});
      return accepted;
    },
    use: received.use,
    useOutgoing: sent.use,
    close,
    stats: () => ({ ...outgoing().stats(), ...incoming.stats(), notifying }),
  };
}
