// What a message carries, by semantics.md, section 9, as the oracle understands it: events, phases, and the part that an interceptor of the event gets to see.
import type { Phase } from "./chains.ts";
import { HANDSHAKE_METHODS, isObject } from "./grammar.ts";
import type { Said } from "./reader.ts";

export interface Carried {
  /** Undefined where only who knows the connection's past can say: then `*` alone hooks it for certain. */
  readonly event: string | undefined;
  readonly phase: Phase;
  readonly seen: unknown;
  /** Of an error response: only who handles errors sees it. */
  readonly error?: true;
}

export interface Asked {
  readonly method: string;
  /** The revision that the request itself declared. */
  readonly version: string | undefined;
}

const PLAIN = ["notifications/initialized", "notifications/cancelled"];
const ASKING = ["resultType", "inputRequests", "requestState", "_meta"];
const INTERACTIVE = ["elicitation/create", "roots/list", "sampling/createMessage"];

/** What a message certainly carries. `asked` are the requests that a response may be the answer to; it may be any of them. */
export function carriedBy({ kind, method, message }: Said, asked: readonly Asked[], notifications: boolean): readonly Carried[] {
  const params = isObject(message["params"]) ? message["params"] : {};
  if (kind === "notification") return PLAIN.includes(method!) || !notifications ? [] : [{ event: method, phase: "request", seen: params }];
  if (kind === "request") {
    if (HANDSHAKE_METHODS.has(method!)) return [];
    const { requestState: _state, inputResponses, ...seen } = params;
    const answers = isObject(inputResponses) ? Object.values(inputResponses) : [];
    const uris = method === "subscriptions/listen" && isObject(params["notifications"]) ? params["notifications"]["resourceSubscriptions"] : [];
    return [
      { event: method, phase: "request", seen },
      ...answers.flatMap((answer): Carried[] => answerOf(answer)),
      ...(Array.isArray(uris) ? uris : []).map((uri): Carried => ({ event: "resources/subscribe", phase: "request", seen: uri })),
    ];
  }
  if (asked.some((one) => HANDSHAKE_METHODS.has(one.method))) return [];
  const methods = [...new Set(asked.map((one) => one.method))];
  const event = methods.length === 1 && methods[0] !== "tasks/result" ? methods[0] : undefined;
  if (kind === "error") return [{ event, phase: "response", seen: message["error"], error: true }];
  const result = message["result"];
  if (!isObject(result)) return [];
  const asks = result["resultType"] === "input_required";
  const carried: Carried[] = [];
  // Where the revision is in doubt, so is whether this is a question or a result.
  if (!asks || !Object.keys(result).every((member) => ASKING.includes(member))) carried.push({ event, phase: "response", seen: result });
  if (asks && isObject(result["inputRequests"]) && asked.length > 0 && asked.every(({ version }) => version === "2026-07-28")) {
    for (const request of Object.values(result["inputRequests"])) {
      if (isObject(request) && typeof request["method"] === "string" && INTERACTIVE.includes(request["method"])) {
        carried.push({ event: request["method"], phase: "request", seen: request["params"] ?? {} });
      }
    }
  }
  return carried;
}

function answerOf(answer: unknown): Carried[] {
  if (!isObject(answer)) return [];
  const kinds = [["action", "elicitation/create"], ["roots", "roots/list"], ["model", "sampling/createMessage"]] as const;
  const found = kinds.filter(([member]) => Object.hasOwn(answer, member));
  return found.length === 1 ? [{ event: found[0]![1], phase: "response", seen: answer }] : [];
}

/** The revision that a request declares. */
export function versionOf(message: Record<string, unknown>): string | undefined {
  const params = isObject(message["params"]) ? message["params"] : {};
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const version = meta["io.modelcontextprotocol/protocolVersion"];
  return typeof version === "string" ? version : undefined;
}
