import { LocalError } from "../base/errors.ts";
import { platformSignal, type Host, type PlatformSignal } from "../base/host.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Signal } from "../base/signal.ts";
import type { IncomingRequest } from "../jsonrpc/incoming.ts";
import type { PeerContext } from "../transport/transport.ts";
import type { RequestId } from "../wire/message.ts";
import type { CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ListRootsResult } from "../wire/gen/mcp.ts";
import { elicit, roots, sample, type Asker, type AskOptions } from "./features/server-ask.ts";
import type { SendLog } from "./features/server-logging.ts";
import type { Admission, ClientDescription, Era } from "./lifecycle.ts";

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

/** The context of a server's handlers: the same in both eras. */
export interface ServerContext extends RequestContext {
  /** What the client says of itself: for display, not for decisions about trust. */
  readonly client: ClientDescription;
  /**
   * Asks the client: `await ask(elicit({ … }))`. In a stateless revision the handler stops there (the promise rejects with what
   * `isSuspended` knows; a handler that catches lets it through), and is run again from its start once the client has answered: all that it
   * does before a question happens again, unless it is in `once`, and its questions must come in the same order. Possible while a tool is
   * called, a prompt got, a resource read. Rejects with the `RpcError` -32021 where the client cannot answer, with `refused` where it will not,
   * with `invalid_argument` for what must not be asked, with `unsupported` for a form of question that the client's revision does not have.
   */
  readonly ask: Asker["ask"];
  /** `ask(elicit(params))` */
  readonly elicit: (params: ElicitParams, options?: AskOptions) => Promise<ElicitResult>;
  /** `ask(sample(params))` */
  readonly sample: (params: CreateMessageParams, options?: AskOptions) => Promise<CreateMessageResult>;
  /** `ask(roots())` */
  readonly listRoots: (options?: AskOptions) => Promise<ListRootsResult>;
  /**
   * Does something once for the whole exchange, however often the handler is run again for questions that come later. The value, which is
   * JSON, travels through the client meanwhile: it cannot be changed there, but it can be read.
   */
  readonly once: Asker["once"];
  /**
   * Logs to the client, where it wants that level: a session by `logging/setLevel`, a stateless request by its `_meta`. The server must have
   * announced the capability `logging`, else it throws.
   */
  readonly log: SendLog;
}

/** What is made for a context when it is first used. */
export interface ServerContextParts {
  readonly asker: () => Asker;
  readonly log: () => SendLog;
}

const NO_META: JsonObject = Object.freeze({});

// A class for its getter alone: on an object literal, an accessor costs more than the rest of the context.
class Context implements RequestContext {
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
    this.meta = isObject(request.params["_meta"]) ? request.params["_meta"] : NO_META;
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

// Inherits, for once: getters that are copied would all be read, and hardly any is in any one request.
class ServerSideContext extends Context implements ServerContext {
  readonly #parts: ServerContextParts;

  constructor(host: Host, request: IncomingRequest, era: Era, version: string, client: ClientDescription, parts: ServerContextParts) {
    super(host, request, era, version, client);
    this.#parts = parts;
  }

  get ask(): ServerContext["ask"] {
    return this.#parts.asker().ask;
  }
  get elicit(): ServerContext["elicit"] {
    const { ask } = this.#parts.asker();
    return (params, options) => ask(elicit(params), options);
  }
  get sample(): ServerContext["sample"] {
    const { ask } = this.#parts.asker();
    return (params, options) => ask(sample(params), options);
  }
  get listRoots(): ServerContext["listRoots"] {
    const { ask } = this.#parts.asker();
    return (options) => ask(roots(), options);
  }
  get once(): ServerContext["once"] {
    return this.#parts.asker().once;
  }
  get log(): ServerContext["log"] {
    return this.#parts.log();
  }
}

export function createContext(host: Host, request: IncomingRequest, era: Era, version: string, client: ClientDescription): RequestContext {
  return new Context(host, request, era, version, client);
}

export function createServerContext(
  host: Host,
  request: IncomingRequest,
  { era, version, client }: Pick<Extract<Admission, { kind: "request" }>, "era" | "version" | "client">,
  parts: ServerContextParts,
): ServerContext {
  return new ServerSideContext(host, request, era, version, client, parts);
}

function refuseToAsk(method: string): Promise<never> {
  const reason = "in this revision a server asks by its result, which the context's `ask` does";
  return Promise.reject(new LocalError("unsupported", `${method} cannot be asked: ${reason}`));
}
