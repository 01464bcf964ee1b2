import { isObject, ownMember, type JsonObject } from "../base/json.ts";
import type { InterceptorDescriptor } from "../wire/gen/interceptors.ts";
import { expandForWire, isPattern } from "./event.ts";
import { priorityProblem } from "./priority.ts";

/** Our additions to the SEP, in `_meta` of descriptors (the first three) and of `interceptor/invoke` (the rest). */
export const OWN_META = {
  handlesErrors: "org.mcp-interceptors/handlesErrors",
  withRequest: "org.mcp-interceptors/withRequest",
  timeoutMs: "org.mcp-interceptors/timeoutMs",
  request: "org.mcp-interceptors/request",
  revalidation: "org.mcp-interceptors/revalidation",
} as const;

/** Node and browsers keep timers in a signed 32-bit integer, and so does the wire. */
export const LONGEST_TIMEOUT_MS = 2_147_483_647;

export interface Extras {
  /** Also runs on error responses, with `{ error }` as the payload. */
  readonly handlesErrors: boolean;
  /** In the response phase it is told the request that is being answered. */
  readonly withRequest: boolean;
  readonly timeoutMs: number | undefined;
}

/** Reads our additions back from `_meta`; call {@link descriptorProblem} first. */
export function readExtras({ _meta = {} }: InterceptorDescriptor): Extras {
  const timeoutMs = ownMember(_meta, OWN_META.timeoutMs);
  return {
    handlesErrors: ownMember(_meta, OWN_META.handlesErrors) === true,
    withRequest: ownMember(_meta, OWN_META.withRequest) === true,
    timeoutMs: typeof timeoutMs === "number" ? timeoutMs : undefined,
  };
}

/** What is wrong with a descriptor, beginning with the member: `hooks must …`. Members that we do not know pass. */
export function descriptorProblem(descriptor: unknown): string | undefined {
  if (!isObject(descriptor)) return "descriptor must be an object";
  const { name, type, hooks, mode, failOpen, priorityHint, compat, configSchema, _meta } = descriptor;
  if (typeof name !== "string" || name === "") return "name must be a non-empty string";
  for (const text of ["version", "description"]) {
    if (descriptor[text] !== undefined && typeof descriptor[text] !== "string") return `${text} must be a string`;
  }
  if (type !== "validation" && type !== "mutation") return 'type must be "validation" or "mutation"';
  const hooksFault = hooksProblem(hooks);
  if (hooksFault !== undefined) return hooksFault;
  if (mode !== undefined && mode !== "active" && mode !== "audit") return 'mode must be "active" or "audit"';
  if (failOpen !== undefined && typeof failOpen !== "boolean") return "failOpen must be a boolean";
  // A validator has no order, so its hint is ignored, whatever it is.
  if (type === "mutation" && priorityHint !== undefined) {
    const fault = priorityProblem(priorityHint);
    if (fault !== undefined) return `priorityHint ${fault}`;
  }
  if (compat !== undefined && !isObject(compat)) return "compat must be an object";
  if (configSchema !== undefined && !isObject(configSchema)) return "configSchema must be an object";
  if (_meta === undefined) return undefined;
  return isObject(_meta) ? ownMetaProblem(_meta) : "_meta must be an object";
}

/** The same for `hooks` alone, as `overrides.hooks` has the same shape. */
export function hooksProblem(hooks: unknown): string | undefined {
  if (!Array.isArray(hooks) || hooks.length === 0) return "hooks must be a non-empty list";
  for (const [index, hook] of hooks.entries()) {
    if (!isObject(hook)) return `hooks[${index}] must be { events, phase }`;
    if (hook.phase !== "request" && hook.phase !== "response") return `hooks[${index}].phase must be "request" or "response"`;
    if (!Array.isArray(hook.events) || hook.events.length === 0) return `hooks[${index}].events must be a non-empty list`;
    for (const event of hook.events) {
      if (!isPattern(event)) return `hooks[${index}].events has ${JSON.stringify(event)}, which is no event, "*" or "namespace/*"`;
    }
  }
  return undefined;
}

export function timeoutProblem(timeoutMs: unknown): string | undefined {
  const fine = Number.isInteger(timeoutMs) && (timeoutMs as number) >= 1 && (timeoutMs as number) <= LONGEST_TIMEOUT_MS;
  return fine ? undefined : `must be a whole number of milliseconds from 1 to ${LONGEST_TIMEOUT_MS}`;
}

/** A descriptor as `interceptors/list` shows it. */
export function listedDescriptor(descriptor: InterceptorDescriptor): InterceptorDescriptor {
  return { ...descriptor, hooks: descriptor.hooks.map(({ events, phase }) => ({ events: expandForWire(events), phase })) };
}

function ownMetaProblem(meta: JsonObject): string | undefined {
  for (const key of [OWN_META.handlesErrors, OWN_META.withRequest]) {
    const flag = ownMember(meta, key);
    if (flag !== undefined && typeof flag !== "boolean") return `_meta["${key}"] must be a boolean`;
  }
  const timeoutMs = ownMember(meta, OWN_META.timeoutMs);
  const fault = timeoutMs === undefined ? undefined : timeoutProblem(timeoutMs);
  return fault === undefined ? undefined : `_meta["${OWN_META.timeoutMs}"] ${fault}`;
}
