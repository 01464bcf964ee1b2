import { describeError, ErrorCode, LocalError, RpcError } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { equalJson, isObject, ownMember, type JsonObject } from "../../base/json.ts";
import { createSignal, type Signal, type SignalSource } from "../../base/signal.ts";
import type { Log } from "../../jsonrpc/log.ts";
import type { RequestId } from "../../wire/message.ts";
import { META } from "../../wire/versions.ts";
import { checkSubscriptionFilter, type SubscriptionFilter } from "../../wire/gen/mcp.ts";

/**
 * The one `subscriptions/listen` stream of a stateless connection (2026-07-28, basic/patterns/subscriptions). What is wanted may change: then
 * a second stream opens, and the first one ends once the second is acknowledged, so that nothing is missed or heard twice. A stream that the
 * server ends is opened again, after a wait that doubles from one second to thirty.
 */
export interface Subscription {
  /** To be called when what is wanted may have changed. Changes of one turn make one stream. */
  refresh(): void;
  /** Settles with what the server has agreed to, once it has for all that is wanted now; rejects where the stream ends before. */
  ready(): Promise<SubscriptionFilter>;
  /** Takes `notifications/subscriptions/acknowledged`. */
  acknowledged(params: JsonObject): void;
  /** Whether a notification belongs to the stream. */
  owns(params: JsonObject): boolean;
  close(): void;
}

export interface SubscriptionParts {
  readonly host: Host;
  readonly log: Log;
  /** The filter to ask for; `undefined` for none. */
  wanted(): SubscriptionFilter | undefined;
  /** Sends `subscriptions/listen`; settles when the stream ends. */
  listen(filter: SubscriptionFilter, options: { readonly signal: Signal; readonly onId: (id: RequestId) => void }): Promise<unknown>;
  /** The stream has ended, and what happens until the next one stays unheard. */
  interrupted(): void;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

interface Stream {
  readonly filter: SubscriptionFilter;
  readonly source: SignalSource;
  readonly openedAt: number;
  id: RequestId | undefined;
  agreed: SubscriptionFilter | undefined;
}

interface Waiter {
  resolve(agreed: SubscriptionFilter): void;
  reject(error: unknown): void;
}

export function createSubscription({ host, log, wanted, listen, interrupted }: SubscriptionParts): Subscription {
  let closed = false;
  /** A turn's changes wait for its end. */
  let scheduled = false;
  /** The stream for what is wanted now. */
  let current: Stream | undefined;
  /** The acknowledged stream that serves until `current` is. */
  let older: Stream | undefined;
  let cancelWait: (() => void) | undefined;
  let failures = 0;
  /** The server has said that it serves no subscriptions. */
  let refused: RpcError | undefined;
  let waiters: Waiter[] = [];

  const settle = (act: (waiter: Waiter) => void) => {
    const settled = waiters;
    waiters = [];
    for (const waiter of settled) act(waiter);
  };

  const agree = (agreed: SubscriptionFilter) => settle(({ resolve }) => resolve(agreed));

  const drop = (stream: Stream | undefined) => stream?.source.abort("no longer wanted");

  const open = (filter: SubscriptionFilter) => {
    if (current?.agreed !== undefined) {
      drop(older);
      older = current;
    } else {
      drop(current);
    }
    const stream: Stream = { filter, source: createSignal(), openedAt: host.now(), id: undefined, agreed: undefined };
    current = stream;
    const over = (error: unknown) => ended(stream, error);
    listen(filter, { signal: stream.source.signal, onId: (id) => (stream.id = id) }).then(() => over(undefined), over);
  };

  const ended = (stream: Stream, error: unknown) => {
    if (stream === older) {
      older = undefined;
      interrupted();
    }
    if (stream !== current || closed) return;
    current = undefined;
    if (older === undefined) interrupted();
    settle(({ reject }) => reject(error ?? new LocalError("closed", "the server has ended the subscription")));
    if (error instanceof RpcError && (error.code === ErrorCode.methodNotFound || error.code === ErrorCode.invalidParams)) {
      log({ level: "warning", message: "the server refuses the subscription; what it was for stays unheard", error });
      // It does serve what it has agreed to before: that goes on until something else is wanted.
      if (older === undefined) refused = error;
      current = older;
      older = undefined;
      return;
    }
    // With the connection, which may take its time to close; a stream that the server ends says nothing of delivery.
    if (error instanceof LocalError && error.code === "closed" && error.details?.["delivery"] !== undefined) return;
    if (host.now() - stream.openedAt >= LONGEST_WAIT_MS) failures = 0;
    const wait = Math.min(FIRST_WAIT_MS * 2 ** failures++, LONGEST_WAIT_MS);
    const how = error === undefined ? "in peace" : `by ${describeError(error)}`;
    log({ level: "debug", message: `the subscription ended ${how}; the next try is in ${wait} ms` });
    cancelWait = host.setTimer(update, wait, true);
  };

  const update = () => {
    scheduled = false;
    if (closed || refused !== undefined) return;
    const filter = wanted();
    if (current !== undefined && filter !== undefined && equalJson(current.filter, filter)) {
      if (current.agreed !== undefined) agree(current.agreed);
      return;
    }
    cancelWait?.();
    cancelWait = undefined;
    if (filter !== undefined) return open(filter);
    drop(current);
    drop(older);
    current = older = undefined;
    agree({});
  };

  const close = () => {
    closed = true;
    cancelWait?.();
    settle(({ reject }) => reject(new LocalError("closed", "the connection is closed")));
    drop(current);
    drop(older);
  };

  return {
    refresh() {
      if (scheduled || closed) return;
      scheduled = true;
      void Promise.resolve().then(update);
    },
    ready() {
      if (refused !== undefined) return Promise.reject(refused);
      if (closed) return Promise.reject(new LocalError("closed", "the connection is closed"));
      if (!scheduled && current?.agreed !== undefined) return Promise.resolve(current.agreed);
      return new Promise((resolve, reject) => waiters.push({ resolve, reject }));
    },
    acknowledged(params) {
      const stream = current;
      if (stream === undefined || stream.agreed !== undefined || stream.id !== idIn(params)) return;
      const agreed = ownMember(params, "notifications");
      // A server that does not say what it agrees to has not agreed to anything that could be relied on.
      stream.agreed = isObject(agreed) && checkSubscriptionFilter(agreed) === undefined ? agreed : {};
      drop(older);
      older = undefined;
      // Where something else is wanted already, the next stream has the answer.
      if (!scheduled) agree(stream.agreed);
    },
    owns(params) {
      const id = idIn(params);
      return id !== undefined && (id === current?.id || id === older?.id);
    },
    close,
  };
}

/** Ids of ours are numbers, and are told apart from texts that look alike. */
function idIn(params: JsonObject): unknown {
  const meta = ownMember(params, "_meta");
  return isObject(meta) ? ownMember(meta, META.subscriptionId) : undefined;
}
