import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions } from "../base/options.ts";

/** A message as it went out on a stream. Places on a stream only grow. */
export interface StoredEvent {
  readonly place: number;
  readonly data: string;
}

/**
 * Keeps what was sent, so that a client whose connection broke can have it again. It may forget at any time: then `after` says so. A session and
 * its streams live in one process, and so does what is kept of them.
 */
export interface EventStore {
  put(session: string, stream: number, event: StoredEvent): void;
  /** All that followed that place, in order; `undefined` where some of it is gone, or nothing was ever put on that stream. */
  after(session: string, stream: number, place: number): readonly StoredEvent[] | undefined;
  /** The session is over. */
  forget(session: string): void;
}

interface Kept extends StoredEvent {
  readonly session: string;
  readonly stream: number;
}

/** What is left of one stream: `from` is the place after which nothing was dropped. */
interface Stream {
  from: number;
  readonly events: Map<number, Kept>;
}

/** An event store in memory, bounded by `maxStoredEvents` and `maxStoredChars` over all sessions: the oldest event goes first, whosever it is. */
export function memoryEventStore(options: { readonly limits?: Partial<Limits> } = {}): EventStore & { readonly size: number } {
  checkOptions(options, "the options of an event store", { limits: "an object" });
  const { maxStoredEvents, maxStoredChars } = resolveLimits(options.limits);
  // In the order of their coming, as a Set keeps it: the first one is the oldest.
  const all = new Set<Kept>();
  const sessions = new Map<string, Map<number, Stream>>();
  let chars = 0;

  const remove = (kept: Kept) => {
    all.delete(kept);
    chars -= kept.data.length;
  };

  return {
    get size() {
      return all.size;
    },
    put(session, stream, { place, data }) {
      let streams = sessions.get(session);
      if (streams === undefined) sessions.set(session, (streams = new Map<number, Stream>()));
      let record = streams.get(stream);
      if (record === undefined) streams.set(stream, (record = { from: place - 1, events: new Map() }));
      const kept: Kept = { session, stream, place, data };
      record.events.set(place, kept);
      all.add(kept);
      chars += data.length;
      for (const oldest of all) {
        if (all.size <= maxStoredEvents && chars <= maxStoredChars) break;
        remove(oldest);
        const of = sessions.get(oldest.session);
        const emptied = of?.get(oldest.stream);
        if (of === undefined || emptied === undefined) continue;
        emptied.events.delete(oldest.place);
        emptied.from = oldest.place;
        // A stream of which nothing is left is no longer known at all.
        if (emptied.events.size > 0) continue;
        of.delete(oldest.stream);
        if (of.size === 0) sessions.delete(oldest.session);
      }
    },
    after(session, stream, place) {
      const record = sessions.get(session)?.get(stream);
      if (record === undefined || place < record.from) return undefined;
      return [...record.events.values()].filter((kept) => kept.place > place);
    },
    forget(session) {
      for (const { events } of sessions.get(session)?.values() ?? []) for (const kept of events.values()) remove(kept);
      sessions.delete(session);
    },
  };
}
