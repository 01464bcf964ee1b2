import { BriefMap } from "../base/brief-map.ts";
import { LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import { isObject, withMember, type JsonObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import type { RequestId } from "../wire/message.ts";
import { createDeadlines, type Timed } from "./deadlines.ts";

/** A request of ours that has gone out. */
export interface AwaitedRequest extends Timed {
  readonly id: number;
  readonly method: string;
  readonly reject: (error: Error) => void;
}

/** Our requests on one connection, from the time that they go out until each is answered, given up or lost: once. */
export interface Awaited<Entry extends AwaitedRequest> {
  readonly size: number;
  /** As many as may wait at once do so. */
  readonly full: boolean;
  /** How many ids were given out; they are 1, 2, 3, … */
  readonly lastId: number;
  nextId(): number;
  add(entry: Entry): void;
  /** Sees to it that it ends when it is due, at a time that may have changed. */
  watch(entry: Entry): void;
  /** `undefined` for every id that is not exactly one of ours: "1" is not 1. */
  get(id: unknown): Entry | undefined;
  /** The same, and it waits no more. */
  take(id: unknown): Entry | undefined;
  /** Rejects it and tells the peer that its answer is not wanted. */
  giveUp(id: number, reason: string, error: LocalError): void;
  /** A server ends a subscription by cancelling the request that opened it (2026-07-28, basic/patterns/cancellation). */
  endSubscription(id: RequestId): void;
  rejectAll(error: LocalError): void;
}

export interface AwaitedParts<Entry> {
  readonly host: Host;
  readonly limits: Limits;
  expire(entry: Entry): void;
  /** Lets go of what could have ended it early. */
  release(entry: Entry): void;
  /** Sends the cancellation of a request. Never throws. */
  cancel(entry: Entry, params: JsonObject): void;
}

export const TOO_MANY = "too many requests wait for an answer (maxPendingRequests)";

export function createAwaited<Entry extends AwaitedRequest>({ host, limits, expire, release, cancel }: AwaitedParts<Entry>): Awaited<Entry> {
  const table = new BriefMap<unknown, Entry>();
  let lastId = 0;
  const deadlines = createDeadlines(host, () => table.values(), expire);

  const take = (id: unknown): Entry | undefined => {
    const entry = table.delete(id);
    if (entry === undefined) return undefined;
    if (table.size === 0) deadlines.stop();
    release(entry);
    return entry;
  };

  return {
    get size() {
      return table.size;
    },
    get full() {
      return table.size >= limits.maxPendingRequests;
    },
    get lastId() {
      return lastId;
    },
    nextId: () => ++lastId,
    add: (entry) => table.set(entry.id, entry),
    watch: deadlines.watch,
    get: (id) => table.get(id),
    take,
    giveUp(id, reason, error) {
      const entry = take(id);
      if (entry === undefined) return;
      entry.reject(error);
      // A handshake is never cancelled: whoever gives it up closes the connection (MCP basic/utilities/cancellation).
      if (entry.method !== "initialize") cancel(entry, { requestId: id, reason });
    },
    endSubscription(id) {
      if (table.get(id)?.method !== "subscriptions/listen") return;
      take(id)?.reject(new LocalError("closed", "the server has ended the subscription"));
    },
    rejectAll(error) {
      for (const id of table.keys()) take(id)?.reject(error);
    },
  };
}

/**
 * Progress tokens on a connection are ours: the request's id, which no other request has. A token that the caller put in does not go out, as nobody
 * here would hear of it, and it could be another request's.
 */
export function withToken(params: JsonObject | undefined, token: number | undefined): JsonObject | undefined {
  const meta = params?.["_meta"];
  if (token !== undefined) return withMember(params ?? {}, "_meta", withMember(isObject(meta) ? meta : {}, "progressToken", token));
  if (!isObject(meta) || !Object.hasOwn(meta, "progressToken")) return params;
  const { progressToken: _dropped, ...rest } = meta;
  return { ...params, _meta: rest };
}
