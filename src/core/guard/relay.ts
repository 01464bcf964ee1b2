import { describeError, ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import { assertTransport } from "../transport/assert-transport.ts";
import type { Arrival, Transport } from "../transport/transport.ts";
import type { Frame } from "../wire/frame.ts";
import { isRequest, type Message, type RequestId } from "../wire/message.ts";
import { errorAnswer } from "./answer.ts";
import { createOpenRequests } from "./open-requests.ts";

/** How long a relay waits for what. */
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

const OPTIONS: OptionTable<RelayOptions> = {
  initializeTimeoutMs: "a positive number",
  requestTimeoutMs: "a positive number",
  maxRequestMs: "a positive number",
  drainMs: "a number",
  log: "a function",
  host: "an object",
  limits: "an object",
};

/** How a relay came to its end: which side ended first, and with what error, if any. */
export interface RelayEnd {
  readonly by: "client" | "server" | "owner";
  readonly error?: LocalError;
}

/** Two transports that are being connected to each other. */
export interface Relay {
  /** Settles when both sides are closed; never rejects. */
  readonly ended: Promise<RelayEnd>;
  /** Ends both sides; requests that wait are answered first. Settles with `ended`. */
  close(): Promise<void>;
}

// What an error says of the request it answers: only one that was never sent may be sent again without asking.
type Delivery = { readonly delivery: "none" | "unknown" };
const NOT_SENT: Delivery = { delivery: "none" };
const MAYBE_SENT: Delivery = { delivery: "unknown" };

/**
 * Carries messages between a client's transport (`down`) and a server's (`up`), unchanged and in order; put a guard on either. Both are the
 * relay's to close.
 *
 * Each request of the client's is answered exactly once, unless the client cancels it: the relay answers where the server ends or
 * stays silent, and an answer that nobody waits for (late, second, to a cancelled request) goes no further. An id is free again with its
 * answer; a second request with an id in flight is refused.
 */
export function relay(down: Transport, up: Transport, options: RelayOptions = {}): Relay {
  assertTransport(down, "the client's side of a relay");
  assertTransport(up, "the server's side of a relay");
  checkOptions(options, "the options of a relay", OPTIONS);
  const host = options.host ?? detectHost();
  const limits = resolveLimits(options.limits);
  const { initializeTimeoutMs = 60_000, requestTimeoutMs = 600_000, maxRequestMs = 3_600_000, drainMs = 5_000 } = options;
  const log = (level: "info" | "warn" | "error", message: string) => options.log?.({ level, message });

  // Sends that no transport has accepted yet. Behind a guard that is also what is being judged.
  let moving = 0;
  // Those among them that are answers and cancellations of the relay's own.
  let own = 0;
  let onStill: (() => void) | undefined;
  const waitingForRoom = new Set<() => void>();
  const moved = () => {
    moving--;
    for (const goOn of waitingForRoom) goOn();
    waitingForRoom.clear();
    if (isIdle()) onStill?.();
  };
  const isIdle = () => moving === 0 && requests.due === 0;

  const send = (to: Transport, message: Message, related?: RequestId) => {
    moving++;
    own++;
    to.send({ message }, related === undefined ? undefined : { related })
      .catch((thrown: unknown) => log("warn", `a message of the relay's own was not sent: ${describeError(thrown)}`))
      .finally(() => {
        own--;
        moved();
      });
  };
  const answer = (id: RequestId, why: string, data?: Delivery, code: number = ErrorCode.internalError) =>
    send(down, errorAnswer(id, new RpcError(code, why, data)), id);

  const requests = createOpenRequests({
    host,
    initializeTimeoutMs,
    requestTimeoutMs,
    maxRequestMs,
    maxRequests: limits.maxPendingRequests,
    expired(id, method, waitedMs) {
      log("error", `the server has not answered ${method} within ${waitedMs} ms`);
      answer(id, `The server did not answer ${method} within ${waitedMs} ms`, MAYBE_SENT);
      if (method !== "initialize") send(up, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason: "timeout" } });
    },
  });

  // Set when the end has begun and what waited has been answered: why nothing is waited for any more.
  let over: string | undefined;

  // Both say whether the frame goes on.
  const goesUp = ({ message }: Frame): boolean => {
    if (isRequest(message)) {
      if (over !== undefined) {
        answer(message.id, over, NOT_SENT);
        return false;
      }
      const refused = requests.open(message);
      if (refused === undefined) return true;
      if (refused === "full") answer(message.id, "Too many requests wait for an answer", NOT_SENT);
      else answer(message.id, `Request id ${JSON.stringify(message.id)} is in flight already; use a new one`, NOT_SENT, ErrorCode.invalidRequest);
      return false;
    }
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) requests.cancel(cancelled);
    return true;
  };
  const goesDown = ({ message }: Frame): boolean => {
    if ("method" in message) {
      if (message.method === "notifications/progress") requests.progress(message.params?.["progressToken"]);
      const ended = cancelledId(message);
      if (ended !== undefined) requests.endSubscription(ended);
      return true;
    }
    // An error without an id answers a message that the server could not read; whose it was is for the client to say.
    if (message.id === undefined || message.id === null || requests.close(message.id)) return true;
    log("warn", `an answer to ${JSON.stringify(message.id)}, which nobody waits for, was dropped`);
    return false;
  };

  // Carries one direction until its source ends. Never waits for one frame before it pulls the next, so that a cancellation gets past a
  // frame that a guard holds; what is on its way is bounded by count and by bytes.
  const carry = async (
    from: Transport,
    to: Transport,
    goesOn: (frame: Frame) => boolean,
    failed: (message: Message, error: LocalError) => void,
  ): Promise<void> => {
    let frames = 0;
    let bytes = 0;
    for (let arrival = await from.receive(); arrival !== undefined; arrival = await from.receive()) {
      const { frame, related }: Arrival = arrival;
      if (goesOn(frame)) {
        const size = frame.text?.length ?? 0;
        frames++;
        moving++;
        bytes += size;
        const release = () => {
          frames--;
          bytes -= size;
          moved();
        };
        to.send(frame, related === undefined ? undefined : { related }).then(release, (thrown: unknown) => {
          failed(frame.message, asLocalError(thrown));
          release();
        });
      }
      while (Math.max(frames, own) >= limits.maxQueuedFrames || bytes > limits.maxQueuedBytes) {
        await new Promise<void>((resolve) => waitingForRoom.add(resolve));
      }
    }
  };

  const notSentUp = (message: Message, error: LocalError) => {
    // The end of the server's side answers what waits, and says more.
    if (error.code === "closed") return;
    log("warn", `a message did not reach the server: ${error.message}`);
    if (isRequest(message) && requests.close(message.id)) answer(message.id, `The request could not be passed on: ${error.message}`, NOT_SENT);
  };
  const notSentDown = (message: Message, error: LocalError) => {
    if (error.code === "closed") return;
    log("warn", `a message did not reach the client: ${error.message}`);
    const why = `could not be passed on: ${error.message}`;
    if (isRequest(message)) {
      send(up, errorAnswer(message.id, new RpcError(ErrorCode.internalError, `The request ${why}`, NOT_SENT)), message.id);
    } else if (!("method" in message) && message.id !== undefined && message.id !== null) {
      answer(message.id, `The answer ${why}`);
    }
  };

  const side = (by: RelayEnd["by"], carried: Promise<void>): Promise<RelayEnd> =>
    carried.then(
      () => ({ by }),
      (thrown: unknown) => {
        const error = asLocalError(thrown);
        log("error", `the ${by}'s side broke: ${error.message}`);
        return { by, error };
      },
    );
  let stop: () => void = () => {};
  const stopped = new Promise<RelayEnd>((resolve) => (stop = () => resolve({ by: "owner" })));
  const fromClient = side("client", carry(down, up, goesUp, notSentUp));
  const fromServer = side("server", carry(up, down, goesDown, notSentDown));

  // Until nothing moves and nobody waits, or one of `others` happens, or the time is up.
  const still = async (...others: readonly Promise<unknown>[]) => {
    if (isIdle()) return;
    let cancelTimer = () => {};
    const late = new Promise<void>((resolve) => (cancelTimer = host.setTimer(resolve, drainMs)));
    await Promise.race([new Promise<void>((resolve) => (onStill = resolve)), late, ...others]);
    onStill = undefined;
    cancelTimer();
  };

  const end = async (): Promise<RelayEnd> => {
    const first = await Promise.race([fromClient, fromServer, stopped]);
    const { by, error } = first;
    let last = first;
    void fromServer.then((serverEnd) => (last = serverEnd));
    const clientReads = by !== "client" || error === undefined;
    // The client has said all it has to say and may still read: let the answers through.
    if (by === "client" && clientReads) await still(fromServer, stopped);
    const why = `${whoEnded(last)} before the answer came`;
    over = whoEnded(last);
    for (const id of requests.closeAll()) if (clientReads) answer(id, why, MAYBE_SENT);
    const upClosed = up.close(error);
    if (clientReads) await still();
    await Promise.all([down.close(error), upClosed]);
    return first;
  };
  const ended = end();
  return {
    ended,
    async close() {
      stop();
      await ended;
    },
  };
}

function cancelledId(message: Message): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

// For the client: no word of what the server wrote, which may be anything.
function whoEnded({ by, error }: RelayEnd): string {
  if (by === "owner") return "The relay was closed";
  if (by === "client") return "The server was ended";
  if (error === undefined) return "The server ended";
  const { code, signal } = error.details ?? {};
  if (typeof code === "number") return `The server exited with code ${code}`;
  return typeof signal === "string" ? `The server was ended by ${signal}` : "The server failed";
}

function asLocalError(thrown: unknown): LocalError {
  return thrown instanceof LocalError ? thrown : new LocalError("closed", describeError(thrown), { cause: thrown });
}
