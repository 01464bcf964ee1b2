import { checkOptions, type OptionTable } from "../core/base/options.ts";
import { currentOf, type ChainSource } from "../core/guard/chain-source.ts";
import { checkGuardOptions } from "../core/guard/policy-checks.ts";
import type { AttachOptions } from "../core/guard/options.ts";
import { guardChecked } from "../core/guard/guard.ts";
import { relay, type Relay, type RelayOptions } from "../core/guard/relay.ts";
import { assertTransport } from "../core/transport/assert-transport.ts";
import type { Transport } from "../core/transport/transport.ts";
import { spawnTransport, type ChildTransport, type SpawnOptions } from "../node/child.ts";

/** Whose side of the boundary a relay stands on: a host that guards itself against a server, or an operator who guards what a server exposes. */
export type Posture = "client" | "server";

/** What stands between the two transports of a relay, and on whose side. */
export interface GuardedRelayOptions {
  readonly chain: ChainSource;
  /** Default `client`. */
  readonly posture?: Posture;
  readonly guard?: AttachOptions;
  readonly relay?: RelayOptions;
}

const OPTIONS: OptionTable<GuardedRelayOptions> = { chain: "any", posture: ["client", "server"], guard: "an object", relay: "an object" };

/** A relay between a client (`down`) and a server (`up`) with a chain in its traffic. */
export function guardedRelay(down: Transport, up: Transport, options: GuardedRelayOptions): Relay {
  checkOptions(options, "the options of a guarded relay", OPTIONS);
  const { chain, posture = "client", guard = {}, relay: own } = options;
  checkGuardOptions(guard);
  const current = currentOf(chain);
  if (posture === "server") return relay(guardChecked({ ...guard, role: "server", chain: current })(down), up, own);
  return relay(down, guardChecked({ ...guard, role: "client", chain: current })(up), own);
}

/** A server that was started for one client, with a chain between them. */
export interface WrappedServer extends Relay {
  readonly server: ChildTransport;
}

/**
 * Starts an MCP server and carries one client's connection to it through a chain: what `mcp-interceptors wrap` does, for programs. Notifications
 * are judged unless `guard.policy` says otherwise. Rejects with `spawn_failed`; the client's transport is left alone then.
 */
export async function wrapServer(down: Transport, server: SpawnOptions, options: GuardedRelayOptions): Promise<WrappedServer> {
  // Before anything is started that nobody would end.
  assertTransport(down, "the client's side of a relay");
  checkOptions(options, "the options of a guarded relay", OPTIONS);
  const { guard = {}, chain } = options;
  checkGuardOptions(guard);
  currentOf(chain);
  const child = await spawnTransport(server);
  const policy = { interceptNotifications: true, ...guard.policy };
  return { ...guardedRelay(down, child, { ...options, guard: { ...guard, policy } }), server: child };
}
