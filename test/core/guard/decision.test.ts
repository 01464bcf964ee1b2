import assert from "node:assert/strict";
import { test } from "node:test";
import { mutator, validator } from "../../../src/core/interceptor/define.ts";
import { outcomesOf, principalOf } from "../../../src/core/guard/decision.ts";
import { call, guardedPair, textResult } from "../../support/guarded-pair.ts";
import { CALL, remoteSource, rig } from "../chain/kit.ts";

test("a decision tells of a sink that it observed, or that it failed", async () => {
  for (const [answer, outcome] of [[{ recorded: true }, { outcome: "observed" }], ["text", { outcome: "failed", failure: "malformed_result" }]] as const) {
    const { chain } = rig();
    const hooks = [{ events: ["tools/call"], phase: "request" }];
    await chain.addSource(remoteSource("s", [{ name: "sink", type: "sink", hooks } as never], () => answer));
    const [told] = outcomesOf(await chain.execute(CALL));
    assert.deepEqual({ ...told, durationMs: 0 }, { name: "sink", address: "s/sink", type: "sink", mode: "audit", ...outcome, durationMs: 0 });
  }
});

test("a decision names the tool and the span that its message belongs to, and has digests where the policy makes them", async () => {
  const seen: unknown[] = [];
  const digest = (payload: unknown) => `d${seen.push(structuredClone(payload))}`;
  const hooks = [{ events: ["tools/call"], phase: "request" as const }, { events: ["tools/call"], phase: "response" as const }];
  const stamp = mutator({ name: "stamp", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, isError: false }));
  const pair = guardedPair([validator({ name: "look", hooks }, () => true), stamp], { policy: { digest } });
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
  await pair.fromPeer({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: {}, _meta: { traceparent } } });
  await pair.fromApp(textResult(1, "hi"));
  await pair.fromPeer(call(2));
  assert.deepEqual(
    pair.decisions.map(({ phase, tool, traceId, parentSpanId, digests }) => [phase, tool, traceId === "a".repeat(32), parentSpanId, digests]),
    [
      ["request", "echo", true, "b".repeat(16), { payload: "d1" }],
      ["response", "echo", true, "b".repeat(16), { payload: "d2", final: "d3" }],
      ["request", "echo", false, undefined, { payload: "d4" }],
    ],
  );
  assert.deepEqual(seen.slice(1, 3), [{ content: [{ type: "text", text: "hi" }] }, { content: [{ type: "text", text: "hi" }], isError: false }]);
});

test("a digest that throws blocks the message", async () => {
  const look = validator({ name: "look", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => true);
  const broken = () => {
    throw new TypeError("no");
  };
  const pair = guardedPair([look], { policy: { digest: broken } });
  await pair.fromPeer(call(1));
  assert.deepEqual(pair.atApp, []);
  assert.deepEqual(pair.decisions.map(({ verdict, reason }) => [verdict, reason]), [["blocked", "failed"]]);
  assert.throws(() => guardedPair([look], { policy: { digest: "sha256" as never } }), { code: "invalid_argument" });
});

test("a decision says who called: type, id and issuer, and no other claim", () => {
  assert.equal(principalOf({}), undefined);
  assert.deepEqual(principalOf({ principal: { type: "anonymous" } }), { type: "anonymous" });
  const claims = { iss: "https://issuer.example", email: "a@example.com" };
  assert.deepEqual(principalOf({ principal: { type: "user", id: "alice", claims } }), { type: "user", id: "alice", issuer: "https://issuer.example" });
  assert.deepEqual(principalOf({ principal: { type: "user", claims: { iss: 5 } } }), { type: "user" });
});
