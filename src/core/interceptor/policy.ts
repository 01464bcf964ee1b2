import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import { pointersProblem } from "../base/json-pointer.ts";
import { describeMember, under } from "../wire/check.ts";
import { checkHint, checkHooks, readExtras, type ListedDescriptor, type ListedType } from "../wire/descriptors.ts";
import type { Hook, Mode, PriorityHint } from "../wire/gen/interceptors.ts";
import { coversPattern } from "../wire/patterns.ts";
import { timeoutProblem } from "../wire/timeout.ts";
import type { HandlerInput, HookDeclaration } from "./define.ts";
import { resolvePriority, type Priorities } from "./priority.ts";

/** Time for one run where neither the chain nor the interceptor sets one. The SEP names none; a guard without one can hang its traffic. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * What `when` of an entry sees: whatever the entry's handler may see of it, all of the payload, and in the response phase the request that was
 * answered (`context.request`), if that is known. Payload and context are copies of its own, made on first reading.
 */
export type ConditionInput = Pick<HandlerInput, "payload" | "event" | "phase" | "name" | "context">;

/**
 * What an entry may see and change of a payload, by JSON pointers into it; each grants what lies below it as well. See src/README.md.
 * - `read`: the rest arrives as digests. Without it, everything may be read.
 * - `write`: a mutator that changes anything else has failed. Without it, everything may be written.
 * - `readRequest`: the same as `read`, for the params of the request that `withRequest` shows; nothing where only `read` is given.
 */
export interface Grants {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly readRequest?: readonly string[];
}

/** The invoker's policy for one entry; each member that is present beats the interceptor's own default (SEP-2624, Capability vs Policy). */
export interface Overrides {
  /** A sink is never active. */
  readonly mode?: Mode;
  readonly failOpen?: boolean;
  /** Ignored for validators. */
  readonly priorityHint?: PriorityHint;
  readonly timeoutMs?: number;
  /** May only narrow: each pattern must lie under one that the interceptor declares for that phase. */
  readonly hooks?: readonly HookDeclaration[];
  /** False leaves a validator out when a mutated payload is judged again. */
  readonly revalidate?: boolean;
  /** False skips the entry for this message. A throw, or anything but a boolean, is a failure under the entry's policy. */
  readonly when?: (input: ConditionInput) => boolean;
  /** Least data: what this entry may read and write. Everything, unless said otherwise. */
  readonly grants?: Grants;
}

/** Policy of one entry, resolved once, when it is added. */
export interface Policy {
  readonly mode: Mode;
  readonly failOpen: boolean;
  readonly priorities: Priorities;
  readonly timeoutMs: number;
  readonly hooks: readonly Hook[];
  readonly revalidate: boolean;
  readonly when: ((input: ConditionInput) => unknown) | undefined;
  readonly grants: Grants | undefined;
}

/**
 * Override, else what the interceptor declares, else the default. Throws a `LocalError` that names the interceptor: `invalid_argument` for
 * an override that is none, `refused` for hooks that widen. The descriptor must have been read.
 */
export function resolvePolicy(descriptor: ListedDescriptor, overrides: Overrides = {}): Policy {
  const isMutator = descriptor.type === "mutation";
  const problem = overridesProblem(overrides, descriptor.type);
  if (problem !== undefined) throw new LocalError("invalid_argument", `overrides of interceptor ${quote(descriptor.name)}: ${problem}`);
  return Object.freeze({
    mode: descriptor.type === "sink" ? "audit" : (overrides.mode ?? descriptor.mode ?? "active"),
    failOpen: overrides.failOpen ?? descriptor.failOpen ?? false,
    priorities: resolvePriority(isMutator ? (overrides.priorityHint ?? descriptor.priorityHint) : undefined),
    timeoutMs: overrides.timeoutMs ?? readExtras(descriptor).timeoutMs ?? DEFAULT_TIMEOUT_MS,
    hooks: overrides.hooks === undefined ? descriptor.hooks : narrowHooks(descriptor, overrides.hooks),
    revalidate: overrides.revalidate ?? true,
    when: overrides.when,
    grants: overrides.grants === undefined ? undefined : copyGrants(overrides.grants),
  });
}

const MEMBERS: ReadonlySet<string> = new Set(["mode", "failOpen", "priorityHint", "timeoutMs", "hooks", "revalidate", "when", "grants"]);

function overridesProblem(overrides: Overrides, type: ListedType): string | undefined {
  if (!isObject(overrides)) return "must be an object";
  const { mode, failOpen, priorityHint, timeoutMs, hooks, revalidate, when, grants }: Overrides = overrides;
  // A misspelt override would silently leave the default in force.
  const unknown = Object.keys(overrides).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) return `${unknown} is no override: ${didYouMean(unknown, MEMBERS, `known are ${[...MEMBERS].join(", ")}`)}`;
  if (mode !== undefined && mode !== "active" && mode !== "audit") return 'mode must be "active" or "audit"';
  if (type === "sink" && mode === "active") return "mode must be \"audit\": it is a sink, which only observes";
  if (failOpen !== undefined && typeof failOpen !== "boolean") return "failOpen must be a boolean";
  if (revalidate !== undefined && typeof revalidate !== "boolean") return "revalidate must be a boolean";
  if (when !== undefined && typeof when !== "function") return "when must be a function";
  const wrongHint = type === "mutation" && priorityHint !== undefined ? checkHint(priorityHint) : undefined;
  if (wrongHint !== undefined) return describeMember(under("priorityHint", wrongHint), "");
  const timeoutFault = timeoutMs === undefined ? undefined : timeoutProblem(timeoutMs);
  if (timeoutFault !== undefined) return `timeoutMs ${timeoutFault}`;
  const wrongGrants = grants === undefined ? undefined : grantsProblem(grants);
  if (wrongGrants !== undefined) return `grants${wrongGrants}`;
  const wrongHooks = hooks === undefined ? undefined : checkHooks(hooks);
  return wrongHooks === undefined ? undefined : describeMember(under("hooks", wrongHooks), "");
}

const GRANTS = ["read", "write", "readRequest"] as const;

function grantsProblem(grants: Grants): string | undefined {
  if (!isObject(grants)) return " must be an object";
  const unknown = Object.keys(grants).find((member) => !GRANTS.some((known) => known === member));
  if (unknown !== undefined) return `/${unknown} is none; known are ${GRANTS.join(", ")}`;
  for (const member of GRANTS) {
    const wrong = grants[member] === undefined ? undefined : pointersProblem(grants[member]);
    if (wrong !== undefined) return `/${member} ${wrong}`;
  }
  return undefined;
}

/** A copy that is nobody else's to change. */
export function copyGrants(grants: Grants): Grants {
  const given = GRANTS.filter((member) => grants[member] !== undefined);
  return Object.freeze(Object.fromEntries(given.map((member) => [member, Object.freeze([...(grants[member] ?? [])])])));
}

function narrowHooks({ name, hooks: declared }: ListedDescriptor, narrowed: readonly HookDeclaration[]): readonly Hook[] {
  for (const { events, phase } of narrowed) {
    for (const event of events) {
      const covered = declared.some((hook) => hook.phase === phase && hook.events.some((pattern) => coversPattern(pattern, event)));
      if (!covered) {
        const what = `it does not declare ${quote(event)} in the ${phase} phase`;
        throw new LocalError("refused", `overrides of interceptor ${quote(name)} widen its hooks: ${what}`, {
          details: { interceptor: name, event, phase },
        });
      }
    }
  }
  return narrowed.map(({ events, phase }) => ({ events: [...events], phase }));
}

function quote(text: string): string {
  return JSON.stringify(text);
}
