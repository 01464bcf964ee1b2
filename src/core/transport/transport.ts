import type { LocalError } from "../base/errors.ts";
import type { Frame } from "../wire/frame.ts";
import type { Principal } from "../wire/gen/interceptors.ts";
import type { RequestId } from "../wire/message.ts";

/**
 * A frame that has arrived. `related` names a request that the receiver of this frame has sent, and to whose exchange the frame belongs
 * (HTTP has a lane per request; stdio and memory have one lane and leave it out). `synthetic` marks a frame that the transport made
 * up, such as an error response for a request whose answer cannot be read.
 */
export interface Arrival {
  readonly frame: Frame;
  readonly related?: RequestId | undefined;
  readonly from: PeerContext;
  readonly synthetic?: true | undefined;
  /** The frame as its sender wrote it, where a guard has changed it. */
  readonly original?: Frame | undefined;
}

/** Where a frame should go: the peer's request that it belongs to, and an adapter's own opaque send options. */
export interface Route {
  readonly related?: RequestId;
  readonly carry?: unknown;
}

/**
 * Who is at the other end. `principal` is verified by the transport, never claimed by the peer. `connection` is unique in the process. `single` says that
 * the connection carries one exchange and is no session: HTTP of a stateless revision.
 */
export interface PeerContext {
  readonly transport: "memory" | "stdio" | "http" | "port";
  readonly connection: string;
  readonly single?: boolean;
  readonly principal?: Principal;
  readonly headers?: ReadonlyMap<string, string>;
}

/**
 * A connection as three verbs. Whoever holds it pulls; nothing is pushed, nothing is lost.
 *
 * - Order is first in, first out per lane, and a send never waits for another lane.
 * - Cancellation is always the frame `notifications/cancelled`.
 * - A request that was sent gets one response, or the transport closes. Where the answer cannot come any more, or cannot be read, a synthetic
 *   error response stands in; its `data.delivery` is `"none"` or `"unknown"`, and only `"none"` may be sent again without asking.
 */
export interface Transport {
  /**
   * Settles once the frame is accepted under its lane's byte limit. Rejects with a `LocalError`: `closed` after the end,
   * `limit_exceeded`, `not_json` or, where the transport looks at it, `invalid_message` for a frame that cannot be sent (the connection stays).
   * The frame is the transport's from here on: nobody changes it afterwards.
   */
  send(frame: Frame, route?: Route): Promise<void>;
  /**
   * The next arrival; `undefined` once the peer has ended and everything before is pulled, or after `close`. Rejects with
   * a `LocalError` where the connection broke. One puller at a time. The puller never waits for handlers before it pulls again.
   */
  receive(): Promise<Arrival | undefined>;
  /** Idempotent, never rejects, settles when everything behind it is released. Pending `receive` calls get `undefined`. */
  close(why?: LocalError): Promise<void>;
}

/** Where connections come from. `accept` gives `undefined` after `close`. */
export interface Listener {
  accept(): Promise<Transport | undefined>;
  close(why?: LocalError): Promise<void>;
}
