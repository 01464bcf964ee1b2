import { isObject } from "../base/json.ts";
import { fromSdkTransport, toSdkTransport, type SdkTransport } from "../transport/sdk-adapters.ts";
import type { Transport } from "../transport/transport.ts";

/**
 * A server or client of the official SDKs, by its shape: `McpServer`, `Server` and `Client` of `@modelcontextprotocol/sdk` 1.x, and those of
 * `@modelcontextprotocol/server` and `/client` 2.x. Whatever transport they are connected to, the guard stands between it and them.
 */
export interface SdkPeer {
  connect(transport: never, ...rest: never[]): Promise<unknown>;
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
export function wrapConnections(peer: SdkPeer, wrap: Wrap): void {
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
    const wrapped = all.reduce((inner, next) => next(inner), fromSdkTransport(transport));
    return connect(toSdkTransport(wrapped, { around: transport }), ...rest);
  };
}

function connectableOf(peer: SdkPeer): Connectable {
  const inner = "server" in peer ? peer.server : undefined;
  const holder: unknown = isObject(inner) && typeof inner["connect"] === "function" ? inner : peer;
  // It has the method, and their transports are of the shape that we know.
  return holder as Connectable;
}
