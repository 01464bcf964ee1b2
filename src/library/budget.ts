import { detectHost } from "../core/base/host.ts";
import { isObject, type JsonObject, ownMember } from "../core/base/json.ts";
import { type Interceptor, validator } from "../core/interceptor/define.ts";
import { withoutRequired } from "../core/interceptor/config-schema.ts";
import { allow, deny } from "../core/interceptor/verdict.ts";
import { eventsSchema, invalid, readConfig, readEvents, readWhole } from "./config.ts";
import { compilePatterns, isNamePattern, NO_NAME_PATTERN } from "./name-patterns.ts";
import { perCall } from "./per-call.ts";
import { createStates, readScope, type Scope, scopeSchema } from "./state.ts";
import type { Tools } from "./tools.ts";

/** What a budget counts. */
export type BudgetUnit = "requests" | "chars" | "tokens" | "cost";

/** How much may be spent, of what, by whom. */
export interface BudgetConfig {
  /**
   * What may be spent, at least one of: `requests`; `chars` of JSON text, sent and received; `tokens` that requests for samples and completions ask for
   * (`maxTokens`); `cost`, by `costs`.
   */
  readonly max: Readonly<Partial<Record<BudgetUnit, number>>>;
  /** What a call of a tool costs, by names and `prefix*`, the first that fits; 1 for others, and for other requests. */
  readonly costs?: Readonly<Record<string, number>>;
  /** Milliseconds after which it begins anew. Never unless given. */
  readonly windowMs?: number;
  /** Methods that count, as hooks name them. `tools/call`, `sampling/createMessage` and `llm/completion` unless given. */
  readonly events?: readonly string[];
  readonly scope?: Scope;
}

interface Account {
  readonly spent: Record<BudgetUnit, number>;
  /** In milliseconds of `Host.now`. */
  since: number;
}

const OWNER = "budget";
const UNITS: readonly BudgetUnit[] = ["requests", "chars", "tokens", "cost"];
const DEFAULT_EVENTS = ["tools/call", "sampling/createMessage", "llm/completion"];
const amount: JsonObject = { type: "integer", minimum: 0 };

export const budgetConfigSchema: JsonObject = {
  type: "object",
  properties: {
    max: { type: "object", properties: Object.fromEntries(UNITS.map((unit) => [unit, amount])), minProperties: 1, additionalProperties: false },
    costs: { type: "object", propertyNames: { pattern: "^[^*]*\\*?$", minLength: 1 }, additionalProperties: amount },
    windowMs: { type: "integer", minimum: 1 },
    events: eventsSchema,
    scope: scopeSchema,
  },
  required: ["max"],
  additionalProperties: false,
};

/**
 * A validator that counts what a session or a principal has spent, and refuses what would go beyond it. What comes back counts too, once it is there: a
 * result is let through, and the next request refused. A refusal says in `info` what is spent, and when to come back, if ever. Throws
 * `invalid_argument` for a wrong config.
 */
export function budget(config: BudgetConfig, { host = detectHost() }: Tools = {}): Interceptor {
  const settings = perCall(config, (value) => {
    const read = readBudget(value);
    const create = (): Account => ({ spent: { requests: 0, chars: 0, tokens: 0, cost: 0 }, since: host.now() });
    return { ...read, states: createStates({ owner: OWNER, scope: read.scope, create }) };
  });
  const { events } = readBudget(config);
  return validator(
    {
      name: OWNER,
      version: "1.0.0",
      description: "Refuses requests once a budget is spent.",
      hooks: [
        { events, phase: "request" },
        { events, phase: "response" },
      ],
      handlesErrors: true,
      configSchema: withoutRequired(budgetConfigSchema),
    },
    ({ payload, event, phase, context, config: called }) => {
      if (context.revalidation === true) return allow();
      const { max, costOf, windowMs, states } = settings(called);
      const account = states.of(context);
      const now = host.now();
      if (windowMs !== undefined && now - account.since >= windowMs) {
        account.since = now;
        for (const unit of UNITS) account.spent[unit] = 0;
      }
      if (phase === "request" && max.tokens !== undefined && asksInText(payload)) return deny("maxTokens must be a number", { path: "/maxTokens" });
      const chars = max.chars === undefined ? 0 : JSON.stringify(payload).length;
      if (phase === "response") {
        account.spent.chars += chars;
        return allow();
      }
      const asked: Record<BudgetUnit, number> = { requests: 1, chars, tokens: tokensOf(payload), cost: event === "tools/call" ? costOf(payload) : 1 };
      const over = UNITS.find((unit) => account.spent[unit] + asked[unit] > (max[unit] ?? Infinity));
      if (over === undefined) {
        for (const unit of UNITS) account.spent[unit] += asked[unit];
        return allow();
      }
      const retryAfterMs = windowMs === undefined ? undefined : Math.max(1, Math.ceil(account.since + windowMs - now));
      const when = retryAfterMs === undefined ? "" : `; try again in ${retryAfterMs} ms`;
      return deny(`The budget of ${max[over]} ${over} is spent${when}`, {
        info: { unit: over, spent: account.spent[over], max: max[over], ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      });
    },
  );
}

/** Whose memory it has under a config. */
export function budgetScope(config: unknown): Scope {
  return readBudget(config).scope;
}

function readBudget(value: unknown) {
  const config = readConfig(value, ["max", "costs", "windowMs", "events", "scope"], OWNER);
  const windowMs = readWhole(config, "windowMs", OWNER, 1);
  return {
    max: readMax(ownMember(config, "max")),
    costOf: readCosts(ownMember(config, "costs")),
    windowMs,
    events: readEvents(config, "events", OWNER) ?? DEFAULT_EVENTS,
    scope: readScope(ownMember(config, "scope"), OWNER),
  };
}

function readMax(value: unknown): Readonly<Partial<Record<BudgetUnit, number>>> {
  if (!isObject(value)) throw invalid(OWNER, "max", `must be an object with one of ${UNITS.join(", ")}`);
  const strange = Object.keys(value).find((member) => !UNITS.some((unit) => unit === member));
  if (strange !== undefined) throw invalid(OWNER, `max.${strange}`, `is not known; known are ${UNITS.join(", ")}`);
  const max: Partial<Record<BudgetUnit, number>> = {};
  for (const unit of UNITS) {
    const most = ownMember(value, unit);
    if (most === undefined) continue;
    max[unit] = wholeAt(most, `max.${unit}`);
  }
  if (Object.keys(max).length === 0) throw invalid(OWNER, "max", `must have one of ${UNITS.join(", ")}`);
  return max;
}

function readCosts(value: unknown): (payload: unknown) => number {
  if (value === undefined) return () => 1;
  if (!isObject(value)) throw invalid(OWNER, "costs", "must be an object of numbers by names of tools");
  const costs = Object.entries(value).map(([pattern, cost]) => {
    if (!isNamePattern(pattern)) throw invalid(OWNER, `costs.${pattern}`, NO_NAME_PATTERN);
    return { fits: compilePatterns([pattern]), cost: wholeAt(cost, `costs.${pattern}`) };
  });
  return (payload) => {
    const name = isObject(payload) ? ownMember(payload, "name") : undefined;
    return costs.find(({ fits }) => typeof name === "string" && fits(name))?.cost ?? 1;
  };
}

function wholeAt(value: unknown, member: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw invalid(OWNER, member, "must be a whole number from 0 on");
  return value;
}

// Some servers take `"1e9"` for a number; what cannot be counted must not pass.
function asksInText(payload: unknown): boolean {
  const asked = isObject(payload) ? ownMember(payload, "maxTokens") : undefined;
  return asked !== undefined && asked !== null && typeof asked !== "number";
}

// A request that does not say how much it wants wants nothing that can be counted; a negative or a broken number must give nothing back.
function tokensOf(payload: unknown): number {
  const asked = isObject(payload) ? ownMember(payload, "maxTokens") : undefined;
  return typeof asked === "number" && asked > 0 ? asked : 0;
}
