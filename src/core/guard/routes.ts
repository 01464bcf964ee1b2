import { compareCodePoints } from "../base/compare-code-points.ts";
import { RpcError, ErrorCode } from "../base/errors.ts";
import { equalJson, isObject, ownMember, setMember, type JsonObject } from "../base/json.ts";
import { describeProblem } from "../wire/check.ts";
import { checkCreateTaskResult } from "../wire/gen/mcp.ts";
import type { Phase } from "../wire/gen/interceptors.ts";
import { isErrorResponse, isRequest, isResult, type Message, type NotificationMessage } from "../wire/message.ts";
import { covers, METHODS } from "../wire/methods.ts";
import { isVersionDate, mayAskForInput, META } from "../wire/versions.ts";
import type { Exchange } from "./ledger.ts";
import { paramsOf, readAt, withMember, writeAt } from "./parts.ts";
import type { TaskOrigin } from "./task-table.ts";

/**
 * One thing to judge in a message. A message mostly is one case; in revision 2026-07-28 it can carry the content of other methods as well
 * (src/README.md, What a guard does), and each such piece is a case of its own, run before the outer one.
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
  /** A payload without the members that are not an interceptor's to set. */
  withoutHidden?(payload: JsonObject): JsonObject;
  /** The payload with what its revision demands of the message and an interceptor has left out. */
  mended?(payload: JsonObject, before: unknown): JsonObject;
  /** Why the message would not be valid with this payload in the place of the one before, where the event alone does not tell. */
  wrong?(payload: JsonObject, before: unknown): string | undefined;
  /** It is the outcome of a task, and so answers the request that created the task. */
  readonly outcome?: true;
  /** What the message carries beside the payload and no interceptor sees, as a sentence. */
  readonly unseen?: string | undefined;
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

/**
 * Like {@link checkPart}, for the methods that pass unjudged: in no revision may their results ask for input, so they carry no requests and no
 * answers of other methods past the chain.
 */
export function checkUnjudged(method: string, phase: Phase, part: JsonObject): string | undefined {
  const wrong = checkPart(method, phase, part);
  if (wrong !== undefined) return wrong;
  if (phase === "request") return Object.hasOwn(part, "inputResponses") ? "params/inputResponses answers what it may not ask" : undefined;
  return ownMember(part, "resultType") === "input_required" ? "it may not ask for input" : undefined;
}

// The client's own bookkeeping of a multi round-trip request: not payload, and put back byte for byte.
const HIDDEN_PARAMS = ["requestState", "inputResponses"] as const;

// The answers are judged as what they are in any message. Where nothing can be a retry, `requestState` is a member like any other: nobody's
// bookkeeping, and a place for content.
const HIDDEN_ANSWERS = ["inputResponses"] as const;

function hiddenParams(message: Message, method: string, version: string | undefined): readonly string[] {
  if (!isRequest(message) || (isVersionDate(version) && !mayAskForInput(version))) return HIDDEN_ANSWERS;
  const known = METHODS.get(method);
  return known === undefined || (known.kind === "request" && known.asksForInput !== undefined) ? HIDDEN_PARAMS : HIDDEN_ANSWERS;
}

function visibleParams(params: JsonObject, hidden: readonly string[]): JsonObject {
  if (!hidden.some((member) => Object.hasOwn(params, member))) return params;
  const visible: JsonObject = {};
  for (const member of Object.keys(params)) {
    if (!hidden.includes(member)) setMember(visible, member, params[member]);
  }
  return visible;
}

function outerRequest(event: string, hidden: readonly string[]): Case {
  return {
    event,
    phase: "request",
    error: false,
    payload: (message) => visibleParams(paramsOf(message), hidden),
    withoutHidden: (payload) => visibleParams(payload, hidden),
    write(message, payload) {
      const params = paramsOf(message);
      const written: JsonObject = { ...visibleParams(payload, hidden) };
      for (const member of hidden) if (Object.hasOwn(params, member)) written[member] = params[member];
      return withMember(message, "params", written);
    },
  };
}

function outerResult(event: string, version: string | undefined): Case {
  return {
    event,
    phase: "response",
    error: false,
    payload: (message) => ("result" in message ? message.result : {}),
    write: (message, payload) => withMember(message, "result", payload),
    ...(mayAskForInput(version) && { mended: withResultType, wrong: wrongAsking }),
  };
}

// Each result of 2026-07-28 says of which type it is (schema, Result); whoever makes one anew need not know. One without is read as complete.
function withResultType(after: JsonObject, before: unknown): JsonObject {
  const left = isObject(before) && ownMember(before, "resultType") !== undefined && ownMember(after, "resultType") === undefined;
  return left ? { ...after, resultType: "complete" } : after;
}

/**
 * What is asked, and the state that comes back with the answers, is between the peers: each question has been judged by itself, and none may come behind that. So
 * whoever does not want a result that asks for input to go on can only refuse it.
 */
function wrongAsking(after: JsonObject, before: unknown): string | undefined {
  if (!isObject(before)) return undefined;
  const [asked, asks] = [before, after].map((result) => ownMember(result, "resultType") === "input_required");
  if (asked && !equalJson(before, after)) return "a result that asks for input goes on as it came, or not at all";
  if (asks && !asked) return "a result may not be made one that asks for input";
  // A task that waits for input from the start.
  const [were, are] = [before, after].map((result) => (ownMember(result, "resultType") === "task" ? ownMember(result, "inputRequests") : undefined));
  return equalJson(were, are) ? undefined : "result/inputRequests must stay as they are";
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

/** A case for the object at a path below `params` or `result`; one that is not there reads as empty. */
function inner(event: string, phase: Phase, path: readonly string[]): Case {
  return {
    event,
    phase,
    error: false,
    payload: (message) => readAt(message, path) ?? {},
    write: (message, payload) => writeAt(message, path, payload),
  };
}

// What asker and answerer name a question by. No interceptor sees it, so that it has no room for text: letters and digits of any script, and a few signs.
const PLAIN_KEY = /^[\p{L}\p{N}_.:/~-]{1,64}$/u;

function unseenKey(member: string, key: string): string | undefined {
  return PLAIN_KEY.test(key) ? undefined : `the keys of ${member} must have 1 to 64 letters, digits, or any of _.:/~-`;
}

/** An answer in a retry. No interceptor may make another kind of answer of it, or none. */
function embeddedAnswer(event: string, key: string): Case {
  return {
    ...inner(event, "response", ["params", "inputResponses", key]),
    wrong: (payload) => (answeredEvent(payload) === event ? undefined : `it must be the answer to ${event}`),
    unseen: unseenKey("params/inputResponses", key),
  };
}

/** A URI that is subscribed to, at a path below `params`. */
function subscribedUri(path: readonly string[]): Case {
  return {
    event: "resources/subscribe",
    phase: "request",
    error: false,
    payload: (message) => ({ uri: readAt(message, path) }),
    write: (message, payload) => writeAt(message, path, payload["uri"]),
    wrong: ({ uri }) => (typeof uri === "string" ? undefined : "params/uri must be a string"),
  };
}

/**
 * The cases of a request, embedded ones first. Throws an `RpcError` (-32602) where an embedded answer is of no kind, or of several.
 */
export function requestCases(message: Message, method: string, version?: string): readonly Case[] {
  const outer = outerRequest(method, hiddenParams(message, method, version));
  const params = paramsOf(message);
  const cases: Case[] = [];
  const responses = ownMember(params, "inputResponses");
  if (responses !== undefined) {
    if (!isObject(responses)) throw new RpcError(ErrorCode.invalidParams, "params/inputResponses must be an object");
    for (const key of Object.keys(responses).sort(compareCodePoints)) {
      const event = answeredEvent(responses[key]);
      if (event === undefined) {
        const what = "must be the answer to exactly one of elicitation, roots and sampling";
        throw new RpcError(ErrorCode.invalidParams, `params/inputResponses/${key} ${what}`);
      }
      cases.push(embeddedAnswer(event, key));
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
  return uris.map((_uri, index) => subscribedUri(["params", "notifications", "resourceSubscriptions", String(index)]));
}

/** Whether a response is a result that asks for input, in a revision that knows such results. */
export function asksForInput(message: Message): boolean {
  return isResult(message) && ownMember(message.result, "resultType") === "input_required";
}

const ASKING_MEMBERS: ReadonlySet<string> = new Set(["resultType", "inputRequests", "requestState", "_meta"]);

/**
 * Whether a result consists of what asking takes, and no more. Its state is opaque, and goes back as it came; of its `_meta` only who the server is may pass,
 * which `server/discover` says unjudged as well.
 */
function onlyAsks(result: JsonObject): boolean {
  const { _meta: meta = {}, requestState: state = "" } = result;
  if (typeof state !== "string" || !isObject(meta) || Object.keys(meta).some((key) => key !== META.serverInfo)) return false;
  return Object.keys(result).every((member) => ASKING_MEMBERS.has(member));
}

/**
 * The cases of a response. A result that asks for input runs the embedded requests and not the outer event, which waits for the complete
 * result; but where it holds more than asking takes, it is judged as the complete one would be. Throws an `RpcError` (-32603) where an embedded request cannot be
 * read, or nothing may be asked. In a revision that does not know such results (and where nobody knows the revision) the reader takes any
 * result for complete, so the outer event runs.
 */
export function responseCases(message: Message, exchange: ResponseScope): readonly Case[] {
  const event = exchange.responseEvent ?? exchange.method;
  if (exchange.responseEvent === undefined && exchange.chain?.hooksResponses !== false) throw unknownTask();
  const ofTask = exchange.method === "tasks/result" ? ({ outcome: true } as const) : {};
  if (isErrorResponse(message)) return [{ ...outerError(event), ...ofTask }];
  if (!isResult(message)) return [];
  const { result } = message;
  const inTask = exchange.method.startsWith("tasks/")
    ? taskCases(message, "result", exchange)
    : // A task that waits for input from the start.
      ownMember(result, "resultType") === "task" ? askedCases(message, "result", exchange.version) : [];
  if (!mayAskForInput(exchange.version) || !asksForInput(message)) return [...inTask, { ...outerResult(event, exchange.version), ...ofTask }];
  const known = METHODS.get(exchange.method);
  if (known?.kind === "request" && !covers(known.asksForInput, exchange.version ?? "")) {
    throw new RpcError(ErrorCode.internalError, `the answer to ${exchange.method} may not ask for input`);
  }
  const asked = askedCases(message, "result", exchange.version);
  return onlyAsks(result) ? asked : [...asked, { ...outerResult(event, exchange.version), ...ofTask }];
}

function unknownTask(): RpcError {
  return new RpcError(ErrorCode.internalError, "The result of a task that was not created on this connection cannot be checked");
}

interface TaskScope {
  readonly version: string | undefined;
  /** The request that created the task; undefined if nobody knows. */
  readonly task?: Pick<TaskOrigin, "method"> | undefined;
  /** Where it judges no responses, an outcome of unknown origin may pass. */
  readonly chain?: { readonly hooksResponses: boolean };
}

type ResponseScope = TaskScope & Pick<Exchange, "method" | "responseEvent">;

// The requests that the result or the params of a message embed, in key order.
function askedCases(message: Message, part: "result" | "params", version: string | undefined): readonly Case[] {
  const requests = readAt(message, [part, "inputRequests"]);
  if (requests === undefined) return [];
  if (!isObject(requests)) throw new RpcError(ErrorCode.internalError, `${part}/inputRequests must be an object`);
  return Object.keys(requests)
    .sort(compareCodePoints)
    .map((key) => {
      const request = requests[key];
      const unseen = unseenKey(`${part}/inputRequests`, key);
      // What is wrong is told to the side that is guarded, so that it repeats no words of the other one's.
      const named = unseen === undefined ? `${part}/inputRequests/${key}` : `a member of ${part}/inputRequests`;
      const method = isObject(request) ? ownMember(request, "method") : undefined;
      if (!isObject(request) || typeof method !== "string") throw new RpcError(ErrorCode.internalError, `${named} must have a method`);
      const known = METHODS.get(method);
      if (known?.kind !== "request" || !covers(known.embedded, version ?? "")) {
        throw new RpcError(ErrorCode.internalError, `${named} asks for what no result may ask for`);
      }
      const beside = Object.keys(request).some((member) => member !== "method" && member !== "params");
      const wrong = unseen ?? (beside ? `${named} may have a method and params only` : undefined);
      return { ...inner(method, "request", [part, "inputRequests", key, "params"]), unseen: wrong };
    });
}

/**
 * What a message about a task carries of it: its outcome is the response of the request that created it, and what it asks for are requests.
 * Throws an `RpcError` (-32603) where nobody knows which request that was and some interceptor might have to see its response.
 */
function taskCases(message: Message, part: "result" | "params", { task, version, chain }: TaskScope): readonly Case[] {
  const cases = [...askedCases(message, part, version)];
  const outcome = readAt(message, [part, "result"]);
  const error = readAt(message, [part, "error"]);
  if (outcome === undefined && error === undefined) return cases;
  if (isObject(outcome) && mayAskForInput(version) && ownMember(outcome, "resultType") === "input_required") {
    throw new RpcError(ErrorCode.internalError, "The outcome of a task may not ask for input");
  }
  if (task === undefined) {
    if (chain?.hooksResponses === false) return cases;
    throw unknownTask();
  }
  if (outcome !== undefined) cases.push({ ...inner(task.method, "response", [part, "result"]), outcome: true, ...(mayAskForInput(version) && { mended: withResultType, wrong: wrongAsking }) });
  if (error !== undefined) {
    cases.push({
      event: task.method,
      phase: "response",
      error: true,
      outcome: true,
      payload: () => ({ error }),
      write: (written, payload) => writeAt(written, [part, "error"], payload["error"]),
    });
  }
  return cases;
}

/**
 * The cases of a notification: itself, where the policy has it judged, and whatever the policy says what it carries of a task. Throws like
 * {@link requestCases} and {@link responseCases}.
 */
export function notificationCases(
  message: NotificationMessage,
  { asItself, ...scope }: TaskScope & { readonly asItself: boolean },
): readonly Case[] {
  const ofTask = message.method.startsWith("notifications/tasks") ? taskCases(message, "params", scope) : [];
  return asItself ? [...ofTask, ...requestCases(message, message.method, scope.version)] : ofTask;
}

// An answer carries no method, so its members tell what it answers: exactly one thing, or it is none.
function answeredEvent(answer: unknown): string | undefined {
  const events: string[] = [];
  if (isObject(answer)) {
    if (Object.hasOwn(answer, "action")) events.push("elicitation/create");
    if (Object.hasOwn(answer, "roots")) events.push("roots/list");
    if (Object.hasOwn(answer, "model")) events.push("sampling/createMessage");
  }
  return events.length === 1 ? events[0] : undefined;
}
