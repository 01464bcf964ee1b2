import { toHex } from "../base/bytes.ts";
import { LocalError } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { Clock, Watched, Watching } from "./clock.ts";
import type { Session } from "./session.ts";

/** The sessions of one server, by id. */
export interface Sessions {
  readonly size: number;
  get(id: string): Session | undefined;
  /** An id that nobody can guess: 128 random bits, behind the prefix. */
  newId(): string;
  /** False where there is no room: then the session is not taken in. */
  add(session: Session): boolean;
  remove(session: Session): void;
  /** See `Session.endListening`. */
  endListening(): void;
  disposeAll(): void;
}

// Whose session this long unused is, at a full table, has left rather than paused.
const ABANDONED_MS = 60_000;

/** Sessions that are unused for `idleMs` end; open streams and answers that somebody waits for count as use. */
export function createSessions(host: Pick<Host, "random">, clock: Clock, maxSessions: number, idleMs: number, prefix = ""): Sessions {
  if (!/^[\x21-\x7e]{0,64}$/.test(prefix)) throw new LocalError("invalid_argument", "sessionPrefix has 64 characters at most, all of them visible ASCII");
  const all = new Map<string, Session>();
  let watching: Watching | undefined;
  const sweep: Watched = {
    tick(now) {
      for (const session of all.values()) {
        if (session.inUse()) session.usedAt = now;
        else if (now - session.usedAt >= idleMs) session.dispose();
      }
    },
  };

  const makeRoom = (): boolean => {
    let oldest: Session | undefined;
    for (const session of all.values()) {
      if (!session.inUse() && (oldest === undefined || session.usedAt < oldest.usedAt)) oldest = session;
    }
    if (oldest === undefined || clock.now - oldest.usedAt < ABANDONED_MS) return false;
    oldest.dispose();
    return true;
  };

  return {
    get size() {
      return all.size;
    },
    get: (id) => all.get(id),
    newId: () => prefix + toHex(host.random(new Uint8Array(16))),
    add(session) {
      if (all.size >= maxSessions && !makeRoom()) return false;
      all.set(session.id, session);
      watching ??= clock.watch(sweep);
      return true;
    },
    remove(session) {
      all.delete(session.id);
      if (all.size > 0 || watching === undefined) return;
      clock.unwatch(watching);
      watching = undefined;
    },
    endListening() {
      for (const session of all.values()) session.endListening();
    },
    disposeAll() {
      for (const session of [...all.values()]) session.dispose();
    },
  };
}
