import { ErrorCode, LocalError, RpcError } from "../base/errors.ts";
import { cloneJson, isObject } from "../base/json.ts";
import { createLinkedList } from "../base/linked-list.ts";
import { checkOptions, type OptionTable } from "../base/options.ts";
import type { IncomingRequest } from "../jsonrpc/incoming.ts";
import type { Middleware, OutgoingMiddleware } from "../jsonrpc/peer.ts";
import type { Transport } from "../transport/transport.ts";
import type {
  DiscoverResult,
  Implementation,
  InitializeResult,
  LoggingLevel,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from "../wire/gen/mcp.ts";
import { createServerContext, type ServerContext } from "./context.ts";
import {
  capabilitiesOf,
  createEndpoint,
  ENDPOINT_OPTIONS,
  joinCapabilities,
  schemaCompiler,
  type EndpointOptions,
  type ExtensionSettings,
  type MethodHandler,
  type NotificationHandler,
  type SchemaCompiler,
  type TransportWrapper,
} from "./endpoint.ts";
import { createDirectAsker, type Asker } from "./features/server-ask.ts";
import { createConnection, type ServerConnection } from "./features/server-connection.ts";
import { createFeatures } from "./features/server-features.ts";
import { createPost, type ServerLink } from "./features/server-link.ts";
import { createSendLog, logToSessions, wantedLevel } from "./features/server-logging.ts";
import type { PromptHandler, PromptOptions, RegisteredPrompt } from "./features/server-prompts.ts";
import type { RegisteredResource, RegisteredTemplate, ResourceReader, TemplateOptions, TemplateReader } from "./features/server-resources.ts";
import { createSuspendable } from "./features/server-suspend.ts";
import { admit, isImplementation, resolveVersions, type Admission, type Session } from "./lifecycle.ts";
import { completeResult, resolveCache, type CacheOption } from "./results.ts";
import { createSealedStates } from "./sealed-state.ts";
import type { RegisteredTool, ToolHandler } from "./tools.ts";

export type { ServerConnection } from "./features/server-connection.ts";

/** How a server behaves, on all its connections. Times are in milliseconds. */
export interface McpServerOptions extends EndpointOptions {
  /** How to use the server, for the client's model. */
  readonly instructions?: string;
  /**
   * Added to the capabilities that follow from what is registered. `logging: {}` makes the server log to clients; a feature that is named here
   * is served before anything is registered for it; `resources: { subscribe: false }` takes something back.
   */
  readonly capabilities?: ServerCapabilities;
  /** For cacheable results whose handler says nothing itself. Default: not reused, private. */
  readonly cache?: CacheOption;
  /** Entries on one page of a list. Default: all. */
  readonly pageSize?: number;
  /** Checks tools' arguments and structured content, and filled forms. Default: our own validator, for JSON Schema 2020-12 and draft-07. */
  readonly compileSchema?: SchemaCompiler;
  /**
   * Seals what clients keep for handlers that ask (stateless revisions): at least 32 bytes. Give replicas the same; of several keys the
   * first seals and all open, for rotation. Default: random, so that nothing outlives the process.
   */
  readonly stateKey?: Uint8Array | readonly Uint8Array[];
  /** How long a client may take to answer. Default: ten minutes. */
  readonly stateTtlMs?: number;
}

const OPTIONS: OptionTable<McpServerOptions> = {
  ...ENDPOINT_OPTIONS,
  instructions: "a string",
  capabilities: "an object",
  cache: "any",
  pageSize: "any",
  compileSchema: "a function",
  stateKey: "any",
  stateTtlMs: "a positive number",
};

const CAPABILITIES = [
  ["tools/", "tools"],
  ["prompts/", "prompts"],
  ["resources/", "resources"],
  ["completion/", "completions"],
  ["logging/", "logging"],
] as const;
const OWN_METHODS: ReadonlySet<string> = new Set(["initialize", "ping", "server/discover"]);

const UNCACHED = resolveCache();

type Admitted = Extract<Admission, { kind: "request" }>;

/**
 * An MCP server. It speaks revisions with a handshake and without one, on one connection if need be, and may have many connections at
 * once. Capabilities follow from what is registered.
 */
export class McpServer {
  readonly info: Implementation;
  readonly #options;
  readonly #versions;
  readonly #endpoint;
  readonly #compile;
  readonly #cache;
  readonly #suspension;
  readonly #features;
  readonly #connections = createLinkedList<ServerConnection>();
  readonly #links = createLinkedList<ServerLink>();

  constructor(info: Implementation, options: McpServerOptions = {}) {
    if (!isImplementation(info)) throw new LocalError("invalid_argument", "a server needs a name and a version");
    checkOptions(options, "the options of a server", OPTIONS);
    const { capabilities: given = {}, cache, pageSize, stateKey, stateTtlMs } = options;
    this.info = cloneJson(info);
    this.#options = options;
    this.#versions = resolveVersions(options.versions);
    this.#cache = resolveCache(cache);
    this.#endpoint = createEndpoint<ServerContext>(options);
    const { host, limits, log, methods } = this.#endpoint;
    const compile = options.compileSchema ?? schemaCompiler(limits);
    this.#compile = compile;
    const states = createSealedStates({
      host,
      ...(stateKey === undefined ? {} : { keys: stateKey }),
      ...(stateTtlMs === undefined ? {} : { ttlMs: stateTtlMs }),
    });
    this.#suspension = { states, limits, compile };
    const announced = () => this.#capabilities();
    this.#features = createFeatures({ host, links: this.#links, limits, log, compile, pageSize, given, owned: methods, announced });
  }

  /** Adds a tool. Clients that want to know are told of it, here and wherever a list changes. */
  tool(definition: Tool, handler: ToolHandler): RegisteredTool {
    this.#features.claim("tools");
    return this.#features.tools.add(definition, handler);
  }

  prompt(definition: Prompt, handler: PromptHandler, options?: PromptOptions): RegisteredPrompt {
    this.#features.claim("prompts");
    return this.#features.prompts.add(definition, handler, options);
  }

  resource(definition: Resource, read: ResourceReader): RegisteredResource {
    this.#features.claim("resources");
    return this.#features.resources.add(definition, read);
  }

  /** Adds all resources whose URI fits a template (RFC 6570; see `parseUriTemplate` for what is known of it). */
  resourceTemplate(definition: ResourceTemplate, read: TemplateReader, options?: TemplateOptions): RegisteredTemplate {
    this.#features.claim("resources");
    return this.#features.resources.addTemplate(definition, read, options);
  }

  /** Tells those who have subscribed to a resource that it should be read again. */
  resourceUpdated(uri: string): void {
    this.#features.subscriptions.resourceUpdated(uri);
  }

  /** Logs to all sessions that want that level. What belongs to a request is better logged by its handler's context. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    logToSessions(this.#links, this.#features.logs, this.#endpoint.limits.maxQueuedFrames, level, data, logger);
  }

  /** Answers a method. The lifecycle's own are refused, and those of tools, prompts and resources once there is one. */
  method(name: string, handler: MethodHandler<ServerContext>): this {
    if (OWN_METHODS.has(name) || this.#features.claims(name)) throw new LocalError("conflict", `${name} is answered already`);
    this.#endpoint.method(name, handler);
    return this;
  }

  notification(name: string, handler: NotificationHandler): this {
    this.#endpoint.notification(name, handler);
    return this;
  }

  /** Whether requests of this method have an answer here, in some revision. */
  answers(method: string): boolean {
    if (OWN_METHODS.has(method) || this.#endpoint.methods.has(method)) return true;
    return this.#features.find(method, "handshake") !== undefined || this.#features.find(method, "stateless") !== undefined;
  }

  /** The `inputSchema` of a tool; `undefined` where there is no such tool. For HTTP, where headers may repeat arguments. */
  toolSchema(name: string): Tool["inputSchema"] | undefined {
    return this.#features.tools.get(name)?.inputSchema;
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

  /** Whether any connection is open. */
  get connected(): boolean {
    return this.#connections.size > 0;
  }

  /** Serves one client until either side ends. Returns at once. */
  connect(transport: Transport): ServerConnection {
    const { notifications } = this.#endpoint;
    const { subscriptions } = this.#features;
    const handler = (request: IncomingRequest) => this.#handle(request, link);
    const peer = this.#endpoint.open(transport, {
      handler,
      onNotification: (notification) => notifications.get(notification.method)?.(notification.params, notification),
    });
    const post = createPost((method, params) => peer.notify(method, params));
    const link: ServerLink = { peer, session: undefined, announced: {}, logLevel: undefined, logging: 0, subscribed: new Set(), post, streams: new Map() };
    const connection = createConnection(link, () => subscriptions.endStreams(link));
    const nodes = [this.#connections.add(connection), this.#links.add(link)] as const;
    void peer.closed.then(() => {
      this.#connections.remove(nodes[0]);
      this.#links.remove(nodes[1]);
    });
    return connection;
  }

  /** Closes all connections, as each one's `close` does. New ones can be made. */
  async close(why?: LocalError): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.close(why)));
  }

  #handle(request: IncomingRequest, link: ServerLink): unknown {
    const admission = admit(request.method, request.params, link.session, this.#versions);
    if (admission.kind === "initialize") {
      link.announced = this.#capabilities();
      link.session = admission.session;
      return this.#initialized(admission.session, link.announced);
    }
    return admission.era === "handshake" ? this.#serve(request, admission, link) : this.#serveStateless(request, admission, link);
  }

  #serve(request: IncomingRequest, admission: Admitted, link: ServerLink): unknown {
    const { host } = this.#endpoint;
    const { version, client } = admission;
    const { capabilities } = client;
    let asker: Asker | undefined;
    const open = () => (asker ??= createDirectAsker({ host, request, capabilities, version, compile: this.#compile }));
    return this.#dispatch(request, this.#context(request, admission, link, open), link);
  }

  #serveStateless(request: IncomingRequest, admission: Admitted, link: ServerLink): unknown {
    const suspendable = createSuspendable(this.#suspension, request, admission.client.capabilities);
    const context = this.#context(request, admission, link, suspendable.asker);
    return suspendable.run(
      () => this.#dispatch(request, context, link),
      (result) => this.#completed(request, result),
    );
  }

  #context(request: IncomingRequest, admission: Admitted, link: ServerLink, asker: () => Asker): ServerContext {
    const context: ServerContext = createServerContext(this.#endpoint.host, request, admission, {
      asker,
      log: () =>
        createSendLog({
          announced: this.#features.logs,
          wanted: () => wantedLevel(context.era, context.meta, link),
          notify: request.notify,
        }),
    });
    return context;
  }

  #dispatch({ method, params }: IncomingRequest, context: ServerContext, link: ServerLink): unknown {
    if (method === "ping" && context.era === "handshake") return {};
    if (method === "server/discover" && context.era === "stateless") return this.#discovered();
    const own = this.#endpoint.methods.get(method);
    if (own !== undefined) return own(params, context);
    const feature = this.#features.find(method, context.era);
    if (feature === undefined) throw new RpcError(ErrorCode.methodNotFound, `Method not found: ${method}`);
    return feature(params, context, link);
  }

  #completed(request: IncomingRequest, outcome: unknown): unknown {
    const result = outcome ?? {};
    // The peer refuses what is no object.
    if (!isObject(result)) return result;
    // What a client has answered questions for is good for nobody else, nor for another time.
    const cache = request.params["requestState"] === undefined && request.params["inputResponses"] === undefined ? this.#cache : UNCACHED;
    return completeResult(request.method, result, this.info, cache);
  }

  #capabilities(): ServerCapabilities {
    const { methods, extensions } = this.#endpoint;
    const derived = joinCapabilities(capabilitiesOf(methods.keys(), CAPABILITIES), this.#features.capabilities());
    return joinCapabilities(derived, this.#options.capabilities ?? {}, extensions());
  }

  #initialized({ version }: Session, capabilities: ServerCapabilities): InitializeResult {
    const { instructions } = this.#options;
    return { protocolVersion: version, capabilities, serverInfo: this.info, ...(instructions === undefined ? {} : { instructions }) };
  }

  #discovered(): DiscoverResult {
    const { instructions } = this.#options;
    return {
      supportedVersions: [...this.#versions.all],
      capabilities: this.#capabilities(),
      ...(instructions === undefined ? {} : { instructions }),
    };
  }
}
