import type { Host } from "../base/host.ts";
import { isObject, ownMember } from "../base/json.ts";
import { createDeadlines } from "../jsonrpc/deadlines.ts";
import type { RequestId, RequestMessage } from "../wire/message.ts";

export interface OpenRequestsOptions {
  readonly host: Host;
  readonly initializeTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly maxRequestMs: number;
  readonly maxRequests: number;
  /** A request's time is up. It is open no more when this is called. */
  expired(id: RequestId, method: string, waitedMs: number): void;
}

/**
 * The requests that have gone one way and are owed an answer, by typed id (1 and "1" differ). Whoever answers one closes it first, so
 * that each is answered once, whatever comes later.
 */
export interface OpenRequests {
  /** Requests that an answer is due to: all but subscriptions. */
  readonly due: number;
  /** `undefined` where it is open now, else why it is not: its id is in use, or there are too many. */
  open(message: RequestMessage): "duplicate" | "full" | undefined;
  /** False where no such request is open: an answer to it is nobody's. */
  close(id: RequestId): boolean;
  /** Its sender has given it up. Nobody can do so with the handshake (MCP basic/utilities/cancellation). */
  cancel(id: RequestId): void;
  /** Whoever answers has ended the subscription that this request opened, by cancelling it (2026-07-28, basic/patterns/cancellation). */
  endSubscription(id: RequestId): void;
  /** A sign of life for the requests with this token: their time starts anew, within `maxRequestMs`. */
  progress(token: unknown): void;
  /** Closes all, and gives their ids. */
  closeAll(): readonly RequestId[];
}

interface Entry {
  readonly id: RequestId;
  readonly method: string;
  readonly token: unknown;
  readonly startedAt: number;
  readonly timeoutMs: number;
  dueAt: number;
}

// Open for as long as somebody listens; no answer is due.
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(["subscriptions/listen"]);

export function createOpenRequests(options: OpenRequestsOptions): OpenRequests {
  const { host, initializeTimeoutMs, requestTimeoutMs, maxRequestMs, maxRequests, expired } = options;
  const table = new Map<RequestId, Entry>();
  let subscriptions = 0;
  const deadlines = createDeadlines<Entry>(host, () => table.values(), ({ id, method, startedAt }) => {
    if (close(id)) expired(id, method, Math.round(host.now() - startedAt));
  });

  const close = (id: RequestId): boolean => {
    const entry = table.get(id);
    if (entry === undefined) return false;
    table.delete(id);
    if (SUBSCRIPTIONS.has(entry.method)) subscriptions--;
    if (table.size === 0) deadlines.stop();
    return true;
  };

  return {
    get due() {
      return table.size - subscriptions;
    },
    open({ id, method, params }) {
      if (table.has(id)) return "duplicate";
      if (table.size >= maxRequests) return "full";
      const meta = params === undefined ? undefined : ownMember(params, "_meta");
      const startedAt = host.now();
      const timeoutMs = SUBSCRIPTIONS.has(method) ? Infinity : method === "initialize" ? initializeTimeoutMs : requestTimeoutMs;
      const entry: Entry = {
        id,
        method,
        token: isObject(meta) ? ownMember(meta, "progressToken") : undefined,
        startedAt,
        timeoutMs,
        dueAt: startedAt + (timeoutMs === Infinity ? Infinity : Math.min(timeoutMs, maxRequestMs)),
      };
      table.set(id, entry);
      if (SUBSCRIPTIONS.has(method)) subscriptions++;
      deadlines.watch(entry);
      return undefined;
    },
    close,
    cancel(id) {
      if (table.get(id)?.method !== "initialize") close(id);
    },
    endSubscription(id) {
      const entry = table.get(id);
      if (entry !== undefined && SUBSCRIPTIONS.has(entry.method)) close(id);
    },
    progress(token) {
      if (token === undefined) return;
      const now = host.now();
      for (const entry of table.values()) {
        // Later only: the timer that runs looks again when it fires.
        if (entry.token === token && entry.dueAt !== Infinity) entry.dueAt = Math.min(now + entry.timeoutMs, entry.startedAt + maxRequestMs);
      }
    },
    closeAll() {
      const ids = [...table.keys()];
      table.clear();
      subscriptions = 0;
      deadlines.stop();
      return ids;
    },
  };
}
