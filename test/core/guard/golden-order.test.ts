// What runs, in which order, in each direction, phase and role, as a log that a person can read: golden-order.txt. Everything goes through guards;
// nothing is executed by hand.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createChain, type Chain } from "../../../src/core/chain/chain.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { mutator, validator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import type { Transport } from "../../../src/core/transport/transport.ts";
import type { Message } from "../../../src/core/wire/message.ts";
import { guardedRelay } from "../../../src/gateway/guarded-relay.ts";
import { fakeHost, settle, type FakeHost } from "../../support/fake-host.ts";

type Side = "client" | "server";
type Phase = "request" | "response";

interface Row {
  /** The guard of an application, or that of a relay between two. */
  readonly place: "application" | "relay";
  /** What the guarded application is, or the posture of the relay. */
  readonly role: Side;
  readonly asks: Side;
  readonly phase: Phase;
}

const trailOf = (part: unknown): readonly string[] => (part as { _meta: { trail: string[] } })._meta.trail;
const show = (part: unknown) => `[${trailOf(part).join(" ")}]`;

/** Two mutators, two validators and one audit entry, added in an order that is not the order of the run. */
function interceptors(event: string, phase: Phase, say: (line: string) => void): Interceptor[] {
  const hooks = [{ events: [event], phase }];
  const mutate = (name: string, priorityHint: number) =>
    mutator({ name, hooks, priorityHint }, ({ payload }) => {
      const { _meta, ...rest } = payload as { _meta: { trail: string[] } };
      const after = { ...rest, _meta: { ..._meta, trail: [..._meta.trail, name] } };
      say(`${name} mutates ${show(payload)} to ${show(after)}`);
      return after as never;
    });
  const judge = (name: string, mode: "active" | "audit" = "active") =>
    validator({ name, hooks, mode }, ({ payload, context }) => {
      say(`${name} ${mode === "audit" ? "looks at" : "judges"} ${show(payload)}${context.revalidation === true ? " again" : ""}`);
      return true;
    });
  return [mutate("M2", 2), judge("V1"), judge("A", "audit"), mutate("M1", 1), judge("V2")];
}

const REQUESTS = {
  client: { event: "tools/call", params: { name: "t", arguments: {} }, result: { content: [] } },
  server: {
    event: "sampling/createMessage",
    params: { messages: [], maxTokens: 1 },
    result: { role: "assistant", model: "m", content: { type: "text", text: "t" } },
  },
};

/** The log of one exchange, of which the interceptors hook one phase. */
async function logOf({ place, role, asks, phase }: Row): Promise<string> {
  const { event, params, result } = REQUESTS[asks];
  const lines: string[] = [];
  const say = (line: string) => void lines.push(`  ${line}`);
  const host = fakeHost();
  const chain = createChain({ host });
  chain.add(interceptors(event, phase, say));
  const ends = place === "application" ? guarded(role, chain, host) : relayed(role, chain, host);
  const heard = (side: Side) => {
    const pump = async () => {
      for (let arrival = await ends[side].receive(); arrival !== undefined; arrival = await ends[side].receive()) {
        const { message } = arrival.frame;
        const part: unknown = "method" in message ? message.params : "result" in message ? message.result : message;
        say(`the ${side} gets ${"method" in message ? message.method : "the answer"} ${show(part)}`);
      }
    };
    void pump().catch(() => {});
  };
  heard("client");
  heard("server");
  const answers: Side = asks === "client" ? "server" : "client";
  const send = async (from: Side, message: Message, part: unknown) => {
    say(`the ${from} sends ${"method" in message ? message.method : "the answer"} ${show(part)}`);
    void ends[from].send({ message }).catch(() => {});
    await settle();
  };
  const asked = { ...params, _meta: { trail: [] } };
  const answered = { ...result, _meta: { trail: [] } };
  await send(asks, { jsonrpc: "2.0", id: 1, method: event, params: asked }, asked);
  await send(answers, { jsonrpc: "2.0", id: 1, result: answered }, answered);
  await Promise.all([ends.client.close(), ends.server.close()]);
  const who = place === "application" ? `guard of a ${role}` : `relay with the posture ${role}`;
  return [`${who}, ${phase} phase of ${event}, which a ${asks} asks`, ...lines].join("\n");
}

/** What the client and the server of a connection hold. */
type Ends = Readonly<Record<Side, Transport>>;

function guarded(role: Side, chain: Chain, host: FakeHost): Ends {
  const [near, far] = memoryPair();
  const own = guardTransport(near, { role, host, chain: { current: () => chain } });
  return role === "client" ? { client: own, server: far } : { client: far, server: own };
}

function relayed(posture: Side, chain: Chain, host: FakeHost): Ends {
  const [client, down] = memoryPair();
  const [up, server] = memoryPair();
  guardedRelay(down, up, { chain, posture, guard: { host }, relay: { host } });
  return { client, server };
}

const ROWS: readonly Row[] = (["application", "relay"] as const).flatMap((place) =>
  (["server", "client"] as const).flatMap((role) =>
    (["client", "server"] as const).flatMap((asks) => (["request", "response"] as const).map((phase) => ({ place, role, asks, phase }))),
  ),
);

test("what ran in each direction, phase, role and posture is what the golden log says", async () => {
  const golden = readFileSync(new URL("golden-order.txt", import.meta.url), "utf8").trimEnd().split("\n\n");
  assert.equal(golden.length, ROWS.length);
  for (const [at, row] of ROWS.entries()) assert.equal(await logOf(row), golden[at]);
});
