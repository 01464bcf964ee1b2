import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import type { Signal } from "../core/base/signal.ts";
import { createAwaited, type AwaitedRequest, TOO_MANY, withToken } from "../core/jsonrpc/awaited.ts";
import type { Arrival } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { NotificationMessage, RequestId, RequestMessage } from "../core/wire/message.ts";
import { edited } from "./frame-text.ts";

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
  readonly waits?: (() => boolean) | undefined;
  /** With it the peer is given a progress token. */
  readonly onProgress?: ((frame: Frame, message: NotificationMessage) => void) | undefined;
  readonly onId?: (id: number) => void;
}

/** Our requests that wait for their response. */
export interface FrameCalls {
  /** See `FramePeer.request`. */
  request(call: FrameCall): Promise<Arrival>;
  /** Takes a response; one that nobody waits for is dropped. */
  settle(id: RequestId | null | undefined, arrival: Arrival): void;
  progress(frame: Frame, message: NotificationMessage): void;
  /** The peer says that a subscription is over. */
  endSubscription(id: RequestId): void;
  rejectAll(error: LocalError): void;
}

export interface FrameCallsParts {
  readonly host: Host;
  readonly limits: Limits;
  send(frame: Frame, related?: RequestId): Promise<void>;
}

interface Pending extends AwaitedRequest {
  readonly call: FrameCall;
  /** In `host.now()`; `dueAt` is never past `lastAt`. */
  readonly lastAt: number;
  dueAt: number;
  readonly resolve: (arrival: Arrival) => void;
  unlink: (() => void) | undefined;
}

export function createFrameCalls({ host, limits, send }: FrameCallsParts): FrameCalls {
  const expire = (entry: Pending) => {
    const { timeoutMs, maxMs = Infinity, waits, message } = entry.call;
    const now = host.now();
    if (now < entry.lastAt && waits?.() === true) {
      entry.dueAt = Math.min(now + timeoutMs, entry.lastAt);
      return awaited.watch(entry);
    }
    const ms = now >= entry.lastAt ? maxMs : timeoutMs;
    const details = { timeoutMs: ms, delivery: "unknown" };
    awaited.giveUp(entry.id, "timeout", new LocalError("timeout", `${message.method}: no answer within ${ms} ms`, { details }));
  };
  const cancel = ({ call }: Pending, params: JsonObject) => {
    send({ message: { jsonrpc: "2.0", method: "notifications/cancelled", params } }, call.related).catch(() => {});
  };
  const awaited = createAwaited<Pending>({ host, limits, expire, release: ({ unlink }) => unlink?.(), cancel });

  const start = (call: FrameCall, resolve: Pending["resolve"], reject: Pending["reject"]) => {
    const { message, source, related, signal, timeoutMs, maxMs = Infinity, onProgress } = call;
    const { method } = message;
    if (signal?.aborted === true) return reject(new LocalError("aborted", `${method} was given up`, { details: { delivery: "none" }, cause: signal.reason }));
    if (awaited.full) return reject(new LocalError("limit_exceeded", TOO_MANY, { details: { delivery: "none" } }));
    const id = awaited.nextId();
    const now = timeoutMs === Infinity && maxMs === Infinity ? 0 : host.now();
    const entry: Pending = { id, method, call, lastAt: now + maxMs, dueAt: now + Math.min(timeoutMs, maxMs), resolve, reject, unlink: undefined };
    awaited.add(entry);
    if (entry.dueAt < Infinity) awaited.watch(entry);
    call.onId?.(id);
    const params = withToken(message.params, onProgress === undefined ? undefined : id);
    const outgoing: RequestMessage = { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
    let frame: Frame;
    try {
      frame = edited(outgoing, source);
    } catch (thrown) {
      awaited.take(id);
      return reject(asLocalError(thrown, "none"));
    }
    send(frame, related).catch((thrown: unknown) => awaited.take(id)?.reject(asLocalError(thrown, "none")));
    // Last, so that a cancellation goes out behind what it cancels.
    if (signal !== undefined) {
      entry.unlink = signal.onAbort((reason) => {
        const why = reasonText(reason);
        awaited.giveUp(id, why, new LocalError("aborted", `${method} was given up: ${why}`, { cause: reason, details: { delivery: "unknown" } }));
      });
    }
  };

  return {
    request: (call) => new Promise((resolve, reject) => start(call, resolve, reject)),
    settle(id, arrival) {
      awaited.take(id)?.resolve(arrival);
    },
    progress(frame, message) {
      const token = message.params?.["progressToken"];
      const found = awaited.get(token);
      if (found === undefined) return;
      found.dueAt = Math.min(host.now() + found.call.timeoutMs, found.lastAt);
      found.call.onProgress?.(frame, message);
    },
    endSubscription: awaited.endSubscription,
    rejectAll: awaited.rejectAll,
  };
}

/** Why somebody gave up, for the other side: its own words, or none of ours but the message. */
export function reasonText(reason: unknown): string {
  if (typeof reason === "string") return reason;
  return reason instanceof LocalError ? reason.message : "cancelled";
}

/** What was thrown as a `LocalError` that says what is known of delivery. */
export function asLocalError(thrown: unknown, delivery: "none" | "unknown"): LocalError {
  if (!(thrown instanceof LocalError)) return new LocalError("closed", "the connection broke", { details: { delivery }, cause: thrown });
  if (thrown.details?.["delivery"] !== undefined) return thrown;
  return new LocalError(thrown.code, thrown.message, { details: { ...thrown.details, delivery }, cause: thrown });
}
