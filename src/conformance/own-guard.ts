import { LocalError, RpcError } from "../core/base/errors.ts";
import { detectHost } from "../core/base/host.ts";
import { cloneJson, type JsonObject } from "../core/base/json.ts";
import { createChain } from "../core/chain/chain.ts";
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

/** Runs a guard vector on the guard of this package, in memory, on a clock of its own. */
export async function runOwnGuard({ role, interceptors, policy = {}, provider, show = [], steps }: GuardVector["input"]): Promise<JsonObject> {
  const host = scriptedHost(detectHost());
  const chain = createChain({ host });
  const calls: RecordedCall[] = [];
  chain.add(interceptors.map((declaration) => fixtureInterceptor(declaration, { host, record: (call) => calls.push(call) })));
  const [peerEnd, inner] = memoryPair();
  const guard = guardTransport(inner, {
    role,
    host,
    policy: policyOf(policy),
    chain: { current: () => chain },
    ...(provider !== undefined && { context: () => provided(provider) }),
  });
  const came = { app: [] as Message[], peer: [] as Message[] };
  const ended = [collect(guard, came.app), collect(peerEnd, came.peer)];
  for (const { from, message, waitMs = 0 } of steps) {
    // A vector may send what is no message: the transport is what refuses it.
    void (from === "app" ? guard : peerEnd).send({ message: message as unknown as Message }).catch(() => {});
    await host.pass(waitMs);
  }
  await Promise.all([guard.close(), peerEnd.close()]);
  await Promise.all(ended);
  const seen = inOrder(calls).map(({ interceptor, event, phase, payload, context }) => ({
    interceptor,
    event,
    phase,
    ...(show.includes("payload") && { payload }),
    ...(show.includes("context") && { context }),
  }));
  return cloneJson({ ...came, calls: seen });
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
