import { LocalError, RpcError } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { isObject, withMember, type JsonObject } from "../../base/json.ts";
import type { Limits } from "../../base/limits.ts";
import { createSignal } from "../../base/signal.ts";
import { callDetached, type Log } from "../../jsonrpc/log.ts";
import type { IncomingNotification, Peer } from "../../jsonrpc/peer.ts";
import { checkElicitationRequiredData, type LoggingLevel, type SubscriptionFilter } from "../../wire/gen/mcp.ts";
import { META } from "../../wire/versions.ts";
import type { ClientCallOptions } from "../client-options.ts";
import type { ServerDescription } from "../connect.ts";
import type { AskedMethods } from "./client-asked.ts";
import { createResultCache, type ResultCache } from "./client-cache.ts";
import { requestWithInput, type FinalResult, type InputParts, type InputPolicy } from "./client-input.ts";
import { limitCall, waitFor } from "./client-limit.ts";
import { changeIn, type Change, type Notices } from "./client-notices.ts";
import { createSubscription, type Subscription } from "./client-subscription.ts";

/** One connection to a server that is known: what the eras do differently is decided here. */
export interface ClientSession {
  readonly server: ServerDescription;
  readonly cache: ResultCache | undefined;
  request(method: string, params: JsonObject | undefined, options: ClientCallOptions): Promise<FinalResult>;
  notified(notification: IncomingNotification): void;
  subscribeResource(uri: string, options: ClientCallOptions): Promise<void>;
  unsubscribeResource(uri: string, options: ClientCallOptions): Promise<void>;
  setLogLevel(level: LoggingLevel, options: ClientCallOptions): Promise<void>;
  /** What the client can do, or who listens, has changed. */
  refresh(): void;
}

export interface ClientSessionParts {
  readonly peer: Peer;
  readonly server: ServerDescription;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  readonly asked: AskedMethods;
  readonly notices: Notices;
  readonly policy: InputPolicy;
  readonly requestTimeoutMs: number;
  readonly logLevel: LoggingLevel | undefined;
  /** Whose results are kept apart; `undefined` keeps none. */
  readonly principal: (() => string) | undefined;
  /** What each request of a stateless revision carries. */
  meta(version: string): JsonObject;
}

/** -32042 of revision 2025-11-25: pages to visit first. Their ends are told like those of other elicitations. */
const ELICITATION_REQUIRED = -32042;

export function createClientSession(parts: ClientSessionParts): ClientSession {
  return parts.server.era === "stateless" ? statelessSession(parts) : handshakeSession(parts);
}

function handshakeSession({ peer, server, log, notices, logLevel }: ClientSessionParts): ClientSession {
  const request: ClientSession["request"] = async (method, params, options) => {
    try {
      return { result: await peer.request(method, params, options), retried: false };
    } catch (error) {
      if (error instanceof RpcError && error.code === ELICITATION_REQUIRED && checkElicitationRequiredData(error.data) === undefined) {
        // The check has just found it so.
        const { elicitations } = error.data as { elicitations: readonly { elicitationId?: string }[] };
        for (const { elicitationId } of elicitations) if (elicitationId !== undefined) notices.expectElicitation(elicitationId);
      }
      throw error;
    }
  };
  const command = async (method: string, params: JsonObject, options: ClientCallOptions) => void (await request(method, params, options));
  if (logLevel !== undefined && server.capabilities.logging !== undefined) {
    callDetached(log, "logging/setLevel", () => command("logging/setLevel", { level: logLevel }, {}));
  }
  return {
    server,
    cache: undefined,
    request,
    notified: ({ method, params }) => notices.dispatch(method, params),
    subscribeResource: (uri, options) => command("resources/subscribe", { uri }, options),
    unsubscribeResource: (uri, options) => command("resources/unsubscribe", { uri }, options),
    setLogLevel: (level, options) => command("logging/setLevel", { level }, options),
    refresh() {},
  };
}

function statelessSession(parts: ClientSessionParts): ClientSession {
  const { peer, server, host, limits, log, notices, principal } = parts;
  const { version } = server;
  const connection = createSignal();
  const cache = principal === undefined ? undefined : createResultCache(host, limits, principal);
  const uris = new Set<string>();
  let level = parts.logLevel;
  let announced: JsonObject | undefined;

  const send: InputParts["send"] = (method, params, options) => {
    const meta = (announced ??= parts.meta(version));
    const logLevel = options.logLevel ?? level;
    const own = isObject(params["_meta"]) ? params["_meta"] : {};
    const _meta = { ...own, ...meta, ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }) };
    return peer.request(method, withMember(params, "_meta", _meta), options);
  };
  const input: InputParts = { ...parts, version, maxRequests: limits.maxIncomingRequests, connection: connection.signal, send };

  const subscription: Subscription = createSubscription({
    host,
    log,
    wanted() {
      const lists = notices.listFilter();
      const filter: SubscriptionFilter = uris.size === 0 ? lists : { ...lists, resourceSubscriptions: [...uris] };
      return Object.keys(filter).length === 0 ? undefined : filter;
    },
    listen: async (notifications, options) => await send("subscriptions/listen", { notifications }, { ...options, timeoutMs: Infinity }),
    interrupted() {
      for (const list of ["tools", "prompts", "resources"] as const) evict(cache, { list });
      cache?.evict("resources/read");
    },
  });
  void peer.closed.then((why) => {
    subscription.close();
    const cause = why === undefined ? {} : { cause: why };
    connection.abort(new LocalError("closed", "the connection is closed", { details: { delivery: "unknown" }, ...cause }));
  });
  subscription.refresh();

  return {
    server,
    cache,
    request: (method, params, options) => requestWithInput(method, params ?? {}, options, input),
    notified({ method, params }) {
      if (method === "notifications/subscriptions/acknowledged") return subscription.acknowledged(params);
      const change = changeIn(method, params);
      if (change !== undefined) {
        evict(cache, change);
        // On stdio all streams share a channel, and the id alone tells whether anybody has asked for this.
        if (!subscription.owns(params)) return log({ level: "debug", message: `${method} belongs to no subscription`, details: { method } });
      }
      notices.dispatch(method, params);
    },
    async subscribeResource(uri, options) {
      if (!uris.has(uri) && uris.size >= limits.maxSubscribedResources) {
        throw new LocalError("limit_exceeded", `too many resources are subscribed to (maxSubscribedResources is ${limits.maxSubscribedResources})`);
      }
      uris.add(uri);
      subscription.refresh();
      const totalMs = options.timeoutMs ?? parts.requestTimeoutMs;
      const ends = { host, options, connection: connection.signal, totalMs, dueAt: host.now() + totalMs };
      const limit = limitCall("subscriptions/listen", ends);
      try {
        const agreed = await waitFor(subscription.ready(), limit.signal);
        if (agreed.resourceSubscriptions?.includes(uri) !== true) {
          throw new LocalError("unsupported", "the server does not tell updates of this resource", { details: { uri } });
        }
      } catch (error) {
        uris.delete(uri);
        subscription.refresh();
        throw error;
      } finally {
        limit.release();
      }
    },
    async unsubscribeResource(uri) {
      uris.delete(uri);
      subscription.refresh();
    },
    async setLogLevel(wanted) {
      level = wanted;
    },
    refresh() {
      announced = undefined;
      subscription.refresh();
    },
  };
}

function evict(cache: ResultCache | undefined, change: Change): void {
  if ("uri" in change) return cache?.evict("resources/read", change.uri);
  cache?.evict(`${change.list}/list`);
  if (change.list === "resources") cache?.evict("resources/templates/list");
}
