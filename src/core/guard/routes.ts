import { RpcError, ErrorCode } from "../base/errors.ts";
import { isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import { describeProblem } from "../wire/check.ts";
import { checkCreateTaskResult } from "../wire/gen/mcp.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import { isErrorResponse, isRequest, isResult, type Message } from "../wire/message.ts";
import { METHODS } from "../wire/methods.ts";
import type { Exchange } from "./ledger.ts";

/**
 * One thing to judge in a message. A message mostly is one case; in revision 2026-07-28 it can carry the content of other methods as well
 * (semantics.md, section 9), and each such piece is a case of its own, run before the outer one.
 */
export interface Case {
  readonly event: string;
  readonly phase: Phase;
  /** True where the payload is `{ error }`: only interceptors that declare `handlesErrors` see it. */
  readonly error: boolean;
  /** What the chain gets. Members that no interceptor may see or change are left out. */
  payload(message: Message): unknown;
  /** The message with the chain's payload in place, and the members that were left out put back. */
  write(message: Message, payload: JsonObject): Message;
}

/** Methods that pass unjudged if they are valid, since a connection cannot come about without them. */
export const LIFECYCLE_METHODS: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping"]);
/** Notifications that never run through a chain. */
export const PLAIN_NOTIFICATIONS: ReadonlySet<string> = new Set(["notifications/initialized", "notifications/cancelled"]);

/** What is wrong with the params of a request or the result of a response, as a sentence; `undefined` if nothing is. */
export function checkPart(method: string, phase: Phase, part: unknown): string | undefined {
  if (!isObject(part)) return `${phase === "request" ? "params" : "result"} must be an object`;
  const known = METHODS.get(method);
  if (phase === "request") {
    const found = known?.params(part);
    return found === undefined ? undefined : describeProblem(found, "params");
  }
  if (known?.kind !== "request") return undefined;
  const found = known.result(part);
  if (found === undefined) return undefined;
  // The answer may be a task instead, which the request has asked for.
  if (known.becomesTask !== undefined && checkCreateTaskResult(part) === undefined) return undefined;
  return describeProblem(found, "result");
}

// The client's own bookkeeping of a multi round-trip request: not payload, and put back byte for byte.
const HIDDEN_PARAMS = ["requestState", "inputResponses"] as const;

function outerRequest(event: string): Case {
  return {
    event,
    phase: "request",
    error: false,
    payload(message) {
      const params = paramsOf(message);
      if (!HIDDEN_PARAMS.some((member) => Object.hasOwn(params, member))) return params;
      const visible: JsonObject = {};
      for (const member of Object.keys(params)) {
        if (!HIDDEN_PARAMS.some((hidden) => hidden === member)) setMember(visible, member, params[member]);
      }
      return visible;
    },
    write(message, payload) {
      const params = paramsOf(message);
      const written: JsonObject = { ...payload };
      for (const member of HIDDEN_PARAMS) {
        if (Object.hasOwn(params, member)) written[member] = params[member];
        else delete written[member];
      }
      return withMember(message, "params", written);
    },
  };
}

function outerResult(event: string): Case {
  return {
    event,
    phase: "response",
    error: false,
    payload: (message) => ("result" in message ? message.result : {}),
    write: (message, payload) => withMember(message, "result", payload),
  };
}

function outerError(event: string): Case {
  return {
    event,
    phase: "response",
    error: true,
    payload: (message) => ({ error: "error" in message ? message.error : {} }),
    write: (message, payload) => withMember(message, "error", payload["error"]),
  };
}

/** A case for the value at a path below `params` or `result`. */
function inner(event: string, phase: Phase, path: readonly string[], wrap?: "uri"): Case {
  return {
    event,
    phase,
    error: false,
    payload(message) {
      const value = readAt(message, path);
      if (wrap === "uri") return { uri: value };
      return value ?? {};
    },
    write: (message, payload) => writeAt(message, path, wrap === "uri" ? payload["uri"] : payload),
  };
}

/**
 * The cases of a request, embedded ones first. Throws an `RpcError` (-32602) where an embedded answer is of no kind, or of several.
 */
export function requestCases(message: Message, method: string): readonly Case[] {
  const outer = outerRequest(method);
  const params = paramsOf(message);
  const cases: Case[] = [];
  const responses = ownMember(params, "inputResponses");
  if (responses !== undefined) {
    if (!isObject(responses)) throw new RpcError(ErrorCode.invalidParams, "params/inputResponses must be an object");
    for (const key of Object.keys(responses).sort(byCodePoint)) {
      cases.push(inner(answeredEvent(responses[key], key), "response", ["params", "inputResponses", key]));
    }
  }
  cases.push(outer);
  return cases;
}

/**
 * The cases that follow from a request as the outer event's chain has left it. In revision 2026-07-28 a subscription names resources
 * in its filter; each is what `resources/subscribe` was before.
 */
export function followingCases(message: Message, method: string): readonly Case[] {
  if (method !== "subscriptions/listen") return [];
  const notifications = ownMember(paramsOf(message), "notifications");
  if (!isObject(notifications)) return [];
  const uris = ownMember(notifications, "resourceSubscriptions");
  if (!Array.isArray(uris)) return [];
  return uris.map((_uri, index) =>
    inner("resources/subscribe", "request", ["params", "notifications", "resourceSubscriptions", String(index)], "uri"),
  );
}

/**
 * The cases of a response. A result that asks for input runs the embedded requests and not the outer event, which waits for the complete
 * result. Throws an `RpcError` (-32603) where an embedded request cannot be read.
 */
export function responseCases(message: Message, exchange: Exchange): readonly Case[] {
  const event = exchange.responseEvent ?? exchange.method;
  if (isErrorResponse(message)) return [outerError(event)];
  if (!isResult(message)) return [];
  if (ownMember(message.result, "resultType") !== "input_required") return [outerResult(event)];
  const requests = ownMember(message.result, "inputRequests");
  if (requests === undefined) return [];
  if (!isObject(requests)) throw new RpcError(ErrorCode.internalError, "result/inputRequests must be an object");
  return Object.keys(requests)
    .sort(byCodePoint)
    .map((key) => {
      const request = requests[key];
      const method = isObject(request) ? ownMember(request, "method") : undefined;
      if (typeof method !== "string") {
        throw new RpcError(ErrorCode.internalError, `result/inputRequests/${key} must have a method`);
      }
      return inner(method, "request", ["result", "inputRequests", key, "params"]);
    });
}

// An answer carries no method, so its members tell what it answers.
function answeredEvent(answer: unknown, key: string): string {
  const events: string[] = [];
  if (isObject(answer)) {
    if (Object.hasOwn(answer, "action")) events.push("elicitation/create");
    if (Object.hasOwn(answer, "roots")) events.push("roots/list");
    if (Object.hasOwn(answer, "model")) events.push("sampling/createMessage");
  }
  const [event] = events;
  if (event === undefined || events.length > 1) {
    throw new RpcError(
      ErrorCode.invalidParams,
      `params/inputResponses/${key} must be the answer to exactly one of elicitation, roots and sampling`,
    );
  }
  return event;
}

/** The task that a result has created, if it has (tasks of revision 2025-11-25 and of the extension). */
export function createdTask(message: Message): string | undefined {
  if (!isResult(message)) return undefined;
  const task = ownMember(message.result, "task");
  const id = isObject(task) ? ownMember(task, "taskId") : ownMember(message.result, "taskId");
  return typeof id === "string" ? id : undefined;
}

export function paramsOf(message: Message): JsonObject {
  return "params" in message && message.params !== undefined ? message.params : {};
}

function withMember(message: Message, member: "params" | "result" | "error", value: unknown): Message {
  // The message keeps its kind: only the named part is replaced, and the final check judges what it has become.
  return { ...message, [member]: value } as Message;
}

function readAt(message: Message, path: readonly string[]): unknown {
  let value: unknown = message;
  for (const step of path) {
    if (Array.isArray(value)) value = value[Number(step)];
    else if (isObject(value)) value = ownMember(value, step);
    else return undefined;
  }
  return value;
}

// Copies along the path only; everything beside it is shared with the original, which nobody changes.
function writeAt(message: Message, path: readonly string[], leaf: unknown): Message {
  const write = (value: unknown, depth: number): unknown => {
    const step = path[depth];
    if (step === undefined) return leaf;
    if (Array.isArray(value)) return value.map((item, index) => (index === Number(step) ? write(item, depth + 1) : item));
    const copy: JsonObject = {};
    const source = isObject(value) ? value : {};
    for (const member of Object.keys(source)) setMember(copy, member, source[member]);
    setMember(copy, step, write(ownMember(source, step), depth + 1));
    return copy;
  };
  // A message stays a message: the path lies below params or result.
  return write(message, 0) as Message;
}

/** Order of Unicode code points, which differs from UTF-16's above U+D7FF. */
function byCodePoint(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index]?.codePointAt(0) ?? 0) - (b[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** The method of a message, or what an exchange says it answers. */
export function methodOf(message: Message): string | undefined {
  return isRequest(message) || "method" in message ? message.method : undefined;
}
