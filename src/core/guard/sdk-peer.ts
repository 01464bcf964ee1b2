import { LocalError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Limits } from "../base/limits.ts";
import { fromSdkTransport, toSdkTransport, type SdkTransport } from "../transport/sdk-adapters.ts";
import type { Transport } from "../transport/transport.ts";
import { guardChecked } from "./guard.ts";
import { currentOf, type ChainSource } from "./chain-source.ts";
import type { AttachOptions, GuardOptions } from "./options.ts";
import { checkGuardOptions } from "./policy-checks.ts";

/**
 * A server or client of the official SDKs, by its shape: `McpServer`, `Server` and `Client` of `@modelcontextprotocol/sdk` 1.x, and those of
 * `@modelcontextprotocol/server` and `/client` 2.x. Whatever transport they are connected to, the guard stands between it and them.
 */
export interface SdkPeer {
  connect(transport: never, ...rest: never[]): Promise<unknown>;
}

/**
 * A transport of the official SDKs with a guard on it, to be handed to their `connect`, or to what connects servers by itself. All else that it
 * has shows through, its class included. Throws `invalid_argument` for what is no such transport, chain or policy.
 */
export function guardSdkTransport<T extends SdkTransport>(transport: T, chain: ChainSource, options: AttachOptions & Pick<GuardOptions, "role">): T {
  // What JavaScript lets through.
  if (!isObject(transport) || ["start", "send", "close"].some((verb) => typeof transport[verb] !== "function")) {
    throw new LocalError("invalid_argument", "it takes a transport of the official SDKs, with start, send and close; those of this package are for guardTransport");
  }
  if (options !== undefined) checkGuardOptions(options, "role");
  const guard = guardChecked({ ...options, chain: currentOf(chain) });
  return toSdkTransport(guard(fromSdkTransport(transport, limitsOf(options))), { ...limitsOf(options), around: transport });
}

type Wrap = (transport: Transport) => Transport;
// What holds `connect`, as we read and replace it.
interface Connectable {
  connect(transport: SdkTransport, ...rest: unknown[]): Promise<unknown>;
}

const wraps = new WeakMap<object, Wrap[]>();

/**
 * Has every transport that the peer is connected to from now on wrapped; the last wrapper is next to the peer. Replaces `connect` on the
 * object itself, and of an `McpServer`, which has a `Server` in it, on that one: however it is reached, it is guarded.
 */
export function wrapConnections(peer: SdkPeer, wrap: Wrap, options: WithLimits): void {
  const holder = connectableOf(peer);
  const known = wraps.get(holder);
  if (known !== undefined) {
    known.push(wrap);
    return;
  }
  const all = [wrap];
  wraps.set(holder, all);
  const connect = holder.connect.bind(holder);
  holder.connect = (transport, ...rest) => {
    const wrapped = all.reduce((inner, next) => next(inner), fromSdkTransport(transport, limitsOf(options)));
    return connect(toSdkTransport(wrapped, { ...limitsOf(options), around: transport }), ...rest);
  };
}

/** Whether it has a transport. */
export function isConnected(peer: SdkPeer): boolean {
  return (connectableOf(peer) as { readonly transport?: unknown }).transport !== undefined;
}

interface WithLimits {
  readonly limits?: Partial<Limits>;
}

function limitsOf({ limits }: WithLimits = {}): WithLimits {
  return limits === undefined ? {} : { limits };
}

function connectableOf(peer: SdkPeer): Connectable {
  const inner = "server" in peer ? peer.server : undefined;
  const holder: unknown = isObject(inner) && typeof inner["connect"] === "function" ? inner : peer;
  // It has the method, and their transports are of the shape that we know.
  return holder as Connectable;
}
