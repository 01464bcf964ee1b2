import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson, isObject, type JsonObject } from "../base/json.ts";
import { isThenable } from "../base/thenable.ts";
import type { IncomingRequest } from "../jsonrpc/incoming.ts";
import type { RequestOptions } from "../jsonrpc/outgoing.ts";
import type { Middleware, OutgoingMiddleware, Peer } from "../jsonrpc/peer.ts";
import type { Transport } from "../transport/transport.ts";
import type { DiscoverResult, Implementation, InitializeResult, ServerCapabilities, Tool } from "../wire/gen/mcp.ts";
import { createContext, type ServerContext } from "./context.ts";
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
import { admit, isImplementation, resolveVersions, type Era, type Session } from "./lifecycle.ts";
import { completeResult, NO_CACHE, type CacheHints } from "./results.ts";
import { createTools, type ToolHandler } from "./tools.ts";

export interface McpServerOptions extends EndpointOptions {
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /** Added to the capabilities that follow from what is registered. */
  readonly capabilities?: ServerCapabilities;
  /** For cacheable results whose handler says nothing itself. Default: not reused, private. */
  readonly cache?: CacheHints;
  /** Checks tools' arguments and structured content. Default: our own validator, for JSON Schema 2020-12 and draft-07. */
  readonly compileSchema?: SchemaCompiler;
}

/** One client's connection. */
export interface ServerConnection {
  /** What the client made of the handshake; `undefined` before it, and for a client that makes none. */
  readonly session: Session | undefined;
  readonly closed: Promise<LocalError | undefined>;
  /** Asks the client. Rejects with `unsupported` before the handshake: in stateless revisions a server asks by its results. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  close(why?: LocalError): Promise<void>;
}

const CAPABILITIES = [
  ["tools/", "tools"],
  ["prompts/", "prompts"],
  ["resources/", "resources"],
  ["completion/", "completions"],
  ["logging/", "logging"],
] as const;
const OWN_METHODS: ReadonlySet<string> = new Set(["initialize", "ping", "server/discover"]);
const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/list", "tools/call"]);

/**
 * An MCP server. It speaks revisions with a handshake and without one, on one connection if need be, and may have many connections at
 * once. Capabilities follow from what is registered.
 */
export class McpServer {
  readonly info: Implementation;
  readonly #options;
  readonly #versions;
  readonly #endpoint;
  readonly #tools;
  readonly #sessions = new Set<Peer>();

  constructor(info: Implementation, options: McpServerOptions = {}) {
    if (!isImplementation(info)) throw new LocalError("invalid_argument", "a server needs a name and a version");
    this.info = cloneJson(info);
    this.#options = options;
    this.#versions = resolveVersions(options.versions);
    this.#endpoint = createEndpoint<ServerContext>(options);
    this.#tools = createTools(this.#endpoint.log, options.compileSchema ?? schemaCompiler(this.#endpoint.limits));
  }

  /** Adds a tool; clients that are in a session are told. */
  tool(definition: Tool, handler: ToolHandler): this {
    for (const method of TOOL_METHODS) {
      if (this.#endpoint.methods.has(method)) throw new LocalError("conflict", `${method} has a handler of its own`);
    }
    this.#tools.add(definition, handler);
    for (const peer of this.#sessions) void peer.notify("notifications/tools/list_changed");
    return this;
  }

  /** Answers a method. The lifecycle's own are refused, and those of tools once there is one. */
  method(name: string, handler: MethodHandler<ServerContext>): this {
    if (OWN_METHODS.has(name) || (TOOL_METHODS.has(name) && this.#tools.size > 0)) {
      throw new LocalError("conflict", `${name} is answered already`);
    }
    this.#endpoint.method(name, handler);
    return this;
  }

  notification(name: string, handler: NotificationHandler): this {
    this.#endpoint.notification(name, handler);
    return this;
  }

  /** Whether requests of this method have an answer here, in some revision. */
  answers(method: string): boolean {
    return OWN_METHODS.has(method) || this.#endpoint.methods.has(method) || (this.#tools.size > 0 && TOOL_METHODS.has(method));
  }

  /** Announces an extension under `capabilities.extensions`, in both eras. */
  extension(id: string, settings: ExtensionSettings = {}): this {
    this.#endpoint.extension(id, settings);
    return this;
  }

  /** Wraps the handling of requests, the lifecycle's included, on connections made from now on. */
  use(middleware: Middleware): this {
    this.#endpoint.use(middleware);
    return this;
  }

  /** Wraps what the server asks of clients, on connections made from now on. */
  useOutgoing(middleware: OutgoingMiddleware): this {
    this.#endpoint.useOutgoing(middleware);
    return this;
  }

  /** Wraps the transport of each connection made from now on; the last wrapper is next to the server. */
  wrapTransport(wrapper: TransportWrapper): this {
    this.#endpoint.wrapTransport(wrapper);
    return this;
  }

  /** Serves one client until either side ends. Returns at once. */
  connect(transport: Transport): ServerConnection {
    const { notifications } = this.#endpoint;
    let session: Session | undefined;
    const handler = (request: IncomingRequest) => {
      const admission = admit(request.method, request.params, session, this.#versions);
      if (admission.kind === "initialize") {
        session = admission.session;
        this.#sessions.add(peer);
        return this.#initialized(session);
      }
      const { era, version, client } = admission;
      const outcome = this.#dispatch(request, createContext(this.#endpoint.host, request, era, version, client));
      return era === "handshake" ? outcome : this.#completed(request.method, outcome);
    };
    const peer = this.#endpoint.open(transport, handler, (notification) =>
      notifications.get(notification.method)?.(notification.params, notification),
    );
    void peer.closed.then(() => this.#sessions.delete(peer));
    return {
      get session() {
        return session;
      },
      closed: peer.closed,
      request(method, params, options) {
        if (session !== undefined) return peer.request(method, params, options);
        return Promise.reject(new LocalError("unsupported", `${method} cannot be asked: the client has made no handshake`));
      },
      notify: (method, params) => peer.notify(method, params),
      close: (why) => peer.close(why),
    };
  }

  #dispatch({ method, params }: IncomingRequest, context: ServerContext): unknown {
    const stateless = context.era === "stateless";
    if (method === "ping" && !stateless) return {};
    if (method === "server/discover" && stateless) return this.#discovered();
    if (this.#tools.size > 0) {
      if (method === "tools/call") return this.#tools.call(params, context);
      if (method === "tools/list") return this.#tools.list(params, context.protocolVersion);
    }
    const handler = this.#endpoint.methods.get(method);
    if (handler === undefined) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
    return handler(params, context);
  }

  #completed(method: string, outcome: unknown): unknown {
    if (isThenable(outcome)) return Promise.resolve(outcome).then((result) => this.#completed(method, result));
    const result = outcome ?? {};
    // The peer refuses what is no object.
    return isObject(result) ? completeResult(method, result, this.info, this.#options.cache ?? NO_CACHE) : result;
  }

  #capabilities(era: Era): ServerCapabilities {
    // Without a handshake, changes are told to those who have asked by `subscriptions/listen`, which is not ours to promise here.
    const tools = this.#tools.size === 0 ? {} : { tools: era === "handshake" ? { listChanged: true } : {} };
    const { methods, extensions } = this.#endpoint;
    return joinCapabilities(capabilitiesOf(methods.keys(), CAPABILITIES), tools, this.#options.capabilities ?? {}, extensions());
  }

  #initialized({ version }: Session): InitializeResult {
    const { instructions } = this.#options;
    return {
      protocolVersion: version,
      capabilities: this.#capabilities("handshake"),
      serverInfo: this.info,
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  #discovered(): DiscoverResult {
    const { instructions } = this.#options;
    return {
      supportedVersions: [...this.#versions.all],
      capabilities: this.#capabilities("stateless"),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }
}
