import { LocalError } from "../base/errors.ts";
import { platformSignal, type Host, type PlatformSignal } from "../base/host.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Signal } from "../base/signal.ts";
import type { IncomingRequest } from "../jsonrpc/incoming.ts";
import type { PeerContext } from "../transport/transport.ts";
import type { RequestId } from "../wire/message.ts";
import type { ClientDescription, Era } from "./lifecycle.ts";

/** What a handler may know of the request that it answers, and do while it does. Its functions may be taken apart from it. */
export interface RequestContext {
  readonly id: RequestId;
  readonly method: string;
  readonly era: Era;
  readonly protocolVersion: string;
  /** The peer, as the transport knows it: verified, unlike anything in a message. */
  readonly from: PeerContext;
  /** `_meta` of the request; `{}` where there is none. */
  readonly meta: JsonObject;
  /** The platform's `AbortSignal`, made when it is first read: aborts on cancellation, on the connection's end, and after the answer. */
  readonly signal: PlatformSignal;
  /** The same as a signal of the library's own, which costs nothing. */
  readonly coreSignal: Signal;
  readonly notify: IncomingRequest["notify"];
  /** Asks the peer something in this exchange. Rejects with `unsupported` in a stateless revision, in which servers ask by their result. */
  readonly request: IncomingRequest["request"];
  readonly reportProgress: IncomingRequest["reportProgress"];
}

/** The context of a server's handlers. */
export interface ServerContext extends RequestContext {
  /** What the client says of itself: for display, not for decisions about trust. */
  readonly client: ClientDescription;
}

const NO_META: JsonObject = Object.freeze({});

// A class for its getter alone: on an object literal, an accessor costs more than the rest of the context.
class Context implements ServerContext {
  readonly id;
  readonly method;
  readonly from;
  readonly meta: JsonObject;
  readonly coreSignal;
  readonly notify;
  readonly request;
  readonly reportProgress;
  readonly era;
  readonly protocolVersion;
  readonly client;
  readonly #host;
  #signal: PlatformSignal | undefined;

  constructor(host: Host, request: IncomingRequest, era: Era, protocolVersion: string, client: ClientDescription) {
    this.id = request.id;
    this.method = request.method;
    this.from = request.from;
    this.meta = isObject(request.params._meta) ? request.params._meta : NO_META;
    this.coreSignal = request.signal;
    this.notify = request.notify;
    this.request = era === "stateless" ? refuseToAsk : request.request;
    this.reportProgress = request.reportProgress;
    this.era = era;
    this.protocolVersion = protocolVersion;
    this.client = client;
    this.#host = host;
  }

  get signal(): PlatformSignal {
    return (this.#signal ??= platformSignal(this.coreSignal, this.#host));
  }
}

export function createContext(host: Host, request: IncomingRequest, era: Era, version: string, client: ClientDescription): ServerContext {
  return new Context(host, request, era, version, client);
}

function refuseToAsk(method: string): Promise<never> {
  const reason = "in this revision a server asks by an input_required result";
  return Promise.reject(new LocalError("unsupported", `${method} cannot be asked: ${reason}`));
}
