import { ErrorCode, RpcError } from "../../base/errors.ts";
import type { Host } from "../../base/host.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { describeProblem, type Problem } from "../../wire/check.ts";
import { checkListenParams, checkSubscribeParams, type ServerCapabilities, type SubscriptionFilter } from "../../wire/gen/mcp.ts";
import { META } from "../../wire/versions.ts";
import type { ServerContext } from "../context.ts";
import { invalidParams } from "../lifecycle.ts";
import { createPost, type ServerLink } from "./server-link.ts";
import { resourceNotFound } from "./server-resources.ts";

export type ListKind = "tools" | "prompts" | "resources";

/** Who is told what: sessions what was announced to them, and open streams what they have asked for. */
export interface Subscriptions {
  listChanged(kind: ListKind): void;
  resourceUpdated(uri: string): void;
  /** Answers `resources/subscribe`. */
  subscribe(params: JsonObject, context: ServerContext, link: ServerLink): JsonObject;
  /** Answers `resources/unsubscribe`. */
  unsubscribe(params: JsonObject, link: ServerLink): JsonObject;
  /** Answers `subscriptions/listen`, at the end of the stream. */
  listen(params: JsonObject, context: ServerContext, link: ServerLink): Promise<JsonObject | undefined>;
  /** Ends the streams of a connection that is about to close: each gets its answer. */
  endStreams(link: ServerLink): Promise<void>;
}

export interface SubscriptionsParts {
  readonly host: Host;
  /** The connections that are open. */
  readonly links: Iterable<ServerLink>;
  readonly maxSubscriptions: number;
  /** What is announced in stateless revisions, at this moment. */
  capabilities(): ServerCapabilities;
  /** Whether anything goes by that URI. */
  knows(uri: string): boolean;
}

const KINDS: readonly ListKind[] = ["tools", "prompts", "resources"];
const UPDATED = "notifications/resources/updated";
// How long a closing connection waits for middleware that holds the last answers.
const END_GRACE_MS = 1_000;

export function createSubscriptions({ host, links, maxSubscriptions, capabilities, knows }: SubscriptionsParts): Subscriptions {
  const reserve = (link: ServerLink, more: number) => {
    let held = link.subscribed.size;
    for (const { uris } of link.streams.values()) held += uris.size;
    if (held + more > maxSubscriptions) throw new RpcError(ErrorCode.invalidParams, "Too many subscriptions on this connection (maxSubscriptions)");
  };

  return {
    listChanged(kind) {
      const method = `notifications/${kind}/list_changed`;
      for (const { session, announced, post, streams } of links) {
        if (session !== undefined && announces(announced, kind, "listChanged")) post(method, undefined);
        for (const stream of streams.values()) if (stream.wants.has(kind)) stream.post(method, undefined);
      }
    },
    resourceUpdated(uri) {
      for (const { subscribed, post, streams } of links) {
        if (subscribed.has(uri)) post(UPDATED, { uri }, uri);
        for (const stream of streams.values()) if (stream.uris.has(uri)) stream.post(UPDATED, { uri }, uri);
      }
    },
    subscribe(params, { era }, link) {
      const uri = uriIn(params, checkSubscribeParams(params));
      if (!knows(uri)) throw resourceNotFound(uri, era);
      if (!link.subscribed.has(uri)) reserve(link, 1);
      link.subscribed.add(uri);
      return {};
    },
    unsubscribe(params, link) {
      link.subscribed.delete(uriIn(params, checkSubscribeParams(params)));
      return {};
    },
    listen(params, { id, notify, coreSignal, from }, link) {
      const problem = checkListenParams(params);
      if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
      const { honoured, wants, uris } = honour(params["notifications"] as SubscriptionFilter, capabilities()); // just checked
      reserve(link, uris.size);
      const meta = { [META.subscriptionId]: id };
      // First of all on this stream; what follows is sent after it, and arrives so.
      void notify("notifications/subscriptions/acknowledged", { _meta: meta, notifications: honoured });
      return new Promise((resolve) => {
        const over = new Promise<void>((settle) => {
          link.streams.set(id, {
            wants,
            uris,
            post: createPost((method, content) => notify(method, { ...content, _meta: meta })),
            end() {
              resolve({ _meta: meta });
              return over.then(() => {
                // Where streams share one channel this says once more that nothing follows (2026-07-28, basic/patterns/cancellation).
                const cancellation = { requestId: id, reason: "the server has ended the subscription" };
                if (from.transport !== "http") void link.peer.notify("notifications/cancelled", cancellation);
              });
            },
          });
          coreSignal.onAbort(() => {
            link.streams.delete(id);
            resolve(undefined);
            settle();
          });
        });
      });
    },
    async endStreams({ streams }) {
      if (streams.size === 0) return;
      let cancelTimer = () => {};
      const late = new Promise<void>((resolve) => (cancelTimer = host.setTimer(resolve, END_GRACE_MS, true)));
      await Promise.race([late, Promise.all([...streams.values()].map((stream) => stream.end()))]);
      cancelTimer();
    },
  };
}

function uriIn(params: JsonObject, problem: Problem | undefined): string {
  if (problem !== undefined) throw invalidParams(describeProblem(problem, "params"));
  return params["uri"] as string; // just checked
}

function announces(capabilities: ServerCapabilities, kind: ListKind, flag: "listChanged" | "subscribe"): boolean {
  const settings = capabilities[kind];
  return isObject(settings) && settings[flag] === true;
}

/** The part of what a client asks for that this server can give. URIs are taken as they are: what is not there now may come. */
function honour(filter: SubscriptionFilter, capabilities: ServerCapabilities) {
  const honoured: SubscriptionFilter = {};
  const wants = new Set<ListKind>();
  for (const kind of KINDS) {
    if (filter[`${kind}ListChanged`] !== true || !announces(capabilities, kind, "listChanged")) continue;
    honoured[`${kind}ListChanged`] = true;
    wants.add(kind);
  }
  const uris = new Set(announces(capabilities, "resources", "subscribe") ? filter.resourceSubscriptions : []);
  if (uris.size > 0) honoured.resourceSubscriptions = [...uris];
  return { honoured, wants, uris };
}
