import { describeError, LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { createLinkedList } from "../base/linked-list.ts";
import { createQueue } from "../base/queue.ts";
import type { Coverage } from "../chain/coverage.ts";
import { NOTHING_OBSERVED, type ObserverStats } from "../chain/observer.ts";
import { assertTransport } from "../transport/assert-transport.ts";
import { DONE } from "../transport/inbox.ts";
import type { Arrival, PeerContext, Route, Transport } from "../transport/transport.ts";
import type { Frame } from "../wire/frame.ts";
import { isRequest, type RequestId } from "../wire/message.ts";
import { guardCoverage } from "./coverage.ts";
import { createFlow, type Flow } from "./flow.ts";
import type { GuardOptions } from "./options.ts";
import { checkGuardOptions } from "./policy-checks.ts";
import { GuardState, shareGuard } from "./state.ts";
import type { ToolSchemas } from "./tool-schemas.ts";
import type { Waypoint } from "./turns.ts";

/** A transport with a guard on it. The guard closes what it wraps. */
export interface GuardedTransport extends Transport {
  /** Exchanges in flight; 0 when nothing is. */
  readonly inFlight: number;
  /** What has become of the events for `observe`. */
  readonly observed: ObserverStats;
  /** What it does with each kind of message, and what its interceptors have done; see `guardCoverage`. Throws what `chain.current` throws. */
  coverage(): Coverage;
}

/**
 * Puts a chain into the traffic of one connection, in both directions, and gives a transport back (SEP-2624, Execution Model). Nothing that the chain is
 * meant to see goes round it: a message that cannot be judged is refused.
 *
 * A request that does not go on is answered to whoever sent it; a response that does not is replaced by an error; a notification
 * vanishes. Frames keep their order within a lane, but a cancellation overtakes everything and a response overtakes a held request.
 *
 * `toolSchemas` is what connections to the same server have in common, see `guardServer`.
 */
export function guardTransport(inner: Transport, options: GuardOptions, toolSchemas?: ToolSchemas): GuardedTransport {
  return createGuard(options, toolSchemas)(inner);
}

/** Like {@link guardTransport}, for all connections of one server: what their guards have in common is made once. */
export function createGuard(options: GuardOptions, toolSchemas?: ToolSchemas): (inner: Transport) => GuardedTransport {
  // Of none at all it is said next what is needed.
  if (isObject(options)) checkGuardOptions(options, "role", "chain");
  return guardChecked(options, toolSchemas);
}

/** Like {@link createGuard}, of options that have been looked at: over HTTP each request may come on a connection of its own. */
export function guardChecked(options: GuardOptions, toolSchemas?: ToolSchemas): (inner: Transport) => GuardedTransport {
  const shared = shareGuard(options, toolSchemas);
  return (inner) => new Guarded(inner, new GuardState(shared));
}

// A class, as over HTTP there may be one for each request, see `createQueue`.
class Guarded implements GuardedTransport {
  readonly #inner: Transport;
  readonly #state: GuardState;
  readonly #inbound: Flow;
  readonly #outbound: Flow;
  readonly #inbox = createQueue<Arrival>();
  #peer: PeerContext | undefined;
  #pump: Promise<void> | undefined;
  // Set when the connection broke: what `receive` rejects with once the inbox is empty.
  #broken: LocalError | undefined;
  #closed = false;
  // Frames being judged or waiting their turn on the way in; the end of the connection waits for them.
  readonly #arriving = createLinkedList<Promise<void>>();

  constructor(inner: Transport, state: GuardState) {
    assertTransport(inner, "what a guard is put on");
    this.#inner = inner;
    this.#state = state;
    this.#inbound = createFlow(state, {
      direction: "receiving",
      initiator: "peer",
      // The frame's own arrival goes on, with what the chain has made of it.
      forward: (frame, at) => void this.#inbox.push(withFrame(at.origin as Arrival, frame)),
      reply: (frame, related) => inner.send(frame, { related }),
    });
    this.#outbound = createFlow(state, {
      direction: "sending",
      initiator: "app",
      forward: (frame, at) => this.#sendOut(frame, at.origin as Route | undefined),
      reply: (frame, related) => void this.#inbox.push({ frame, related, from: this.#peer ?? NOBODY, synthetic: true }),
    });
  }

  get inFlight(): number {
    return this.#state.ledger.size;
  }

  get observed(): ObserverStats {
    return this.#state.shared.observer?.stats() ?? NOTHING_OBSERVED;
  }

  coverage(): Coverage {
    const { options, policy, host } = this.#state.shared;
    return guardCoverage(options.chain, { role: options.role, policy, host });
  }

  send(frame: Frame, route?: Route): Promise<void> {
    if (this.#closed) return Promise.reject(new LocalError("closed", "the transport is closed"));
    this.#pump ??= this.#pull();
    return this.#outbound.accept(frame, waypoint(route?.related, this.#peer, route, false)) ?? DONE;
  }

  async receive(): Promise<Arrival | undefined> {
    this.#pump ??= this.#pull();
    const arrival = await this.#inbox.pull();
    if (arrival === undefined && this.#broken !== undefined && !this.#closed) throw this.#broken;
    return arrival;
  }

  async close(why?: LocalError): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#state.stopAll(why ?? CLOSED);
      this.#inbox.close();
    }
    await this.#inner.close(why);
  }

  // A request that its transport does not take is told to its sender by the rejection, and gets no answer that would end its exchange.
  #sendOut(frame: Frame, route: Route | undefined): Promise<void> {
    const sent = this.#inner.send(frame, route);
    const { message } = frame;
    const { ledger } = this.#state;
    const exchange = isRequest(message) ? ledger.find("app", message.id) : undefined;
    if (exchange === undefined) return sent;
    return sent.catch((thrown: unknown) => {
      ledger.end(exchange);
      throw thrown;
    });
  }

  async #pull(): Promise<void> {
    const { maxQueuedFrames } = this.#state.shared.limits;
    try {
      for (;;) {
        if (this.#inbox.size >= maxQueuedFrames) await this.#inbox.drained(maxQueuedFrames);
        const arrival = await this.#inner.receive();
        if (arrival === undefined || this.#closed) break;
        this.#peer = arrival.from;
        const accepted = this.#inbound.accept(arrival.frame, waypoint(arrival.related, arrival.from, arrival, arrival.synthetic === true));
        if (accepted !== undefined) this.#note(accepted);
      }
    } catch (thrown) {
      this.#broken = thrown instanceof LocalError ? thrown : new LocalError("closed", "the connection broke", { cause: thrown });
    }
    if (this.#arriving.size > 0) await Promise.allSettled(this.#arriving);
    this.#inbox.close();
    // A peer that has ended its side in peace may still read the answers to what it asked: those go on until `close`.
    if (this.#broken !== undefined) this.#state.stopAll(this.#broken);
  }

  #note(accepted: Promise<void>): void {
    const node = this.#arriving.add(accepted);
    // An answer that cannot be sent has nobody left to wait for it.
    const failed = (thrown: unknown) => this.#state.shared.log("warn", `a message was not sent: ${describeError(thrown)}`);
    void accepted.catch(failed).then(() => this.#arriving.remove(node));
  }
}

// Shared, as an error costs a stack, and over HTTP a connection may last for one request.
const CLOSED = new LocalError("closed", "the transport was closed");
// Who answers where nothing has arrived yet.
const NOBODY: PeerContext = { transport: "memory", connection: "unknown" };

// Member by member, see `createHttpSend`. With the frame as its sender wrote it, where this guard or one before has changed it.
function withFrame(origin: Arrival, frame: Frame): Arrival {
  if (frame === origin.frame) return origin;
  return { frame, original: origin.original ?? origin.frame, related: origin.related, from: origin.from, synthetic: origin.synthetic };
}

function waypoint(related: RequestId | undefined, from: PeerContext | undefined, origin: unknown, synthetic: boolean): Waypoint {
  return { related, from, origin, synthetic };
}
