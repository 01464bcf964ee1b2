import { LocalError, RpcError } from "../core/base/errors.ts";
import type { Host } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import type { Limits } from "../core/base/limits.ts";
import { createSignal, type Signal } from "../core/base/signal.ts";
import type { Log } from "../core/jsonrpc/log.ts";
import type { RequestOptions } from "../core/jsonrpc/outgoing.ts";
import { blamesProbe, findServer, type ServerDescription } from "../core/mcp/connect.ts";
import { resolveVersions, type Era, type Versions } from "../core/mcp/lifecycle.ts";
import type { Arrival, Transport } from "../core/transport/transport.ts";
import type { Frame } from "../core/wire/frame.ts";
import type { Principal } from "../core/wire/gen/interceptors.ts";
import { describeProblem } from "../core/wire/check.ts";
import { checkImplementation, checkServerCapabilities, type Implementation, type SubscriptionFilter } from "../core/wire/gen/mcp.ts";
import { HANDSHAKE_VERSIONS, STATELESS_VERSIONS } from "../core/wire/versions.ts";
import { isErrorResponse, type ErrorMessage, type NotificationMessage } from "../core/wire/message.ts";
import type { Answer, Call, CallHooks, Outcome, Question } from "./call.ts";
import { clientCapabilitiesFor } from "./capabilities.ts";
import { createFramePeer, type FramePeer } from "./frame-peer.ts";
import type { FrameRequest } from "./frame-requests.ts";
import type { NoiseLog } from "./noise-log.ts";
import { createHandshakeLink } from "./upstream-handshake.ts";
import { createStatelessLink } from "./upstream-stateless.ts";

/** What a server has agreed to tell, and the URIs that it refused, with what it said of them. */
export interface Followed {
  readonly agreed: SubscriptionFilter;
  readonly refused: ReadonlyMap<string, ErrorMessage>;
}

/** One connection to an upstream that has been greeted. The eras differ in it alone. */
export interface Link {
  readonly server: ServerDescription;
  /** In flight. */
  readonly calls: number;
  /** Settles once, after the end. */
  readonly closed: Promise<LocalError | undefined>;
  /** Ends with one outcome, whatever happens. Never rejects. */
  call(call: Call, hooks: CallHooks, signal: Signal): Promise<Outcome>;
  /** What is wanted may have changed: settles when the server has been told. Never rejects. */
  refresh(): Promise<Followed>;
  /** A client's notification, such as that its roots have changed. */
  tell(message: NotificationMessage, source: Frame): void;
  close(why?: LocalError): Promise<void>;
}

/** Whoever a link is for: what belongs to no call. */
export interface LinkOwner {
  onNotification(frame: Frame, message: NotificationMessage): void;
  /** Takes questions outside any call. Without it they are refused. */
  ask?(question: Question, signal: Signal): Promise<Answer>;
  /** Everything that somebody wants to hear of, and how much of the log. */
  wanted(): SubscriptionFilter;
  logLevel(): string | undefined;
  /** Changes of what was listened to may have gone unheard. */
  interrupted(): void;
}

/** Who the gateway is to a server that is greeted once for all that follows. */
export interface Identity {
  readonly info: Implementation;
  readonly capabilities: JsonObject;
  /** The handshake revision to ask for. */
  readonly version: string | undefined;
  /** Whose the connection is, where it is one principal's alone. */
  readonly principal?: Principal | undefined;
}

export interface LinkParts {
  readonly owner: LinkOwner;
  readonly identity: Identity;
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  readonly noise: NoiseLog;
  readonly callTimeoutMs: number;
  readonly maxCallMs: number;
}

/** What both kinds of link are made of. */
export interface LinkCore extends LinkParts {
  readonly peer: FramePeer;
  readonly server: ServerDescription;
}

export interface OpenLinkParts extends LinkParts {
  readonly era: Era | undefined;
  readonly startTimeoutMs: number;
  readonly probeTimeoutMs: number;
  connect(renewed: (failure?: LocalError) => void): Transport | Promise<Transport>;
}

/** Handles a link installs once the server is known; until then nothing is expected of it. */
interface Inbound {
  onRequest(request: FrameRequest): void;
  onNotification(frame: Frame, message: NotificationMessage, arrival: Arrival): void;
  /** The session is another one; with a failure: there is none any more. */
  renewed?(failure?: LocalError): void;
}

/**
 * Connects and greets. Rejects with what `connect`, the transport or the greeting says, or with `timeout` once all of it has taken
 * `startTimeoutMs`; what was connected is closed then, or about to be. A server that does not survive the question which era it is of is connected to once
 * more, as one of the older.
 */
export async function openLink(parts: OpenLinkParts): Promise<Link> {
  const versions = versionsFor(parts.era, parts.identity.version);
  const { host, startTimeoutMs } = parts;
  const late = createSignal();
  const cancelTimer = host.setTimer(() => late.abort(new LocalError("timeout", `no greeting within ${startTimeoutMs} ms`)), startTimeoutMs);
  try {
    return await inTime(parts, versions, late.signal);
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error;
  } finally {
    cancelTimer();
  }
}

async function inTime(parts: OpenLinkParts, versions: Versions, late: Signal): Promise<Link> {
  try {
    return await attempt(parts, versions, late);
  } catch (error) {
    if (late.aborted || !blamesProbe(error, versions)) throw error;
    parts.log({ level: "debug", message: "the server did not survive server/discover; it is started anew", error });
    return await attempt(parts, { ...versions, stateless: [] }, late);
  }
}

async function attempt(parts: OpenLinkParts, versions: Versions, late: Signal): Promise<Link> {
  const { host, limits, log, identity, startTimeoutMs, probeTimeoutMs } = parts;
  let inbound: Inbound | undefined;
  const transport = await parts.connect((failure) => inbound?.renewed?.(failure));
  const peer = createFramePeer({
    transport,
    host,
    limits,
    log,
    onRequest(request) {
      if (inbound !== undefined) inbound.onRequest(request);
      else if (request.message.method === "ping") request.answer({ jsonrpc: "2.0", id: request.message.id, result: {} });
      else request.answer(refusal(request, "The client is not ready"));
    },
    onNotification: (frame, message, arrival) => inbound?.onNotification(frame, message, arrival),
  });
  try {
    const server = await findServer({
      peer: greeter(peer, startTimeoutMs),
      log,
      versions,
      clientInfo: identity.info,
      capabilities: (era) => clientCapabilitiesFor(identity.capabilities, "handshake", era),
      probeTimeoutMs,
      signal: late,
    });
    checkDescription(server);
    const core: LinkCore = { ...parts, peer, server };
    const { link, ...handlers } = server.era === "stateless" ? createStatelessLink(core) : createHandshakeLink(core);
    inbound = handlers;
    return link;
  } catch (error) {
    // One that takes its time to end is not waited for longer than it may take to start.
    await Promise.race([peer.close(), aborted(late)]);
    throw error;
  }
}

function aborted(signal: Signal): Promise<void> {
  return new Promise((resolve) => (signal.aborted ? resolve() : void signal.onAbort(() => resolve())));
}

export type BuiltLink = Inbound & { readonly link: Link };

function versionsFor(era: Era | undefined, first: string | undefined): Versions {
  const all = resolveVersions(era === "stateless" ? STATELESS_VERSIONS : era === "handshake" ? HANDSHAKE_VERSIONS : undefined);
  if (first === undefined || !all.handshake.includes(first)) return all;
  return { ...all, handshake: [first, ...all.handshake.filter((version) => version !== first)] };
}

/** What a server says of itself goes on to clients of either era, whose guards pass no other: all of them are told why. */
function checkDescription({ capabilities, info }: ServerDescription): void {
  const problem = checkServerCapabilities(capabilities);
  const wrong = problem === undefined ? undefined : describeProblem(problem, "capabilities");
  const name = info === undefined ? undefined : checkImplementation(info);
  const what = wrong ?? (name === undefined ? undefined : describeProblem(name, "serverInfo"));
  if (what !== undefined) throw new LocalError("invalid_message", `the server's greeting is malformed: ${what}`);
}

/** The part of a `Peer` that a greeting needs. */
function greeter(peer: FramePeer, defaultMs: number) {
  return {
    async request(method: string, params?: JsonObject, { timeoutMs = defaultMs, signal }: RequestOptions = {}): Promise<JsonObject> {
      const source = signal === undefined ? undefined : createSignal(signal);
      try {
        const message = params === undefined ? { method } : { method, params };
        const { frame } = await peer.request({ message, timeoutMs, ...(source === undefined ? {} : { signal: source.signal }) });
        const answer = frame.message;
        if (isErrorResponse(answer)) throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
        // A response that is no error is a result.
        return (answer as { result: JsonObject }).result;
      } finally {
        source?.dispose();
      }
    },
    notify(method: string, params?: JsonObject): Promise<void> {
      peer.notify({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
      return Promise.resolve();
    },
  };
}

function refusal({ message }: FrameRequest, why: string): ErrorMessage {
  return { jsonrpc: "2.0", id: message.id, error: { code: -32603, message: why } };
}
