import { LocalError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { Limits } from "../core/base/limits.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { Arrival, Transport } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import { isNotification, isRequest, type NotificationMessage, type RequestId } from "../core/wire/message.ts";
import { asLocalError, createFrameCalls, type FrameCall, type FrameCalls } from "./frame-calls.ts";
import { createFrameNotifications, type FrameNotifications } from "./frame-notifications.ts";
import { FrameRequests, type FrameRequest } from "./frame-requests.ts";

export interface FramePeerParts {
  readonly transport: Transport;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  /** How long answers may still take once a peer on a single channel has ended its side: it may still read them. Default 0. */
  readonly lingerMs?: number;
  /** Neither waits: what it throws is a defect. */
  onRequest(request: FrameRequest): void;
  /** All but cancellations and progress of requests of ours. */
  onNotification(frame: Frame, message: NotificationMessage, arrival: Arrival): void;
  /** A peer on a single channel has nothing more to say, and is still owed answers: what would never end by itself is to end. */
  onLinger?(): void;
}

/** Something that is waited for, and what that settles. */
interface Wait {
  readonly isSo: () => boolean;
  readonly settle: () => void;
}

/**
 * JSON-RPC in both roles over one transport, as `createPeer`, for whoever passes messages on: they keep their source text, so that what nobody changes
 * goes out byte for byte. Ids and progress tokens on the wire are this side's own.
 */
export interface FramePeer {
  /**
   * Settles with the response, a result or an error; `synthetic` where the transport made it up. Rejects with a `LocalError`: `aborted`, `closed`,
   * `timeout`, `limit_exceeded`, `not_json`; `details.delivery` is `none` where the peer has certainly not seen it.
   */
  request(call: FrameCall): Promise<Arrival>;
  /** Never rejects, never waits; what a peer does not take is dropped beyond a bound, see `FrameNotifications`. */
  notify(message: NotificationMessage, source?: Frame, related?: RequestId): void;
  /** Settles once, after the end: with the reason, or with nothing where either side closed in peace. */
  readonly closed: Promise<LocalError | undefined>;
  close(why?: LocalError): Promise<void>;
  /** Lets answers that are on their way out, held by a guard perhaps, go first; then closes. */
  end(why?: LocalError): Promise<void>;
}

/** How long answers may take to leave. */
const FLUSH_MS = 5_000;
// Shared, as an error costs a stack, and a connection may last for one request.
const CLOSED = new LocalError("closed", "the connection is closed", { details: { delivery: "none" } });
const CUT_OFF = new LocalError("closed", "the connection is closed", { details: { delivery: "unknown" } });

export function createFramePeer(parts: FramePeerParts): FramePeer {
  return new OwnFramePeer(parts);
}

// A class, as over HTTP there is one for each request: functions of its own would be more than all else that it has.
class OwnFramePeer implements FramePeer {
  readonly closed: Promise<LocalError | undefined>;
  readonly #parts: FramePeerParts;
  readonly #requests: FrameRequests;
  // Made for the first of them: most peers ask nothing, and are told nothing but answers.
  #calls: FrameCalls | undefined;
  #notifications: FrameNotifications | undefined;
  #ended: LocalError | undefined;
  // The end of the peer may be waited for while this side ends, too.
  #waits: readonly Wait[] | undefined;
  #settleClosed!: (why: LocalError | undefined) => void;

  constructor(parts: FramePeerParts) {
    const { limits, log, onRequest } = parts;
    this.#parts = parts;
    this.closed = new Promise((resolve) => (this.#settleClosed = resolve));
    this.#requests = new FrameRequests({ limits, log, send: (frame, related) => this.#sendBehind(frame, related), onRequest, onLess: () => this.#onLess() });
    this.#pump().then(
      () => this.#linger(),
      (thrown: unknown) => this.close(asLocalError(thrown, "unknown")),
    );
  }

  request(call: FrameCall): Promise<Arrival> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const { host, limits } = this.#parts;
    this.#calls ??= createFrameCalls({ host, limits, send: (frame, related) => this.#sendBehind(frame, related) });
    return this.#calls.request(call);
  }

  notify(message: NotificationMessage, source?: Frame, related?: RequestId): void {
    const { limits, log } = this.#parts;
    this.#notifications ??= createFrameNotifications({ limits, log, send: (frame, lane) => this.#send(frame, lane) });
    this.#notifications.notify(message, source, related);
  }

  async close(why?: LocalError): Promise<void> {
    if (this.#ended === undefined) {
      // New calls certainly do not go out; of those that wait nobody knows.
      this.#ended = why === undefined ? CLOSED : closedFor(why, "none");
      const unknown = why === undefined ? CUT_OFF : closedFor(why, "unknown");
      this.#calls?.rejectAll(unknown);
      this.#requests.endAll(unknown);
      this.#notifications?.clear();
      this.#onLess();
      void this.#parts.transport.close(why).then(() => this.#settleClosed(why));
    }
    await this.closed;
  }

  async end(why?: LocalError): Promise<void> {
    if (this.#requests.answering > 0) await this.#until(() => this.#requests.answering === 0, FLUSH_MS);
    await this.close(why);
  }

  #send(frame: Frame, related?: RequestId): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return this.#parts.transport.send(frame, related === undefined ? undefined : { related });
  }

  // Nothing that has an id overtakes what was told before it in its lane.
  #sendBehind(frame: Frame, related?: RequestId): Promise<void> {
    this.#notifications?.flush(related);
    return this.#send(frame, related);
  }

  async #pump(): Promise<void> {
    for (;;) {
      const arrival = await this.#parts.transport.receive();
      if (arrival === undefined || this.#ended !== undefined) return;
      const { message } = arrival.frame;
      if (isRequest(message)) this.#requests.accept(arrival, message);
      else if (isNotification(message)) this.#onNotified(arrival, message);
      else this.#calls?.settle(message.id, arrival);
    }
  }

  #onNotified(arrival: Arrival, message: NotificationMessage): void {
    const { params = {}, method } = message;
    if (method === "notifications/cancelled") {
      const id = params["requestId"];
      if (typeof id !== "string" && typeof id !== "number") return;
      // A server that shares one channel among its streams ends one so (2026-07-28, basic/patterns/cancellation).
      if (!this.#requests.cancel(id, params["reason"])) this.#calls?.endSubscription(id);
    } else if (method === "notifications/progress") this.#calls?.progress(arrival.frame, message);
    else this.#parts.onNotification(arrival.frame, message, arrival);
  }

  // The peer has said all that it has to say, answers to our questions among it. Over HTTP the way back has ended too.
  async #linger(): Promise<void> {
    const { lingerMs = 0 } = this.#parts;
    this.#calls?.rejectAll(CUT_OFF);
    if (lingerMs > 0 && this.#requests.onChannel) {
      this.#parts.onLinger?.();
      await this.#until(() => this.#requests.size === 0, lingerMs);
    }
    await this.end();
  }

  /** Until it is so, for so long at most. */
  async #until(isSo: () => boolean, ms: number): Promise<void> {
    if (isSo() || this.#ended !== undefined) return;
    let cancel = () => {};
    await new Promise<void>((settle) => {
      cancel = this.#parts.host.setTimer(settle, ms);
      this.#waits = [...(this.#waits ?? []), { isSo, settle }];
    });
    cancel();
    const left = this.#waits?.filter((wait) => wait.isSo !== isSo);
    this.#waits = left?.length === 0 ? undefined : left;
  }

  // A method and no function of each wait's own in a field: with that one all of a stateless request outlives minor collections.
  #onLess(): void {
    for (const { isSo, settle } of this.#waits ?? []) if (this.#ended !== undefined || isSo()) settle();
  }
}

function closedFor(why: LocalError, delivery: "none" | "unknown"): LocalError {
  return new LocalError("closed", `the connection is closed: ${why.message}`, { details: { delivery }, cause: why });
}
