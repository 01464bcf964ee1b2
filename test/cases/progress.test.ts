// Case 37: progress reaches the call that it is of, under the token that its caller chose, and no other.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "../../src/core/base/json.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { ERAS, metaIn, pairOf, result, type Pair } from "./pairs.ts";

const progress = (progressToken: unknown, step: number): JsonObject => ({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: progressToken as number, progress: step } });
const tokenOf = (message: JsonObject) => metaIn(message)["progressToken"];

/** The next call at the server: its id and the token that it was given. */
async function called({ server }: Pair) {
  const message = await server.message();
  assert.equal(message["method"], "tools/call");
  return { id: message["id"], token: tokenOf(message) };
}

for (const face of ERAS) {
  for (const up of ERAS) {
    describe(`progress through a gateway, ${face} to ${up}`, () => {
      it("of two clients with tokens 1 and \"1\" comes to each under its own, in its own type", async () => {
        for (const way of ["memory", "http"] as const) {
          const pair = await pairOf(face, up, { way });
          const [one, two] = pair.clients;
          await one.call(1, { progressToken: 1 });
          const first = await called(pair);
          await two.call(1, { progressToken: "1" });
          const second = await called(pair);
          assert.ok(Number.isInteger(first.token) && Number.isInteger(second.token) && first.token !== second.token);
          await pair.server.send(progress(second.token, 1));
          await pair.server.send(progress(first.token, 2));
          await pair.server.send(progress(second.token, 3));
          assert.deepEqual(await one.end.message(), progress(1, 2));
          assert.deepEqual([await two.end.message(), await two.end.message()], [progress("1", 1), progress("1", 3)]);
          // One that ends takes nothing of the other's with it.
          await pair.server.send(result(first.id));
          assert.equal((await one.end.message())["id"], 1);
          await pair.server.send(progress(second.token, 4));
          assert.deepEqual(await two.end.message(), progress("1", 4));
          await pair.server.send(result(second.id));
          assert.equal((await two.end.message())["id"], 1);
          assert.deepEqual([one.waiting(), two.waiting()], [[], []]);
          await pair.close();
        }
      });

      it("that comes after the answer goes nowhere, also when the token is used again", async () => {
        const pair = await pairOf(face, up);
        const [one] = pair.clients;
        await one.call(1, { progressToken: "t" });
        const first = await called(pair);
        await pair.server.send(result(first.id));
        assert.equal((await one.end.message())["id"], 1);
        await pair.server.send(progress(first.token, 1));
        await one.call(1, { progressToken: "t" });
        const again = await called(pair);
        await pair.server.send(progress(first.token, 2));
        await pair.server.send(progress(again.token, 3));
        assert.deepEqual(await one.end.message(), progress("t", 3));
        await pair.server.send(result(again.id));
        assert.equal((await one.end.message())["id"], 1);
        assert.deepEqual(one.waiting(), []);
        await pair.close();
      });

      it("under a token that is none of the server's own goes nowhere", async () => {
        const pair = await pairOf(face, up);
        const [one, two] = pair.clients;
        await one.call(7, { progressToken: 7 });
        const { id, token } = await called(pair);
        await two.call(8);
        const silent = await called(pair);
        assert.equal(silent.token, undefined);
        for (const wrong of [String(token), 7, "7", silent.id, Number(token) + 1_000, -1, 0, Number(token) + 0.5, "", null, true, {}, [token]]) {
          if (wrong === token) continue;
          // Some are no messages at all.
          await pair.server.send(progress(wrong, 1)).catch(() => {});
        }
        await pair.server.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } }).catch(() => {});
        await settle();
        assert.deepEqual([one.waiting(), two.waiting()], [[], []]);
        await pair.server.send(progress(token, 2));
        assert.deepEqual(await one.end.message(), progress(7, 2));
        await pair.server.send(result(id));
        await pair.server.send(result(silent.id));
        assert.deepEqual([(await one.end.message())["id"], (await two.end.message())["id"]], [7, 8]);
        await pair.close();
      });

      it("keeps whatever token a caller may choose", async () => {
        const pair = await pairOf(face, up, { clients: 1 });
        const [one] = pair.clients;
        for (const [index, token] of ["", "0", 0, -1, Number.MAX_SAFE_INTEGER, "__proto__", "constructor", "é😀\u2028", "1".repeat(300)].entries()) {
          await one.call(index, { progressToken: token });
          const { id, token: own } = await called(pair);
          await pair.server.send(progress(own, 1));
          assert.deepEqual(await one.end.message(), progress(token, 1));
          await pair.server.send(result(id));
          assert.equal((await one.end.message())["id"], index);
        }
        await pair.close();
      });

      it("keeps its own call alive, and no other's", async () => {
        const host = fakeHost();
        const pair = await pairOf(face, up, { plan: { host }, upstream: { callTimeoutMs: 1_000 } });
        const [one, two] = pair.clients;
        await one.call(1, { progressToken: 1 });
        const first = await called(pair);
        await two.call(1, { progressToken: 1 });
        await called(pair);
        await host.advance(900);
        await pair.server.send(progress(first.token, 1));
        await settle();
        await host.advance(200);
        assert.equal(((await two.end.message())["error"] as { data: JsonObject }).data["reason"], "timeout");
        assert.deepEqual(await one.end.message(), progress(1, 1));
        await pair.server.send(result(first.id));
        assert.equal((await one.end.message())["id"], 1);
        const closing = pair.close();
        await host.advance(60_000);
        await closing;
      });
    });
  }
}

it("progress of one upstream never counts for a call to another", async () => {
  const plan = { drainMs: 1 };
  const [here, there] = [await pairOf("handshake", "handshake", { plan }), await pairOf("handshake", "handshake", { plan })];
  await here.clients[0].call(1, { progressToken: 1 });
  await there.clients[0].call(1, { progressToken: 1 });
  const [mine, theirs] = [await called(here), await called(there)];
  assert.equal(mine.token, theirs.token);
  await there.server.send(progress(theirs.token, 1));
  assert.deepEqual(await there.clients[0].end.message(), progress(1, 1));
  assert.deepEqual(here.clients[0].waiting(), []);
  await here.close();
  await there.close();
});
