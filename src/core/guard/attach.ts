import type { Chain } from "../chain/chain.ts";
import type { Transport } from "../transport/transport.ts";
import { guardTransport } from "./guard.ts";
import type { GuardOptions } from "./options.ts";

/** What a guard needs of a server or a client: a say in every transport that it connects to. */
export interface Guardable {
  wrapTransport(wrap: (transport: Transport) => Transport): void;
}

/** A chain, or what gives the current one. */
export type ChainSource = Chain | { current(): Chain };

export type AttachOptions = Omit<GuardOptions, "role" | "chain">;

/** Guards every connection that a server makes from now on: what clients ask, and what the server asks and answers. Returns the server. */
export function guardServer<S extends Guardable>(server: S, chain: ChainSource, options: AttachOptions = {}): S {
  server.wrapTransport((transport) => guardTransport(transport, { ...options, role: "server", chain: currentOf(chain) }));
  return server;
}

/** Guards every connection that a client makes from now on: what it asks, what it is answered, and what servers ask of it. Returns the client. */
export function guardClient<C extends Guardable>(client: C, chain: ChainSource, options: AttachOptions = {}): C {
  client.wrapTransport((transport) => guardTransport(transport, { ...options, role: "client", chain: currentOf(chain) }));
  return client;
}

function currentOf(chain: ChainSource): { current(): Chain } {
  return "current" in chain ? chain : { current: () => chain };
}
