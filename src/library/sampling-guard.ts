import { detectHost } from "../core/base/host.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { readBoolean, readChoice, readConfig, readPatterns, readStrings, readWhole } from "./config.ts";
import { compilePatterns, patternsSchema } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";
import { createStates, readScopeOf, type Scope, scopeSchema } from "./state.ts";
import type { Tools } from "./tools.ts";

type IncludeContext = "none" | "thisServer" | "allServers";

/** What servers may ask of a client's model, and how often. */
export interface SamplingGuardConfig {
  /** Tokens that a server may ask for at once; 8,192 unless given. */
  readonly maxTokens?: number;
  /** Requests in any 60 seconds; 20 unless given. */
  readonly perMinute?: number;
  /** Requests in all, of one memory; 500 unless given. */
  readonly total?: number;
  /** Models that a server may wish for, by name or `prefix*`. Absent: it may wish for any. */
  readonly models?: readonly string[];
  /** Whether it may set a system prompt; `true` unless given. */
  readonly systemPrompt?: boolean;
  /** What it may ask to be included of the conversation; `none` alone unless given. */
  readonly includeContext?: readonly IncludeContext[];
  /** Whether it may bring tools for the model; `false` unless given. */
  readonly tools?: boolean;
  /** Whose requests are counted together; those of a session unless given. */
  readonly scope?: Scope;
}

const OWNER = "sampling-guard";
const CONTEXTS: readonly IncludeContext[] = ["none", "thisServer", "allServers"];
const MINUTE_MS = 60_000;
const MAX_PER_MINUTE = 1_000;

export const samplingGuardConfigSchema: JsonObject = {
  type: "object",
  properties: {
    maxTokens: { type: "integer", minimum: 1 },
    perMinute: { type: "integer", minimum: 0, maximum: MAX_PER_MINUTE },
    total: { type: "integer", minimum: 0 },
    models: patternsSchema,
    systemPrompt: { type: "boolean" },
    includeContext: { type: "array", items: { enum: [...CONTEXTS] } },
    tools: { type: "boolean" },
    scope: scopeSchema,
  },
  additionalProperties: false,
};

/**
 * A validator of `sampling/createMessage`, by which a server has the client's model work for it: it bounds the tokens of one request and the number
 * of requests, and what a request may bring and see. Counted is what this validator lets pass. The scope is the factory's, whatever a call
 * brings. Throws `invalid_argument` for a wrong config.
 */
export function samplingGuard(config: SamplingGuardConfig = {}, { host = detectHost() }: Tools = {}): Interceptor {
  const rulesFor = perCall(config, compileSamplingGuard);
  const states = createStates({ owner: OWNER, scope: samplingGuardScope(config), create: (): Requests => ({ total: 0, recentMs: [] }) });
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Bounds what a server may have the client's model do.",
      hooks: [{ events: ["sampling/createMessage"], phase: "request" }],
      configSchema: samplingGuardConfigSchema,
    },
    ({ payload, context, config: called }) => {
      const rules = rulesFor(called);
      const state = states.of(context);
      const problem = rules.problemOf(isObject(payload) ? payload : {}) ?? (context.revalidation === true ? undefined : count(state, rules, host.now()));
      return problem === undefined ? allow() : deny(problem.message, problem.path === undefined ? {} : { path: problem.path });
    },
  );
}

/** Whose memory a config asks for. */
export function samplingGuardScope(config: unknown): Scope {
  return readScopeOf(config, OWNER);
}

interface Requests {
  total: number;
  /** When those of the last minute came; never more than `perMinute`. */
  recentMs: number[];
}

interface Problem {
  readonly message: string;
  readonly path?: string;
}

interface Rules {
  readonly perMinute: number;
  readonly total: number;
  problemOf(params: JsonObject): Problem | undefined;
}

function count(state: Requests, { perMinute, total }: Rules, nowMs: number): Problem | undefined {
  state.recentMs = state.recentMs.filter((atMs) => nowMs - atMs < MINUTE_MS);
  if (state.total >= total) return { message: `No more than ${total} sampling requests are allowed` };
  if (state.recentMs.length >= perMinute) return { message: `No more than ${perMinute} sampling requests a minute are allowed` };
  state.total++;
  state.recentMs.push(nowMs);
  return undefined;
}

function compileSamplingGuard(value: unknown): Rules {
  const config = readConfig(value, ["maxTokens", "perMinute", "total", "models", "systemPrompt", "includeContext", "tools", "scope"], OWNER);
  const maxTokens = readWhole(config, "maxTokens", OWNER, 1) ?? 8_192;
  const models = readPatterns(config, "models", OWNER);
  const isModel = models && compilePatterns(models);
  const mayPrompt = readBoolean(config, "systemPrompt", OWNER) ?? true;
  const mayBringTools = readBoolean(config, "tools", OWNER) ?? false;
  const contexts = readStrings(config, "includeContext", OWNER)?.map((one, index) => readChoice(one, CONTEXTS, `includeContext[${index}]`, OWNER)) ?? ["none"];
  samplingGuardScope(config);
  return {
    perMinute: readWhole(config, "perMinute", OWNER, 0, MAX_PER_MINUTE) ?? 20,
    total: readWhole(config, "total", OWNER, 0) ?? 500,
    problemOf(params) {
      const asked = ownMember(params, "maxTokens");
      // Who asks for no bound asks for more than any.
      if (typeof asked !== "number" || asked > maxTokens) return { message: `No more than ${maxTokens} tokens may be asked for`, path: "/maxTokens" };
      if (asked < 1) return { message: "Less than one token may not be asked for", path: "/maxTokens" };
      const included = ownMember(params, "includeContext");
      if (included !== undefined && !contexts.some((one) => one === included)) return { message: "This context may not be included", path: "/includeContext" };
      if (!mayPrompt && ownMember(params, "systemPrompt") !== undefined) return { message: "A system prompt may not be set", path: "/systemPrompt" };
      if (!mayBringTools && (ownMember(params, "tools") !== undefined || ownMember(params, "toolChoice") !== undefined)) return { message: "Tools may not be brought", path: "/tools" };
      const hint = isModel === undefined ? -1 : hintsOf(params).findIndex((name) => name !== undefined && (typeof name !== "string" || !isModel(name)));
      return hint === -1 ? undefined : { message: "This model may not be wished for", path: `/modelPreferences/hints/${hint}/name` };
    },
  };
}

function hintsOf(params: JsonObject): readonly unknown[] {
  const preferences = ownMember(params, "modelPreferences");
  const hints = isObject(preferences) ? ownMember(preferences, "hints") : undefined;
  return Array.isArray(hints) ? hints.map((hint: unknown) => (isObject(hint) ? ownMember(hint, "name") : undefined)) : [];
}
