import { isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import { describeProblem, problem, type Problem } from "./check.ts";
import { isEventPattern, listedEvents } from "./events.ts";
import {
  checkInterceptorDescriptor,
  checkInterceptorType,
  checkInvokeResult,
  checkPriorityHint,
  type InterceptorDescriptor,
  type InterceptorType,
  type InterceptorsCapability,
  type InvokeResult,
  type Phase,
  type PriorityHint,
  type Severity,
  type ValidationMessage,
  type ValidationResult,
} from "./gen/interceptors.ts";

// The one module that knows how descriptors and results look on the wire. Writers write one form; readers turn what arrives into that form
// before they check it, so nothing past here sees another.

/** Why something that arrived was not accepted. `path` is a JSON pointer into it. */
export interface ReadRefusal {
  /** `unknown_type`: well formed as far as one can tell, but of an interceptor type that we do not know. */
  readonly reason: "malformed" | "unknown_type";
  readonly path: string;
  readonly message: string;
}

export type Reading<T> =
  | { readonly value: T; readonly refused?: undefined }
  | { readonly value?: undefined; readonly refused: ReadRefusal };

/** What an invocation asked for; fills in what its result leaves out. */
export interface ExpectedResult {
  readonly name: string;
  readonly type: InterceptorType;
  readonly phase: Phase;
  /** As measured by the caller. Default 0. */
  readonly durationMs?: number;
}

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

/** The capability of a server: every event that a hook names, as declared, sorted, without doubles. */
export function writeCapability(descriptors: readonly Pick<InterceptorDescriptor, "hooks">[]): InterceptorsCapability {
  const events = descriptors.flatMap(({ hooks }) => hooks.flatMap((hook) => hook.events));
  return { supportedEvents: [...new Set(events)].sort() };
}

const DESCRIPTOR_MEMBERS = [
  "name", "version", "description", "type", "hooks", "mode", "failOpen", "priorityHint", "compat", "configSchema",
] as const satisfies readonly (keyof InterceptorDescriptor)[];

/**
 * A descriptor as `interceptors/list` gives it: members in the SEP's order, those at their default left out, `ns/*` patterns followed by
 * the events under them; members that we do not know come after ours, and `_meta` last.
 */
export function writeDescriptor(descriptor: InterceptorDescriptor): InterceptorDescriptor {
  const { mode, failOpen, priorityHint, hooks, ...rest } = descriptor;
  const written: JsonObject = {
    ...rest,
    hooks: hooks.map((hook) => ({ ...hook, events: listedEvents(hook.events) })),
    ...(mode === undefined || mode === "active" ? {} : { mode }),
    ...(failOpen === true ? { failOpen } : {}),
    ...(priorityHint === undefined || isDefaultPriority(priorityHint) ? {} : { priorityHint }),
  };
  // `written` has every member of the descriptor that has no default, in another order.
  return inOrder(written, DESCRIPTOR_MEMBERS, ["_meta"]) as unknown as InterceptorDescriptor;
}

/** Reads one descriptor of a list. Unknown members pass; a validator's `priorityHint` has no meaning, and goes if it is malformed. */
export function readDescriptor(value: unknown): Reading<InterceptorDescriptor> {
  if (!isObject(value)) return malformed({ path: "", reason: "must be an object" }, "descriptor");
  const type = ownMember(value, "type");
  if (typeof type === "string" && checkInterceptorType(type) !== undefined) {
    const message = `descriptor/type is ${JSON.stringify(type.slice(0, 50))}, which is no type that is known here`;
    return { refused: { reason: "unknown_type", path: "/type", message } };
  }
  let descriptor = value;
  if (type === "validation" && Object.hasOwn(value, "priorityHint") && checkPriorityHint(value.priorityHint) !== undefined) {
    const { priorityHint: _ignored, ...rest } = value;
    descriptor = rest;
  }
  const wrongShape = checkInterceptorDescriptor(descriptor);
  if (wrongShape !== undefined) return malformed(wrongShape, "descriptor");
  const read = descriptor as unknown as InterceptorDescriptor; // the validator has looked at every member that the type names
  const wrongPattern = checkPatterns(read);
  return wrongPattern === undefined ? { value: read } : malformed(wrongPattern, "descriptor");
}

function checkPatterns({ hooks }: InterceptorDescriptor): Problem | undefined {
  for (const [at, { events }] of hooks.entries()) {
    const wrong = events.findIndex((event) => !isEventPattern(event));
    if (wrong >= 0) return problem(["hooks", at, "events", wrong], 'must be an exact event, "*", or "ns/*"');
  }
  return undefined;
}

const RESULT_MEMBERS = [
  "type", "interceptor", "phase", "durationMs", "info",
  "valid", "severity", "messages", "suggestions", "signature",
  "modified", "payload",
] as const;

/**
 * A result as `interceptor/invoke` gives it: `type` first (C# needs it there), `resultType` and `_meta` last, whole milliseconds, rounded
 * up. A verdict reads the same to stricter and laxer readers: where `valid` is false, `severity` is the resolved one, and a blocking
 * result has at least one message of severity `error`.
 */
export function writeInvokeResult(result: InvokeResult): InvokeResult {
  const written: JsonObject = { ...result, durationMs: Math.ceil(result.durationMs) };
  if (result.type === "validation") {
    const severity = resolveSeverity(result);
    const messages = (result.messages ?? []).map((message) => ({ ...message, severity: asSeverity(message.severity) }));
    if (result.messages !== undefined) written.messages = messages;
    if (!result.valid) written.severity = severity;
    if (!result.valid && severity === "error" && !messages.some((message) => message.severity === "error")) {
      written.messages = [...messages, { message: "rejected", severity } satisfies ValidationMessage];
    }
  }
  return inOrder(written, RESULT_MEMBERS, ["resultType", "_meta"]) as unknown as InvokeResult; // the same members, in order
}

/**
 * Reads the result of an invocation. `type` and `phase` are filled in where they are absent, and refused where they differ from what was
 * asked for; `interceptor` is always the name that was invoked, `durationMs` the caller's where the result gives no duration. A severity
 * that is none of ours counts as `error`, so that no spelling of it softens a verdict. Everything else that is malformed is refused: a
 * failure, not a verdict.
 */
export function readInvokeResult(value: unknown, expected: ExpectedResult): Reading<InvokeResult> {
  if (!isObject(value)) return malformed({ path: "", reason: "must be an object" }, "result");
  const durationMs = ownMember(value, "durationMs");
  const result: JsonObject = {
    ...value,
    type: ownMember(value, "type") ?? expected.type,
    phase: ownMember(value, "phase") ?? expected.phase,
    durationMs: isDuration(durationMs) ? durationMs : (expected.durationMs ?? 0),
    interceptor: expected.name,
  };
  for (const member of ["type", "phase"] as const) {
    if (result[member] !== expected[member]) {
      return malformed(problem([member], `must be ${JSON.stringify(expected[member])}, as was asked for`), "result");
    }
  }
  if (expected.type === "validation") normaliseSeverities(result);
  const found = checkInvokeResult(result);
  return found === undefined ? { value: result as unknown as InvokeResult } : malformed(found, "result"); // just checked
}

// Each severity that is there becomes one of ours, and each message gets one. Works on our own copy of a result; messages are copied.
function normaliseSeverities(result: JsonObject): void {
  if (result.severity !== undefined) result.severity = asSeverity(result.severity);
  if (!Array.isArray(result.messages)) return;
  result.messages = result.messages.map((message: unknown) =>
    isObject(message) ? { ...message, severity: asSeverity(ownMember(message, "severity")) } : message,
  );
}

function isDuration(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function asSeverity(value: unknown): Severity {
  return value === "info" || value === "warn" ? value : "error";
}

/**
 * How bad a verdict is: the result's own `severity`; without one the highest among its messages; without messages `error`. A result
 * with `valid: false` blocks exactly if this is `error`.
 */
export function resolveSeverity({ severity, messages }: Pick<ValidationResult, "severity" | "messages">): Severity {
  if (severity !== undefined) return asSeverity(severity);
  if (messages === undefined || messages.length === 0) return "error";
  const found = new Set(messages.map((message) => asSeverity(message.severity)));
  return found.has("error") ? "error" : found.has("warn") ? "warn" : "info";
}

function isDefaultPriority(hint: PriorityHint): boolean {
  return typeof hint === "number" ? hint === 0 : (hint.request ?? 0) === 0 && (hint.response ?? 0) === 0;
}

/** Members that are there: the first ones in order, then all others as they come, then the last ones. */
function inOrder(source: JsonObject, first: readonly string[], last: readonly string[]): JsonObject {
  const others = Object.keys(source).filter((member) => !first.includes(member) && !last.includes(member));
  const ordered: JsonObject = {};
  for (const member of [...first, ...others, ...last]) {
    const value = ownMember(source, member);
    if (value !== undefined) setMember(ordered, member, value);
  }
  return ordered;
}

function malformed(found: Problem, root: string): { readonly refused: ReadRefusal } {
  return { refused: { reason: "malformed", path: found.path, message: describeProblem(found, root) } };
}
