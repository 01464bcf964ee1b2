import { describeError, RpcError } from "../../core/base/errors.ts";
import { isObject, type JsonObject } from "../../core/base/json.ts";
import type { ChainEntry } from "../../core/chain/entry.ts";
import type { Chain } from "../../core/chain/chain.ts";
import { currentOf } from "../../core/guard/chain-source.ts";
import type { GuardPolicy } from "../../core/guard/options.ts";
import type { ConditionInput } from "../../core/interceptor/policy.ts";
import type { InvocationContext, Phase } from "../../core/wire/gen/interceptors.ts";
import { LIFECYCLE_METHODS, PLAIN_NOTIFICATIONS } from "../../core/guard/routes.ts";
import { hooksMatch } from "../../core/wire/patterns.ts";
import type { BuiltPlan } from "./build.ts";
import { compileCondition } from "./condition.ts";
import type { ToolHints } from "./tool-hints.ts";
import { casesOf, directionAtFace, messageOf } from "./trial.ts";

/** A message that is asked about: a request, and the answer to it. */
export interface Asked {
  readonly method: string;
  readonly params: JsonObject;
  readonly context: InvocationContext;
  /** For what is about a task: the request that created it, whose answer its result is. */
  readonly task?: { readonly method: string; readonly params: JsonObject };
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
  /** What the request embeds, where it is about that and not about the request itself. */
  readonly embedded?: string;
  /** What the answer is judged as, where that is not the answer to the request itself. */
  readonly judgedAs?: string;
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
  const phaseOf = ({ event, phase, part }: Judged): PhaseTrace => {
    // The answer to another request is judged with that one.
    const own = part === undefined && event !== asked.method && asked.task !== undefined ? { ...asked, ...asked.task } : asked;
    const rules = chain.entries.map((entry) => ruleOf(built, upstream, entry, { judged: { event, phase, ...(part === undefined ? {} : { part }) }, asked: own }));
    const running = new Set(rules.filter(({ runs }) => runs !== false).map(({ address }) => address));
    // What is embedded goes the way of its message.
    const direction = part === undefined ? directionAtFace(event, phase) : directionAtFace(asked.method, "request");
    const { steps } = chain.plan({ event, phase, direction });
    const order = steps.map(({ entries }) => entries.map(({ entry }) => entry.address).filter((address) => running.has(address))).filter((step) => step.length > 0);
    return { ...(part === undefined ? (event === asked.method ? {} : { judgedAs: event }) : { embedded: event }), phase, order, rules };
  };
  return {
    upstream,
    allowed: plan?.allow?.(principal) ?? true,
    elsewhere: [...built.items].filter(([, { item }]) => item.upstreams?.includes(upstream) === false).map(([label]) => label),
    // Nobody answers a notification.
    phases: [
      ...embeddedIn(asked, chain).map((part) => phaseOf({ event: part.event, phase: part.phase, part })),
      ...(isNotification(asked.method) ? (["request"] as const) : (["request", "response"] as const)).map((phase) => phaseOf({ event: phase === "response" && asked.method === "tasks/result" ? (asked.task?.method ?? asked.method) : asked.method, phase })),
      // Of what else is about a task it may be a part.
      ...(asked.task === undefined || asked.method === "tasks/result" ? [] : [phaseOf({ event: asked.task.method, phase: "response" })]),
    ],
  };
}

/** What is judged: a part that the request embeds, or without one the request or its answer. */
interface Judged {
  readonly event: string;
  readonly phase: Phase;
  readonly part?: Embedded;
}

interface Embedded {
  readonly event: string;
  readonly phase: Phase;
  readonly payload: unknown;
}

function embeddedIn({ method, params }: Asked, chain: Chain): readonly Embedded[] {
  try {
    return casesOf({ method, params }, chain)
      .filter(({ event, phase }) => event !== method || phase !== "request")
      .map(({ event, phase, payload }) => ({ event, phase, payload: payload(messageOf({ method, params })) }));
  } catch (thrown) {
    // No guard lets it through, so no rules apply to it.
    if (thrown instanceof RpcError) return [];
    throw thrown;
  }
}

function isNotification(method: string): boolean {
  return method.startsWith("notifications/");
}

function whyNever(method: string, { interceptNotifications }: GuardPolicy): string | undefined {
  if (LIFECYCLE_METHODS.has(method)) return "no connection comes about without this method, so no interceptor is asked";
  if (PLAIN_NOTIFICATIONS.has(method)) return "it passes at once, past everything, so no interceptor is asked";
  return isNotification(method) && interceptNotifications === false ? "policy.interceptNotifications is off, so no interceptor is asked" : undefined;
}

function ruleOf(built: BuiltPlan, upstream: string, entry: ChainEntry, { judged, asked }: { readonly judged: Judged; readonly asked: Asked }): RuleTrace {
  const { address, label, name, type, policy } = entry;
  const placed = built.items.get(label);
  const shared = { address, type, mode: policy.mode, failOpen: policy.failOpen, ...(placed === undefined ? {} : { pointer: placed.pointer }) };
  const { method, params, context } = asked;
  const { event, phase, part } = judged;
  const never = whyNever(method, built.plan.policy ?? {});
  if (never !== undefined) return { ...shared, runs: false, why: never };
  if (!hooksMatch(policy.hooks, event, phase)) {
    const hooked = policy.hooks.filter((hook) => hook.phase === phase).flatMap(({ events }) => events);
    return { ...shared, runs: false, why: hooked.length === 0 ? `it does not look at ${phase}s` : `of ${phase}s it looks at ${hooked.join(", ")}` };
  }
  const matched = policy.hooks.filter((hook) => hooksMatch([hook], event, phase)).flatMap(({ events }) => events.filter((pattern) => hooksMatch([{ events: [pattern], phase }], event, phase)));
  const why = `it hooks ${[...new Set(matched)].join(", ")}`;
  const own = placed?.item.overrides !== undefined && Object.hasOwn(placed.item.overrides, name) ? placed.item.overrides[name] : undefined;
  const when: unknown = own?.when ?? placed?.item.when;
  if (when === undefined) return { ...shared, runs: true, why };
  const request = { method, params };
  const input: ConditionInput =
    part === undefined
      ? { event, phase, name, payload: phase === "request" ? params : {}, context: phase === "request" ? context : { ...context, request } }
      : { event, phase, name, payload: part.payload, context };
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
