import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createChain } from "../../../src/core/chain/chain.ts";
import { guardClient, guardServer } from "../../../src/core/guard/attach.ts";
import { compileImmutable } from "../../../src/core/guard/immutable.ts";
import { mutator } from "../../../src/core/interceptor/define.ts";
import { call, guardedPair, textResult } from "../../support/guarded-pair.ts";
import { guardedSeam, SEAMS } from "./seams.ts";

const rename = mutator({ name: "rename", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, name: "rm" }));
const stamp = mutator({ name: "stamp", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => ({ ...payload, arguments: { stamped: true } }));
const reword = mutator({ name: "reword", hooks: [{ events: ["tools/call"], phase: "response" }] }, ({ payload }) => ({ ...payload, content: [] }));

for (const seam of SEAMS) {
  describe(`${seam}, where a pointer is immutable`, () => {
    test("refuses a request whose mutator has changed what is there, and names it", async () => {
      const pair = guardedSeam(seam, [rename], { policy: { immutable: ["/name"], exposeErrors: true } });
      await pair.fromClient(call(1));
      const [answer] = pair.atClient;
      assert.ok(answer !== undefined && "error" in answer);
      assert.deepEqual([answer.error.code, answer.error.data], [-32603, { failedInterceptor: "rename", reason: "it changed /name, which is immutable" }]);
      assert.deepEqual(pair.atServer, []);
      assert.deepEqual(pair.log, ['a mutation of "tools/call" was refused: it changed /name, which is immutable']);
      assert.deepEqual(pair.decisions.map(({ reason, by }) => [reason, by]), [["mutation_failed", "rename"]]);
      await pair.close();
    });

    test("lets a mutator change everything else", async () => {
      const pair = guardedSeam(seam, [stamp], { policy: { immutable: ["/name"] } });
      await pair.fromClient(call(1));
      assert.deepEqual(pair.atServer.map((message) => "params" in message && message.params), [{ name: "echo", arguments: { stamped: true } }]);
      await pair.close();
    });

    test("holds responses to it as well", async () => {
      const pair = guardedSeam(seam, [reword], { policy: { immutable: { "tools/*": ["/content/0/text"] } } });
      await pair.fromClient(call(1));
      await pair.fromServer(textResult(1, "x"));
      const [answer] = pair.atClient;
      assert.deepEqual(answer !== undefined && "error" in answer && answer.error.data, { failedInterceptor: "reword", reason: "malformed_result" });
      await pair.close();
    });
  });
}

test("what is immutable of one event may be changed in another", async () => {
  const pair = guardedPair([rename], { policy: { immutable: { "prompts/get": ["/name"] } } });
  await pair.fromPeer(call(1));
  assert.equal(pair.atApp.length, 1);
});

test("a mutator that fails open is passed over, and nothing of its change goes on", async () => {
  const open = mutator({ name: "m", failOpen: true, hooks: [{ events: ["tools/call"], phase: "request" }] }, () => ({ name: "rm" }));
  const pair = guardedPair([open], { policy: { immutable: ["/name"] } });
  await pair.fromPeer(call(1));
  assert.deepEqual(pair.atApp, [call(1)]);
});

test("adding, removing and replacing are changes, and so is anything below or around the pointer", () => {
  const check = compileImmutable(["/a/b", "/list/0", "/gone"]);
  const before = { a: { b: { c: 1 } }, list: [1, 2] };
  const passes = (after: unknown) => check("x", before, after);
  for (const after of [before, { list: [1], a: { b: { c: 1 }, new: 1 } }, { a: { b: { c: 1 } }, list: [1, 2], new: 1 }]) assert.doesNotThrow(() => passes(after));
  for (const after of [
    { a: { b: { c: 2 } }, list: [1, 2] },
    { a: { b: { c: 1, d: 1 } }, list: [1, 2] },
    { a: 1, list: [1, 2] },
    { list: [1, 2] },
    { a: { b: { c: 1 } }, list: [2, 1] },
    { a: { b: { c: 1 } }, list: [] },
    { a: { b: { c: 1 } }, list: [1, 2], gone: 1 },
  ]) {
    assert.throws(() => passes(after), { code: "malformed_result" }, JSON.stringify(after));
  }
  assert.throws(() => compileImmutable([""])("x", before, { ...before, n: 1 }), { message: /changed the payload/ });
});

test("error responses have immutable places too", async () => {
  const soften = mutator({ name: "soften", handlesErrors: true, hooks: [{ events: ["tools/call"], phase: "response" }] }, () => ({ error: { code: -1, message: "m" } }));
  const pair = guardedPair([soften], { policy: { immutable: ["/error/code"] } });
  await pair.fromPeer(call(1));
  await pair.fromApp({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "m" } });
  const [answer] = pair.atPeer;
  assert.deepEqual(answer !== undefined && "error" in answer && answer.error.data, { failedInterceptor: "soften", reason: "malformed_result" });
});

test("a policy that is none is refused before there is any traffic", () => {
  const chain = createChain();
  const guardable = { wrapTransport: () => {} };
  for (const immutable of ["/name", ["name"], [1], { "": ["/a"] }, { "a*": ["/a"] }, { "tools/call": "/a" }, null]) {
    for (const guard of [guardServer, guardClient]) {
      assert.throws(() => guard(guardable, chain, { policy: { immutable: immutable as never } }), { code: "invalid_argument" }, JSON.stringify(immutable));
    }
  }
  for (const policy of [{ provenance: "all" }, { onSchemaBreak: "ignore" }]) {
    assert.throws(() => guardedPair([], { policy: policy as never }), { code: "invalid_argument" });
  }
});
