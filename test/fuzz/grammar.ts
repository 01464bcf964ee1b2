// What a case of the fuzz run is made of: lines from either side of a relay. Messages come from the corpus of test/spec/corpus (every method of every
// revision, valid and invalid), and are then made odd (oddities.ts) or broken (breakage.ts).
import { setMember, type JsonObject } from "../../src/core/base/json.ts";
import { loadCorpus, type CorpusPart } from "../support/message-corpus.ts";
import type { Random } from "../support/random.ts";
import { randomObject, randomText } from "../support/random-json.ts";
import { breakLine, BREAKAGES } from "./breakage.ts";
import { markSomewhere, oddText, plantOddities } from "./oddities.ts";

export type Side = "client" | "server";

export interface Step {
  readonly from: Side;
  /** Without its line ending; may be anything but holds no line feed. */
  readonly line: string;
  readonly ending: "\n" | "\r\n";
  /** What it is, for counting. */
  readonly kinds: readonly string[];
  /** In the line, and in no other of the case, unless it has none. */
  readonly canary: string | undefined;
  /** Fake milliseconds until the next line; undefined where that follows at once, before this one has been dealt with. */
  readonly pauseMs: number | undefined;
}

/** Validators of the run deny what holds one of these. */
export const MARKERS = ["DENY-A", "DENY-B", "DENY-C"] as const;

/**
 * How often each kind of line is drawn, of the sum of all. Whatever is about exchanges (answers, cancels, seconds) needs requests to be about, so
 * requests weigh most.
 */
export const WEIGHTS = {
  request: 24, //                  a request of any method, params valid
  "request-invalid-params": 6, //  a request of any method, params invalid for it
  "request-unknown": 4, //         a method that MCP does not have: names of prototypes, of the interceptor extension, none at all
  "request-duplicate-id": 4, //    an id that the same side has used
  "handshake": 5, //               initialize, ping, server/discover
  notification: 8, //              of any method, valid
  "notification-invalid": 3,
  cancel: 6, //                    of a request in flight, of an ended one, of nothing
  "subscription-ended": 2, //      the server cancels a subscription of the client's
  answer: 20, //                   the valid result of what the other side has asked
  "answer-invalid": 4,
  "answer-error": 7,
  "answer-again": 3, //            to what has been answered
  "answer-nothing": 3, //          to an id that nobody has used
  "input-required": 9, //          an answer that asks for input (2026-07-28)
  retry: 5, //                     a request with the answers to that
  listen: 5, //                    subscriptions/listen, with URIs
  task: 6, //                      tasks: created, asked after, finished, of unknown origin
  batch: 3,
  broken: 14, //                   no valid message: see breakage.ts
} as const;

type Kind = keyof typeof WEIGHTS;
const KINDS = Object.keys(WEIGHTS) as Kind[]; // the keys of a literal
const SUM = KINDS.reduce((sum, kind) => sum + WEIGHTS[kind], 0);

export const HANDSHAKE_METHODS: ReadonlySet<string> = new Set(["initialize", "server/discover", "ping"]);
const ASKABLE: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);
const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
const UNKNOWN_METHODS = [
  ...["constructor", "__proto__", "toString", "hasOwnProperty", "", "tools/call/", "TOOLS/CALL", "tools/call ", "custom/thing", "*", "a\u2028b"],
  ...["interceptors/list", "interceptor/invoke", "interceptor/list", "interceptors/invoke", "completion", "notifications/initialized"],
];
const IDS = [0, 1, 2, 3, "1", "2", "", -7, "é😀", 9007199254740991, "__proto__", "constructor"];

interface Pool {
  readonly valid: Map<string, unknown[]>;
  readonly invalid: Map<string, unknown[]>;
}
const pool = (): Pool => ({ valid: new Map(), invalid: new Map() });
const requests = pool();
const notifications = pool();
const results = pool();
const messages = { valid: [] as unknown[], invalid: [] as unknown[] };

for (const { valid, part } of loadCorpus()) {
  const side = valid ? "valid" : "invalid";
  if (part.kind === "message") messages[side].push(part.value);
  else if (part.kind !== "error") push(poolOf(part)[side], part.method, part.value);
}

function poolOf(part: Exclude<CorpusPart, { kind: "message" | "error" }>): Pool {
  return part.kind === "request" ? requests : part.kind === "notification" ? notifications : results;
}

function push(into: Map<string, unknown[]>, method: string, value: unknown): void {
  into.set(method, [...(into.get(method) ?? []), value]);
}

export interface Generator {
  next(): Step;
}

interface Sent {
  readonly id: unknown;
  readonly method: string;
  answered: boolean;
  /** Its answer may ask for input. */
  readonly asks: boolean;
}

/** Lines of one case. What is in flight is a guess: the relay may have refused any of it. */
export function createGenerator(random: Random): Generator {
  const sent: Record<Side, Sent[]> = { client: [], server: [] };
  const tasks: string[] = ["t-unknown", "__proto__"];
  let states = 0;
  let canaries = 0;
  let ids = 0;
  const chance = (percent: number) => random.below(100) < percent;
  const other = (side: Side): Side => (side === "client" ? "server" : "client");

  const freshId = (from: Side): unknown => {
    // An id is free again once its request has been answered or cancelled.
    const free = IDS.filter((id) => !sent[from].some((one) => !one.answered && Object.is(one.id, id)));
    return free.length > 0 && chance(50) ? random.pick(free) : chance(50) ? 100 + ids++ : `r-${ids++}`;
  };
  const partFor = (from: Pool, methods: readonly string[], validity: keyof Pool): { method: string; value: unknown } => {
    const known = methods.filter((method) => from[validity].has(method));
    const method = random.pick(known);
    return { method, value: structuredClone(random.pick(from[validity].get(method)!)) };
  };
  const withVersion = (params: unknown, percent: number): unknown => {
    if (!isObject(params ?? {}) || !chance(percent)) return params;
    const meta = isObject(params) && isObject(params["_meta"]) ? params["_meta"] : {};
    return { ...(params as JsonObject | undefined), _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": chance(60) ? "2026-07-28" : random.pick(REVISIONS) } };
  };

  const request = (from: Side, method: string, params: unknown, id: unknown = freshId(from)): JsonObject => {
    sent[from].push({ id, method, answered: false, asks: ASKABLE.has(method) && JSON.stringify(params)?.includes('"io.modelcontextprotocol/protocolVersion":"2026-07-28"') === true });
    return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
  };
  const answer = (to: Sent | undefined, result: unknown): JsonObject => {
    if (to !== undefined) to.answered = true;
    return { jsonrpc: "2.0", id: to?.id ?? random.pick([...IDS, "nobody's"]), result };
  };
  const waiting = (from: Side, answered: boolean): Sent | undefined => {
    const open = sent[other(from)].filter((one) => one.answered === answered);
    return open.length === 0 ? undefined : random.pick(open);
  };
  const methodsOf = (map: ReadonlyMap<string, unknown>) => [...map.keys()];
  const resultFor = (method: string, validity: keyof Pool): unknown => {
    const known = results[validity].get(method);
    if (known === undefined) return validity === "valid" ? randomObject(random, 2) : random.pick([[], null, 1, "text", true]);
    const result = structuredClone(random.pick(known));
    // So that batches come to be allowed, and every revision to be spoken.
    if (method === "initialize" && isObject(result) && chance(80)) return { ...result, protocolVersion: random.pick([...REVISIONS, "2025-03-26"]) };
    return result;
  };
  const embedded = (validity: keyof Pool): JsonObject => {
    const asked: JsonObject = {};
    for (let left = 1 + random.below(3); left > 0; left--) {
      const { method, value } = partFor(requests, ["elicitation/create", "roots/list", "sampling/createMessage"], validity);
      const params = isObject(value) && chance(50) ? { ...value, mark: random.pick(MARKERS) } : value;
      setMember(asked, random.pick(["a", "b", "__proto__", "é", "constructor"]), { method, ...(params === undefined ? {} : { params }) });
    }
    return asked;
  };

  const draw = (kind: Kind, from: Side): unknown => {
    switch (kind) {
      case "request":
      case "request-invalid-params": {
        const validity = kind === "request" ? "valid" : "invalid";
        const methods = methodsOf(requests[validity]).filter((method) => !HANDSHAKE_METHODS.has(method));
        const { method, value } = partFor(requests, methods, validity);
        return request(from, method, withVersion(value, 60));
      }
      case "request-unknown":
        return request(from, random.pick(UNKNOWN_METHODS), chance(70) ? withVersion(randomObject(random, 3), 30) : undefined);
      case "request-duplicate-id": {
        const { method, value } = partFor(requests, methodsOf(requests.valid), "valid");
        const used = sent[from].filter((one) => !one.answered);
        return request(from, method, value, used.length > 0 ? random.pick(used).id : undefined);
      }
      case "handshake": {
        const { method, value } = partFor(requests, [...HANDSHAKE_METHODS], chance(80) ? "valid" : "invalid");
        return request(from, method, value);
      }
      case "notification":
      case "notification-invalid": {
        const validity = kind === "notification" ? "valid" : "invalid";
        const methods = methodsOf(notifications[validity]).filter((method) => method !== "notifications/cancelled");
        const { method, value } = partFor(notifications, methods, validity);
        return { jsonrpc: "2.0", method: chance(10) ? random.pick(UNKNOWN_METHODS) : method, ...(value === undefined ? {} : { params: value }) };
      }
      case "cancel": {
        // Mostly one's own; sometimes what the other side has asked, as servers do with subscriptions.
        const all = sent[chance(80) ? from : other(from)];
        const one = all.length > 0 && chance(85) ? random.pick(all) : undefined;
        if (one !== undefined) one.answered = true;
        const requestId = one?.id ?? random.pick([...IDS, null, {}, 1.5]);
        return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, ...(chance(50) ? { reason: "no more" } : {}) } };
      }
      case "subscription-ended": {
        const one = sent.client.find(({ answered, method }) => !answered && method === "subscriptions/listen");
        if (one !== undefined) one.answered = true;
        return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: one?.id ?? "none" } };
      }
      case "answer":
      case "answer-invalid": {
        const to = waiting(from, false);
        return answer(to, resultFor(to?.method ?? "tools/call", kind === "answer" ? "valid" : "invalid"));
      }
      case "answer-error": {
        const to = waiting(from, false);
        const { result: _result, ...rest } = answer(to, undefined);
        const error = { code: random.pick([-32601, -32603, -32042, 1, -1]), message: "it failed", ...(chance(80) ? { data: { ...randomObject(random, 2), said: random.pick(MARKERS) } } : {}) };
        return chance(10) ? { jsonrpc: "2.0", ...(chance(50) ? { id: null } : {}), error } : { ...rest, error };
      }
      case "answer-again": {
        const to = waiting(from, true);
        return answer(to, resultFor(to?.method ?? "tools/call", "valid"));
      }
      case "answer-nothing":
        return answer(undefined, resultFor("tools/call", "valid"));
      case "input-required": {
        const result: JsonObject = { resultType: "input_required", inputRequests: embedded(chance(85) ? "valid" : "invalid") };
        if (chance(70)) result["requestState"] = `state-${states++}`;
        if (chance(10)) result["content"] = [{ type: "text", text: "and more" }];
        // Mostly to whom it may be said: the others refuse it.
        const able = sent[other(from)].filter(({ answered, asks }) => !answered && asks);
        return answer(able.length > 0 && chance(80) ? random.pick(able) : waiting(from, false), result);
      }
      case "retry": {
        const inputResponses: JsonObject = {};
        for (let left = random.below(3); left >= 0; left--) {
          const of = random.pick(["elicitation/create", "roots/list", "sampling/createMessage"]);
          setMember(inputResponses, random.pick(["a", "b", "__proto__"]), chance(85) ? resultFor(of, "valid") : randomObject(random, 1));
        }
        const { method, value } = partFor(requests, ["tools/call", "prompts/get", "resources/read"], "valid");
        const params: JsonObject = { ...(value as JsonObject | undefined), inputResponses, requestState: `state-${random.below(states + 1)}` }; // valid params
        return request(from, method, withVersion(params, 80));
      }
      case "listen": {
        const resourceSubscriptions = Array.from({ length: random.below(4) }, (_none, at) => `file:///r-${at}${chance(50) ? random.pick(MARKERS) : ""}`);
        return request(from, "subscriptions/listen", withVersion({ notifications: { resourceSubscriptions, toolsListChanged: true } }, 90));
      }
      case "task":
        return drawTask(from);
      case "batch":
        return Array.from({ length: random.below(4) }, () => draw(random.pick(["request", "notification", "answer", "cancel"] as const), from));
      case "broken":
        // Of what, is for breakLine to change.
        return chance(30) ? structuredClone(random.pick(messages.invalid)) : draw(random.pick(["request", "answer", "notification"] as const), from);
    }
  };

  const drawTask = (from: Side): JsonObject => {
    const taskId = random.pick(tasks);
    const status = { taskId, status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: null };
    switch (random.below(4)) {
      case 0: {
        tasks.push(`t-${tasks.length}`);
        return answer(waiting(from, false), { task: { ...status, taskId: tasks.at(-1) } });
      }
      case 1:
        return request(from, random.pick(["tasks/get", "tasks/result", "tasks/cancel"]), { taskId });
      case 2: {
        const outcome = chance(50) ? { result: resultFor("tools/call", "valid") } : { error: { code: 1, message: "failed" } };
        return { jsonrpc: "2.0", method: random.pick(["notifications/tasks/status", "notifications/tasks"]), params: { ...status, ...(chance(60) ? outcome : {}) } };
      }
      default:
        return answer(sent[other(from)].find((one) => !one.answered && one.method.startsWith("tasks/")), { ...status, ...(chance(60) ? { result: { content: [] } } : {}) });
    }
  };

  return {
    next() {
      let at = random.below(SUM);
      const kind = KINDS.find((one) => (at -= WEIGHTS[one]) < 0)!; // the weights add up to SUM
      const from: Side = kind === "subscription-ended" ? "server" : kind === "listen" ? "client" : random.pick(["client", "client", "server"]);
      const kinds: string[] = [kind];
      const value = draw(kind, from);
      const canary = `canary-${canaries++}-`;
      if (chance(35)) plantOddities(random, value, kinds);
      if (chance(45)) markSomewhere(random, value, MARKERS, kinds);
      const planted = plantCanary(value, canary);
      const pretty = chance(30) ? randomText(random, value).replace(/\n/g, " ") : JSON.stringify(value);
      let line = chance(20) ? oddText(random, pretty, kinds) : pretty;
      if (kind === "broken") {
        const breakage = random.pick(Object.keys(BREAKAGES));
        line = breakLine(random, line, breakage);
        kinds.push(`broken:${breakage}`);
      }
      if (isObject(value) && typeof value["method"] === "string") kinds.push(`method:${value["method"]}`);
      return { from, line, ending: chance(10) ? "\r\n" : "\n", kinds, canary: planted ? canary : undefined, pauseMs: random.pick([undefined, undefined, undefined, 0, 0, 1, 5, 45]) };
    },
  };
}

// Where every validator of the message's own event sees it: in `_meta` of params and result, in the message of an error.
function plantCanary(value: unknown, canary: string): boolean {
  if (!isObject(value)) return false;
  const error = value["error"];
  if (isObject(error) && typeof error["message"] === "string") {
    error["message"] += canary;
    return true;
  }
  const part = value["params"] === undefined && value["method"] !== undefined ? (value["params"] = {}) : (value["params"] ?? value["result"]);
  if (!isObject(part)) return false;
  const meta = Object.hasOwn(part, "_meta") ? part["_meta"] : (part["_meta"] = {});
  if (!isObject(meta)) return false;
  meta["com.example/canary"] = canary;
  return true;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
