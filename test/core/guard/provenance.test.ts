import assert from "node:assert/strict";
import { test } from "node:test";
import { createChain } from "../../../src/core/chain/chain.ts";
import { writersOf } from "../../../src/core/chain/writers.ts";
import type { Decision } from "../../../src/core/guard/decision.ts";
import { mutator } from "../../../src/core/interceptor/define.ts";
import { memoryPair } from "../../../src/core/transport/memory.ts";
import { guardedRelay } from "../../../src/gateway/guarded-relay.ts";
import { settle } from "../../support/fake-host.ts";
import { call, guardedPair, textResult } from "../../support/guarded-pair.ts";

const request = [{ events: ["tools/call"], phase: "request" }] as const;
const response = [{ events: ["tools/call"], phase: "response" }] as const;
const stamp = mutator({ name: "stamp", hooks: request }, ({ payload }) => ({ ...payload, arguments: { ...payload.arguments, stamped: true } }));
const reply = mutator({ name: "reply", hooks: response }, ({ payload }) => ({ ...payload, content: [...payload.content, { type: "text" as const, text: "checked" }] }));

for (const role of ["server", "client"] as const) {
  const [asker, answerer] = role === "server" ? (["fromPeer", "fromApp"] as const) : (["fromApp", "fromPeer"] as const);

  test(`the decisions of a ${role}'s guard say who changed what, and who wrote a field`, async () => {
    const pair = guardedPair([stamp, reply], { role, policy: { provenance: "pointers" } });
    await pair[asker](call(1));
    await pair[answerer](textResult(1, "x"));
    const [asked, answered] = pair.decisions as [Decision, Decision];
    assert.deepEqual(asked.interceptors[0]?.provenance, { changes: [{ pointer: "/arguments/stamped", kind: "added" }] });
    assert.deepEqual(writersOf(asked, "/arguments/stamped").writers.map(({ interceptor }) => interceptor), ["stamp"]);
    assert.deepEqual(writersOf(asked, "/name").writers, []);
    assert.deepEqual(writersOf(answered, "/content/1/text").writers.map(({ interceptor }) => interceptor), ["reply"]);
    assert.deepEqual(writersOf(answered, "/content/0").writers, []);
  });
}

test("a decision holds values where the policy asks for them, and as copies that no receiver can change", async () => {
  const pair = guardedPair([stamp], { policy: { provenance: "values" } });
  await pair.fromPeer(call(1));
  const arrived = pair.atApp[0] as unknown as { params: { arguments: Record<string, unknown> } };
  arrived.params.arguments["stamped"] = "vandalised";
  assert.deepEqual(pair.decisions[0]?.interceptors[0]?.provenance?.changes, [{ pointer: "/arguments/stamped", kind: "added", after: true }]);
  const plain = guardedPair([stamp]);
  await plain.fromPeer(call(1));
  assert.equal(plain.decisions[0]?.interceptors[0]?.provenance, undefined);
});

test("what another event of the same message has written is not taken for the message's own", async () => {
  const embedded = mutator({ name: "embedded", hooks: [{ events: ["roots/list"], phase: "response" }] }, ({ payload }) => ({ ...payload, roots: [] }));
  const pair = guardedPair([embedded, stamp], { policy: { provenance: "pointers" } });
  const retry = call(1);
  const params = { name: "echo", arguments: {}, inputResponses: { r: { roots: [{ uri: "file:///x" }] } } };
  await pair.fromPeer({ ...retry, params } as never);
  const [decision] = pair.decisions as [Decision];
  assert.deepEqual(decision.interceptors.map(({ name, event }) => [name, event]), [["embedded", "roots/list"], ["stamp", "tools/call"]]);
  assert.deepEqual(writersOf(decision, "").writers.map(({ interceptor }) => interceptor), ["stamp"]);
});

test("a relay's guard records in its decisions as well", async () => {
  const [near, down] = memoryPair();
  const [up] = memoryPair();
  const chain = createChain();
  chain.add(stamp);
  const decisions: Decision[] = [];
  const guard = { record: (decision: Decision) => void decisions.push(decision), policy: { provenance: "pointers" } } as const;
  guardedRelay(down, up, { chain, guard, relay: { drainMs: 1 } });
  await near.send({ message: call(1) });
  await settle();
  assert.deepEqual(writersOf(decisions[0]!, "/arguments/stamped").writers.map(({ interceptor }) => interceptor), ["stamp"]);
  await near.close();
});
