import { LocalError, RpcError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { subscribe, type Signal, type SignalLike } from "../base/signal.ts";
import type { Route } from "../transport/transport.ts";
import type { ErrorMessage, Message, RequestId, ResultMessage } from "../wire/message.ts";
import { createAwaited, type AwaitedRequest, TOO_MANY, withToken } from "./awaited.ts";
import { callDetached, type Log } from "./log.ts";
import type { PeerStats } from "./peer.ts";

/** A step that the peer reported. `progress` grows from one report to the next. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly [member: string]: unknown;
}

/** How one request of ours is sent and awaited. Times are in milliseconds. */
export interface RequestOptions {
  /** How long to wait for the answer; `Infinity` waits for ever. Default: the peer's `requestTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Gives the call up: the peer is told, and the promise rejects with `aborted`, whose `cause` is the signal's reason. */
  readonly signal?: Signal | SignalLike;
  /** Asks for progress (a token of ours goes into `_meta`). Reports that do not grow are ignored. What the callback throws is logged. */
  readonly onProgress?: (progress: Progress) => unknown;
  /** Each report that grows starts `timeoutMs` anew. Asks for progress, even without `onProgress`. */
  readonly resetTimeoutOnProgress?: boolean;
  /** The absolute bound, whatever progress there is. Default, where progress resets the timeout: the peer's `maxTotalTimeoutMs`. */
  readonly maxTotalTimeoutMs?: number;
  /** The peer's request in whose exchange this one is sent; it may decide the lane (see `Route`). */
  readonly related?: RequestId;
  /** Told the id under which the request goes out, before it does. Subscriptions are correlated by it (2026-07-28). Must not throw. */
  readonly onId?: (id: RequestId) => void;
}

/** What the request layer adds for itself: an exchange whose end ends this call too. */
export interface CallOptions extends RequestOptions {
  readonly parent?: Signal;
}

/** Our requests that wait for an answer. */
export interface Outgoing {
  stats(): Pick<PeerStats, "pending" | "lateResponses" | "unknownResponses">;
  request(method: string, params: JsonObject | undefined, options: CallOptions): Promise<JsonObject>;
  settle(response: ResultMessage | ErrorMessage): void;
  progress(params: JsonObject): void;
  /** A server ends a subscription by cancelling the request that opened it (2026-07-28, basic/patterns/cancellation). */
  endSubscription(id: RequestId): void;
  close(error: LocalError): void;
}

export interface OutgoingParts {
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  readonly requestTimeoutMs: number;
  readonly maxTotalTimeoutMs: number;
  send(message: Message, route?: Route): Promise<void>;
}

interface Pending extends AwaitedRequest {
  readonly route: Route | undefined;
  readonly timeoutMs: number;
  readonly totalMs: number;
  /** Where `totalMs` ends it, in `host.now()`; `dueAt` is never past it. */
  readonly lastAt: number;
  dueAt: number;
  readonly resolve: (result: JsonObject) => void;
  readonly resets: boolean;
  readonly onProgress: RequestOptions["onProgress"];
  lastProgress: number;
  unlink: (() => void) | undefined;
  unlinkParent: (() => void) | undefined;
}

export function createOutgoing({ host, limits, log, requestTimeoutMs, maxTotalTimeoutMs, send }: OutgoingParts): Outgoing {
  let late = 0;
  let unknown = 0;

  const expire = ({ id, method, dueAt, lastAt, timeoutMs, totalMs }: Pending) => {
    const ms = dueAt === lastAt ? totalMs : timeoutMs;
    const reason = `no answer within ${ms} ms`;
    awaited.giveUp(id, reason, new LocalError("timeout", `${method}: ${reason}`, { details: { timeoutMs: ms } }));
  };
  const release = ({ unlink, unlinkParent }: Pending) => {
    unlink?.();
    unlinkParent?.();
  };
  const cancel = ({ route }: Pending, params: JsonObject) => {
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params }, route).catch((thrown: unknown) =>
      log({ level: "debug", message: "a cancellation could not be sent", error: thrown }),
    );
  };
  const awaited = createAwaited<Pending>({ host, limits, expire, release, cancel });

  const linkSignals = (pending: Pending, { signal, parent }: CallOptions) => {
    const { id, method } = pending;
    const onAbort = (reason: unknown) => {
      const told = typeof reason === "string" ? reason : "given up by the caller";
      awaited.giveUp(id, told, new LocalError("aborted", `${method} was given up`, { cause: reason }));
    };
    if (signal !== undefined) pending.unlink = subscribe(signal, onAbort);
    if (parent !== undefined) pending.unlinkParent = subscribe(parent, onAbort);
  };

  const start = (
    method: string,
    params: JsonObject | undefined,
    options: CallOptions,
    resolve: (result: JsonObject) => void,
    reject: (error: Error) => void,
  ) => {
    const { timeoutMs = requestTimeoutMs, onProgress, resetTimeoutOnProgress: resets = false, related } = options;
    const totalMs = options.maxTotalTimeoutMs ?? (resets ? maxTotalTimeoutMs : Infinity);
    const refusal = refuseCall(method, timeoutMs, totalMs, options, awaited.full);
    if (refusal !== undefined) return reject(refusal);
    const id = awaited.nextId();
    const now = timeoutMs === Infinity && totalMs === Infinity ? 0 : host.now();
    const pending: Pending = {
      id,
      method,
      route: related === undefined ? undefined : { related },
      timeoutMs,
      totalMs,
      lastAt: now + totalMs,
      dueAt: now + Math.min(timeoutMs, totalMs),
      resolve,
      reject,
      resets,
      onProgress,
      lastProgress: -Infinity,
      unlink: undefined,
      unlinkParent: undefined,
    };
    awaited.add(pending);
    try {
      awaited.watch(pending);
      if (options.signal !== undefined || options.parent !== undefined) linkSignals(pending, options);
    } catch (thrown) {
      // A host without timers, or something that is no signal.
      awaited.take(id);
      throw thrown;
    }
    options.onId?.(id);
    const sent = withToken(params, onProgress !== undefined || resets ? id : undefined);
    const message: Message = sent === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params: sent };
    send(message, pending.route).catch((error: Error) => awaited.take(id)?.reject(error));
  };

  return {
    stats: () => ({ pending: awaited.size, lateResponses: late, unknownResponses: unknown }),
    request: (method, params, options) => new Promise((resolve, reject) => start(method, params, options, resolve, reject)),
    settle(response) {
      const { id } = response;
      const pending = id === undefined || id === null ? undefined : awaited.take(id);
      if (pending !== undefined) {
        if ("result" in response) pending.resolve(response.result);
        else pending.reject(new RpcError(response.error.code, response.error.message, response.error.data));
      } else if (typeof id === "number" && id >= 1 && id <= awaited.lastId) {
        late++;
      } else {
        unknown++;
        const details = "error" in response ? { id: id ?? null, code: response.error.code } : { id: id ?? null };
        log({ level: "warning", message: "a response fits no request", details });
      }
    },
    progress(params) {
      const { progressToken, progress } = params;
      const pending = typeof progressToken === "number" ? awaited.get(progressToken) : undefined;
      // What does not grow is no sign of progress (MCP basic/utilities/progress), and must not keep a call alive.
      if (pending === undefined || typeof progress !== "number" || !(progress > pending.lastProgress)) return;
      pending.lastProgress = progress;
      if (pending.resets) pending.dueAt = Math.min(host.now() + pending.timeoutMs, pending.lastAt);
      const { onProgress } = pending;
      // `progress` is a number, the rest of the interface is optional.
      if (onProgress !== undefined) callDetached(log, "onProgress", () => onProgress(params as unknown as Progress));
    },
    endSubscription: awaited.endSubscription,
    close: awaited.rejectAll,
  };
}

function refuseCall(method: string, timeoutMs: number, totalMs: number, options: CallOptions, full: boolean): LocalError | undefined {
  if (!(timeoutMs > 0 && totalMs > 0)) {
    return new LocalError("invalid_argument", "timeoutMs and maxTotalTimeoutMs are positive numbers of milliseconds, or Infinity");
  }
  const gone = options.signal?.aborted ? options.signal : options.parent?.aborted ? options.parent : undefined;
  const details = { delivery: "none" };
  if (gone !== undefined) return new LocalError("aborted", `${method} was given up before it was sent`, { cause: gone.reason, details });
  if (full) return new LocalError("limit_exceeded", TOO_MANY, { details });
  return undefined;
}
