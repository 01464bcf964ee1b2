import { LocalError } from "../base/errors.ts";
import { isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import { describeMember, mustBe, problem, under, unwanted, type Problem } from "./check.ts";
import { canonicalSpelling } from "./dialects.ts";
import {
  checkHook,
  checkInterceptorDescriptor,
  checkInterceptorType,
  checkPriorityHint,
  type InterceptorDescriptor,
  type InterceptorType,
  type PriorityHint,
} from "./gen/interceptors.ts";
import { OWN_META } from "./meta.ts";
import { isPattern, listedEvents } from "./patterns.ts";
import { timeoutProblem } from "./timeout.ts";

/** Types that a chain knows. A `sink`, of other SDKs, is told of messages and has no say: it never blocks, changes or delays them. */
export type ListedType = InterceptorType | "sink";

/** A descriptor that a source lists, read: canonical, and of a type that is known here. */
export interface ListedDescriptor extends Omit<InterceptorDescriptor, "type"> {
  readonly type: ListedType;
}

/** What is wrong with a descriptor. `unknownType`: well formed as far as one can tell, but of a type that we do not know. */
interface Refusal extends Problem {
  readonly unknownType: boolean;
}

type Reading<T> =
  | { readonly value: T; readonly refused?: undefined }
  | { readonly value?: undefined; readonly refused: Refusal };

/**
 * Reads one descriptor of a server's list, in any spelling of the field. Unknown members pass; a `priorityHint` goes where it is malformed
 * and of no meaning. The bounds of `compat` are not looked at: one that is no date is ignored by whoever compares it.
 */
export function readDescriptor(value: unknown): Reading<ListedDescriptor> {
  if (!isObject(value)) return refuse(mustBe("an object"));
  const type = ownMember(value, "type");
  if (typeof type === "string" && type !== "sink" && checkInterceptorType(type) !== undefined) {
    return refuse(problem(["type"], `must be one of "validation", "mutation", "sink", the types known here; it is ${JSON.stringify(type.slice(0, 50))}`), true);
  }
  let descriptor = canonicalSpelling(value);
  const hint = ownMember(descriptor, "priorityHint");
  if (hint !== undefined && type !== "mutation" && checkPriorityHint(hint) !== undefined) {
    const { priorityHint: _ignored, ...rest } = descriptor;
    descriptor = rest;
  }
  // But for its type a sink has the members of a validator.
  const found = descriptorProblem(type === "sink" ? { ...descriptor, type: "validation" } : descriptor);
  // The check has looked at every member that the type names, but for the bounds of `compat`.
  return found === undefined ? { value: descriptor as unknown as ListedDescriptor } : refuse(found);
}

/**
 * Reads one descriptor of a source. Throws `refused`, with the interceptor, the source and the member; `details.unknownType` is true where the
 * type alone is not known.
 */
export function acceptDescriptor(listed: unknown, source: string): ListedDescriptor {
  const { value, refused } = readDescriptor(listed);
  if (refused === undefined) return value;
  const name = isObject(listed) ? ownMember(listed, "name") : undefined;
  const which = typeof name === "string" ? JSON.stringify(name) : "without a name";
  const details = refused.unknownType ? { details: { unknownType: true } } : {};
  throw new LocalError("refused", `interceptor ${which} of "${source}": ${describeMember(refused, "it")}`, details);
}

function refuse({ path, reason }: Problem, unknownType = false): { readonly refused: Refusal } {
  return { refused: { path, reason, unknownType } };
}

/** What is wrong with a descriptor in the form that we write. Unknown members pass, and so do the bounds of `compat`. */
export function descriptorProblem(value: unknown): Problem | undefined {
  return isObject(value) ? checkMembers(value) : mustBe("an object");
}

function checkMembers({ compat, ...rest }: JsonObject): Problem | undefined {
  const found = checkInterceptorDescriptor(rest);
  if (found !== undefined) return found;
  if (compat !== undefined && !isObject(compat)) return problem(["compat"], "must be an object");
  const { type, hooks, priorityHint, _meta } = rest;
  const wrongHooks = checkHooks(hooks);
  if (wrongHooks !== undefined) return under("hooks", wrongHooks);
  const wrongHint = type === "mutation" && priorityHint !== undefined ? checkHint(priorityHint) : undefined;
  if (wrongHint !== undefined) return under("priorityHint", wrongHint);
  return isObject(_meta) ? checkExtras(_meta) : undefined;
}

/** A list of hooks, as descriptors and overrides have it. */
export function checkHooks(hooks: unknown): Problem | undefined {
  if (!Array.isArray(hooks)) return mustBe("a list");
  if (hooks.length === 0) return mustBe("a list of at least 1");
  for (const [at, hook] of hooks.entries()) {
    const found = checkHook(hook);
    if (found !== undefined) return under(at, found);
    // Just checked: a hook.
    const wrong = (hook as { events: unknown[] }).events.findIndex((event) => !isPattern(event));
    if (wrong >= 0) return problem([at, "events", wrong], 'must be an exact event, "*", or "ns/*"');
  }
  return undefined;
}

/** A mutator's `priorityHint`. One for a phase that does not exist is refused: it would silently leave the default in force. */
export function checkHint(hint: unknown): Problem | undefined {
  const found = checkPriorityHint(hint);
  if (found !== undefined || !isObject(hint)) return found;
  const odd = Object.keys(hint).find((side) => side !== "request" && side !== "response");
  return odd === undefined ? undefined : unwanted(odd);
}

/** What we add to the SEP's descriptors. */
interface Extras {
  /** Also runs on error responses, with `{ error }` as the payload. */
  readonly handlesErrors: boolean;
  /** In the response phase it is told the request that is being answered. */
  readonly withRequest: boolean;
  readonly timeoutMs: number | undefined;
}

/** Our additions, from the `_meta` of a descriptor that has been read. */
export function readExtras({ _meta = {} }: Pick<InterceptorDescriptor, "_meta">): Extras {
  const timeoutMs = ownMember(_meta, OWN_META.timeoutMs);
  return {
    handlesErrors: ownMember(_meta, OWN_META.handlesErrors) === true,
    withRequest: ownMember(_meta, OWN_META.withRequest) === true,
    timeoutMs: typeof timeoutMs === "number" ? timeoutMs : undefined,
  };
}

function checkExtras(meta: JsonObject): Problem | undefined {
  for (const key of [OWN_META.handlesErrors, OWN_META.withRequest]) {
    const flag = ownMember(meta, key);
    if (flag !== undefined && typeof flag !== "boolean") return problem(["_meta", key], "must be a boolean");
  }
  const timeoutMs = ownMember(meta, OWN_META.timeoutMs);
  const fault = timeoutMs === undefined ? undefined : timeoutProblem(timeoutMs);
  return fault === undefined ? undefined : problem(["_meta", OWN_META.timeoutMs], fault);
}

const MEMBERS = [
  "name", "version", "description", "type", "hooks", "mode", "failOpen", "priorityHint", "compat", "configSchema",
] as const satisfies readonly (keyof InterceptorDescriptor)[];

/**
 * The one form of a descriptor: members in the SEP's order, those at their default left out; members that we do not know come after ours,
 * and `_meta` last.
 */
export function canonicalDescriptor<Descriptor extends ListedDescriptor>(descriptor: Descriptor): Descriptor {
  const { mode, failOpen, priorityHint, ...rest }: ListedDescriptor = descriptor;
  const written: JsonObject = {
    ...rest,
    ...(mode === undefined || mode === "active" ? {} : { mode }),
    ...(failOpen === true ? { failOpen } : {}),
    ...(priorityHint === undefined || isDefaultPriority(priorityHint) ? {} : { priorityHint }),
  };
  const others = Object.keys(written).filter((member) => member !== "_meta" && !MEMBERS.some((known) => known === member));
  const ordered: JsonObject = {};
  for (const member of [...MEMBERS, ...others, "_meta"]) {
    const value = ownMember(written, member);
    if (value !== undefined) setMember(ordered, member, value);
  }
  // It has every member of the descriptor that has no default, in another order.
  return ordered as unknown as Descriptor;
}

/** A descriptor as `interceptors/list` gives it: canonical, with `ns/*` patterns followed by the events under them. */
export function writeDescriptor(descriptor: InterceptorDescriptor): InterceptorDescriptor {
  const hooks = descriptor.hooks.map((hook) => ({ ...hook, events: listedEvents(hook.events) }));
  return canonicalDescriptor({ ...descriptor, hooks });
}

function isDefaultPriority(hint: PriorityHint): boolean {
  return typeof hint === "number" ? hint === 0 : (hint.request ?? 0) === 0 && (hint.response ?? 0) === 0;
}
