import { DONE } from "../transport/inbox.ts";
import { closedError } from "../transport/transport-errors.ts";
import type { Watched } from "./clock.ts";
import type { HeaderList, HttpRequest, HttpResponse } from "./exchange.ts";
import { jsonResponse, streamResponse } from "./http-responses.ts";
import { COMMENT, encodeEventId, encodePriming } from "./sse-encoder.ts";
import { createSseLane, type LaneOptions, type SseLane, type StreamStore } from "./sse-lane.ts";

/** How a server treats its streams. */
export interface StreamRules extends Pick<LaneOptions, "clock" | "maxChars" | "keepAliveMs" | "stallMs" | "releaseAfterMs" | "retryMs"> {
  /** When a client that has heard nothing gets a stream, so that nobody on the way takes the silence for an end. */
  readonly streamAfterMs: number;
}

export interface PostOptions {
  readonly rules: StreamRules;
  readonly request: Pick<HttpRequest, "signal">;
  /** How many responses the client waits for: one, or those of a batch. */
  readonly responses: number;
  /** Asked for once, when the head of the answer goes out. */
  readonly headers?: () => HeaderList;
  readonly store?: StreamStore | undefined;
  /** Whether the client is given an id to come back with before there is a message, and does come back (2025-11-25). */
  readonly polls?: boolean;
  /** The client has left before it was answered, and cannot come back. */
  readonly gone?: () => void;
}

/** One POST with requests in it: answered by JSON if the one response is the first thing to say, else by a stream of events. */
export interface Post {
  readonly response: Promise<HttpResponse>;
  /** Where it has become a stream. */
  lane(): SseLane | undefined;
  /** Whether all responses have been given. */
  isOver(): boolean;
  /** A message that answers nothing. Rejects with `closed` where the client is gone for good. */
  send(data: string): Promise<void>;
  /** A response; the last one ends the POST. Where the client is gone for good nobody is there to be told, and it settles all the same. */
  answer(data: string, status: number): Promise<void>;
  /** Ends the connection, and lets the client come back. False where it could not. */
  release(ms: number): boolean;
  /** One of the responses will not come: its request was cancelled. The last one ends the POST. */
  withdraw(): void;
  /** One of the responses will not come: its request has this error in its place, a body of one text. */
  fail(error: HttpResponse): void;
}

export function createPost(options: PostOptions): Post {
  const { rules, request, headers, store, polls = false, gone } = options;
  const { clock, retryMs = 1_000, streamAfterMs } = rules;
  let left = options.responses;
  let lane: SseLane | undefined;
  let settle: ((response: HttpResponse) => void) | undefined;
  const response = new Promise<HttpResponse>((resolve) => (settle = resolve));
  const startedAt = clock.now;
  let lost = false;

  const respond = (head: HttpResponse) => {
    clock.unwatch(watching);
    settle?.(head);
    settle = undefined;
  };
  const lose = () => {
    if (lost || left === 0) return;
    lost = true;
    gone?.();
  };

  const open = (kept = store !== undefined): SseLane => {
    const of = kept ? store : undefined;
    lane = createSseLane({ ...rules, store: of, releaseAfterMs: polls ? rules.releaseAfterMs : undefined, gone: of === undefined ? lose : undefined });
    const priming = of === undefined || !polls ? COMMENT : encodePriming(encodeEventId(of.stream, lane.skip()), retryMs);
    // A first connection asks the store for nothing, and cannot fail.
    const source = lane.connect(priming, lane.place());
    if (source !== undefined) respond(streamResponse(source, headers?.()));
    return lane;
  };

  const watched: Watched = {
    tick(now) {
      if (settle !== undefined && now - startedAt >= streamAfterMs) open();
    },
  };
  const watching = clock.watch(watched);
  request.signal.onAbort(() => {
    // Once there is a stream, its source is told.
    if (settle === undefined) return;
    respond(jsonResponse(499, ""));
    lose();
  });

  // Functions and no getters, here and in whatever else is made for each request or session: an accessor gives each object that a literal makes a
  // table of its own, of some 400 bytes.
  const answer = (data: string, head: () => HttpResponse): Promise<void> => {
    left--;
    if (lost) return DONE;
    if (lane === undefined && left === 0) {
      respond(head());
      return DONE;
    }
    const sent = (lane ?? open()).send(data);
    if (left === 0) lane?.complete();
    // A reader that leaves now has what it wanted, or does not want it.
    return sent.catch(() => {});
  };
  return {
    response,
    lane: () => lane,
    isOver: () => left === 0,
    send(data) {
      if (lost) return Promise.reject(closedError("the client has left"));
      return (lane ?? open()).send(data);
    },
    answer: (data, status) => answer(data, () => jsonResponse(status, data, headers?.())),
    release(ms) {
      if (store === undefined || !polls || lost || left === 0) return false;
      const opened = lane ?? open();
      if (!opened.isConnected()) return false;
      opened.release(ms);
      return true;
    },
    withdraw() {
      left--;
      if (left > 0 || lost) return;
      if (lane !== undefined) lane.complete();
      // With no event id, for which the client might come back.
      else if (settle !== undefined) open(false).complete();
    },
    fail: (error) => void answer(typeof error.body === "string" ? error.body : "", () => error),
  };
}
