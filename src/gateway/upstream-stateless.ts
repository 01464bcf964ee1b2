import { BriefMap } from "../core/base/brief-map.ts";
import { LocalError, RpcError } from "../core/base/errors.ts";
import { formatPointer, isObject, ownMember, type JsonObject } from "../core/base/json.ts";
import { createSubscription } from "../core/mcp/features/client-subscription.ts";
import { describeProblem } from "../core/wire/check.ts";
import { checkInputRequiredResult, type InputRequest, type SubscriptionFilter } from "../core/wire/gen/mcp.ts";
import { isErrorResponse, type ErrorMessage, type ResultMessage } from "../core/wire/message.ts";
import { METHODS } from "../core/wire/methods.ts";
import type { Frame } from "../core/wire/frame.ts";
import { META } from "../core/wire/versions.ts";
import { isChange, paramsForHop, type Caller, type CallHooks, type Outcome, type Question } from "./call.ts";
import { clientCapabilitiesFor } from "./capabilities.ts";
import { composed, keepRaw, type RawTexts } from "./frame-text.ts";
import type { BuiltLink, Link, LinkCore } from "./upstream-link.ts";
import { sendCall } from "./upstream-request.ts";

const NOTHING: ReadonlyMap<string, ErrorMessage> = new Map();

/**
 * A connection of revision 2026-07-28: each request says who asks, so that one serves all callers. The server asks by results, and tells of changes on one
 * stream that is asked for.
 */
export function createStatelessLink(core: LinkCore): BuiltLink {
  const { peer, server, owner, identity, host, log } = core;
  const calls = new BriefMap<number, { readonly hooks: CallHooks; readonly logged: boolean }>();
  const own: Caller = { era: "handshake", version: server.version, info: identity.info, capabilities: {}, principal: undefined };

  const subscription = createSubscription({
    host,
    log,
    wanted() {
      const filter = owner.wanted();
      return Object.keys(filter).length === 0 ? undefined : filter;
    },
    async listen(notifications, { signal, onId }) {
      const params = paramsForHop({ notifications }, hopMeta(own, server.version, undefined));
      const message = { method: "subscriptions/listen", ...(params === undefined ? {} : { params }) };
      const answer = (await peer.request({ message, signal, onId, timeoutMs: Infinity })).frame.message;
      if (isErrorResponse(answer)) throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
    },
    interrupted: owner.interrupted,
  });
  void peer.closed.then(() => subscription.close());

  const link: Link = {
    server,
    get calls() {
      return calls.size;
    },
    closed: peer.closed,
    async call(call, hooks, signal) {
      let id = 0;
      try {
        return await sendCall(core, call, {
          meta: hopMeta(call.caller, server.version, call.logLevel),
          hooks,
          signal,
          onId(given) {
            id = given;
            calls.set(id, { hooks, logged: call.logLevel !== undefined });
          },
          resultOf,
        });
      } finally {
        calls.delete(id);
      }
    },
    async refresh() {
      subscription.refresh();
      // Nobody waits for what nobody wants.
      if (Object.keys(owner.wanted()).length === 0) return { agreed: {}, refused: NOTHING };
      const agreed: SubscriptionFilter = await subscription.ready().catch(() => ({}));
      return { agreed, refused: NOTHING };
    },
    // Notifications of a client belong to a session, which this revision does not have.
    tell: () => {},
    close: (why) => peer.close(why),
  };

  return {
    link,
    // A client of this revision writes no responses (2026-07-28, basic/transports/stdio).
    onRequest(request) {
      const { method } = request.message;
      log({ level: "warning", message: "the server sent a request, which its revision does not have; it is dropped", details: { method } });
      request.ignore();
    },
    onNotification(frame, message, { related }) {
      const { method, params = {} } = message;
      if (method === "notifications/subscriptions/acknowledged") return subscription.acknowledged(params);
      if (subscription.owns(params)) {
        // One stream serves callers of all principals: what names none of them is nobody's.
        if (isChange(method)) return owner.onNotification(frame, message);
        return log({ level: "warning", message: `${method} names no caller, on a stream that several share; it was dropped` });
      }
      const open = typeof related === "number" ? calls.get(related) : aloneIn(calls.values().filter(({ logged }) => logged));
      if (open !== undefined) return open.hooks.onNotification(frame, message);
      log({ level: "debug", message: `${method} belongs to no call and no subscription` });
    },
  };
}

function aloneIn<Item>(items: readonly Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

/** What a request carries in `_meta` (2026-07-28, basic/index). */
function hopMeta({ info, capabilities, era }: Caller, version: string, logLevel: string | undefined): JsonObject {
  return {
    [META.protocolVersion]: version,
    ...(info === undefined ? {} : { [META.clientInfo]: info }),
    [META.clientCapabilities]: clientCapabilitiesFor(capabilities, era, "stateless"),
    ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
  };
}

function resultOf(message: ResultMessage, source: Frame): Outcome {
  if (ownMember(message.result, "resultType") !== "input_required") return { kind: "result", message, source };
  const malformed = (why: string): Outcome => {
    return { kind: "failed", error: new LocalError("invalid_message", `the input_required result is malformed: ${why}`), delivery: "unknown" };
  };
  const found = checkInputRequiredResult(message.result);
  if (found !== undefined) return malformed(describeProblem(found, "it"));
  const requests = new Map<string, Question>();
  // The check has found these types.
  const inputRequests = (ownMember(message.result, "inputRequests") ?? {}) as { [key: string]: InputRequest };
  for (const [key, { method, params }] of Object.entries(inputRequests)) {
    const known = METHODS.get(method);
    if (known?.kind !== "request" || known.embedded === undefined) return malformed(`no result may ask for ${JSON.stringify(method)}`);
    const question = isObject(params) ? { method, params } : { method };
    requests.set(key, { message: question, source: asRequest(question, source, key) });
  }
  return { kind: "input", requests, state: ownMember(message.result, "requestState") as string | undefined, message, source };
}

/** The question as a frame of its own, with the lexemes that it came in. */
function asRequest(question: Question["message"], source: Frame, key: string): Frame {
  const raws: RawTexts = new Map();
  keepRaw(raws, question.params, source, formatPointer(["result", "inputRequests", key, "params"]));
  return composed({ jsonrpc: "2.0", id: 0, ...question }, raws);
}
