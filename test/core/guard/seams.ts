// One guarded connection at each seam: a guarded server, a guarded client, and a relay of either posture. Seen from the two ends of the traffic.
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardClient, guardServer, type Guardable } from "../../../src/core/guard/attach.ts";
import type { AttachOptions } from "../../../src/core/guard/options.ts";
import type { Decision } from "../../../src/core/guard/decision.ts";
import type { AddOptions } from "../../../src/core/chain/installed.ts";
import type { Interceptor } from "../../../src/core/interceptor/define.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { guardedRelay } from "../../../src/gateway/guarded-relay.ts";
import { settle } from "../../support/fake-host.ts";

export const SEAMS = ["guardServer", "guardClient", "relay before a client", "relay before a server"] as const;
export type Seam = (typeof SEAMS)[number];

export interface SeamOptions extends AttachOptions {
  readonly add?: AddOptions;
}

export interface Guarded {
  readonly atClient: Message[];
  readonly atServer: Message[];
  readonly decisions: Decision[];
  readonly log: string[];
  fromClient(...messages: Message[]): Promise<void>;
  fromServer(...messages: Message[]): Promise<void>;
  close(): Promise<void>;
}

export function guardedSeam(seam: Seam, interceptors: readonly Interceptor[], { add, ...options }: SeamOptions = {}): Guarded {
  const chain = createChain();
  if (interceptors.length > 0) chain.add(interceptors, add);
  const decisions: Decision[] = [];
  const log: string[] = [];
  const guard: AttachOptions = {
    record: (decision) => void decisions.push(decision),
    log: ({ message }) => log.push(message),
    ...options,
  };
  const { client, server } = ends();
  const atClient: Message[] = [];
  const atServer: Message[] = [];
  void collect(client, atClient);
  void collect(server, atServer);
  return {
    atClient,
    atServer,
    decisions,
    log,
    fromClient: (...messages) => sendAll(client, messages),
    fromServer: (...messages) => sendAll(server, messages),
    async close() {
      await client.close();
      await server.close();
    },
  };

  function ends(): { client: Transport; server: Transport } {
    const [client, far] = memoryPair();
    if (seam === "guardServer") return { client, server: attach(guardServer)(far) };
    if (seam === "guardClient") return { client: attach(guardClient)(client), server: far };
    const [near, server] = memoryPair();
    guardedRelay(far, near, { chain, guard, posture: seam === "relay before a client" ? "client" : "server", relay: { drainMs: 1 } });
    return { client, server };
  }

  function attach(to: typeof guardServer): (transport: Transport) => Transport {
    let wrapped: ((transport: Transport) => Transport) | undefined;
    const guardable: Guardable = { wrapTransport: (wrap) => (wrapped = wrap) };
    to(guardable, chain, guard);
    return wrapped!;
  }
}

async function collect(from: Transport, into: Message[]): Promise<void> {
  for (let arrival; (arrival = await from.receive().catch(() => undefined)) !== undefined; ) into.push(arrival.frame.message);
}

async function sendAll(to: Transport, messages: readonly Message[]): Promise<void> {
  for (const message of messages) await to.send({ message });
  await settle();
}
