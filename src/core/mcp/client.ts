import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson, type JsonObject } from "../base/json.ts";
import type { Signal, SignalLike } from "../base/signal.ts";
import type { IncomingRequest } from "../jsonrpc/incoming.ts";
import type { IncomingNotification, Middleware, OutgoingMiddleware, Peer } from "../jsonrpc/peer.ts";
import type { Transport } from "../transport/transport.ts";
import type {
  CallToolParams,
  CallToolResult,
  ClientCapabilities,
  CompleteParams,
  CompleteResult,
  GetPromptParams,
  GetPromptResult,
  Implementation,
  LoggingLevel,
  LogMessageParams,
  Prompt,
  ReadResourceParams,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Root,
  ServerCapabilities,
  Tool,
} from "../wire/gen/mcp.ts";
import { checkClientOptions, requireLevel, type ClientCallOptions, type ConnectOptions, type McpClientOptions } from "./client-options.ts";
import { createClientTools } from "./client-tools.ts";
import { blamesProbe, findServer, requestMeta } from "./connect.ts";
import { createContext, type RequestContext } from "./context.ts";
import {
  capabilitiesOf,
  createEndpoint,
  joinCapabilities,
  schemaCompiler,
  type ExtensionSettings,
  type MethodHandler,
  type NotificationHandler,
  type TransportWrapper,
} from "./endpoint.ts";
import { createAskedMethods, type AskedMethod } from "./features/client-asked.ts";
import { createClientCalls } from "./features/client-calls.ts";
import { answerElicitation, type ElicitationHandler, type ElicitationOptions } from "./features/client-elicitation.ts";
import { createNotices, type ListKind } from "./features/client-notices.ts";
import { answerRoots, type RootsHandler } from "./features/client-roots.ts";
import { answerSampling, type SamplingHandler, type SamplingOptions } from "./features/client-sampling.ts";
import { createClientSession, type ClientSession } from "./features/client-session.ts";
import { isImplementation, resolveVersions, type Era, type Versions } from "./lifecycle.ts";

export type { ClientCallOptions, ConnectOptions, McpClientOptions } from "./client-options.ts";

interface Connection {
  readonly peer: Peer;
  /** Absent until the server is known. */
  session: ClientSession | undefined;
}

const CAPABILITIES = [
  ["sampling/", "sampling"],
  ["elicitation/", "elicitation"],
  ["roots/", "roots"],
] as const;

/**
 * An MCP client: one connection at a time, to a server of either era, with one API for both. Requests reject with an `RpcError` (the
 * server's error) or a `LocalError`: `closed`, `timeout`, `aborted`, `limit_exceeded`, `unsupported` (no common revision; something the
 * server has not announced; input wanted that nothing answers), `invalid_message` (a malformed result).
 */
export class McpClient {
  readonly info: Implementation;
  readonly #options;
  readonly #versions;
  readonly #endpoint;
  readonly #asked = createAskedMethods();
  readonly #notices;
  readonly #calls;
  readonly #tools;
  readonly #policy;
  #connection: Connection | undefined;
  /** Counts what decides who owns the connection, so that an attempt sees when it has been overtaken. */
  #turn = 0;
  #connecting = false;
  #closed: Promise<LocalError | undefined> = Promise.resolve(undefined);

  constructor(info: Implementation, options: McpClientOptions = {}) {
    if (!isImplementation(info)) throw new LocalError("invalid_argument", "a client needs a name and a version");
    checkClientOptions(options);
    const { era = "auto" } = options;
    const { handshake, stateless, all } = resolveVersions(options.versions);
    this.info = cloneJson(info);
    this.#options = options;
    this.#versions = { handshake: era === "stateless" ? [] : handshake, stateless: era === "handshake" ? [] : stateless, all };
    if (this.#versions.handshake.length + this.#versions.stateless.length === 0) {
      throw new LocalError("invalid_argument", `none of the versions is of the era ${era}`);
    }
    const { maxInputRounds = 10, inputTimeoutMs = 3_600_000, inputInOrder = false, checkCapabilities = true } = options;
    if (!(Number.isSafeInteger(maxInputRounds) && maxInputRounds >= 1 && inputTimeoutMs > 0)) {
      throw new LocalError("invalid_argument", "maxInputRounds is a positive integer, and inputTimeoutMs a positive number of milliseconds");
    }
    if (options.logLevel !== undefined) requireLevel(options.logLevel);
    this.#policy = { maxRounds: maxInputRounds, totalMs: inputTimeoutMs, inOrder: inputInOrder, resultTypes: new Set(options.resultTypes) };
    this.#endpoint = createEndpoint<RequestContext>(options);
    const { log, limits } = this.#endpoint;
    this.#notices = createNotices(log, limits.maxIncomingRequests, () => this.#connection?.session?.refresh());
    this.#calls = createClientCalls({ maxPages: limits.maxPages, checkCapabilities, session: () => this.#session() });
    this.#tools = createClientTools({ log, compile: options.compileSchema ?? schemaCompiler(limits), calls: this.#calls });
  }

  /** Whether there is a connection, or one is being made. */
  get connected(): boolean {
    return this.#connection !== undefined || this.#connecting;
  }

  /** The revision in use, once connected. */
  get protocolVersion(): string | undefined {
    return this.#connection?.session?.server.version;
  }
  get era(): Era | undefined {
    return this.#connection?.session?.server.era;
  }
  /** For display: nobody has verified it. A stateless server need not say it. */
  get serverInfo(): Implementation | undefined {
    return this.#connection?.session?.server.info;
  }
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#connection?.session?.server.capabilities;
  }
  get instructions(): string | undefined {
    return this.#connection?.session?.server.instructions;
  }
  /** Settles at the end of the last connection that was made; at once where there was none. */
  get closed(): Promise<LocalError | undefined> {
    return this.#closed;
  }

  /** Answers a request that the server sends. One of a stateless revision sends none; what it sends nevertheless is dropped. */
  method(name: string, handler: MethodHandler<RequestContext>): this {
    if (name === "ping" || this.#asked.get(name) !== undefined) throw new LocalError("conflict", `${name} is answered already`);
    this.#endpoint.method(name, handler);
    return this;
  }

  notification(name: string, handler: NotificationHandler): this {
    this.#endpoint.notification(name, handler);
    return this;
  }

  /** Announces an extension under `capabilities.extensions`, in both eras. */
  extension(id: string, settings: ExtensionSettings = {}): this {
    this.#endpoint.extension(id, settings);
    return this;
  }

  /** Wraps the handling of the server's requests, on connections made from now on. */
  use(middleware: Middleware): this {
    this.#endpoint.use(middleware);
    return this;
  }

  /** Wraps what the client asks, the lifecycle included, on connections made from now on. */
  useOutgoing(middleware: OutgoingMiddleware): this {
    this.#endpoint.useOutgoing(middleware);
    return this;
  }

  /** Wraps the transport of each connection made from now on; the last wrapper is next to the client. */
  wrapTransport(wrapper: TransportWrapper): this {
    this.#endpoint.wrapTransport(wrapper);
    return this;
  }

  /** Answers `sampling/createMessage`. Like the two below, register it before connecting: a handshake announces it once. */
  onSampling(handler: SamplingHandler, options: SamplingOptions = {}): this {
    return this.#answers(answerSampling(handler, options));
  }

  /** Answers `elicitation/create`; forms alone by default. An accepted form is held to its schema before it is sent. */
  onElicitation(handler: ElicitationHandler, options: ElicitationOptions = {}): this {
    return this.#answers(answerElicitation(handler, options, (id) => this.#notices.expectElicitation(id)));
  }

  /** Answers `roots/list` from a list, or from what a handler gives each time. */
  onRoots(roots: readonly Root[] | RootsHandler): this {
    return this.#answers(answerRoots(roots));
  }

  /** Tells the server to ask for the roots again. In a stateless revision it does so anyway, and nothing is sent. */
  async rootsChanged(): Promise<void> {
    const { server } = this.#session();
    if (server.era === "handshake") await this.notify("notifications/roots/list_changed");
  }

  /** Calls back when a list has changed; returns what ends that. A stateless server is asked for it by `subscriptions/listen`. */
  onListChanged(kind: ListKind, listener: () => unknown): () => void {
    return this.#notices.onListChanged(kind, listener);
  }

  /** Calls back with the URI of a resource that has changed, see `subscribeResource`; returns what ends that. */
  onResourceUpdated(listener: (uri: string) => unknown): () => void {
    return this.#notices.onResourceUpdated(listener);
  }

  /** Calls back with the server's log messages; `logLevel` and `setLogLevel` ask for them. Returns what ends that. */
  onLog(listener: (message: LogMessageParams) => unknown): () => void {
    return this.#notices.onLog(listener);
  }

  /** Calls back with the name of each notification, whoever else handles it. Returns what ends that. */
  onNotification(listener: (method: string) => unknown): () => void {
    return this.#notices.onNotification(listener);
  }

  /** Calls back when the user is done with a page that was opened for the server, where it tells (2025-11-25). Returns what ends that. */
  onElicitationComplete(listener: (elicitationId: string) => unknown): () => void {
    return this.#notices.onElicitationComplete(listener);
  }

  /** Settles once requests can be made. Closes the transport where it rejects. A client that is connected refuses with `conflict`. */
  async connect(transport: Transport, { signal, reconnect }: ConnectOptions = {}): Promise<void> {
    if (this.#connection !== undefined || this.#connecting) throw new LocalError("conflict", "the client is connected; close it first");
    const turn = ++this.#turn;
    this.#connecting = true;
    try {
      await this.#attempt(transport, this.#versions, signal).catch(async (error: unknown) => {
        if (reconnect === undefined || turn !== this.#turn || !blamesProbe(error, this.#versions)) throw error;
        this.#endpoint.log({ level: "debug", message: "the server did not survive server/discover; it is started anew", error });
        const again = await reconnect();
        if (turn === this.#turn) return await this.#attempt(again, { ...this.#versions, stateless: [] }, signal);
        await again.close();
        throw error;
      });
    } finally {
      this.#connecting = false;
    }
  }

  async #attempt(transport: Transport, versions: Versions, signal: Signal | SignalLike | undefined): Promise<void> {
    const { host, limits, log } = this.#endpoint;
    let dropped = false;
    const peer = this.#endpoint.open(transport, {
      handler: (request) => this.#answer(request),
      // A stateless server asks by its results, and a client writes no responses (2026-07-28, basic/transports/stdio).
      drops: (method) => {
        if (connection.session?.server.era !== "stateless") return false;
        const message = "the server sent a request, which this revision does not have; it is dropped, as is any after it";
        if (!dropped) log({ level: "warning", message, details: { method } });
        return (dropped = true);
      },
      onNotification: (notification) => this.#notified(notification),
    });
    const connection: Connection = { peer, session: undefined };
    this.#connection = connection;
    this.#closed = peer.closed;
    void peer.closed.then(() => (this.#connection = undefined));
    const { probeTimeoutMs = 5_000, requestTimeoutMs = 60_000, logLevel, cache = true, principal = () => "" } = this.#options;
    const capabilities = (era: Era) => this.#capabilities(era);
    try {
      const parts = { peer, log, versions, clientInfo: this.info, capabilities, probeTimeoutMs, ...(signal === undefined ? {} : { signal }) };
      const server = await findServer(parts);
      connection.session = createClientSession({
        peer,
        server,
        host,
        limits,
        log,
        asked: this.#asked,
        notices: this.#notices,
        policy: this.#policy,
        requestTimeoutMs,
        logLevel,
        principal: cache ? principal : undefined,
        meta: (version) => requestMeta(version, this.info, capabilities("stateless")),
      });
    } catch (error) {
      await peer.close();
      throw error;
    }
  }

  /**
   * The final result of any request, as it came. In a stateless revision the request carries what the server must know of us, and what it
   * asks for on the way is answered by the handlers of `onSampling`, `onElicitation` and `onRoots`.
   */
  async request(method: string, params?: JsonObject, options: ClientCallOptions = {}): Promise<JsonObject> {
    return (await this.#session().request(method, params, options)).result;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    this.#session();
    await this.#connection?.peer.notify(method, params);
  }

  /** All tools, from all pages. A cursor that repeats, and more pages than `maxPages`, end it with an error; so with all lists. */
  listTools(options: ClientCallOptions = {}): Promise<Tool[]> {
    return this.#tools.list(options);
  }

  /**
   * Calls a tool. A failure that the tool reports is a result with `isError`; structured content is held to the schema last listed. A call
   * that is to become a task (2025-11-25) goes by `request`, as its result is another.
   */
  callTool(params: CallToolParams, options: ClientCallOptions = {}): Promise<CallToolResult> {
    return this.#tools.call(params, options);
  }

  listPrompts(options: ClientCallOptions = {}): Promise<Prompt[]> {
    return this.#calls.drain("prompts/list", "prompts", options);
  }

  getPrompt(params: GetPromptParams, options: ClientCallOptions = {}): Promise<GetPromptResult> {
    return this.#calls.call("prompts/get", params, options);
  }

  listResources(options: ClientCallOptions = {}): Promise<Resource[]> {
    return this.#calls.drain("resources/list", "resources", options);
  }

  listResourceTemplates(options: ClientCallOptions = {}): Promise<ResourceTemplate[]> {
    return this.#calls.drain("resources/templates/list", "resourceTemplates", options);
  }

  readResource(params: ReadResourceParams, options: ClientCallOptions = {}): Promise<ReadResourceResult> {
    return this.#calls.call("resources/read", params, options);
  }

  /** Values that would fit an argument of a prompt, or a variable of a resource template. */
  complete(params: CompleteParams, options: ClientCallOptions = {}): Promise<CompleteResult> {
    return this.#calls.call("completion/complete", params, options);
  }

  /** Asks for log messages from this level on: of the connection, or in a stateless revision of all requests from now on. */
  async setLogLevel(level: LoggingLevel, options: ClientCallOptions = {}): Promise<void> {
    requireLevel(level);
    await this.#calls.session("logging/setLevel").setLogLevel(level, options);
  }

  /** Asks to be told of updates of a resource, on this connection. Settles once the server has agreed; if it does not, `unsupported`. */
  async subscribeResource(uri: string, options: ClientCallOptions = {}): Promise<void> {
    await this.#calls.session("resources/subscribe").subscribeResource(uri, options);
  }

  async unsubscribeResource(uri: string, options: ClientCallOptions = {}): Promise<void> {
    await this.#calls.session("resources/unsubscribe").unsubscribeResource(uri, options);
  }

  /** Whether the server answers: `ping`, and in the stateless revisions, which have none, `server/discover`. */
  async ping(options?: ClientCallOptions): Promise<void> {
    await this.request(this.era === "stateless" ? "server/discover" : "ping", undefined, options);
  }

  /** Ends the connection, if there is one. The client may connect again. */
  async close(why?: LocalError): Promise<void> {
    this.#turn++;
    await this.#connection?.peer.close(why);
  }

  #session(): ClientSession {
    const session = this.#connection?.session;
    if (session === undefined) throw new LocalError("closed", "the client is not connected", { details: { delivery: "none" } });
    return session;
  }

  #answers(asked: AskedMethod): this {
    if (this.#endpoint.methods.has(asked.method)) throw new LocalError("conflict", `${asked.method} has a handler already`);
    this.#asked.add(asked);
    this.#connection?.session?.refresh();
    return this;
  }

  #answer(request: IncomingRequest): unknown {
    const { method, params } = request;
    if (method === "ping") return {};
    const { era = "handshake", version = "" } = this.#connection?.session?.server ?? {};
    const context = createContext(this.#endpoint.host, request, era, version, NOBODY);
    const handler = this.#endpoint.methods.get(method);
    if (handler !== undefined) return handler(params, context);
    const asked = this.#asked.get(method);
    if (asked === undefined) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
    return asked.answer(params, context);
  }

  #notified(notification: IncomingNotification): unknown {
    const { method, params } = notification;
    if (method === "notifications/tools/list_changed") this.#tools.forget();
    this.#notices.heard(method);
    const { session } = this.#connection ?? {};
    if (session === undefined) this.#notices.dispatch(method, params);
    else session.notified(notification);
    return this.#endpoint.notifications.get(method)?.(params, notification);
  }

  #capabilities(era: Era): ClientCapabilities {
    // Handlers of `method` answer requests, which a stateless server does not send.
    const derived = era === "handshake" ? capabilitiesOf(this.#endpoint.methods.keys(), CAPABILITIES) : {};
    return joinCapabilities(derived, ...this.#asked.capabilities(era), this.#options.capabilities ?? {}, this.#endpoint.extensions());
  }
}

// A client's handlers see no `client` in their context's type; the server is known from the connection.
const NOBODY = { info: undefined, capabilities: {} };
