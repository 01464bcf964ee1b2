import { ErrorCode, LocalError, RpcError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { Limits } from "../core/base/limits.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import { admit, type Versions } from "../core/mcp/lifecycle.ts";
import type { Transport } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { covers, METHODS } from "../core/wire/methods.ts";
import type { ErrorMessage, NotificationMessage } from "../core/wire/message.ts";
import { progressToken, type CallHooks, type Caller, type Outcome } from "./call.ts";
import { mirrored, serves } from "./capabilities.ts";
import { createHandshakeFace, type HandshakeFace } from "./face-handshake.ts";
import { createStatelessFace, type StatelessFace } from "./face-stateless.ts";
import { createFramePeer, type FramePeer } from "./frame-peer.ts";
import type { FrameRequest } from "./frame-requests.ts";
import { asOwnError, failureError, gatewayError, ownError } from "./own-errors.ts";
import type { Parking } from "./parking.ts";
import type { Upstream } from "./upstream.ts";
import type { ServerDescription } from "../core/mcp/connect.ts";

/** One downstream connection: the server that its client talks to, in either era or both. */
export interface Face {
  /** Requests that are owed an answer. */
  readonly calls: number;
  /** Settles once, after the end, when everything that it held is given back. */
  readonly closed: Promise<void>;
  /** Refuses new requests from now on, and ends streams that would never end by themselves. Settles when nothing is owed. */
  drain(): Promise<void>;
  /** Answers what is still owed with an error, and ends the connection. */
  close(why?: LocalError): Promise<void>;
}

export interface FaceParts {
  /** Already guarded. */
  readonly transport: Transport;
  /** Settles when the client is owed nothing, by the face or by its guard. */
  settled(): Promise<void>;
  readonly upstream: Upstream;
  readonly versions: Versions;
  readonly parking: Parking;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  /** Whether another caller might get something else for the same request, or nothing: then nobody may keep the answer for others. */
  varies(method: string, principal: Principal | undefined): boolean;
}

/** What both eras of a face work with. */
export interface FaceCore extends FaceParts {
  readonly peer: FramePeer;
  readonly name: string;
  /** Whether others are on the connection to a handshake upstream too, whoever they are. */
  readonly shared: boolean;
  /** Aborts when the face drains: what would never end by itself ends. */
  readonly draining: Signal;
}

/** How long a client that has ended its side is still answered. */
const LINGER_MS = 5_000;

/** Serves one client until either side ends. */
export function createFace(parts: FaceParts): Face {
  const { transport, upstream, versions, host, limits, log } = parts;
  const draining = createSignal();
  const owed = new Set<FrameRequest>();

  const onRequest = (request: FrameRequest) => {
    owed.add(request);
    request.signal.onAbort(() => owed.delete(request));
    const { method, params = {} } = request.message;
    if (draining.signal.aborted) return request.answer(gatewayError("draining", "The gateway is about to end; try again", { delivery: "none" }));
    try {
      const admission = admit(method, params, handshake?.session, versions);
      const served =
        admission.kind === "initialize" ? sessions().initialize(request, admission.session)
        : admission.era === "handshake" ? sessions().serve(request)
        : posts().serve(request, { ...admission.client, era: "stateless", version: admission.version, principal: request.from.principal });
      served.catch((thrown: unknown) => request.answer(answerFor(thrown, log)));
    } catch (thrown) {
      request.answer(answerFor(thrown, log));
    }
  };

  const peer = createFramePeer({
    transport,
    host,
    limits,
    log,
    lingerMs: LINGER_MS,
    onRequest,
    onNotification: (frame: Frame, message: NotificationMessage) => handshake?.notified(frame, message),
  });
  const core: FaceCore = { ...parts, peer, name: upstream.plan.name, shared: (upstream.plan.sharing ?? "session") !== "session", draining: draining.signal };
  // Most connections are one stateless request: what they do not need is not made.
  let handshake: HandshakeFace | undefined;
  let stateless: StatelessFace | undefined;
  const sessions = () => (handshake ??= createHandshakeFace(core));
  const posts = () => (stateless ??= createStatelessFace(core));
  const closed = peer.closed.then(() => handshake?.end());

  return {
    get calls() {
      return owed.size;
    },
    closed,
    async drain() {
      draining.abort(new LocalError("closed", "the gateway drains"));
      await parts.settled();
    },
    async close(why) {
      draining.abort(why);
      for (const request of [...owed]) request.answer(gatewayError("draining", "The gateway has ended before the answer came", { delivery: "unknown" }));
      await peer.end(why);
      await closed;
    },
  };
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
export function hooksFor({ peer }: Pick<FaceCore, "peer">, request: FrameRequest, wantsLog: (level: unknown) => boolean): CallHooks {
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
