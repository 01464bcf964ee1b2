import { detectHost } from "../core/base/host.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { eventsSchema, readChoice, readConfig, readEvents, readPatterns, readWhole } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";
import { createStates, readScope, type Scope, scopeSchema } from "./state.ts";
import type { Tools } from "./tools.ts";

/** How many calls are let through in which time. */
export interface RateLimitConfig {
  /** How many a minute, in the long run; 60 unless given. */
  readonly perMinute?: number;
  /** How many at once after a rest; `perMinute` unless given. */
  readonly burst?: number;
  /** Methods that count, as hooks name them; `tools/call` unless given. */
  readonly events?: readonly string[];
  /** Names of tools, or `prefix*`; other tools are not counted. Every one unless given. */
  readonly tools?: readonly string[];
  /** One bucket for all that counts (default), or one for each tool or method. */
  readonly each?: "all" | "tool";
  readonly scope?: Scope;
}

/** Tokens, and when they were counted last, in milliseconds of `Host.now`. */
interface Bucket {
  tokens: number;
  at: number;
}

const OWNER = "rate-limit";
const DEFAULT_PER_MINUTE = 60;
const MOST = 1_000_000;
// Of one session or principal; a name that is new beyond that shares the last bucket.
const MAX_BUCKETS = 1000;

export const rateLimitConfigSchema: JsonObject = {
  type: "object",
  properties: {
    perMinute: { type: "integer", minimum: 1, maximum: MOST },
    burst: { type: "integer", minimum: 1, maximum: MOST },
    events: eventsSchema,
    tools: patternsSchema,
    each: { enum: ["all", "tool"] },
    scope: scopeSchema,
  },
  additionalProperties: false,
};

/**
 * A validator that refuses what comes too fast: a token bucket for each session or principal. A refusal says in its message, and in
 * `info.retryAfterMs`, when to come back. What another validator refuses has counted, and so does each try of a call that is asked for input.
 * Throws `invalid_argument` for a wrong config.
 */
export function rateLimit(config: RateLimitConfig = {}, { host = detectHost() }: Tools = {}): Interceptor {
  const settings = perCall(config, (value) => {
    const read = readRateLimit(value);
    return { ...read, states: createStates({ owner: OWNER, scope: read.scope, create: () => new Map<string, Bucket>() }) };
  });
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses requests that come too fast.",
      hooks: [{ events: readRateLimit(config).events, phase: "request" }],
      configSchema: rateLimitConfigSchema,
    },
    ({ payload, event, context, config: called }) => {
      // It has been counted before it was changed.
      if (context.revalidation === true) return allow();
      const { perMinute, burst, counts, each, states } = settings(called);
      const tool = event === "tools/call" && isObject(payload) ? ownMember(payload, "name") : undefined;
      if (typeof tool === "string" && !counts(tool)) return allow();
      const bucket = bucketOf(states.of(context), each === "all" ? "" : `${event} ${String(tool)}`, { tokens: burst, at: host.now() });
      const waitMs = take(bucket, { perMinute, burst }, host.now());
      if (waitMs === 0) return allow();
      return deny(`Too many requests: ${perMinute} a minute are allowed; try again in ${waitMs} ms`, { info: { retryAfterMs: waitMs } });
    },
  );
}

/** Whose memory it has under a config. */
export function rateLimitScope(config: unknown): Scope {
  return readRateLimit(config).scope;
}

function readRateLimit(value: unknown) {
  const config = readConfig(value, ["perMinute", "burst", "events", "tools", "each", "scope"], OWNER);
  const perMinute = readWhole(config, "perMinute", OWNER, 1, MOST) ?? DEFAULT_PER_MINUTE;
  const each = ownMember(config, "each");
  const tools = readPatterns(config, "tools", OWNER);
  return {
    perMinute,
    burst: readWhole(config, "burst", OWNER, 1, MOST) ?? perMinute,
    events: readEvents(config, "events", OWNER) ?? ["tools/call"],
    counts: tools === undefined ? () => true : compilePatterns(tools),
    each: each === undefined ? "all" : readChoice(each, ["all", "tool"], "each", OWNER),
    scope: readScope(ownMember(config, "scope"), OWNER),
  };
}

function bucketOf(buckets: Map<string, Bucket>, key: string, full: Bucket): Bucket {
  const name = buckets.has(key) || buckets.size < MAX_BUCKETS ? key : "";
  let bucket = buckets.get(name);
  if (bucket === undefined) buckets.set(name, (bucket = full));
  return bucket;
}

/** Takes a token, and gives 0; or the milliseconds until there is one. */
function take(bucket: Bucket, { perMinute, burst }: { readonly perMinute: number; readonly burst: number }, now: number): number {
  const perMs = perMinute / 60_000;
  bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.at) * perMs);
  bucket.at = now;
  // What rounding has left of a whole one is one: else whoever comes back in time would be sent away again.
  if (bucket.tokens < 1 - 1e-9) return Math.max(1, Math.ceil((1 - bucket.tokens) / perMs));
  bucket.tokens = Math.max(0, bucket.tokens - 1);
  return 0;
}
