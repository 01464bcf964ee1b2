import { describeError, ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { isObject, ownMember } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import type { Arrival, Transport } from "../transport/transport.ts";
import { isNotification, isRequest, type Message, type RequestId } from "../wire/message.ts";
import { errorAnswer } from "./answer.ts";
import { paramsOf } from "./routes.ts";

export interface RelayOptions {
  /** Milliseconds that a server may take to answer `initialize`. Default 60,000. */
  readonly initializeTimeoutMs?: number;
  /** Milliseconds without an answer and without progress after which any other request fails. Default 600,000. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds after which a request fails whatever its progress. Default 3,600,000. */
  readonly maxRequestMs?: number;
  /** Milliseconds that answers may still take once the client has ended its side. Default 5,000. */
  readonly drainMs?: number;
  log?(entry: { readonly level: "info" | "warn" | "error"; readonly message: string }): void;
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
}

/** How a relay came to its end: which side ended first, and with what error, if any. */
export interface RelayEnd {
  readonly by: "client" | "server" | "owner";
  readonly error?: LocalError;
}

export interface Relay {
  /** Settles when both sides are closed; never rejects. */
  readonly ended: Promise<RelayEnd>;
  close(): Promise<void>;
}

// A request that went up and has no answer yet.
interface Waiting {
  readonly method: string;
  readonly started: number;
  readonly token: unknown;
  cancelTimer: () => void;
}

// Methods whose answer is not due: the request is open as long as somebody listens.
const LONG_LIVED: ReadonlySet<string> = new Set(["subscriptions/listen"]);

/**
 * Carries messages between a client's transport (`down`) and a server's (`up`), unchanged and in order; put a guard on either.
 * A request is answered in any case: where the server ends or stays silent, the relay does it.
 */
export function relay(down: Transport, up: Transport, options: RelayOptions = {}): Relay {
  const host = options.host ?? detectHost();
  const limits = resolveLimits(options.limits);
  const { initializeTimeoutMs = 60_000, requestTimeoutMs = 600_000, maxRequestMs = 3_600_000, drainMs = 5_000 } = options;
  const log = (level: "info" | "warn" | "error", message: string) => options.log?.({ level, message });
  const waiting = new Map<RequestId, Waiting>();
  let whenIdle: (() => void) | undefined;

  const settle = (id: RequestId) => {
    const entry = waiting.get(id);
    if (entry === undefined) return;
    entry.cancelTimer();
    waiting.delete(id);
    if (waiting.size === 0) whenIdle?.();
  };

  const answer = (id: RequestId, error: RpcError) => {
    settle(id);
    down.send({ message: errorAnswer(id, error) }, { related: id }).catch((thrown: unknown) => log("warn", `an answer was not sent: ${describeError(thrown)}`));
  };

  const arm = (id: RequestId, entry: Waiting) => {
    entry.cancelTimer();
    if (LONG_LIVED.has(entry.method)) return;
    const limit = entry.method === "initialize" ? initializeTimeoutMs : requestTimeoutMs;
    const left = Math.min(limit, entry.started + maxRequestMs - host.now());
    entry.cancelTimer = host.setTimer(() => {
      const seconds = Math.round((host.now() - entry.started) / 1000);
      log("error", `the server has not answered ${entry.method} for ${seconds} s`);
      answer(id, new RpcError(ErrorCode.internalError, `The server did not answer ${entry.method} within ${seconds} s`, { delivery: "unknown" }));
      if (entry.method === "initialize") return;
      const params = { requestId: id, reason: "timeout" };
      up.send({ message: { jsonrpc: "2.0", method: "notifications/cancelled", params } }).catch(() => {});
    }, Math.max(0, left));
  };

  const goingUp = ({ message }: { readonly message: Message }) => {
    if (isRequest(message)) {
      // A second request with an id in flight is refused further on, and must not take over the first one's entry.
      if (waiting.has(message.id)) return;
      const meta = ownMember(paramsOf(message), "_meta");
      const token = isObject(meta) ? ownMember(meta, "progressToken") : undefined;
      const entry: Waiting = { method: message.method, started: host.now(), token, cancelTimer: () => {} };
      waiting.set(message.id, entry);
      arm(message.id, entry);
    } else if (isNotification(message) && message.method === "notifications/cancelled") {
      const id = message.params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") settle(id);
    }
  };

  const goingDown = ({ message }: { readonly message: Message }) => {
    if (!("method" in message)) {
      if (message.id !== undefined && message.id !== null) settle(message.id);
    } else if (message.method === "notifications/progress") {
      const token = message.params?.["progressToken"];
      for (const [id, entry] of waiting) if (token !== undefined && entry.token === token) arm(id, entry);
    }
  };

  // Carries one direction until its source ends. Never waits for one frame before it pulls the next, so that a cancellation gets past a
  // frame that a guard holds; what is on its way is bounded by count and by bytes.
  const carry = async (from: Transport, to: Transport, note: (frame: Arrival["frame"]) => void, failed: (frame: Arrival["frame"], error: LocalError) => void) => {
    let frames = 0;
    let bytes = 0;
    let room: (() => void) | undefined;
    for (let arrival = await from.receive(); arrival !== undefined; arrival = await from.receive()) {
      const { frame, related } = arrival;
      const size = frame.text?.length ?? 0;
      note(frame);
      frames++;
      bytes += size;
      const release = () => {
        frames--;
        bytes -= size;
        room?.();
      };
      to.send(frame, related === undefined ? undefined : { related }).then(release, (thrown: unknown) => {
        failed(frame, thrown instanceof LocalError ? thrown : new LocalError("closed", describeError(thrown)));
        release();
      });
      while (frames >= limits.maxQueuedFrames || bytes > limits.maxQueuedBytes) await new Promise<void>((resolve) => (room = resolve));
    }
  };

  const notSentUp = ({ message }: Arrival["frame"], error: LocalError) => {
    log("warn", `a message did not reach the server: ${error.message}`);
    if (isRequest(message)) answer(message.id, new RpcError(ErrorCode.internalError, `The server could not be reached: ${error.message}`, { delivery: "none" }));
  };
  const notSentDown = ({ message }: Arrival["frame"], error: LocalError) => {
    log("warn", `a message did not reach the client: ${error.message}`);
    // The client still waits; tell it why, in an answer that fits.
    if (error.code !== "closed" && !("method" in message) && message.id !== undefined && message.id !== null) {
      answer(message.id, new RpcError(ErrorCode.internalError, `The answer could not be delivered: ${error.message}`));
    }
  };

  const side = (by: RelayEnd["by"], carried: Promise<void>): Promise<RelayEnd> =>
    carried.then(
      () => ({ by }),
      (thrown: unknown) => ({ by, error: thrown instanceof LocalError ? thrown : new LocalError("closed", describeError(thrown)) }),
    );

  let stop: () => void = () => {};
  const stopped = new Promise<RelayEnd>((resolve) => (stop = () => resolve({ by: "owner" })));
  const fromClient = side("client", carry(down, up, goingUp, notSentUp));
  const fromServer = side("server", carry(up, down, goingDown, notSentDown));

  const ended = (async (): Promise<RelayEnd> => {
    const first = await Promise.race([fromClient, fromServer, stopped]);
    if (first.by === "client" && first.error === undefined && waiting.size > 0) {
      // The client has said all it has to say and may still read: let the answers through.
      let cancelTimer = () => {};
      const idle = new Promise<void>((resolve) => (whenIdle = resolve));
      const late = new Promise<void>((resolve) => (cancelTimer = host.setTimer(resolve, drainMs)));
      await Promise.race([idle, late, fromServer, stopped]);
      cancelTimer();
    }
    if (first.by !== "client") {
      const who = first.by === "owner" ? "The relay was closed" : first.error === undefined ? "The server ended" : "The server failed";
      const why = `${who} before the answer came${first.error === undefined ? "" : `: ${first.error.message}`}`;
      for (const id of [...waiting.keys()]) answer(id, new RpcError(ErrorCode.internalError, why, { delivery: "unknown" }));
    }
    for (const entry of waiting.values()) entry.cancelTimer();
    waiting.clear();
    await Promise.all([down.close(first.error), up.close(first.error)]);
    return first;
  })();

  return {
    ended,
    async close() {
      stop();
      await ended;
    },
  };
}
