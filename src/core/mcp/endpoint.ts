import { LocalError } from "../base/errors.ts";
import { detectHost, type Host } from "../base/host.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { resolveLimits, type Limits } from "../base/limits.ts";
import type { OptionTable } from "../base/options.ts";
import { safeLog, type Log } from "../jsonrpc/log.ts";
import {
  createPeer,
  type IncomingNotification,
  type Middleware,
  type OutgoingMiddleware,
  type Peer,
  type PeerOptions,
} from "../jsonrpc/peer.ts";
import { compileSchema } from "../schema/schema.ts";
import { assertTransport } from "../transport/assert-transport.ts";
import type { Transport } from "../transport/transport.ts";

/** Answers a custom method: an object is the result, nothing is `{}`; a thrown `RpcError` is the error response. */
export type MethodHandler<Context> = (params: JsonObject, context: Context) => unknown;
export type NotificationHandler = (params: JsonObject, notification: IncomingNotification) => unknown;
export type TransportWrapper = (transport: Transport) => Transport;
/** Settings of an extension, or what gives the current ones each time that capabilities are sent. */
export type ExtensionSettings = JsonObject | (() => JsonObject);

/** What a schema is compiled to: `check` gives the first problem, or `undefined` where the value fits. */
export interface SchemaCheck {
  check(value: unknown): { readonly path: string; readonly reason: string } | undefined;
}
/** Throws a `LocalError` for a schema that is none. */
export type SchemaCompiler = (schema: object) => SchemaCheck;

/** The compiler of endpoints that are given none. */
export function schemaCompiler(limits: Limits): SchemaCompiler {
  return (schema) => compileSchema(schema, { limits });
}

export interface EndpointOptions {
  /** Revisions to speak; all that this build knows by default. */
  readonly versions?: readonly string[];
  readonly host?: Host;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  /** Default of `timeoutMs` for requests of ours; 60,000. */
  readonly requestTimeoutMs?: number;
  /** Sends the text of unexpected errors to the peer. Off by default: it may quote anything. */
  readonly exposeErrors?: boolean;
}

export const ENDPOINT_OPTIONS: OptionTable<EndpointOptions> = {
  versions: "a list",
  host: "an object",
  limits: "an object",
  log: "a function",
  requestTimeoutMs: "a positive number",
  exposeErrors: "a boolean",
};

/** What a server and a client have in common: what was registered on them, and how a connection starts from it. */
export interface Endpoint<Context> {
  readonly host: Host;
  readonly limits: Limits;
  readonly log: Log;
  readonly methods: ReadonlyMap<string, MethodHandler<Context>>;
  readonly notifications: ReadonlyMap<string, NotificationHandler>;
  /** Refuses a name that is taken, with `conflict`. */
  method(name: string, handler: MethodHandler<Context>): void;
  notification(name: string, handler: NotificationHandler): void;
  extension(id: string, settings: ExtensionSettings): void;
  use(middleware: Middleware): void;
  useOutgoing(middleware: OutgoingMiddleware): void;
  wrapTransport(wrapper: TransportWrapper): void;
  /** The current settings of all extensions by id, or nothing where there are none. */
  extensions(): { readonly extensions?: JsonObject };
  /** Wraps the transport, first wrapper innermost, and starts a peer on it. */
  open(transport: Transport, on: Pick<PeerOptions, "handler" | "drops" | "onNotification">): Peer;
}

export function createEndpoint<Context>(options: EndpointOptions): Endpoint<Context> {
  const { host = detectHost(), requestTimeoutMs, exposeErrors } = options;
  const log = safeLog(options.log);
  const limits = resolveLimits(options.limits);
  const methods = new Map<string, MethodHandler<Context>>();
  const notifications = new Map<string, NotificationHandler>();
  const extensions = new Map<string, ExtensionSettings>();
  const middleware: Middleware[] = [];
  const outgoingMiddleware: OutgoingMiddleware[] = [];
  const wrappers: TransportWrapper[] = [];

  return {
    host,
    limits,
    log,
    methods,
    notifications,
    method: (name, handler) => addOnce(methods, "method", name, handler),
    notification: (name, handler) => addOnce(notifications, "notification", name, handler),
    extension(id, settings) {
      if (!/^[^/\s]+\/[^/\s]+$/.test(id)) {
        throw new LocalError("invalid_argument", `an extension id has the form prefix/name; got ${JSON.stringify(id)}`);
      }
      addOnce(extensions, "extension", id, settings);
    },
    use: (wrapper) => void middleware.push(wrapper),
    useOutgoing: (wrapper) => void outgoingMiddleware.push(wrapper),
    wrapTransport: (wrapper) => void wrappers.push(wrapper),
    extensions() {
      if (extensions.size === 0) return {};
      const current = [...extensions].map(([id, settings]) => [id, typeof settings === "function" ? settings() : settings] as const);
      return { extensions: Object.fromEntries(current) };
    },
    open(transport, on) {
      assertTransport(transport, "what it connects to");
      const wrapped = wrappers.reduce((inner, wrap) => wrap(inner), transport);
      // Spelled out, as spreading takes as long as the rest of it.
      const { handler, drops, onNotification } = on;
      const peer = createPeer(wrapped, { handler, drops, onNotification, host, limits, log, requestTimeoutMs, exposeErrors });
      for (const wrapper of middleware) peer.use(wrapper);
      for (const wrapper of outgoingMiddleware) peer.useOutgoing(wrapper);
      return peer;
    },
  };
}

function addOnce<Value>(table: Map<string, Value>, kind: string, name: string, value: Value): void {
  if (typeof name !== "string" || name === "") throw new LocalError("invalid_argument", `a ${kind} needs a name`);
  if (table.has(name)) throw new LocalError("conflict", `the ${kind} ${name} is there already`);
  table.set(name, value);
}

/** Capabilities given by hand over those that follow from what is registered; members that are objects are joined. */
export function joinCapabilities(...parts: readonly JsonObject[]): JsonObject {
  const joined: JsonObject = {};
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      const before = joined[name];
      joined[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
    }
  }
  return joined;
}

/** The capabilities that having a handler for some methods amounts to. */
export function capabilitiesOf(methods: Iterable<string>, table: readonly (readonly [prefix: string, capability: string])[]): JsonObject {
  const capabilities: JsonObject = {};
  for (const method of methods) for (const [prefix, capability] of table) if (method.startsWith(prefix)) capabilities[capability] = {};
  return capabilities;
}
