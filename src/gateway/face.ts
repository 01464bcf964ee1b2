import { ErrorCode, LocalError, RpcError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import { createLinkedList } from "../core/base/linked-list.ts";
import type { Limits } from "../core/base/limits.ts";
import { OwnSignal, type Signal } from "../core/base/signal.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import { admit, type Versions } from "../core/mcp/lifecycle.ts";
import type { Transport } from "../core/transport/transport.ts";
import { covers, METHODS } from "../core/wire/methods.ts";
import type { ErrorMessage } from "../core/wire/message.ts";
import { progressToken, type CallHooks, type Caller, type Outcome } from "./call.ts";
import { mirrored, serves } from "./capabilities.ts";
import { createHandshakeFace, type HandshakeFace } from "./face-handshake.ts";
import type { StatelessFace } from "./face-stateless.ts";
import { createFramePeer, type FramePeer } from "./frame-peer.ts";
import type { FrameRequest } from "./frame-requests.ts";
import { asOwnError, failureError, gatewayError, ownError } from "./own-errors.ts";
import type { OwedTransport } from "./owed.ts";
import type { Parking } from "./parking.ts";
import type { UpstreamPlan } from "./plan.ts";
import type { Upstream } from "./upstream.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";

/** One downstream connection: the server that its client talks to, in either era or both. */
export interface Face {
  /** Requests that are owed an answer. */
  readonly calls: number;
  /** Whether it has a session, whose client may be asked in the middle of a call. */
  readonly inSession: boolean;
  /** Settles once, after the end, when everything that it held is given back. */
  readonly closed: Promise<void>;
  /** Refuses new requests from now on, and ends streams that would never end by themselves. Settles when nothing is owed. */
  drain(): Promise<void>;
  /** Answers what is still owed with an error, and ends the connection. */
  close(why?: LocalError): Promise<void>;
}

export interface FaceParts {
  readonly upstream: Upstream;
  readonly versions: Versions;
  readonly parking: Parking;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  /** Of all connections: what it serves says who asks. */
  readonly stateless: StatelessFace;
}

/** What a face needs of one connection. */
export interface FaceConnection {
  readonly peer: FramePeer;
  readonly owed: Pick<OwedTransport, "settled" | "onAnswer">;
  /** Aborts when the face drains: what would never end by itself ends. */
  readonly draining: Signal;
}

/** What a face of the handshake era works with. */
export interface FaceCore extends FaceParts, FaceConnection {
  readonly name: string;
  /** Whether others are on the connection to a handshake upstream too, whoever they are. */
  readonly shared: boolean;
}

/** How long a client that has ended its side is still answered. */
const LINGER_MS = 5_000;

/** Whether others are on the connection to a handshake upstream, too. */
export function isShared({ sharing = "session" }: UpstreamPlan): boolean {
  return sharing !== "session";
}

/** Serves one client until either side ends. `transport` is already guarded; `owed` says when the client is owed nothing, by the face or by its guard. */
export function createFace(transport: Transport, owed: FaceConnection["owed"], parts: FaceParts): Face {
  return new OwnFace(transport, owed, parts);
}

// A class, as over HTTP there is one for each stateless request: what most of them do not need is not made.
class OwnFace implements Face {
  readonly closed: Promise<void>;
  readonly #parts: FaceParts;
  readonly #connection: FaceConnection;
  readonly #draining = new OwnSignal();
  readonly #serving = createLinkedList<FrameRequest>();
  #handshake: HandshakeFace | undefined;

  constructor(transport: Transport, owed: FaceConnection["owed"], parts: FaceParts) {
    const { host, limits, log } = parts;
    this.#parts = parts;
    const peer = createFramePeer({
      transport,
      host,
      limits,
      log,
      lingerMs: LINGER_MS,
      onRequest: (request) => this.#onRequest(request),
      onNotification: (frame, message) => this.#handshake?.notified(frame, message),
      onLinger: () => this.#draining.fire(new LocalError("closed", "the client has ended its side")),
    });
    this.#connection = { peer, owed, draining: this.#draining };
    this.closed = peer.closed.then(() => this.#handshake?.end());
  }

  get calls(): number {
    return this.#serving.size;
  }

  get inSession(): boolean {
    return this.#handshake !== undefined;
  }

  async drain(): Promise<void> {
    this.#draining.fire(new LocalError("closed", "the gateway drains"));
    await this.#connection.owed.settled();
  }

  async close(why?: LocalError): Promise<void> {
    this.#draining.fire(why);
    for (const request of this.#serving) request.answer(gatewayError("draining", "The gateway has ended before the answer came", { delivery: "unknown" }));
    await this.#connection.peer.end(why);
    await this.closed;
  }

  #onRequest(request: FrameRequest): void {
    const { log } = this.#parts;
    const node = this.#serving.add(request);
    request.signal.onAbort(() => this.#serving.remove(node));
    if (this.#draining.aborted) return request.answer(gatewayError("draining", "The gateway is about to end; try again", { delivery: "none" }));
    try {
      this.#serve(request).catch((thrown: unknown) => request.answer(answerFor(thrown, log)));
    } catch (thrown) {
      request.answer(answerFor(thrown, log));
    }
  }

  #serve(request: FrameRequest): Promise<void> {
    const { method, params = {} } = request.message;
    const admission = admit(method, params, this.#handshake?.session, this.#parts.versions);
    if (admission.kind === "initialize") return this.#sessions().initialize(request, admission.session);
    if (admission.era === "handshake") return this.#sessions().serve(request);
    const { client, version } = admission;
    // Member by member, as in `createHttpSend`.
    const caller: Caller = { info: client.info, capabilities: client.capabilities, era: "stateless", version, principal: request.from.principal };
    return this.#parts.stateless.serve(request, caller, this.#connection);
  }

  #sessions(): HandshakeFace {
    const { plan } = this.#parts.upstream;
    return (this.#handshake ??= createHandshakeFace({ ...this.#parts, ...this.#connection, name: plan.name, shared: isShared(plan) }));
  }
}

function answerFor(thrown: unknown, log: Log): ErrorMessage {
  if (thrown instanceof RpcError) return asOwnError(thrown);
  if (thrown instanceof LocalError) return failureError(thrown, thrown.details?.["delivery"] === "none" ? "none" : "unknown");
  log({ level: "error", message: "a request could not be served", error: thrown });
  return ownError(ErrorCode.internalError, "Internal error");
}

/** Throws the `RpcError` for a request that this pair of revisions, or this upstream, does not have. Methods that MCP does not know pass. */
export function requireMethod(method: string, caller: Caller, server: ServerDescription, shared: boolean, handled: ReadonlySet<string>): void {
  const known = METHODS.get(method);
  const announced = mirrored(server.capabilities, server.era, caller.era, shared);
  const exists = known === undefined || (covers(known.client, caller.version) && (handled.has(method) || covers(known.client, server.version)));
  if (!exists || !serves(announced, method)) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
}

/** What is told in the exchange of a request: progress, under the token that its sender chose, and the log messages that it wants. */
export function hooksFor({ peer }: Pick<FaceConnection, "peer">, request: FrameRequest, wantsLog: (level: unknown) => boolean): CallHooks {
  const { id, params } = request.message;
  const token = progressToken(params);
  const onNotification: CallHooks["onNotification"] = (frame, message) => {
    if (request.signal.aborted || (message.method === "notifications/message" && !wantsLog(message.params?.["level"]))) return;
    peer.notify(message, frame, id);
  };
  if (token === undefined) return { onNotification };
  return {
    onNotification,
    onProgress(frame, message) {
      if (!request.signal.aborted) peer.notify({ ...message, params: { ...message.params, progressToken: token } }, frame, id);
    },
  };
}

/** Answers with what a call came to. */
export function answerOutcome(request: FrameRequest, outcome: Exclude<Outcome, { kind: "input" }>): void {
  switch (outcome.kind) {
    case "result":
    case "error":
      return request.answer(outcome.message, outcome.source);
    case "failed":
      return request.answer(failureError(outcome.error, outcome.delivery));
    case "cancelled":
      // Where its sender still waits, somebody else has given it up.
      return request.answer(gatewayError("not_asked", "The call was given up", { delivery: "unknown" }));
  }
}
