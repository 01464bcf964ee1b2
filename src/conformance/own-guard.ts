import { detectHost } from "../core/base/host.ts";
import type { JsonObject } from "../core/base/json.ts";
import { createChain } from "../core/chain/chain.ts";
import { guardTransport } from "../core/guard/guard.ts";
import { memoryPair } from "../core/transport/memory.ts";
import type { Transport } from "../core/transport/transport.ts";
import type { Message } from "../core/wire/message.ts";
import { fixtureInterceptor } from "./behaviours.ts";
import { scriptedHost } from "./clock.ts";
import type { GuardVector } from "./vector.ts";

/** Runs a guard vector on the guard of this package, in memory, on a clock of its own. */
export async function runOwnGuard({ role, interceptors, policy = {}, steps }: GuardVector["input"]): Promise<JsonObject> {
  const host = scriptedHost(detectHost());
  const chain = createChain({ host });
  chain.add(interceptors.map((declaration) => fixtureInterceptor(declaration, { host })));
  const [peerEnd, inner] = memoryPair();
  const guard = guardTransport(inner, { role, host, policy, chain: { current: () => chain } });
  const came = { app: [] as Message[], peer: [] as Message[] };
  const ended = [collect(guard, came.app), collect(peerEnd, came.peer)];
  for (const { from, message, waitMs = 0 } of steps) {
    // A vector may send what is no message: the transport is what refuses it.
    void (from === "app" ? guard : peerEnd).send({ message: message as unknown as Message }).catch(() => {});
    await host.pass(waitMs);
  }
  await Promise.all([guard.close(), peerEnd.close()]);
  await Promise.all(ended);
  return { ...came };
}

async function collect(from: Transport, into: Message[]): Promise<void> {
  for (;;) {
    const arrival = await from.receive().catch(() => undefined);
    if (arrival === undefined) return;
    into.push(arrival.frame.message);
  }
}
