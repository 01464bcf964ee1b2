import { describeError, LocalError } from "../base/errors.ts";
import { createQueue } from "../base/queue.ts";
import type { Coverage } from "../chain/coverage.ts";
import { NOTHING_OBSERVED, type ObserverStats } from "../chain/observer.ts";
import { DONE } from "../transport/inbox.ts";
import type { Arrival, PeerContext, Route, Transport } from "../transport/transport.ts";
import type { Frame } from "../wire/frame.ts";
import { isRequest, type RequestId } from "../wire/message.ts";
import { guardCoverage } from "./coverage.ts";
import { createFlow } from "./flow.ts";
import type { GuardOptions } from "./options.ts";
import { createGuardState } from "./state.ts";
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
  const state = createGuardState(options, toolSchemas);
  const inbox = createQueue<Arrival>();
  let peer: PeerContext | undefined;
  let pump: Promise<void> | undefined;
  // Set when the connection broke: what `receive` rejects with once the inbox is empty.
  let broken: LocalError | undefined;
  let closed = false;
  // Frames being judged or waiting their turn on the way in; the end of the connection waits for them.
  const arriving = new Set<Promise<void>>();

  const inbound = createFlow(state, {
    direction: "receiving",
    initiator: "peer",
    // The frame's own arrival goes on, with what the chain has made of it.
    forward(frame, at) {
      const origin = at.origin as Arrival;
      inbox.push(frame === origin.frame ? origin : { original: origin.frame, ...origin, frame });
    },
    reply: (frame, related) => inner.send(frame, { related }),
  });
  const outbound = createFlow(state, {
    direction: "sending",
    initiator: "app",
    forward: (frame, at) => sendOut(frame, at.origin as Route | undefined),
    reply: (frame, related) => void inbox.push({ frame, related, from: peer ?? NOBODY, synthetic: true }),
  });

  // A request that its transport does not take is told to its sender by the rejection, and gets no answer that would end its exchange.
  const sendOut = (frame: Frame, route: Route | undefined): Promise<void> => {
    const sent = inner.send(frame, route);
    const { message } = frame;
    const exchange = isRequest(message) ? state.ledger.find("app", message.id) : undefined;
    if (exchange === undefined) return sent;
    return sent.catch((thrown: unknown) => {
      state.ledger.end(exchange);
      throw thrown;
    });
  };

  // An answer that cannot be sent has nobody left to wait for it.
  const quietly = (sent: Promise<void>) => sent.catch((thrown: unknown) => state.log("warn", `a message was not sent: ${describeError(thrown)}`));

  const pull = async (): Promise<void> => {
    try {
      for (;;) {
        if (inbox.size >= state.limits.maxQueuedFrames) await inbox.drained(state.limits.maxQueuedFrames);
        const arrival = await inner.receive();
        if (arrival === undefined || closed) break;
        peer = arrival.from;
        const accepted = inbound.accept(arrival.frame, waypoint(arrival.related, arrival.from, arrival, arrival.synthetic === true));
        if (accepted === undefined) continue;
        arriving.add(accepted);
        void quietly(accepted).then(() => arriving.delete(accepted));
      }
    } catch (thrown) {
      broken = thrown instanceof LocalError ? thrown : new LocalError("closed", "the connection broke", { cause: thrown });
    }
    await Promise.allSettled(arriving);
    inbox.close();
    // A peer that has ended its side in peace may still read the answers to what it asked: those go on until `close`.
    if (broken !== undefined) state.stopAll(broken);
  };

  return {
    get inFlight() {
      return state.ledger.size;
    },
    get observed() {
      return state.observer?.stats() ?? NOTHING_OBSERVED;
    },
    coverage: () => guardCoverage(options.chain, { role: options.role, policy: state.policy, host: state.host }),
    send(frame, route) {
      if (closed) return Promise.reject(new LocalError("closed", "the transport is closed"));
      pump ??= pull();
      return outbound.accept(frame, waypoint(route?.related, peer, route, false)) ?? DONE;
    },
    async receive() {
      pump ??= pull();
      const arrival = await inbox.pull();
      if (arrival === undefined && broken !== undefined && !closed) throw broken;
      return arrival;
    },
    async close(why) {
      if (!closed) {
        closed = true;
        state.stopAll(why ?? CLOSED);
        inbox.close();
      }
      await inner.close(why);
    },
  };
}

// Shared, as an error costs a stack, and over HTTP a connection may last for one request.
const CLOSED = new LocalError("closed", "the transport was closed");
// Who answers where nothing has arrived yet.
const NOBODY: PeerContext = { transport: "memory", connection: "unknown" };

function waypoint(related: RequestId | undefined, from: PeerContext | undefined, origin: unknown, synthetic: boolean): Waypoint {
  return { related, from, origin, synthetic };
}
