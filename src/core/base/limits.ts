import { LocalError } from "./errors.ts";
import { DEFAULT_MAX_DEPTH } from "./json.ts";

/** Every bound in the library: unit, default, and what happens above it. Pass a partial one wherever `limits` is an option. */
export interface Limits {
  /**
   * Bytes of one message, line ending not counted. Above: that message is refused, the connection stays. An object that is handed over rather than
   * written as text is measured by a lower bound of its text (see `cloneJson`); above it, what a handler returns is malformed.
   */
  readonly maxMessageBytes: number;
  /** Nesting of one message. Above: refused as malformed. */
  readonly maxDepth: number;
  /** Requests of ours that wait for an answer, per connection. Above: `request` rejects with `limit_exceeded`. */
  readonly maxPendingRequests: number;
  /** Tools whose output schemas a guard remembers, per connection. Above: those advertised longest ago are forgotten, and not checked. */
  readonly maxToolSchemas: number;
  /** Characters of all output schemas that a guard remembers, per connection. Above: those advertised longest ago are forgotten, and not checked. */
  readonly maxToolSchemaChars: number;
  /** Requests of the peer's that are being handled, per connection. Above: answered with an error at once. */
  readonly maxIncomingRequests: number;
  /**
   * Frames that wait to be pulled from an in-memory lane or a decoder. Above: senders wait. Also messages of a server's log (`server.log`) that one
   * session has not taken. Above: it misses them.
   */
  readonly maxQueuedFrames: number;
  /** Bytes that wait to be written to one lane. Above: `send` waits. */
  readonly maxQueuedBytes: number;
  /** Bytes kept of a child's standard error. Above: the oldest are dropped. */
  readonly maxStderrBytes: number;
  /** Audit and observe-only invocations that outlive their chain step, per chain. Above: dropped and counted. */
  readonly maxDetached: number;
  /** Events that wait for an observer, each. Above: lost and counted. */
  readonly maxQueuedEvents: number;
  /** Places, and lists whose items have moved, that the record of one mutation names. Above: counted only. */
  readonly maxProvenance: number;
  /** Events that a chain keeps its plans for. Above: all are dropped, and made again when asked for. */
  readonly maxPlans: number;
  /** Interceptors in one chain or registry. Above: adding is refused. */
  readonly maxInterceptors: number;
  /** URIs that one client has subscribed to on one connection. Above: the request is answered with an error. */
  readonly maxSubscriptions: number;
  /** Questions of one handler to the client, and rounds of them. Above: the request is answered with an error. */
  readonly maxAsks: number;
  /** Pages that a list is drained for. Above: an error. */
  readonly maxPages: number;
  /** Results that a client keeps for reuse, per connection. Above: those used longest ago are dropped. */
  readonly maxCachedResults: number;
  /** Characters of all results that a client keeps for reuse, per connection. Above: those used longest ago are dropped. */
  readonly maxCachedChars: number;
  /** Tools whose mirrored parameters (`x-mcp-header`) a client over HTTP keeps, per connection, and a gateway per upstream. Above: those listed longest ago are forgotten. */
  readonly maxMirroredTools: number;
  /** Resources that a client subscribes to in a stateless revision, per connection. Above: subscribing rejects with `limit_exceeded`. */
  readonly maxSubscribedResources: number;
  /** Sessions of one HTTP server. Above: the one unused for longest ends if that is a minute or more, else the handshake is answered 503. */
  readonly maxSessions: number;
  /** HTTP requests that one server answers at once, open streams among them. Above: answered 503; connections beyond twice as many and 1,000 are cut. */
  readonly maxHttpRequests: number;
  /**
   * Characters that wait on one HTTP stream for its reader. Above: `send` waits; where the stream can be resumed, it is cut instead. Also of notifications that
   * a gateway keeps for one peer. Above: dropped.
   */
  readonly maxStreamChars: number;
  /** Events that one event store keeps. Above: the oldest are dropped, and streams cannot be resumed from before them. */
  readonly maxStoredEvents: number;
  /** Characters of all events that one event store keeps. Above: as above. */
  readonly maxStoredChars: number;
  /** Bytes of one HTTP request's line and headers. Above: answered 431. Enforced by Node's listener; elsewhere the platform has a limit of its own. */
  readonly maxHeaderBytes: number;
  /** Subschemas that one compiled JSON Schema may reach, embedded and extra documents included. Above: it does not compile. */
  readonly maxSubschemas: number;
  /** Steps of checking one value: about one a keyword applied, four a member listed, one eight characters matched or eight steps of a pattern. Above: the value fails. */
  readonly maxCheckSteps: number;
  /** Steps of one `pattern` on one string: as they are taken, or where the engine takes them, the most that it may, see `core/schema/pattern.ts`. Above: the value fails. */
  readonly maxPatternSteps: number;
}

/** The bounds that hold where `limits` says nothing else; each is documented at its member of {@link Limits}. */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxMessageBytes: 16 * 1024 * 1024,
  maxDepth: DEFAULT_MAX_DEPTH,
  maxPendingRequests: 10_000,
  maxToolSchemas: 1_000,
  maxToolSchemaChars: 4 * 1024 * 1024,
  maxIncomingRequests: 1_000,
  maxQueuedFrames: 1_024,
  maxQueuedBytes: 64 * 1024 * 1024,
  maxStderrBytes: 64 * 1024,
  maxDetached: 1_000,
  maxQueuedEvents: 10_000,
  maxProvenance: 1_000,
  maxPlans: 1_000,
  maxInterceptors: 10_000,
  maxSubscriptions: 10_000,
  maxAsks: 100,
  maxPages: 1_000,
  maxCachedResults: 1_000,
  maxCachedChars: 16 * 1024 * 1024,
  maxMirroredTools: 10_000,
  maxSubscribedResources: 1_000,
  maxSessions: 10_000,
  maxHttpRequests: 10_000,
  maxStreamChars: 1024 * 1024,
  maxStoredEvents: 100_000,
  maxStoredChars: 64 * 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxSubschemas: 10_000,
  maxCheckSteps: 10_000_000,
  maxPatternSteps: 50_000_000,
});

// Filled already: each part of a connection takes its limits from the one above it.
const resolved = new WeakSet<object>();

// Without what the others bound nothing works.
const MAY_BE_NONE: ReadonlySet<string> = new Set<keyof Limits>(["maxDetached"]);

/** Fills a partial `Limits`; a bound that is no positive integer (`maxDetached` may be 0, too) is refused by name. */
export function resolveLimits(partial: Partial<Limits> = {}): Limits {
  // Only what was made below is in the set.
  if (resolved.has(partial)) return partial as Limits;
  for (const [name, value] of Object.entries(partial)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) {
      throw new LocalError("invalid_argument", `limits.${name} is not a limit; known are ${Object.keys(DEFAULT_LIMITS).join(", ")}`);
    }
    const none = value === 0 && MAY_BE_NONE.has(name);
    if (!none && (!Number.isSafeInteger(value) || value < 1)) {
      throw new LocalError("invalid_argument", `limits.${name} must be a positive integer${MAY_BE_NONE.has(name) ? ", or 0" : ""}`);
    }
  }
  const limits = Object.freeze({ ...DEFAULT_LIMITS, ...partial });
  resolved.add(limits);
  return limits;
}
