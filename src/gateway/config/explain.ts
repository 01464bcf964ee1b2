import { describeError } from "../../core/base/errors.ts";
import { isObject, type JsonObject } from "../../core/base/json.ts";
import type { ChainEntry } from "../../core/chain/entry.ts";
import type { Direction } from "../../core/chain/plan.ts";
import { currentOf } from "../../core/guard/chain-source.ts";
import type { GuardPolicy } from "../../core/guard/options.ts";
import type { ConditionInput } from "../../core/interceptor/policy.ts";
import type { InvocationContext, Phase } from "../../core/wire/gen/interceptors.ts";
import { LIFECYCLE_METHODS, PLAIN_NOTIFICATIONS } from "../../core/guard/routes.ts";
import { isServerRequest } from "../../core/wire/events.ts";
import { METHODS } from "../../core/wire/methods.ts";
import { hooksMatch } from "../../core/wire/patterns.ts";
import type { BuiltPlan } from "./build.ts";
import { compileCondition } from "./condition.ts";
import type { ToolHints } from "./tool-hints.ts";

/** A message that is asked about: a request, and the answer to it. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly context: InvocationContext;
}

/** A condition, and what it comes to for the message. `undefined`: it cannot be judged, `why` says what is missing. */
export interface ConditionTrace {
  readonly text: string;
  readonly holds: boolean | undefined;
  readonly why?: string;
  readonly parts: readonly ConditionTrace[];
}

export interface RuleTrace {
  readonly address: string;
  /** Where in the configuration its item stands; absent for what the gateway puts in itself. */
  readonly pointer?: string;
  readonly type: string;
  readonly mode: string;
  readonly failOpen: boolean;
  /** Whether it runs. `undefined`: its condition cannot be judged, so it fails, and `failOpen` says what becomes of the message. */
  readonly runs: boolean | undefined;
  readonly why: string;
  readonly condition?: ConditionTrace;
}

export interface PhaseTrace {
  readonly phase: Phase;
  /** What runs, in its order: those of a step in one list. */
  readonly order: readonly (readonly string[])[];
  readonly rules: readonly RuleTrace[];
}

export interface UpstreamTrace {
  readonly upstream: string;
  /** What `allow` of the upstream says of the caller. */
  readonly allowed: boolean;
  /** Items that do not guard it, by name. */
  readonly elsewhere: readonly string[];
  readonly phases: readonly PhaseTrace[];
}

/** Which rules of a configuration apply to a message before an upstream, and why the others do not. Runs no interceptor. */
export function explain(built: BuiltPlan, upstream: string, asked: Asked): UpstreamTrace {
  const chain = currentOf(built.plan.chain(upstream)).current();
  const plan = built.plan.upstreams.find(({ name }) => name === upstream);
  const principal = asked.context.principal;
  return {
    upstream,
    allowed: plan?.allow?.(principal) ?? true,
    elsewhere: [...built.items].filter(([, { item }]) => item.upstreams?.includes(upstream) === false).map(([label]) => label),
    // Nobody answers a notification.
    phases: (isNotification(asked.method) ? (["request"] as const) : (["request", "response"] as const)).map((phase) => {
      const rules = chain.entries.map((entry) => ruleOf(built, upstream, entry, { phase, asked }));
      const running = new Set(rules.filter(({ runs }) => runs !== false).map(({ address }) => address));
      const { steps } = chain.plan({ event: asked.method, phase, direction: directionAtFace(asked.method, phase) });
      const order = steps.map(({ entries }) => entries.map(({ entry }) => entry.address).filter((address) => running.has(address))).filter((step) => step.length > 0);
      return { phase, order, rules };
    }),
  };
}

/** The gateway's faces are servers: requests of clients arrive and answers leave; what a server asks of its client, or tells it, goes the other way. */
export function directionAtFace(method: string, phase: Phase): Direction {
  const { kind, client } = METHODS.get(method) ?? {};
  const fromServer = isServerRequest(method) || (kind === "notification" && client === undefined);
  return fromServer === (phase === "request") ? "sending" : "receiving";
}

function isNotification(method: string): boolean {
  return method.startsWith("notifications/");
}

function whyNever(method: string, { interceptNotifications }: GuardPolicy): string | undefined {
  if (LIFECYCLE_METHODS.has(method)) return "no connection comes about without this method, so no interceptor is asked";
  if (PLAIN_NOTIFICATIONS.has(method)) return "it passes at once, past everything, so no interceptor is asked";
  return isNotification(method) && interceptNotifications === false ? "policy.interceptNotifications is off, so no interceptor is asked" : undefined;
}

function ruleOf(built: BuiltPlan, upstream: string, entry: ChainEntry, { phase, asked }: { readonly phase: Phase; readonly asked: Asked }): RuleTrace {
  const { address, label, name, type, policy } = entry;
  const placed = built.items.get(label);
  const shared = { address, type, mode: policy.mode, failOpen: policy.failOpen, ...(placed === undefined ? {} : { pointer: placed.pointer }) };
  const { method, params, context } = asked;
  const never = whyNever(method, built.plan.policy ?? {});
  if (never !== undefined) return { ...shared, runs: false, why: never };
  if (!hooksMatch(policy.hooks, method, phase)) {
    const hooked = policy.hooks.filter((hook) => hook.phase === phase).flatMap(({ events }) => events);
    return { ...shared, runs: false, why: hooked.length === 0 ? `it does not look at ${phase}s` : `of ${phase}s it looks at ${hooked.join(", ")}` };
  }
  const matched = policy.hooks.filter((hook) => hooksMatch([hook], method, phase)).flatMap(({ events }) => events.filter((event) => hooksMatch([{ events: [event], phase }], method, phase)));
  const why = `it hooks ${[...new Set(matched)].join(", ")}`;
  const own = placed?.item.overrides !== undefined && Object.hasOwn(placed.item.overrides, name) ? placed.item.overrides[name] : undefined;
  const when: unknown = own?.when ?? placed?.item.when;
  if (when === undefined) return { ...shared, runs: true, why };
  const request = { method, params };
  const input: ConditionInput = { event: method, phase, name, payload: phase === "request" ? params : {}, context: phase === "request" ? context : { ...context, request } };
  const condition = traceCondition(built, when, input, built.hints.get(upstream));
  const verdict = condition.holds === undefined ? `its condition cannot be judged: ${condition.why ?? ""}` : condition.holds ? `${why}, and its condition holds` : "its condition does not hold";
  return { ...shared, runs: condition.holds, why: verdict, condition };
}

function traceCondition(built: BuiltPlan, condition: unknown, input: ConditionInput, hints: ToolHints | undefined): ConditionTrace {
  const compiled = compileCondition(condition, { problems: built.loaded.problems(), pointer: "" });
  const inner = isObject(condition) ? (condition["all"] ?? condition["any"] ?? (condition["not"] === undefined ? [] : [condition["not"]])) : [];
  const parts = (Array.isArray(inner) ? inner : []).map((part) => traceCondition(built, part, input, hints));
  const text = parts.length === 0 ? JSON.stringify(condition) : Object.keys(condition as JsonObject).join();
  try {
    return { text, holds: compiled.holds(input, hints ?? NO_HINTS), parts };
  } catch (thrown) {
    return { text, holds: undefined, why: describeError(thrown).replace(/^.*?cannot be judged: /, ""), parts };
  }
}

const NO_HINTS: ToolHints = { hint: () => undefined, learn: () => {}, informed: false };
