import { LocalError } from "../base/errors.ts";
import type { Limits } from "../base/limits.ts";
import { DONE } from "../transport/inbox.ts";
import { closedError, secondReceive } from "../transport/transport-errors.ts";
import type { Arrival, Transport } from "../transport/transport.ts";
import { notificationFrame, type Frame } from "../wire/frame.ts";
import { isErrorResponse, isNotification, isRequest, isResult, type RequestMessage } from "../wire/message.ts";
import { statusOf, unanswered } from "./http-responses.ts";
import type { HttpPeer } from "./http-peer.ts";
import { outgoingText } from "./outgoing-text.ts";
import type { Post } from "./post.ts";

export interface StatelessParts {
  readonly arrival: Arrival;
  readonly from: HttpPeer;
  readonly limits: Limits;
  /** Whether the request's `_meta` has all that it must have. */
  readonly completeMeta: boolean;
  /** Makes the POST of a request; there is none for a notification. */
  readonly open: ((gone: () => void) => Post) | undefined;
  /** Whether the server itself ends. */
  readonly ending: () => boolean;
  readonly ended: () => void;
}

export interface StatelessTransport {
  readonly transport: Transport;
  readonly post: Post | undefined;
}

/**
 * The connection of a stateless revision: one message in, and for a request its answer out. A client that leaves has cancelled (2026-07-28,
 * basic/patterns/cancellation): that arrives as the frame that says so. It ends once it is answered or cancelled.
 */
export function statelessTransport({ arrival, from, limits, completeMeta, open, ending, ended }: StatelessParts): StatelessTransport {
  const { message } = arrival.frame;
  const request: RequestMessage | undefined = isRequest(message) ? message : undefined;
  let next: Arrival | undefined = arrival;
  let puller: ((arrival: Arrival | undefined) => void) | undefined;
  // Nothing more arrives; what did is still pulled.
  let over = request === undefined;
  let closed = false;

  const finish = () => {
    over = true;
    if (next !== undefined) return;
    const pull = puller;
    puller = undefined;
    pull?.(undefined);
  };
  const post = open?.(() => {
    if (over || request === undefined) return;
    const cancelled: Arrival = {
      frame: notificationFrame("notifications/cancelled", { requestId: request.id, reason: "the client has closed the connection" }),
      from,
      synthetic: true,
    };
    // A request that nobody has pulled yet need not be served at all.
    if (next === undefined && puller === undefined) next = cancelled;
    else if (puller !== undefined) {
      const pull = puller;
      puller = undefined;
      over = true;
      pull(cancelled);
      return;
    } else next = undefined;
    finish();
  });
  if (post !== undefined) from.answeredBy(post);

  const send = (frame: Frame, related: unknown): Promise<void> => {
    const { message: sent } = frame;
    if (closed || post === undefined || (over && !isErrorResponse(sent) && !isResult(sent))) return Promise.reject(closedError());
    if (isResult(sent) || isErrorResponse(sent)) {
      if (over || sent.id !== request?.id) return over ? DONE : Promise.reject(new LocalError("invalid_argument", "no such request is waiting for an answer"));
      const text = outgoingText(frame, limits);
      const answered = post.answer(text, isErrorResponse(sent) ? statusOf(sent.error.code, completeMeta) : 200);
      finish();
      return answered;
    }
    if (!isNotification(sent)) return Promise.reject(new LocalError("unsupported", "in this revision a server sends no requests: it asks by its results"));
    if (related !== request?.id) {
      return Promise.reject(new LocalError("unsupported", "in this revision a notification belongs to a request, and there is no stream for others"));
    }
    return post.send(outgoingText(frame, limits));
  };

  const transport: Transport = {
    send(frame, route) {
      try {
        return send(frame, route?.related);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
    receive() {
      if (puller !== undefined) return Promise.reject(secondReceive());
      if (next !== undefined) {
        const pulled = next;
        next = undefined;
        return Promise.resolve(pulled);
      }
      if (over || closed) return Promise.resolve(undefined);
      return new Promise((resolve) => (puller = resolve));
    },
    close() {
      if (closed) return DONE;
      closed = true;
      next = undefined;
      if (!over) post?.fail(unanswered("The server has ended without an answer", request?.id, ending()));
      finish();
      ended();
      return DONE;
    },
  };
  return { transport, post };
}
