import type { LocalError } from "../base/errors.ts";
import { DONE } from "../transport/inbox.ts";
import { closedError } from "../transport/transport-errors.ts";
import type { Clock, Watched, Watching } from "./clock.ts";
import type { StoredEvent } from "./event-store.ts";
import type { TextSource } from "./exchange.ts";
import { COMMENT, encodeEvent, encodeEventId, encodeRetry } from "./sse-encoder.ts";

/** What a lane may be resumed from: one stream of one session. */
export interface StreamStore {
  readonly stream: number;
  put(event: StoredEvent): void;
  after(place: number): readonly StoredEvent[] | undefined;
}

export interface LaneOptions {
  readonly clock: Clock;
  /** Characters that may wait for the reader. */
  readonly maxChars: number;
  /** After this much silence a comment is sent. */
  readonly keepAliveMs: number;
  /** A reader that takes nothing for so long is given up. */
  readonly stallMs: number;
  /** Where there is one, messages have ids, and outlive their connection. */
  readonly store?: StreamStore | undefined;
  /** Without a store: whether messages wait while there is no connection. Else there is nobody that they could reach any more. */
  readonly waits?: boolean;
  /** Ends a connection after a while, for those who cannot hold one for long; asked each time, and `undefined` holds it. */
  readonly releaseAfterMs?: (() => number | undefined) | undefined;
  readonly retryMs?: number;
  /** The place of the last message of a lane that is over, and is only read once more. */
  readonly endedAt?: number;
  /** The connection has ended before the lane did: the client left, or was given up. */
  readonly gone?: (() => void) | undefined;
}

/**
 * The messages of one stream of server-sent events, in order, over one connection after another. Back-pressure: what the reader has not taken waits
 * here up to a limit, and past it `send` waits. A reader that stalls is given up: at the limit where the stream can be resumed, as then nobody
 * needs to wait and nothing is lost, else after a while.
 */
export interface SseLane {
  isConnected(): boolean;
  /** The place of the latest message. */
  place(): number;
  /** Rejects with `closed` where the message can reach nobody. `once`: it says nothing new where the same waits already, and is dropped then. */
  send(data: string, once?: boolean): Promise<void>;
  /** Opens a connection, in place of the one before. `first` goes out at once; then what follows `after`, or what nobody has taken yet. */
  connect(first: string, after?: number): TextSource | undefined;
  /** Takes the next place, for an event that is not kept. */
  skip(): number;
  /** Ends the connection, once all is taken: the client comes back for the rest. */
  release(retryMs: number): void;
  /** The last message has been sent: ends the connection once it is taken. */
  complete(): void;
  /** Ends the connection as it is; nothing more is sent. */
  close(): void;
}

interface Connection {
  /** Set while the adapter waits for text. */
  pull: ((text: string | undefined) => void) | undefined;
  cut: () => void;
  /** Goes out before what is queued. */
  first: string;
  /** Ends once all is taken. */
  ending: boolean;
  /** When the reader last took something. */
  tookAt: number;
  readonly openedAt: number;
  readonly watching: Watching;
}

interface Queued {
  readonly place: number;
  readonly text: string;
}

interface WaitingSend extends Queued {
  resolve(): void;
  reject(error: LocalError): void;
}

const NOTHING: Promise<undefined> = Promise.resolve(undefined);

export function createSseLane(options: LaneOptions): SseLane {
  const { clock, maxChars, keepAliveMs, stallMs, store, waits = false, endedAt, releaseAfterMs, retryMs = 1_000, gone } = options;
  let queue: Queued[] = [];
  let chars = 0;
  let waiting: WaitingSend[] = [];
  // Of what is queued, that which need not be queued again.
  const queuedOnce = new Set<string>();
  let current: Connection | undefined;
  let place = endedAt ?? 0;
  // The latest message that a connection has taken over.
  let taken = 0;
  let over = endedAt !== undefined;

  const encode = (at: number, data: string) => encodeEvent(data, store === undefined ? undefined : encodeEventId(store.stream, at));
  const enqueue = (queued: Queued) => {
    queue.push(queued);
    chars += queued.text.length;
  };
  const admit = () => {
    while (waiting[0] !== undefined && (queue.length === 0 || chars + waiting[0].text.length <= maxChars)) {
      const next = waiting.shift()!;
      enqueue(next);
      next.resolve();
    }
  };
  const refuse = () => {
    const refused = waiting;
    waiting = [];
    if (refused.length > 0) for (const send of refused) send.reject(closedError("the client no longer reads this stream"));
  };
  const drop = () => {
    queue = [];
    queuedOnce.clear();
    chars = 0;
  };

  // All that waits, as one text.
  const take = (connection: Connection): string => {
    let text = connection.first;
    connection.first = "";
    for (const queued of queue) text += queued.text;
    taken = queue.at(-1)?.place ?? taken;
    drop();
    admit();
    connection.tookAt = clock.now;
    return text;
  };
  const finish = (connection: Connection) => {
    if (connection === current) {
      current = undefined;
      clock.unwatch(connection.watching);
    }
    const { pull } = connection;
    connection.pull = undefined;
    pull?.(undefined);
  };
  // The connection is of no more use; what it has not taken is kept where somebody may yet come for it.
  const lose = (connection: Connection, cut: boolean) => {
    if (connection !== current) return;
    finish(connection);
    if (cut) connection.cut();
    if (store !== undefined || !waits) drop();
    if (store === undefined && !waits) refuse();
    if (!over) gone?.();
  };
  const push = (connection: Connection) => {
    const { pull } = connection;
    if (pull === undefined) return;
    const text = take(connection);
    if (text !== "") {
      connection.pull = undefined;
      pull(text);
    } else if (connection.ending) finish(connection);
  };

  const release = (connection: Connection, ms: number) => {
    if (connection.ending) return;
    connection.ending = true;
    // After what is queued, and not as a message: it has no place.
    enqueue({ place: queue.at(-1)?.place ?? taken, text: encodeRetry(ms) });
    push(connection);
  };

  const watched: Watched = {
    tick(now) {
      if (current === undefined) return;
      const held = store === undefined ? undefined : releaseAfterMs?.();
      if (held !== undefined && now - current.openedAt >= held) release(current, retryMs);
      if (current === undefined) return;
      const silentMs = now - current.tookAt;
      if (current.pull === undefined) {
        if (silentMs >= stallMs) lose(current, true);
      } else if (silentMs >= keepAliveMs) {
        current.first = COMMENT;
        push(current);
      }
    },
  };

  return {
    isConnected: () => current !== undefined,
    place: () => place,
    send(data, once = false) {
      if (over) return Promise.reject(closedError("this stream is over"));
      if (current === undefined && store === undefined && !waits) return Promise.reject(closedError("the client no longer reads this stream"));
      // A store keeps all, each under an id of its own.
      if (once && store === undefined) {
        if (queuedOnce.has(data)) return DONE;
        queuedOnce.add(data);
      }
      const queued: Queued = { place: ++place, text: encode(place, data) };
      store?.put({ place, data });
      // It will be had from the store.
      if (store !== undefined && (current === undefined || current.ending)) return DONE;
      if (waiting.length === 0 && (queue.length === 0 || chars + queued.text.length <= maxChars)) {
        enqueue(queued);
        if (current !== undefined) push(current);
        return DONE;
      }
      if (store !== undefined && current !== undefined) {
        lose(current, true);
        return DONE;
      }
      return new Promise((resolve, reject) => waiting.push({ ...queued, resolve, reject }));
    },
    connect(first, after) {
      let missed: readonly StoredEvent[] = [];
      if (store !== undefined) {
        const from = after ?? taken;
        // Nothing was sent since, so that nothing can be missing.
        const kept = from === place ? [] : store.after(from);
        if (kept === undefined || from > place) return undefined;
        missed = kept;
      }
      const before = current;
      if (before !== undefined) finish(before);
      if (store !== undefined) {
        drop();
        for (const event of missed) enqueue({ place: event.place, text: encode(event.place, event.data) });
      }
      const watching = clock.watch(watched);
      const connection: Connection = { pull: undefined, cut: () => {}, first, ending: over, tookAt: clock.now, openedAt: clock.now, watching };
      current = connection;
      return {
        opened: (cut) => void (connection.cut = cut),
        next() {
          const text = connection === current ? take(connection) : "";
          if (text !== "") return Promise.resolve(text);
          if (connection !== current) return NOTHING;
          if (connection.ending) {
            finish(connection);
            return NOTHING;
          }
          return new Promise((resolve) => (connection.pull = resolve));
        },
        cancel: () => lose(connection, false),
      };
    },
    skip: () => ++place,
    release(ms) {
      if (current !== undefined) release(current, ms);
    },
    complete() {
      over = true;
      if (current === undefined) return;
      current.ending = true;
      push(current);
    },
    close() {
      over = true;
      drop();
      refuse();
      if (current !== undefined) finish(current);
    },
  };
}
