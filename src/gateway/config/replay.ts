import { diffJson, type Change } from "../../core/base/json-diff.ts";
import { equalJson } from "../../core/base/json.ts";
import { createQueue } from "../../core/base/queue.ts";
import type { Signal } from "../../core/base/signal.ts";
import { LocalError } from "../../core/base/errors.ts";
import { currentOf } from "../../core/guard/chain-source.ts";
import type { Decision } from "../../core/guard/decision.ts";
import { guardTransport } from "../../core/guard/guard.ts";
import type { Arrival, PeerContext, Transport } from "../../core/transport/transport.ts";
import type { Principal } from "../../core/wire/gen/interceptors.ts";
import { isRequest, type Message } from "../../core/wire/message.ts";
import type { RecordedMessage } from "../recording.ts";
import { FACE_POLICY } from "../served.ts";
import type { BuiltPlan } from "./build.ts";

/**
 * What becomes of a message: it goes on as it is or `changed`, is answered with an error, or vanishes. `unreached`: nobody would have sent it, as its
 * request did not get through. `withheld`: the recording does not have it.
 */
export type Verdict = "passed" | "changed" | "blocked" | "dropped" | "unreached" | "withheld";

export interface Fate {
  readonly verdict: Verdict;
  /** The interceptor that decided, where one did. */
  readonly by?: string;
  readonly reason?: string;
  /** The code of the error that was answered. */
  readonly code?: number;
  /** Of `changed`: where, in the message. */
  readonly changes?: readonly Change[];
  /** What the other side gets; of what was blocked, the error. Holds payloads. */
  readonly message?: Message;
}

/** The face of one upstream of one configuration, for recorded sessions. */
export interface Replayer {
  /** Puts a recorded message through, after those before it. Rejects with the reason of the signal. */
  put(entry: RecordedMessage, message: Message | undefined): Promise<Fate>;
  close(): Promise<void>;
}

export interface ReplayerOptions {
  readonly upstream: string;
  /** Who calls, where the recording does not say. */
  readonly principal?: Principal;
  readonly signal: Signal;
}

/** Replays recorded messages through the guard that a gateway's face has: one for each session of the recording. No upstream is there. */
export function createReplayer(built: BuiltPlan, { upstream, principal, signal }: ReplayerOptions): Replayer {
  const sessions = new Map<string, Session>();
  const plan = built.plan.upstreams.find(({ name }) => name === upstream);
  const close = async () => {
    const open = [...sessions.values()];
    sessions.clear();
    await Promise.all(open.map((session) => session.close()));
  };
  const off = signal.onAbort(() => void close());
  return {
    async put(entry, message) {
      if (signal.aborted) throw signal.reason;
      let session = sessions.get(entry.session);
      if (session === undefined) sessions.set(entry.session, (session = openSession(built, upstream)));
      const who = entry.principal ?? principal;
      // A gateway shows them nothing at all.
      if (plan?.allow?.(who) === false) return entry.from === "client" ? { verdict: "blocked", reason: "not_allowed" } : { verdict: "unreached" };
      const fate = await session.put(entry, message, { transport: "http", connection: entry.session, ...(who === undefined ? {} : { principal: who }) });
      if (signal.aborted) throw signal.reason;
      return fate;
    },
    async close() {
      off();
      await close();
    },
  };
}

interface Session {
  put(entry: RecordedMessage, message: Message | undefined, from: PeerContext): Promise<Fate>;
  close(): Promise<void>;
}

// The guard stands on a transport whose other end is the recording's client, and gives to an upstream that is the recording's server.
function openSession(built: BuiltPlan, upstream: string): Session {
  const arrivals = createQueue<Arrival>();
  let decision: Decision | undefined;
  let sent: Message | undefined;
  let settled = () => {};
  const inner: Transport = {
    async send({ message }) {
      sent = message;
      settled();
    },
    receive: () => arrivals.pull(),
    async close() {
      arrivals.close();
      settled();
    },
  };
  const { context } = built.plan;
  const guard = guardTransport(inner, {
    role: "server",
    chain: currentOf(built.plan.chain(upstream)),
    policy: { ...FACE_POLICY, ...built.plan.policy },
    ...(context === undefined ? {} : { context: (exchange) => context(exchange, upstream) }),
    record(made) {
      decision = made;
      // Of these nothing else comes.
      if (made.verdict === "dropped") settled();
    },
  });
  // Requests that did not get through: nobody answers them.
  const stopped = new Set<string>();
  let pulling: Promise<Arrival | undefined> | undefined;
  const pull = async () => {
    const arrival = await (pulling ??= guard.receive());
    pulling = undefined;
    return arrival?.frame.message;
  };

  const fromClient = async (message: Message, from: PeerContext): Promise<Message | undefined> => {
    const stop = new Promise<void>((resolve) => (settled = resolve));
    arrivals.push({ frame: { message }, from });
    pulling ??= guard.receive();
    // It goes on, is answered, or vanishes.
    const passed = await Promise.race([pulling.then(() => true), stop.then(() => false)]);
    return passed ? pull() : sent;
  };
  const fromServer = async (message: Message): Promise<Message | undefined> => {
    await guard.send({ message });
    return sent ?? (isRequest(message) ? pull() : undefined);
  };

  return {
    async put(entry, message, from) {
      const key = JSON.stringify([entry.from, entry.id]);
      if (entry.kind === "response" && stopped.delete(JSON.stringify([entry.from === "client" ? "server" : "client", entry.id]))) return { verdict: "unreached" };
      if (message === undefined) {
        if (entry.kind === "request") stopped.add(key);
        return { verdict: "withheld" };
      }
      decision = undefined;
      sent = undefined;
      const final = await (entry.from === "client" ? fromClient(message, from) : fromServer(message));
      const fate = fateOf(decision, message, final);
      if (entry.kind === "request" && (fate.verdict === "blocked" || fate.verdict === "dropped")) stopped.add(key);
      return fate;
    },
    close: () => guard.close(new LocalError("closed", "the replay has ended")),
  };
}

// Without a decision nobody has looked at it.
function fateOf(decision: Decision | undefined, before: Message, final: Message | undefined): Fate {
  const { verdict, by, reason, code, changes } = decision ?? {};
  return {
    verdict: verdict ?? (final === undefined ? "dropped" : equalJson(contentOf(before), contentOf(final)) ? "passed" : "changed"),
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
    ...(code === undefined ? {} : { code }),
    ...(changes === undefined ? {} : { changes }),
    ...(final === undefined ? {} : { message: final }),
  };
}

export interface Comparison {
  readonly agree: boolean;
  /** Where the two messages differ, if both go on: pointers into them, as in `changes`. */
  readonly differences: readonly Change[];
}

/**
 * Compares two fates of a message by what the other side gets. What one of them never reached, or what is withheld, is no difference of its own: its request
 * was one already, if it is one.
 */
export function compareFates(left: Fate, right: Fate): Comparison {
  const unseen = [left, right].some(({ verdict }) => verdict === "unreached" || verdict === "withheld");
  if (unseen) return { agree: true, differences: [] };
  const [before, after] = [contentOf(left.message), contentOf(right.message)];
  const stops = ({ verdict }: Fate) => verdict === "blocked" || verdict === "dropped";
  if (stops(left) !== stops(right)) return { agree: false, differences: [] };
  const agree = equalJson(before, after);
  return { agree, differences: agree || stops(left) ? [] : diffJson(before, after) };
}

// What of a message is not its envelope.
function contentOf(message: Message | undefined): unknown {
  if (message === undefined) return {};
  if ("method" in message) return message.params === undefined ? {} : { params: message.params };
  return "result" in message ? { result: message.result } : { error: message.error };
}
