import { ErrorCode, LocalError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import { createBatches } from "../transport/batches.ts";
import { newConnection } from "../transport/connection.ts";
import { createInbox, DONE } from "../transport/inbox.ts";
import { closedError } from "../transport/transport-errors.ts";
import type { Route, Transport } from "../transport/transport.ts";
import { errorFrame, type Decoded, type Frame } from "../wire/frame.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import { isErrorResponse, isRequest, isResult, type RequestId } from "../wire/message.ts";
import { principalKey } from "./authentication.ts";
import type { EventStore } from "./event-store.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { HttpPeer } from "./http-peer.ts";
import { badRequest, streamResponse, unavailable } from "./http-responses.ts";
import { outgoingText } from "./outgoing-text.ts";
import { createPost, type Post, type StreamRules } from "./post.ts";
import { takeIn, type IntakeParts } from "./session-intake.ts";
import { COMMENT, decodeEventId } from "./sse-encoder.ts";
import { createSseLane, type StreamStore } from "./sse-lane.ts";

export interface SessionParts {
  readonly id: string;
  readonly principal: Principal | undefined;
  readonly limits: Limits;
  readonly rules: StreamRules;
  readonly store: EventStore | undefined;
  /** Whether the endpoint takes requests of a revision; what a server agrees on beyond that is no session. */
  readonly speaks: (version: string) => boolean;
  readonly ended: () => void;
}

/** A session of the handshake revisions: one transport for all of a client's requests. */
export interface Session {
  readonly id: string;
  readonly transport: Transport;
  /** Whose it is, see `principalKey`. */
  readonly owner: string;
  /** Whether a client is connected to one of its streams, or waits for an answer. */
  inUse(): boolean;
  /** When a client last asked for something. */
  usedAt: number;
  /** Takes a POST in, and gives what answers it. `decoded` is what its text is, where that is no batch. */
  post(request: HttpRequest, text: string, decoded: Decoded, principal: Principal | undefined): Promise<HttpResponse>;
  /** Opens the stream of what belongs to no request, or goes on with a broken one. */
  listen(lastEventId: string | undefined): HttpResponse;
  /** Ends the stream of what belongs to no request; no more is sent on it. */
  endListening(): void;
  /** Ends it for everybody. Idempotent. */
  dispose(): void;
}

// The stream of what belongs to no request. Those of requests count up from here.
const OWN_STREAM = 0;
/** The revision from which on clients know what an event without data is, and come back to a stream that was closed on them. */
const POLLING_SINCE = "2025-11-25";
const UNSPOKEN = "The server agreed on a revision that its endpoint does not take";

/** A request of the client's, while it is owed an answer. */
interface Asked {
  post: Post | undefined;
  /** The number of its stream, where that can be resumed. */
  readonly stream: number | undefined;
}

export function createSession({ id, principal, limits, rules, store, speaks, ended }: SessionParts): Session {
  const connection = newConnection("http");
  const inbox = createInbox(limits.maxQueuedFrames);
  const batches = createBatches(limits);
  // By the id of the client's request, while that is owed an answer.
  const posts = new Map<RequestId, Asked>();
  // By the number of the stream, while more may come on it.
  const resumable = new Map<number, Post>();
  let streams = OWN_STREAM;
  let waiting = 0;
  // The request that is to open the session, until it is answered.
  let opening: RequestId | undefined;
  // What the handshake has come to.
  let version = "";
  let disposed = false;

  const over = () => badRequest("Session not found", undefined, 404);
  const storeOf = (stream: number): StreamStore | undefined =>
    store && { stream, put: (event) => store.put(id, stream, event), after: (place) => store.after(id, stream, place) };
  const own = createSseLane({
    ...rules,
    store: storeOf(OWN_STREAM),
    waits: true,
    releaseAfterMs: () => (version >= POLLING_SINCE ? rules.releaseAfterMs?.() : undefined),
  });

  const dispose = () => {
    if (disposed) return;
    disposed = true;
    inbox.end();
    for (const [asked, { post }] of posts) post?.fail(unavailable("The session has ended without an answer", asked));
    posts.clear();
    resumable.clear();
    own.close();
    store?.forget(id);
    ended();
  };

  const whyNot = (ids: readonly RequestId[]): HttpResponse | undefined => {
    if (disposed) return over();
    const taken = ids.find((asked, at) => posts.has(asked) || ids.indexOf(asked) !== at);
    if (taken !== undefined) return badRequest(`The request id ${JSON.stringify(taken)} is in use`, taken);
    if (posts.size + ids.length > limits.maxIncomingRequests) return unavailable("Too many requests in flight in this session", ids[0]);
    return undefined;
  };

  const open = (request: HttpRequest, frames: readonly Frame[], ids: readonly RequestId[], responses: number): Post => {
    const first = frames[0]?.message;
    const opens = version === "" && opening === undefined && first !== undefined && isRequest(first) && first.method === "initialize";
    if (opens) opening = first.id;
    // The handshake cannot be resumed: its client does not know yet what it may do.
    const stream = store === undefined || opens ? undefined : ++streams;
    const post = createPost({
      rules,
      request,
      responses,
      // Unless it was refused.
      ...(opens ? { headers: () => (version === "" && opening === undefined ? [] : [["mcp-session-id", id]]) } : {}),
      store: stream === undefined ? undefined : storeOf(stream),
      polls: version >= POLLING_SINCE,
      gone() {
        // Nobody will ever know this session's id.
        if (opens && version === "") dispose();
      },
    });
    for (const asked of ids) posts.set(asked, { post, stream });
    if (stream !== undefined) resumable.set(stream, post);
    waiting++;
    void post.response.then(() => waiting--);
    return post;
  };

  const answer = (frame: Frame, asked: RequestId): Promise<void> => {
    const text = outgoingText(frame, limits);
    const waits = posts.get(asked);
    if (waits?.post === undefined) return Promise.reject(closedError("nobody waits for this answer"));
    const { post, stream } = waits;
    posts.delete(asked);
    // A table that the map has outgrown may hold on to the entry for long, see `createLinkedList`.
    waits.post = undefined;
    const { message } = frame;
    if (asked !== opening) {
      const sent = post.answer(text, 200);
      if (stream !== undefined && post.isOver()) resumable.delete(stream);
      return sent;
    }
    opening = undefined;
    const agreed = isResult(message) ? message.result["protocolVersion"] : undefined;
    if (typeof agreed === "string" && !speaks(agreed)) {
      dispose();
      return post.answer(outgoingText(errorFrame(asked, { code: ErrorCode.internalError, message: UNSPOKEN }), limits), 200);
    }
    if (typeof agreed === "string") version = agreed;
    const refused = isErrorResponse(message) && message.error.code === ErrorCode.unsupportedProtocolVersion;
    const sent = post.answer(text, refused ? 400 : 200);
    // No session has come of it.
    if (version === "") dispose();
    return sent;
  };

  const withdraw = (asked: RequestId) => {
    const waits = posts.get(asked);
    // Nobody may cancel the handshake (2025-11-25, basic/utilities/cancellation).
    if (waits?.post === undefined || asked === opening) return;
    const { post, stream } = waits;
    posts.delete(asked);
    waits.post = undefined;
    post.withdraw();
    if (stream !== undefined && post.isOver()) resumable.delete(stream);
  };

  const send = (frame: Frame, route: Route | undefined): Promise<void> => {
    const { message } = frame;
    if (disposed) return Promise.reject(closedError());
    batches.learn(message, "out");
    if (isResult(message)) return answer(frame, message.id);
    if (isErrorResponse(message)) {
      // An error without an id answers nothing that came by HTTP: that was refused where it came.
      return message.id === undefined || message.id === null ? DONE : answer(frame, message.id);
    }
    const text = outgoingText(frame, limits);
    if (route?.related === undefined) return own.send(text);
    const post = posts.get(route.related)?.post;
    return post === undefined ? Promise.reject(closedError("the exchange that this belongs to is over")) : post.send(text);
  };

  const transport: Transport = {
    send(frame, route) {
      try {
        return send(frame, route);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
    receive: () => inbox.receive(),
    close() {
      inbox.close();
      dispose();
      return DONE;
    },
  };

  return {
    id,
    transport,
    owner: principalKey(principal),
    inUse() {
      if (waiting > 0 || own.isConnected()) return true;
      for (const { post } of posts.values()) if (post?.lane()?.isConnected() === true) return true;
      return false;
    },
    usedAt: rules.clock.now,
    post(request, text, decoded, caller) {
      const from = new HttpPeer(connection, request.headers, caller, false);
      const parts: IntakeParts = { limits, batches, inbox, whyNot, open: (...of) => open(request, ...of), withdraw };
      return takeIn(text, decoded, from, parts).catch((thrown: unknown) => {
        if (thrown instanceof LocalError && thrown.code === "closed") return over();
        throw thrown;
      });
    },
    listen(lastEventId) {
      // Without a store nothing had an id; whoever has one has it from elsewhere, and gets the stream as it is.
      const last = store === undefined || lastEventId === undefined ? undefined : decodeEventId(lastEventId);
      if (last === undefined && store !== undefined && lastEventId !== undefined) return badRequest("Last-Event-ID names no event of this session");
      const { stream = OWN_STREAM, place } = last ?? {};
      let lane = stream === OWN_STREAM ? own : resumable.get(stream)?.lane();
      if (lane === undefined && store !== undefined && place !== undefined) {
        // The stream is over; what is left of it is read from the store.
        const left = store.after(id, stream, place);
        const end = left?.at(-1)?.place;
        // A client that has all of it came for an answer that will not come: it is told so, or it would ask again and again.
        if (end !== undefined) lane = createSseLane({ ...rules, store: storeOf(stream), endedAt: end, releaseAfterMs: undefined });
      }
      const source = lane?.connect(COMMENT, place);
      return source === undefined ? badRequest("The stream cannot be resumed: nothing follows this event, or what did is not kept") : streamResponse(source);
    },
    endListening: () => own.complete(),
    dispose,
  };
}
