import { compareCodePoints } from "../base/compare-code-points.ts";
import { isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import type { InterceptorDescriptor, InterceptorsCapability, Phase } from "./gen/interceptors.ts";

// This file (methods, capability, members of descriptors), descriptors.ts and results.ts are all that knows how the SEP's parts look on the
// wire. Writers write one form; readers turn what arrives into that form, so nothing past them sees another.

/** The methods of SEP-2624. The SEP spells each both ways; the first is the one that we call. */
export const INTERCEPTOR_SPELLINGS = {
  list: ["interceptors/list", "interceptor/list"],
  invoke: ["interceptor/invoke", "interceptors/invoke"],
} as const;

/** The key of the capability, under `extensions`. */
export const INTERCEPTORS_EXTENSION = "io.modelcontextprotocol/interceptors";

/** Which interceptor method a name stands for, in either spelling; `undefined` for any other method. */
export function interceptorMethod(method: string): "list" | "invoke" | undefined {
  if (INTERCEPTOR_SPELLINGS.list.some((spelling) => spelling === method)) return "list";
  return INTERCEPTOR_SPELLINGS.invoke.some((spelling) => spelling === method) ? "invoke" : undefined;
}

/** Whether a notification says that a server's interceptors have changed. The SEP has none, so both spellings of what others might send are heard. */
export function hintsAtChange(method: string): boolean {
  return method === "notifications/interceptors/list_changed" || method === "notifications/interceptor/list_changed";
}

/** The capability of a server: every event that a hook names, as declared, in the order of code points, without doubles. */
export function writeCapability(descriptors: readonly Pick<InterceptorDescriptor, "hooks">[]): InterceptorsCapability {
  const events = descriptors.flatMap(({ hooks }) => hooks.flatMap((hook) => hook.events));
  return { supportedEvents: [...new Set(events)].sort(compareCodePoints) };
}

/**
 * The capability of a server in any spelling of the field, `undefined` where it announces none: our key under `extensions`, then under
 * `experimental`, then `interceptors` under `extensions`, then `interceptor` and `interceptors` at the top. Events that are no text are left out.
 */
export function readCapability(capabilities: unknown): InterceptorsCapability | undefined {
  if (!isObject(capabilities)) return undefined;
  for (const [group, key] of CAPABILITY_SPELLINGS) {
    const holder = group === undefined ? capabilities : ownMember(capabilities, group);
    const found = isObject(holder) ? ownMember(holder, key) : undefined;
    if (!isObject(found)) continue;
    const events = ownMember(found, "supportedEvents");
    const texts = Array.isArray(events) ? events.filter((event): event is string => typeof event === "string" && event !== "") : [];
    return { supportedEvents: [...new Set(texts)].sort(compareCodePoints) };
  }
  return undefined;
}

const CAPABILITY_SPELLINGS: readonly (readonly [group: string | undefined, key: string])[] = [
  ["extensions", INTERCEPTORS_EXTENSION],
  ["experimental", INTERCEPTORS_EXTENSION],
  ["extensions", "interceptors"],
  [undefined, "interceptor"],
  [undefined, "interceptors"],
];

/**
 * A listed descriptor with `hooks` and `mode` as the SEP has them; what is wrong with it stays wrong, for the check. `hooks` wins over `hook`,
 * and `hook` over `events` and `phase` of the descriptor itself: what loses goes. Returns the same object where nothing is spelt another way.
 */
export function canonicalSpelling(listed: JsonObject): JsonObject {
  const hooks = hooksOf(listed);
  const mode = ownMember(listed, "mode");
  const plainMode = mode === undefined || mode === "active" || mode === "audit";
  if (plainMode && hooks === listed["hooks"] && !OTHER_HOOKS.some((member) => Object.hasOwn(listed, member))) return listed;
  const spelt: JsonObject = {};
  for (const member of Object.keys(listed)) {
    // Whatever else a mode is called (`enforce`, nothing at all), it is no audit, so it is the default.
    if (member === "hooks" || OTHER_HOOKS.includes(member) || (member === "mode" && !plainMode)) continue;
    setMember(spelt, member, listed[member]);
  }
  if (hooks !== undefined) spelt["hooks"] = hooks;
  return spelt;
}

const OTHER_HOOKS: readonly string[] = ["hook", "events", "phase"];

// Null is how some write a list or an object that they do not have.
function hooksOf(listed: JsonObject): unknown {
  const hooks = ownMember(listed, "hooks") ?? undefined;
  if (Array.isArray(hooks)) return hooks.every(isPlainHook) ? hooks : hooks.flatMap(hookEntries);
  if (hooks !== undefined) return hooks;
  const hook = ownMember(listed, "hook") ?? undefined;
  if (hook !== undefined) return hookEntries(hook);
  const events = ownMember(listed, "events") ?? undefined;
  return events === undefined ? undefined : hookEntries({ events, phase: ownMember(listed, "phase") });
}

/** An event of all in one phase, whatever the phase of the hook that names it. */
const PHASE_WILDCARDS: ReadonlyMap<unknown, Phase> = new Map([
  ["*/request", "request"],
  ["*/response", "response"],
]);

function isPlainHook(hook: unknown): boolean {
  if (!isObject(hook) || hook["phase"] === "both") return false;
  const { events } = hook;
  return Array.isArray(events) && !events.some((event) => PHASE_WILDCARDS.has(event));
}

// The hooks that one entry stands for: one for each phase that it names, and one for each phase that it has a wildcard for.
function hookEntries(hook: unknown): unknown[] {
  if (!isObject(hook) || !Array.isArray(hook["events"])) return [hook];
  const { phase } = hook;
  const events: readonly unknown[] = hook["events"];
  const named = events.filter((event) => !PHASE_WILDCARDS.has(event));
  const phases = phase === "both" ? ["request", "response"] : [phase];
  const entries: unknown[] = named.length > 0 || events.length === 0 ? phases.map((one) => ({ ...hook, events: named, phase: one })) : [];
  for (const [wildcard, one] of PHASE_WILDCARDS) if (events.includes(wildcard)) entries.push({ ...hook, events: ["*"], phase: one });
  return entries;
}
