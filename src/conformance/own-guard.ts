import { LocalError, RpcError } from "../core/base/errors.ts";
import { detectHost, type Host } from "../core/base/host.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { createChain, type Chain } from "../core/chain/chain.ts";
import type { AttachOptions } from "../core/guard/options.ts";
import { guardTransport } from "../core/guard/guard.ts";
import type { GuardPolicy } from "../core/guard/options.ts";
import { memoryPair } from "../core/transport/memory.ts";
import type { Transport } from "../core/transport/transport.ts";
import type { InvocationContext } from "../core/wire/gen/interceptors.ts";
import type { Message } from "../core/wire/message.ts";
import { fixtureInterceptor } from "./behaviours.ts";
import { inOrder, type RecordedCall } from "./calls.ts";
import { scriptedHost } from "./clock.ts";
import type { GuardVector, VectorPolicy } from "./vector.ts";

/** What a guard is put into: the role of the application behind it, its chain, and what its owner has said. */
export interface SeamParts {
  readonly role: "server" | "client";
  readonly chain: Chain;
  readonly options: AttachOptions;
  readonly host: Host;
}

/** A place where a guard can stand: gives the two ends that a vector plays on. Closing both closes all. */
export type GuardSeam = (parts: SeamParts) => { readonly app: Transport; readonly peer: Transport };

/** The guard itself, on a transport in memory. */
export const transportSeam: GuardSeam = ({ role, chain, options }) => {
  const [peer, inner] = memoryPair();
  return { app: guardTransport(inner, { ...options, role, chain: { current: () => chain } }), peer };
};

/** Runs a guard vector on the guard of this package, on a clock of its own. */
export async function runOwnGuard(
  { role, interceptors, policy = {}, provider, show = [], steps }: GuardVector["input"],
  seam: GuardSeam = transportSeam,
): Promise<JsonObject> {
  const host = scriptedHost(detectHost());
  const chain = createChain({ host });
  const calls: RecordedCall[] = [];
  chain.add(interceptors.map((declaration) => fixtureInterceptor(declaration, { host, record: (call) => calls.push(call) })));
  const options = { host, policy: policyOf(policy), ...(provider !== undefined && { context: () => provided(provider) }) };
  const ends = seam({ role, chain, host, options });
  const came = { app: [] as Message[], peer: [] as Message[] };
  const ended = [collect(ends.app, came.app), collect(ends.peer, came.peer)];
  for (const { from, message, waitMs = 0 } of steps) {
    // A vector may send what is no message: the transport is what refuses it.
    void ends[from].send({ message: message as unknown as Message }).catch(() => {});
    await host.pass(waitMs);
  }
  // What closing leads to is no part of it.
  const [app, peer] = [[...came.app], [...came.peer]];
  await Promise.all([ends.app.close(), ends.peer.close()]);
  await Promise.all(ended);
  const seen = inOrder(calls).map(({ interceptor, event, phase, payload, context }) => ({
    interceptor,
    event,
    phase,
    ...(show.includes("payload") && { payload }),
    ...(show.includes("context") && { context }),
  }));
  return cloneJson({ app, peer, calls: seen });
}

// What a vector gives as data is a function here.
function policyOf({ answerAs, ...rest }: VectorPolicy): GuardPolicy {
  if (answerAs === undefined) return rest;
  const answers = Object.entries(answerAs).map(([name, { code, message }]) => [name, () => new RpcError(code, message)] as const);
  return { ...rest, answerAs: Object.fromEntries(answers) };
}

function provided(given: InvocationContext | "fails"): InvocationContext {
  if (given === "fails") throw new LocalError("refused", "scripted failure");
  return given;
}

async function collect(from: Transport, into: Message[]): Promise<void> {
  for (;;) {
    const arrival = await from.receive().catch(() => undefined);
    if (arrival === undefined) return;
    into.push(arrival.frame.message);
  }
}
