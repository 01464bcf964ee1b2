import { LocalError } from "../base/errors.ts";
import { resolveLimits } from "../base/limits.ts";
import type { Transport } from "../transport/transport.ts";
import { INTERCEPTOR_SPELLINGS } from "../wire/dialects.ts";
import { currentOf, type ChainSource } from "./chain-source.ts";
import { guardChecked } from "./guard.ts";
import type { AttachOptions } from "./options.ts";
import { checkGuardOptions } from "./policy-checks.ts";
import { isConnected, wrapConnections, type SdkPeer } from "./sdk-peer.ts";
import { createToolSchemas } from "./tool-schemas.ts";

/** What a guard needs of a server or a client: a say in every transport that it connects to. */
export interface Guardable {
  wrapTransport(wrap: (transport: Transport) => Transport): void;
  /** Whether a connection is open, or being made: no guard gets between its ends any more. */
  readonly connected?: boolean;
  /** Whether requests of a method have an answer here. A server that says so need not be told that it hosts interceptors. */
  answers?(method: string): boolean;
}

/**
 * Guards every connection that a server makes from now on: what clients ask, and what the server asks and answers. It may be one of the official
 * SDKs'. A server that hosts interceptors when it connects answers their methods unjudged, unless `policy.hostsChain` says otherwise; one of the
 * official SDKs' cannot be asked, so for that the policy has to say it. Returns the server. Throws `conflict` where a connection is open, which it could
 * not guard, and `invalid_argument` for what is no server, chain or policy.
 */
export function guardServer<S extends Guardable | SdkPeer>(server: S, chain: ChainSource, options: AttachOptions = {}): S {
  checkGuardOptions(options);
  const source = currentOf(chain);
  // In a stateless revision each request may come on a connection of its own, so a list of tools is told on another one than the call.
  const tools = createToolSchemas(resolveLimits(options.limits), () => {});
  const wrap = (transport: Transport) => {
    const policy = { hostsChain: hostsInterceptors(server), ...options.policy };
    return guardChecked({ ...options, policy, role: "server", chain: source }, tools)(transport);
  };
  wrapTransports(server, wrap, options);
  return server;
}

/**
 * Guards every connection that a client makes from now on: what it asks, what it is answered, and what servers ask of it. It may be one of the
 * official SDKs'. Returns the client. Throws like {@link guardServer}.
 */
export function guardClient<C extends Guardable | SdkPeer>(client: C, chain: ChainSource, options: AttachOptions = {}): C {
  checkGuardOptions(options);
  const source = currentOf(chain);
  wrapTransports(client, (transport) => guardChecked({ ...options, role: "client", chain: source })(transport), options);
  return client;
}

function wrapTransports(peer: Guardable | SdkPeer, wrap: (transport: Transport) => Transport, options: AttachOptions): void {
  if (!isPeer(peer)) throw new LocalError("invalid_argument", "a guard needs a server or client, of this package or of the official SDKs: what was given has neither wrapTransport nor connect");
  if ("wrapTransport" in peer ? peer.connected === true : isConnected(peer)) {
    throw new LocalError("conflict", "it is connected already, and that connection cannot be guarded any more: guard it before it connects");
  }
  if ("wrapTransport" in peer) peer.wrapTransport(wrap);
  else wrapConnections(peer, wrap, options);
}

function isPeer(peer: unknown): boolean {
  return typeof peer === "object" && peer !== null && ["wrapTransport", "connect"].some((member) => typeof (peer as Record<string, unknown>)[member] === "function");
}

function hostsInterceptors(server: Guardable | SdkPeer): boolean {
  return "wrapTransport" in server && INTERCEPTOR_SPELLINGS.invoke.some((method) => server.answers?.(method) === true);
}
