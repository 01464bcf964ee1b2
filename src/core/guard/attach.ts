import { resolveLimits } from "../base/limits.ts";
import type { Transport } from "../transport/transport.ts";
import { INTERCEPTOR_SPELLINGS } from "../wire/dialects.ts";
import { currentOf, type ChainSource } from "./chain-source.ts";
import { guardTransport } from "./guard.ts";
import type { GuardOptions } from "./options.ts";
import { readPolicy } from "./policy-checks.ts";
import { createToolSchemas } from "./tool-schemas.ts";

/** What a guard needs of a server or a client: a say in every transport that it connects to. */
export interface Guardable {
  wrapTransport(wrap: (transport: Transport) => Transport): void;
  /** Whether requests of a method have an answer here. A server that says so need not be told that it hosts interceptors. */
  answers?(method: string): boolean;
}

export type AttachOptions = Omit<GuardOptions, "role" | "chain">;

/**
 * Guards every connection that a server makes from now on: what clients ask, and what the server asks and answers. A server that hosts
 * interceptors when it connects answers their methods unjudged, unless `policy.hostsChain` says otherwise. Returns the server.
 */
export function guardServer<S extends Guardable>(server: S, chain: ChainSource, options: AttachOptions = {}): S {
  readPolicy(options.policy ?? {});
  // In a stateless revision each request may come on a connection of its own, so a list of tools is told on another one than the call.
  const tools = createToolSchemas(resolveLimits(options.limits), () => {});
  server.wrapTransport((transport) => {
    const policy = { hostsChain: hostsInterceptors(server), ...options.policy };
    return guardTransport(transport, { ...options, policy, role: "server", chain: currentOf(chain) }, tools);
  });
  return server;
}

/** Guards every connection that a client makes from now on: what it asks, what it is answered, and what servers ask of it. Returns the client. */
export function guardClient<C extends Guardable>(client: C, chain: ChainSource, options: AttachOptions = {}): C {
  readPolicy(options.policy ?? {});
  client.wrapTransport((transport) => guardTransport(transport, { ...options, role: "client", chain: currentOf(chain) }));
  return client;
}

function hostsInterceptors(server: Guardable): boolean {
  return INTERCEPTOR_SPELLINGS.invoke.some((method) => server.answers?.(method) === true);
}
