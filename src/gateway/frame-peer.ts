import { ErrorCode, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { isObject, withMember, type JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import { OwnSignal, type Signal } from "../core/base/signal.ts";
import { createDeadlines } from "../core/jsonrpc/deadlines.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { Arrival, PeerContext, Route, Transport } from "../core/transport/transport.ts";
import { errorFrame, type Frame } from "../core/wire/frame.ts";
import { isNotification, isRequest, type ErrorMessage, type NotificationMessage, type RequestId, type RequestMessage, type ResultMessage } from "../core/wire/message.ts";
import { edited } from "./frame-text.ts";

/** A request of the peer's, with the text that it came in. */
export interface FrameRequest {
  readonly frame: Frame;
  readonly message: RequestMessage;
  readonly from: PeerContext;
  /** The request of ours in whose exchange the peer sent this one. */
  readonly related: RequestId | undefined;
  /** Aborts when the peer cancels, when the connection ends, and once the answer is out. */
  readonly signal: Signal;
  /** Under the request's own id. The first one counts; after a cancellation nothing is sent. `source` is what the message was made from. */
  answer(message: ResultMessage | ErrorMessage, source?: Frame): void;
  /** For a request that its revision gives no answer to. */
  ignore(): void;
}

export interface FrameCall {
  /** What goes out, but for its id and progress token. `source` is the frame that it was made from. */
  readonly message: { readonly method: string; readonly params?: JsonObject };
  readonly source?: Frame;
  /** The peer's request in whose exchange this one belongs. */
  readonly related?: RequestId;
  readonly signal?: Signal;
  /** Milliseconds of silence; `Infinity` waits for ever. */
  readonly timeoutMs: number;
  /** Milliseconds in all. */
  readonly maxMs?: number;
  /** Silence does not count while it says true: somebody is being asked. */
  waits?(): boolean;
  /** With it the peer is given a progress token. */
  onProgress?(frame: Frame, message: NotificationMessage): void;
  onId?(id: number): void;
}

export interface FramePeerParts {
  readonly transport: Transport;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  /** How long answers may still take once a peer on a single channel has ended its side: it may still read them. Default 0. */
  readonly lingerMs?: number;
  /** Neither waits: what it throws is a defect. */
  onRequest(request: FrameRequest): void;
  /** All but cancellations and progress of requests of ours. */
  onNotification(frame: Frame, message: NotificationMessage, arrival: Arrival): void;
}

/**
 * JSON-RPC in both roles over one transport, as `createPeer`, for whoever passes messages on: they keep their source text, so that what nobody changes
 * goes out byte for byte. Ids and progress tokens on the wire are this side's own.
 */
export interface FramePeer {
  /**
   * Settles with the response, a result or an error; `synthetic` where the transport made it up. Rejects with a `LocalError`: `aborted`, `closed`,
   * `timeout`, `limit_exceeded`, `not_json`; `details.delivery` is `none` where the peer has certainly not seen it.
   */
  request(call: FrameCall): Promise<Arrival>;
  /** Never rejects: over `maxQueuedFrames` that are not taken it is dropped, as is what cannot be sent. */
  notify(message: NotificationMessage, source?: Frame, related?: RequestId): void;
  /** Our requests that wait, and the peer's that are owed an answer. */
  readonly pending: number;
  readonly owed: number;
  /** Settles once, after the end: with the reason, or with nothing where either side closed in peace. */
  readonly closed: Promise<LocalError | undefined>;
  close(why?: LocalError): Promise<void>;
  /** Lets answers that are on their way out, held by a guard perhaps, go first; then closes. */
  end(why?: LocalError): Promise<void>;
}

interface Pending {
  readonly id: number;
  readonly call: FrameCall;
  readonly lastAt: number;
  dueAt: number;
  readonly resolve: (arrival: Arrival) => void;
  readonly reject: (error: LocalError) => void;
  unlink: () => void;
}

export function createFramePeer({ transport, host, limits, log, lingerMs = 0, onRequest, onNotification }: FramePeerParts): FramePeer {
  const pending = new Map<number, Pending>();
  const owed = new Map<RequestId, { readonly signal: OwnSignal; readonly from: PeerContext }>();
  let onNoneOwed = () => {};
  // Answers that the transport has not accepted yet.
  let answering = 0;
  let onFlushed = () => {};
  let lastId = 0;
  let unsent = 0;
  let ended: LocalError | undefined;
  let settleClosed!: (why: LocalError | undefined) => void;
  const closed = new Promise<LocalError | undefined>((resolve) => (settleClosed = resolve));

  const send = (frame: Frame, related?: RequestId): Promise<void> => {
    if (ended !== undefined) return Promise.reject(ended);
    const route: Route | undefined = related === undefined ? undefined : { related };
    return transport.send(frame, route);
  };

  const take = (id: number): Pending | undefined => {
    const found = pending.get(id);
    if (found === undefined) return undefined;
    pending.delete(id);
    if (pending.size === 0) deadlines.stop();
    found.unlink();
    return found;
  };
  const giveUp = (id: number, reason: string, error: LocalError) => {
    const found = take(id);
    if (found === undefined) return;
    found.reject(error);
    // Nobody may cancel the handshake (MCP basic/utilities/cancellation).
    if (found.call.message.method === "initialize") return;
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } } as const;
    send({ message: cancelled }, found.call.related).catch(() => {});
  };
  const expire = (entry: Pending) => {
    const { timeoutMs, maxMs = Infinity, waits, message } = entry.call;
    const now = host.now();
    if (now < entry.lastAt && waits?.() === true) {
      entry.dueAt = Math.min(now + timeoutMs, entry.lastAt);
      return deadlines.watch(entry);
    }
    const ms = now >= entry.lastAt ? maxMs : timeoutMs;
    const details = { timeoutMs: ms, delivery: "unknown" };
    giveUp(entry.id, "timeout", new LocalError("timeout", `${message.method}: no answer within ${ms} ms`, { details }));
  };
  const deadlines = createDeadlines<Pending>(host, () => pending.values(), expire);

  const request = (call: FrameCall): Promise<Arrival> =>
    new Promise((resolve, reject) => {
      const { message, source, related, signal, timeoutMs, maxMs = Infinity, onProgress } = call;
      if (ended !== undefined) return reject(ended);
      if (signal?.aborted === true) return reject(new LocalError("aborted", `${message.method} was given up`, { details: { delivery: "none" }, cause: signal.reason }));
      if (pending.size >= limits.maxPendingRequests) {
        return reject(new LocalError("limit_exceeded", "too many requests wait for an answer (maxPendingRequests)", { details: { delivery: "none" } }));
      }
      const id = ++lastId;
      const now = timeoutMs === Infinity && maxMs === Infinity ? 0 : host.now();
      const entry: Pending = { id, call, lastAt: now + maxMs, dueAt: now + Math.min(timeoutMs, maxMs), resolve, reject, unlink: () => {} };
      pending.set(id, entry);
      if (entry.dueAt < Infinity) deadlines.watch(entry);
      call.onId?.(id);
      const params = withToken(message.params, onProgress === undefined ? undefined : id);
      const outgoing: RequestMessage = { jsonrpc: "2.0", id, method: message.method, ...(params === undefined ? {} : { params }) };
      let frame: Frame;
      try {
        frame = edited(outgoing, source);
      } catch (thrown) {
        take(id);
        return reject(asLocalError(thrown, "none"));
      }
      send(frame, related).catch((thrown: unknown) => take(id)?.reject(asLocalError(thrown, "none")));
      // Last, so that a cancellation goes out behind what it cancels.
      if (signal !== undefined) {
        entry.unlink = signal.onAbort((reason) => {
          const why = reasonText(reason);
          giveUp(id, why, new LocalError("aborted", `${message.method} was given up: ${why}`, { cause: reason, details: { delivery: "unknown" } }));
        });
      }
    });

  const settleOwed = (id: RequestId): OwnSignal | undefined => {
    const signal = owed.get(id)?.signal;
    owed.delete(id);
    return signal;
  };

  const accept = (arrival: Arrival, message: RequestMessage) => {
    const { id } = message;
    const refusal = owed.has(id)
      ? { code: ErrorCode.invalidRequest, message: `the request id ${JSON.stringify(id)} is in use` }
      : owed.size >= limits.maxIncomingRequests
        ? { code: ErrorCode.internalError, message: "Too many requests in flight", data: { reason: "overloaded", delivery: "none" } }
        : undefined;
    if (refusal !== undefined) return void send(errorFrame(id, refusal)).catch(() => {});
    const signal = new OwnSignal();
    owed.set(id, { signal, from: arrival.from });
    onRequest({
      frame: arrival.frame,
      message,
      from: arrival.from,
      related: arrival.related,
      signal,
      ignore: () => settleOwed(id)?.fire(ANSWERED),
      answer(answer, source) {
        if (signal.aborted) return;
        settleOwed(id)?.fire(ANSWERED);
        const own = { ...answer, id };
        let frame: Frame;
        try {
          frame = edited(own, source);
        } catch (thrown) {
          log({ level: "error", message: "an answer could not be written", error: thrown });
          frame = errorFrame(id, { code: ErrorCode.internalError, message: "Internal error" });
        }
        answering++;
        send(frame, id)
          .catch(async (thrown: unknown) => {
            if (thrown instanceof LocalError && thrown.code === "closed") return;
            log({ level: "warning", message: "an answer could not be sent; its asker gets an error in its place", error: thrown });
            await send(errorFrame(id, { code: ErrorCode.internalError, message: "The answer could not be passed on" }), id).catch(() => {});
          })
          .finally(() => {
            answering--;
            if (answering === 0) onFlushed();
          });
        if (owed.size === 0) onNoneOwed();
      },
    });
  };

  const onNotified = (arrival: Arrival, message: NotificationMessage) => {
    const { params = {}, method } = message;
    if (method === "notifications/cancelled") {
      const id = params["requestId"];
      if (typeof id !== "string" && typeof id !== "number") return;
      const signal = settleOwed(id);
      if (signal !== undefined) {
        signal.fire(new LocalError("aborted", reasonText(params["reason"])));
        if (owed.size === 0) onNoneOwed();
      } else if (typeof id === "number" && pending.get(id)?.call.message.method === "subscriptions/listen") {
        // A server that shares one channel among its streams ends one so (2026-07-28, basic/patterns/cancellation).
        take(id)?.reject(new LocalError("closed", "the server has ended the subscription"));
      }
      return;
    }
    if (method === "notifications/progress") {
      const token = params["progressToken"];
      const found = typeof token === "number" ? pending.get(token) : undefined;
      if (found === undefined) return;
      found.dueAt = Math.min(host.now() + found.call.timeoutMs, found.lastAt);
      return found.call.onProgress?.(arrival.frame, message);
    }
    onNotification(arrival.frame, message, arrival);
  };

  const close = (why?: LocalError): Promise<void> => {
    if (ended === undefined) {
      // New calls certainly do not go out; of those that wait nobody knows.
      ended = why === undefined ? CLOSED : closedFor(why, "none");
      const unknown = why === undefined ? CUT_OFF : closedFor(why, "unknown");
      for (const id of [...pending.keys()]) take(id)?.reject(unknown);
      for (const id of [...owed.keys()]) settleOwed(id)?.fire(unknown);
      void transport.close(why).then(() => settleClosed(why));
    }
    return closed.then(() => {});
  };

  /** Until `start` calls back, or for so long. */
  const within = async (ms: number, start: (done: () => void) => void): Promise<void> => {
    let cancel = () => {};
    await new Promise<void>((resolve) => {
      cancel = host.setTimer(resolve, ms);
      start(resolve);
    });
    cancel();
  };

  const end = async (why?: LocalError): Promise<void> => {
    if (answering > 0 && ended === undefined) await within(FLUSH_MS, (done) => (onFlushed = done));
    await close(why);
  };

  const pump = async () => {
    for (;;) {
      const arrival = await transport.receive();
      if (arrival === undefined || ended !== undefined) return;
      const { message } = arrival.frame;
      if (isRequest(message)) accept(arrival, message);
      else if (isNotification(message)) onNotified(arrival, message);
      else if (typeof message.id === "number") take(message.id)?.resolve(arrival);
    }
  };
  // The peer has said all that it has to say, answers to our questions among it.
  const linger = async () => {
    for (const id of [...pending.keys()]) take(id)?.reject(CUT_OFF);
    // Over HTTP the way back has ended too.
    if (lingerMs > 0 && [...owed.values()].some(({ from }) => from.transport !== "http")) {
      await within(lingerMs, (done) => (onNoneOwed = done));
    }
    await end();
  };
  pump().then(
    linger,
    (thrown: unknown) => close(asLocalError(thrown, "unknown")),
  );

  return {
    request,
    notify(message, source, related) {
      if (unsent >= limits.maxQueuedFrames) return log({ level: "warning", message: `a peer takes too little; ${message.method} was dropped` });
      unsent++;
      let frame: Frame;
      try {
        frame = edited(message, source);
      } catch (thrown) {
        unsent--;
        return log({ level: "error", message: `${message.method} could not be written`, error: thrown });
      }
      send(frame, related).then(
        () => unsent--,
        () => unsent--,
      );
    },
    get pending() {
      return pending.size;
    },
    get owed() {
      return owed.size;
    },
    closed,
    close,
    end,
  };
}

/** How long answers may take to leave. */
const FLUSH_MS = 5_000;

function closedFor(why: LocalError, delivery: "none" | "unknown"): LocalError {
  return new LocalError("closed", `the connection is closed: ${why.message}`, { details: { delivery }, cause: why });
}

// Shared, as an error costs a stack, and a connection may last for one request.
const CLOSED = new LocalError("closed", "the connection is closed", { details: { delivery: "none" } });
const CUT_OFF = new LocalError("closed", "the connection is closed", { details: { delivery: "unknown" } });
const ANSWERED = new LocalError("closed", "the request has been answered");

// A token that somebody else has chosen never goes on: it may be another call's.
function withToken(params: JsonObject | undefined, token: number | undefined): JsonObject | undefined {
  const meta = params?.["_meta"];
  if (token !== undefined) return withMember(params ?? {}, "_meta", withMember(isObject(meta) ? meta : {}, "progressToken", token));
  if (!isObject(meta) || !Object.hasOwn(meta, "progressToken")) return params;
  const { progressToken: _dropped, ...rest } = meta;
  return { ...params, _meta: rest };
}

function reasonText(reason: unknown): string {
  if (typeof reason === "string") return reason;
  return reason instanceof LocalError ? reason.message : "cancelled";
}

function asLocalError(thrown: unknown, delivery: "none" | "unknown"): LocalError {
  if (thrown instanceof LocalError && thrown.details?.["delivery"] !== undefined) return thrown;
  const [code, message] = thrown instanceof LocalError ? [thrown.code, thrown.message] as const : ["closed", "the connection broke"] as const;
  return new LocalError(code, message, { details: { ...(thrown instanceof LocalError ? thrown.details : {}), delivery }, cause: thrown });
}
