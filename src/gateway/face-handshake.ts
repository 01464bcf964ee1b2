import { ErrorCode, RpcError } from "../core/base/errors.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Signal } from "../core/base/signal.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";
import { invalidParams, type Session } from "../core/mcp/lifecycle.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { checkLoggingLevel, checkSubscribeParams, type SubscriptionFilter } from "../core/wire/gen/mcp.ts";
import type { ErrorMessage, NotificationMessage, RequestId, ResultMessage } from "../core/wire/message.ts";
import { callThrough } from "./asked-rounds.ts";
import type { Answer, Call, CallHooks, Caller, Question } from "./call.ts";
import { announces, canBeAsked, mirrored } from "./capabilities.ts";
import { hooksFor, answerOutcome, requireMethod, type FaceCore } from "./face.ts";
import { completed, emptyResult, serverInfoOf } from "./face-result.ts";
import type { FrameRequest } from "./frame-requests.ts";
import { gatewayError, ownError } from "./own-errors.ts";
import { isWanted } from "./upstream-handshake.ts";
import type { Lease } from "./upstream.ts";
import type { Follower, Following } from "./upstream-slot.ts";

/** The revisions that open with `initialize`, on one connection. */
export interface HandshakeFace {
  /** The handshake, once it was made. */
  readonly session: Session | undefined;
  initialize(request: FrameRequest, session: Session): Promise<void>;
  /** Rejects with the `RpcError` or `LocalError` that the request is to be answered with. */
  serve(request: FrameRequest): Promise<void>;
  notified(frame: Frame, message: NotificationMessage): void;
  /** Gives back what the session held. */
  end(): void;
}

interface Open {
  readonly caller: Caller;
  readonly server: ServerDescription;
  readonly lease: Lease;
  readonly following: Following;
  readonly follower: Follower & { filter: SubscriptionFilter; logLevel: string | undefined };
  readonly uris: Set<string>;
}

const HANDLED: ReadonlySet<string> = new Set(["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]);
const KINDS = ["tools", "prompts", "resources"] as const;

export function createHandshakeFace({ peer, upstream, name, shared, versions, host, limits, log }: FaceCore): HandshakeFace {
  let session: Session | undefined;
  let open: Open | undefined;
  let ended = false;

  /** A question of the server's, to this client. */
  const ask = async (question: Question, signal: Signal, related: RequestId | undefined): Promise<Answer> => {
    const { message, source, onProgress } = question;
    if (open !== undefined && !canBeAsked(open.caller.capabilities, message.method)) {
      return { message: ownError(ErrorCode.methodNotFound, `The client does not answer ${message.method}`), source: undefined };
    }
    const asked = { message, ...(source === undefined ? {} : { source }), signal, timeoutMs: Infinity, ...(related === undefined ? {} : { related }), ...(onProgress === undefined ? {} : { onProgress }) };
    const { frame } = await peer.request(asked);
    // The response to a request is one.
    return { message: frame.message as ResultMessage | ErrorMessage, source: frame };
  };

  const describe = ({ version }: Session, server: ServerDescription): Session["version"] => {
    // One server for one client: what the two would have agreed on between themselves.
    const theirs = server.era === "handshake" && !shared;
    return theirs && versions.handshake.includes(server.version) ? server.version : version;
  };

  const follow = (lease: Lease, server: ServerDescription) => {
    const filter: SubscriptionFilter = {};
    for (const kind of KINDS) if (announces(server.capabilities, kind, "listChanged")) filter[`${kind}ListChanged`] = true;
    const follower: Open["follower"] = {
      filter,
      logLevel: undefined,
      onNotification(frame, message) {
        if (message.method === "notifications/message" && !isWanted(message.params?.["level"], follower.logLevel)) return;
        peer.notify(withoutSubscription(message), frame);
      },
      ask: (question, signal) => ask(question, signal, undefined),
    };
    const following = lease.follow(follower);
    void following.refresh();
    return { follower, following };
  };

  const release = ({ lease, following }: Pick<Open, "lease" | "following">) => {
    following.end();
    lease.release();
  };

  const command = async (request: FrameRequest, { follower, following, uris, server }: Open): Promise<boolean> => {
    const { method, params = {} } = request.message;
    if (method === "ping") request.answer({ jsonrpc: "2.0", id: 0, result: {} });
    else if (method === "logging/setLevel") {
      const level = params["level"];
      if (checkLoggingLevel(level) !== undefined) throw invalidParams("params.level is not a level of the log");
      follower.logLevel = String(level);
      await following.refresh();
      request.answer(emptyResult("handshake", server, name, method));
    } else if (method === "resources/subscribe" || method === "resources/unsubscribe") {
      if (checkSubscribeParams(params) !== undefined) throw invalidParams("params.uri must be a string");
      const uri = String(params["uri"]);
      if (method === "resources/subscribe" && !uris.has(uri) && uris.size >= limits.maxSubscriptions) {
        throw invalidParams("too many subscriptions (maxSubscriptions)");
      }
      const update = (change: () => void) => {
        change();
        const { resourceSubscriptions: _before, ...lists } = follower.filter;
        follower.filter = uris.size === 0 ? lists : { ...lists, resourceSubscriptions: [...uris] };
        return following.refresh();
      };
      if (method === "resources/unsubscribe") {
        await update(() => uris.delete(uri));
        return answeredEmpty(request, server);
      }
      const { agreed, refused } = await update(() => uris.add(uri));
      if (agreed.resourceSubscriptions?.includes(uri) === true) return answeredEmpty(request, server);
      void update(() => uris.delete(uri));
      request.answer(refused.get(uri) ?? gatewayError("unsupported", "The upstream does not tell updates of this resource"));
    } else return false;
    return true;
  };
  const answeredEmpty = (request: FrameRequest, server: ServerDescription) => {
    request.answer(emptyResult("handshake", server, name, request.message.method));
    return true;
  };

  return {
    get session() {
      return session;
    },
    async initialize(request, wanted) {
      session = wanted;
      try {
        const principal: Principal | undefined = request.from.principal;
        const asked: Caller = { ...wanted, era: "handshake", principal };
        const lease = await upstream.session(asked);
        const { server } = lease.slot;
        if (ended || request.signal.aborted || server === undefined) {
          session = undefined;
          return lease.release();
        }
        const version = describe(wanted, server);
        session = { ...wanted, version };
        open = { caller: { ...asked, version }, server, lease, ...follow(lease, server), uris: new Set() };
        const { instructions } = server;
        const result: JsonObject = {
          protocolVersion: version,
          capabilities: mirrored(server.capabilities, server.era, "handshake", shared),
          serverInfo: serverInfoOf(server, name),
          ...(instructions === undefined ? {} : { instructions }),
        };
        request.answer({ jsonrpc: "2.0", id: 0, result });
      } catch (error) {
        session = undefined;
        throw error;
      }
    },
    async serve(request) {
      const { method } = request.message;
      if (open === undefined) {
        if (method === "ping") return request.answer({ jsonrpc: "2.0", id: 0, result: {} });
        throw new RpcError(ErrorCode.invalidRequest, "Not initialized: wait for the answer to initialize");
      }
      const now = open;
      const { caller, server, follower } = now;
      requireMethod(method, caller, server, shared, HANDLED);
      if (await command(request, now)) return;
      const finished = upstream.admit();
      if (finished === undefined) return request.answer(gatewayError("overloaded", "Too many calls to this upstream; try again later", { delivery: "none" }));
      try {
        const call: Call = { frame: request.frame, message: request.message, sentParams: request.sentParams, caller, logLevel: follower.logLevel };
        const hooks: CallHooks = {
          ...hooksFor({ peer }, request, (level) => isWanted(level, follower.logLevel)),
          ask: (question, signal) => ask(question, signal, request.message.id),
        };
        const { callTimeoutMs, maxCallMs } = upstream;
        const outcome = await callThrough(call, request.signal, {
          host,
          maxAsks: limits.maxAsks,
          callTimeoutMs,
          maxCallMs,
          call: (round, signal) => now.lease.slot.call(round, hooks, signal),
          ask: (question, signal) => ask(question, signal, request.message.id),
        });
        answerOutcome(request, completed("handshake", now.lease.slot.server ?? server, name, method, outcome));
      } finally {
        finished();
      }
    },
    notified(frame, message) {
      if (open === undefined || message.method === "notifications/initialized") return;
      if (message.method.startsWith("notifications/")) open.lease.slot.tell(message, frame);
      else log({ level: "debug", message: `${message.method} is no notification of MCP, and was not passed on` });
    },
    end() {
      ended = true;
      if (open !== undefined) release(open);
      open = undefined;
    },
  };
}

/** Streams have ids in the stateless revisions alone. */
function withoutSubscription(message: NotificationMessage): NotificationMessage {
  const { _meta, ...params } = message.params ?? {};
  if (typeof _meta !== "object" || _meta === null) return message;
  const kept = Object.fromEntries(Object.entries(_meta).filter(([key]) => key !== "io.modelcontextprotocol/subscriptionId"));
  if (Object.keys(kept).length > 0) return { ...message, params: { ...params, _meta: kept } };
  return Object.keys(params).length > 0 ? { ...message, params } : { jsonrpc: "2.0", method: message.method };
}
