import { describeError, LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import { VERSION } from "../core/base/version.ts";
import { principalKey } from "../core/http/authentication.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { Era } from "../core/mcp/lifecycle.ts";
import { createBackOff } from "./back-off.ts";
import type { Caller } from "./call.ts";
import { mayBeAsked } from "./capabilities.ts";
import type { UpstreamPlan, UpstreamStats } from "./plan.ts";
import { createConnector } from "./targets.ts";
import { openLink, type Identity } from "./upstream-link.ts";
import { createAudience, type Audience } from "./upstream-audience.ts";
import { backingOff, createSlot, type Follower, type Following, type Slot } from "./upstream-slot.ts";

/** A connection for a while. Its holder gives it back, once. */
export interface Lease {
  readonly slot: Slot;
  /** Whoever follows hears what is said on any connection that the server takes for the same caller's. */
  follow(follower: Follower): Following;
  release(): void;
}

/** One upstream with all of its connections: who gets which is decided here (`UpstreamPlan.sharing`). */
export interface Upstream {
  readonly plan: UpstreamPlan;
  /** What it turned out to be; `undefined` until the first connection stands. */
  readonly era: Era | undefined;
  /** As in its plan, or the defaults. */
  readonly callTimeoutMs: number;
  readonly maxCallMs: number;
  /** For a session of the handshake era, until it ends. Connected; rejects with a `LocalError` where that cannot be had. */
  session(caller: Caller): Promise<Lease>;
  /** For one call of a stateless caller. */
  single(caller: Caller): Promise<Lease>;
  /** For a stream of changes of a stateless caller, or a look at the server: nothing that a server could ask about, so that it keeps no call off the connection. */
  beside(caller: Caller): Promise<Lease>;
  /** Takes one more call, unless there are too many; `undefined`: there are. What it gives is called at the end of the call. */
  admit(): (() => void) | undefined;
  /** See `Slot.listsChanged`. */
  listsChanged(): void;
  /** See `Slot.missed`. */
  missed(): void;
  stats(): UpstreamStats;
  close(why?: LocalError): Promise<void>;
}

export interface UpstreamParts {
  readonly plan: UpstreamPlan;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
}

/** What a connection is held for. */
type Kind = "call" | "beside";

interface Held {
  readonly slot: Slot;
  readonly key: string;
  holders: number;
  /** Of these, calls. */
  calls: number;
  /** Cancels the end of one that nobody holds. */
  cancelIdle: (() => void) | undefined;
}

/** Connections with one key, in the order in which they were made: what calls one after the other leave behind in a server is found by the next. */
interface Pool {
  readonly members: Set<Held>;
  readonly audience: Audience;
}

// A shared connection speaks for everybody. Whether a given caller can be asked is looked at when the server does ask.
const EVERYBODY: Identity = {
  info: { name: "mcp-interceptors-gateway", version: VERSION },
  capabilities: { elicitation: {}, sampling: {}, roots: { listChanged: true } },
  version: undefined,
};
const SHARED = "shared";

export function createUpstream({ plan, host, limits, log: given }: UpstreamParts): Upstream {
  const { name, sharing = "session", maxConnections = 100, maxCalls = 1_000, idleMs = 60_000 } = plan;
  const { startTimeoutMs = 30_000, probeTimeoutMs = 5_000, callTimeoutMs = 600_000, maxCallMs = 3_600_000 } = plan;
  const log: Log = (entry) => given({ ...entry, message: `${name}: ${entry.message}` });
  const connector = createConnector(plan.target, { host, limits, log });
  const starts = createBackOff(host, plan.backOff);
  // Sessions' own and pooled ones, in the order of their last use.
  const held = new Set<Held>();
  // What serves several: everybody, or all that one principal asks (`sharing: "principal"`).
  const shared = new Map<string, Held>();
  // Of stateless callers, by key.
  const pools = new Map<string, Pool>();
  let era: Era | undefined = plan.era;
  let finding: Promise<unknown> | undefined;
  let closed: LocalError | undefined;
  let calls = 0;
  let lost = 0;
  let failedStarts = 0;
  // Whether the last start failed as what the server said of itself is malformed.
  let malformed = false;
  // Of starts that cost no wait each call makes one, so that their reason is told once.
  let toldReason: string | undefined;
  const tellFailure = (error: unknown, waits: boolean) => {
    const reason = describeError(error);
    if (closed !== undefined || (!waits && reason === toldReason)) return;
    toldReason = reason;
    log({ level: "warning", message: `cannot be reached: ${reason}` });
  };

  const make = (key: string, identity: Identity): Held => {
    const slot = createSlot({
      own: key === "",
      host,
      log,
      backOff: plan.backOff,
      lost: () => lost++,
      async open(owner) {
        if (starts.waitMs > 0) throw backingOff(starts.waitMs, malformed ? "invalid_message" : "closed");
        try {
          const connect = (renewed?: (failure?: LocalError) => void) => connector.connect(renewed, identity.principal);
          const link = await openLink({ owner, identity, host, limits, log, noise: connector.noise, era, connect, startTimeoutMs, probeTimeoutMs, callTimeoutMs, maxCallMs });
          starts.succeeded();
          toldReason = undefined;
          era ??= link.server.era;
          return link;
        } catch (error) {
          failedStarts++;
          malformed = error instanceof LocalError && error.code === "invalid_message";
          // It may have been replaced by one of another era: the next start finds out.
          if (error instanceof LocalError && error.code === "unsupported") era = plan.era;
          const waits = !(error instanceof LocalError) || (error.code !== "refused" && error.code !== "unsupported");
          if (waits) starts.failed();
          tellFailure(error, waits);
          throw error;
        }
      },
    });
    const made: Held = { slot, key, holders: 0, calls: 0, cancelIdle: undefined };
    held.add(made);
    return made;
  };
  const makePooled = (key: string, identity: Identity): Held => {
    const made = make(key, identity);
    const pool = pools.get(key) ?? { members: new Set(), audience: createAudience() };
    pools.set(key, pool);
    pool.members.add(made);
    pool.audience.add(made.slot);
    return made;
  };
  const poolOf = (one: Held) => {
    const pool = pools.get(one.key);
    return pool?.members.has(one) === true ? pool : undefined;
  };
  const leavePool = (one: Held) => {
    const pool = poolOf(one);
    if (pool === undefined) return;
    pool.members.delete(one);
    pool.audience.remove(one.slot);
    if (pool.members.size === 0) pools.delete(one.key);
  };

  const drop = (one: Held, why?: LocalError) => {
    one.cancelIdle?.();
    held.delete(one);
    leavePool(one);
    for (const [name, held] of shared) if (held === one) shared.delete(name);
    return one.slot.close(why);
  };

  const lease = (one: Held, kind: Kind, released: () => void): Lease => {
    one.cancelIdle?.();
    one.cancelIdle = undefined;
    one.holders++;
    if (kind === "call") one.calls++;
    // Used last. The only one is so already, and a set makes itself a new table for every other of such turns.
    if (held.size > 1) {
      held.delete(one);
      held.add(one);
    }
    let over = false;
    return {
      slot: one.slot,
      follow: (follower) => poolOf(one)?.audience.follow(follower, one.slot) ?? one.slot.follow(follower),
      release() {
        if (over) return;
        over = true;
        one.holders--;
        if (kind === "call") one.calls--;
        released();
      },
    };
  };
  const pooled = (one: Held, kind: Kind): Lease =>
    lease(one, kind, () => {
      if (one.holders > 0 || !held.has(one)) return;
      one.cancelIdle = host.setTimer(() => void drop(one), idleMs, true);
    });

  /** Room for one more connection: an unused one goes for it. */
  const makeRoom = () => {
    if (closed !== undefined) throw closed;
    if (held.size < maxConnections) return;
    const unused = [...held].find(({ holders }) => holders === 0);
    if (unused === undefined) throw overloaded(`all ${maxConnections} connections to the upstream are in use`);
    void drop(unused);
  };

  /** Whether one connection is for all, or for all that one principal asks. */
  const servesAll = () => sharing !== "session" || era === "stateless";
  const sharedLease = ({ principal }: Caller, kind: Kind): Lease => {
    // Claims included: what one token says is not what another one of the same principal does.
    const key = sharing === "principal" ? JSON.stringify(["principal", sorted(principal)]) : SHARED;
    let one = shared.get(key);
    if (one === undefined) {
      makeRoom();
      one = make(key, sharing === "principal" ? { ...EVERYBODY, principal } : EVERYBODY);
      shared.set(key, one);
    }
    return pooled(one, kind);
  };

  /** Learns the era, by a first connection that everybody else waits for; the one who made it has it. */
  const find = async (caller: Caller, key: string, kind: Kind): Promise<Lease | undefined> => {
    while (era === undefined && sharing === "session") {
      if (finding !== undefined) {
        // One that does not start in time for one caller does not for the next; of other failures each finds out.
        await finding.catch((thrown: unknown) => {
          if (thrown instanceof LocalError && thrown.code === "timeout") throw thrown;
        });
        continue;
      }
      makeRoom();
      const first = key === "" ? make(key, identityOf(caller)) : makePooled(key, pooledIdentityOf(caller));
      finding = first.slot.connect().finally(() => (finding = undefined));
      try {
        await finding;
      } catch (error) {
        void drop(first);
        throw error;
      }
      if (closed !== undefined) throw closed;
      // One that serves all callers alike is everybody's from now on.
      if (first.slot.server?.era === "stateless") {
        leavePool(first);
        shared.set(SHARED, first);
        return pooled(first, kind);
      }
      return key === "" ? lease(first, kind, () => void drop(first)) : pooled(first, kind);
    }
    return undefined;
  };

  const connected = async (given: Lease): Promise<Lease> => {
    if (given.slot.stands) return given;
    try {
      await given.slot.connect();
      return given;
    } catch (error) {
      given.release();
      throw error;
    }
  };

  const forOne = async (caller: Caller, kind: Kind): Promise<Lease> => {
    if (servesAll()) return await connected(sharedLease(caller, kind));
    const key = keyOf(caller);
    const first = await find(caller, key, kind);
    if (first !== undefined) return first;
    // Somebody else's connection may have told.
    if (servesAll()) return await connected(sharedLease(caller, kind));
    const mine = [...(pools.get(key)?.members ?? [])];
    // Where questions do not say which call they belong to, each call has a connection to itself while there are any to be had.
    const alone = kind === "call" && !connector.relates && mayBeAsked(caller.capabilities);
    const free = alone ? mine.find(({ calls }) => calls === 0) : mine[0];
    if (free !== undefined) return await connected(pooled(free, kind));
    try {
      makeRoom();
    } catch (error) {
      const least = mine.sort((left, right) => left.calls - right.calls)[0];
      if (least === undefined || closed !== undefined) throw error;
      return await connected(pooled(least, kind));
    }
    return await connected(pooled(makePooled(key, pooledIdentityOf(caller)), kind));
  };

  const tellListeners = (tell: (slot: Slot) => void) => {
    // All of a pool have the same listeners.
    const told = new Set<Pool>();
    for (const one of held) {
      const pool = poolOf(one);
      if (pool === undefined || !told.has(pool)) tell(one.slot);
      if (pool !== undefined) told.add(pool);
    }
  };

  return {
    plan,
    callTimeoutMs,
    maxCallMs,
    get era() {
      return era;
    },
    async session(caller) {
      const first = await find(caller, "", "beside");
      if (first !== undefined) return first;
      if (servesAll()) return await connected(sharedLease(caller, "beside"));
      makeRoom();
      const own = make("", identityOf(caller));
      return await connected(lease(own, "beside", () => void drop(own)));
    },
    single: (caller) => forOne(caller, "call"),
    beside: (caller) => forOne(caller, "beside"),
    admit() {
      if (calls >= maxCalls) return undefined;
      calls++;
      let over = false;
      return () => {
        if (!over) calls--;
        over = true;
      };
    },
    listsChanged: () => tellListeners((slot) => slot.listsChanged()),
    missed: () => tellListeners((slot) => slot.missed()),
    stats: () => ({
      connections: [...held].filter(({ slot }) => slot.connected).length,
      calls,
      era,
      lost,
      failedStarts,
      backOffMs: starts.waitMs,
    }),
    async close(why) {
      closed ??= new LocalError("closed", why?.message ?? "the upstream is not served any more", { details: { delivery: "none" } });
      await Promise.all([...held].map((one) => drop(one, why)));
      connector.close();
    },
  };
}

export function overloaded(why: string): LocalError {
  return new LocalError("limit_exceeded", why, { details: { delivery: "none", reason: "overloaded" } });
}

function identityOf({ info, capabilities, version }: Caller): Identity {
  return { info: info ?? EVERYBODY.info, capabilities, version };
}

/** Of a connection that clients of any name may share: it has the gateway's, as that of one of them would be wrong for the others. */
function pooledIdentityOf(caller: Caller): Identity {
  return { ...identityOf(caller), info: EVERYBODY.info };
}

/**
 * Callers with equal keys are the same to a server: the same subject, able to do the same, in the same revision. What a client calls itself, which it may say anew with
 * each request, opens no connection. Never empty.
 */
function keyOf({ principal, capabilities, version }: Caller): string {
  return JSON.stringify([principalKey(principal), version, sorted(capabilities)]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  // Just looked at: it is an object, and its members are read by their own names.
  const object = value as JsonObject;
  return Object.keys(object).sort().map((member) => [member, sorted(object[member])]);
}
