import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson, isObject, withMember, type JsonObject } from "../base/json.ts";
import type { Signal, SignalLike } from "../base/signal.ts";
import type { IncomingRequest } from "../jsonrpc/incoming.ts";
import type { RequestOptions } from "../jsonrpc/outgoing.ts";
import type { IncomingNotification, Middleware, OutgoingMiddleware, Peer } from "../jsonrpc/peer.ts";
import type { Transport } from "../transport/transport.ts";
import type { CallToolParams, CallToolResult, ClientCapabilities, Implementation, ServerCapabilities, Tool } from "../wire/gen/mcp.ts";
import { createClientTools } from "./client-tools.ts";
import { findServer, requestMeta, type ServerDescription } from "./connect.ts";
import { createContext, type RequestContext } from "./context.ts";
import {
  capabilitiesOf,
  createEndpoint,
  joinCapabilities,
  schemaCompiler,
  type EndpointOptions,
  type ExtensionSettings,
  type MethodHandler,
  type NotificationHandler,
  type SchemaCompiler,
  type TransportWrapper,
} from "./endpoint.ts";
import { isImplementation, resolveVersions, type Era } from "./lifecycle.ts";
import { finalResult } from "./results.ts";

export interface McpClientOptions extends EndpointOptions {
  /** Restricts what is tried. Default `auto`: a server that knows no `server/discover` is asked to `initialize`. */
  readonly era?: "auto" | Era;
  /** How long `server/discover` may stay unanswered before the server is taken for one of the older kind; 5,000. */
  readonly probeTimeoutMs?: number;
  /** Added to the capabilities that follow from what is registered. */
  readonly capabilities?: ClientCapabilities;
  /** Values of `resultType` that an extension has brought, and that `request` may give back. */
  readonly resultTypes?: readonly string[];
  /** Checks structured content against the output schemas that `listTools` has seen. Default: our own validator, as on the server. */
  readonly compileSchema?: SchemaCompiler;
}

interface Connection {
  readonly peer: Peer;
  /** Absent until the server is known. */
  server: ServerDescription | undefined;
  /** What each request carries in `_meta`; absent in the handshake era. */
  meta: JsonObject | undefined;
}

const CAPABILITIES = [
  ["sampling/", "sampling"],
  ["elicitation/", "elicitation"],
  ["roots/", "roots"],
] as const;

/**
 * An MCP client: one connection at a time, to a server of either era. Requests reject with an `RpcError` (the server's error) or a
 * `LocalError`: `closed`, `timeout`, `aborted`, `unsupported` (no common revision; input wanted), `invalid_message` (a malformed result).
 */
export class McpClient {
  readonly info: Implementation;
  readonly #options;
  readonly #versions;
  readonly #endpoint;
  readonly #tools;
  readonly #resultTypes: ReadonlySet<string>;
  #connection: Connection | undefined;
  #closed: Promise<LocalError | undefined> = Promise.resolve(undefined);

  constructor(info: Implementation, options: McpClientOptions = {}) {
    if (!isImplementation(info)) throw new LocalError("invalid_argument", "a client needs a name and a version");
    const { era = "auto" } = options;
    const { handshake, stateless, all } = resolveVersions(options.versions);
    this.info = cloneJson(info);
    this.#options = options;
    this.#versions = { handshake: era === "stateless" ? [] : handshake, stateless: era === "handshake" ? [] : stateless, all };
    if (this.#versions.handshake.length + this.#versions.stateless.length === 0) {
      throw new LocalError("invalid_argument", `none of the versions is of the era ${era}`);
    }
    this.#resultTypes = new Set(options.resultTypes);
    this.#endpoint = createEndpoint<RequestContext>(options);
    this.#tools = createClientTools({
      log: this.#endpoint.log,
      maxPages: this.#endpoint.limits.maxPages,
      compile: options.compileSchema ?? schemaCompiler(this.#endpoint.limits),
      request: (method, params, call) => this.request(method, params, call),
    });
  }

  /** The revision in use, once connected. */
  get protocolVersion(): string | undefined {
    return this.#connection?.server?.version;
  }
  get era(): Era | undefined {
    return this.#connection?.server?.era;
  }
  /** For display: nobody has verified it. A stateless server need not say it. */
  get serverInfo(): Implementation | undefined {
    return this.#connection?.server?.info;
  }
  get serverCapabilities(): ServerCapabilities | undefined {
    return this.#connection?.server?.capabilities;
  }
  get instructions(): string | undefined {
    return this.#connection?.server?.instructions;
  }
  /** Settles at the end of the last connection that was made; at once where there was none. */
  get closed(): Promise<LocalError | undefined> {
    return this.#closed;
  }

  /** Answers a request of the server's. */
  method(name: string, handler: MethodHandler<RequestContext>): this {
    if (name === "ping") throw new LocalError("conflict", "ping is answered already");
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

  /** Settles once requests can be made. Closes the transport where it rejects. A client that is connected refuses with `conflict`. */
  async connect(transport: Transport, options: { readonly signal?: Signal | SignalLike } = {}): Promise<void> {
    if (this.#connection !== undefined) throw new LocalError("conflict", "the client is connected; close it first");
    const peer = this.#endpoint.open(transport, (request) => this.#answer(request), (notification) => this.#notified(notification));
    const connection: Connection = { peer, server: undefined, meta: undefined };
    this.#connection = connection;
    this.#closed = peer.closed;
    void peer.closed.then(() => (this.#connection = undefined));
    try {
      const capabilities = (era: Era) => this.#capabilities(era);
      const server = await findServer({
        peer,
        log: this.#endpoint.log,
        versions: this.#versions,
        clientInfo: this.info,
        capabilities,
        probeTimeoutMs: this.#options.probeTimeoutMs ?? 5_000,
        ...options,
      });
      if (server.era === "stateless") connection.meta = requestMeta(server.version, this.info, capabilities("stateless"));
      connection.server = server;
    } catch (error) {
      await peer.close();
      throw error;
    }
  }

  /** The final result of any request. In a stateless revision it carries what the server must know of us. */
  async request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    const { peer, server, meta } = this.#connected();
    const result = await peer.request(method, meta === undefined ? params : withMeta(params, meta), options);
    return server.era === "stateless" ? finalResult(method, result, this.#resultTypes) : result;
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#connected().peer.notify(method, params);
  }

  /** All tools, from all pages. A cursor that repeats, and more pages than `maxPages`, end it with an error. */
  listTools(options: RequestOptions = {}): Promise<Tool[]> {
    return this.#tools.list(options);
  }

  /** Calls a tool. A failure that the tool reports is a result with `isError`; structured content is held to the schema last listed. */
  callTool(params: CallToolParams, options: RequestOptions = {}): Promise<CallToolResult> {
    return this.#tools.call(params, options);
  }

  /** Whether the server answers: `ping`, and in the stateless revisions, which have none, `server/discover`. */
  async ping(options?: RequestOptions): Promise<void> {
    await this.request(this.era === "stateless" ? "server/discover" : "ping", undefined, options);
  }

  /** Ends the connection, if there is one. The client may connect again. */
  async close(why?: LocalError): Promise<void> {
    await this.#connection?.peer.close(why);
  }

  #connected(): Connection & { readonly server: ServerDescription } {
    const connection = this.#connection;
    if (connection?.server === undefined) throw new LocalError("closed", "the client is not connected", { details: { delivery: "none" } });
    // `server` was just seen, and is never taken back.
    return connection as Connection & { readonly server: ServerDescription };
  }

  #answer(request: IncomingRequest): unknown {
    if (request.method === "ping") return {};
    const handler = this.#endpoint.methods.get(request.method);
    if (handler === undefined) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${request.method}`);
    const { era = "handshake", version = "" } = this.#connection?.server ?? {};
    return handler(request.params, createContext(this.#endpoint.host, request, era, version, NOBODY));
  }

  #notified(notification: IncomingNotification): unknown {
    if (notification.method === "notifications/tools/list_changed") this.#tools.forget();
    return this.#endpoint.notifications.get(notification.method)?.(notification.params, notification);
  }

  #capabilities(era: Era): ClientCapabilities {
    // Without a handshake a server asks by its results, which this client does not answer: what it can do is then for its owner to say.
    const derived = era === "handshake" ? capabilitiesOf(this.#endpoint.methods.keys(), CAPABILITIES) : {};
    return joinCapabilities(derived, this.#options.capabilities ?? {}, this.#endpoint.extensions());
  }
}

function withMeta(params: JsonObject = {}, meta: JsonObject): JsonObject {
  const own = params._meta;
  return withMember(params, "_meta", isObject(own) ? { ...own, ...meta } : meta);
}

// A client's handlers see no `client` in their context's type; the server is known from the connection.
const NOBODY = { info: undefined, capabilities: {} };
