import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { guardTransport } from "../../src/core/guard/guard.ts";
import { memoryPair } from "../../src/core/transport/memory.ts";
import type { Transport } from "../../src/core/transport/transport.ts";
import type { Message } from "../../src/core/wire/message.ts";
import { localChain } from "../../src/node/chain.ts";

const hostile = { command: process.execPath, args: [fileURLToPath(new URL("fixtures/hostile-interceptors.mjs", import.meta.url))] };

/** A guard whose one interceptor runs in a process of its own. `ask` gives the name of a tool, and says what came of the call. */
async function guarded(timeoutMs: number) {
  const chain = await localChain([]);
  await chain.addServer(hostile, { label: "h", overrides: { hostile: { timeoutMs } } });
  const [peer, inner] = memoryPair();
  const app = guardTransport(inner, { role: "server", chain: { current: () => chain } });
  const next = async (from: Transport): Promise<Message | undefined> => (await from.receive())?.frame.message;
  const atApp = next(app);
  let id = 0;
  return {
    chain,
    async ask(name: string) {
      void peer.send({ message: { jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name, arguments: {} } } });
      return await Promise.race([next(peer).then((message) => ({ blocked: message })), atApp.then((message) => ({ passed: message }))]);
    },
    async close() {
      await Promise.all([app.close(), peer.close()]);
      await chain.close();
    },
  };
}

const errorOf = (came: object) => (came as { blocked?: { error?: { code: number; data: unknown } } }).blocked?.error;
const rejected = (message: string) => ({ validationErrors: [{ interceptor: "hostile", severity: "error", message }] });

describe("an interceptor in a process of its own cannot reach the guard", { concurrency: 4 }, () => {
  for (const deed of ["exit", "kill", "throw"]) {
    it(`which blocks, and lives on, where that process ends by ${deed} in mid-call`, async () => {
      const { ask, close } = await guarded(20_000);
      assert.deepEqual(errorOf(await ask(deed))?.data, rejected("unavailable"));
      // Nobody is left to judge, so nothing passes.
      assert.deepEqual(errorOf(await ask("allow"))?.data, rejected("unavailable"));
      await close();
    });
  }

  it("which blocks at the timeout where that process spins and hears nothing any more", async () => {
    const { ask, close } = await guarded(100);
    assert.deepEqual(errorOf(await ask("spin")), { code: -32000, message: "Interceptor execution timeout", data: { interceptor: "hostile", timeoutMs: 100, phase: "request" } });
    await close();
  });

  it("whose memory stays its own: what it does to its prototypes and globals is not seen here, and its verdict counts", async () => {
    const { ask, close } = await guarded(20_000);
    assert.deepEqual(errorOf(await ask("pollute"))?.data, rejected("rejected"));
    assert.deepEqual([({} as { valid?: unknown }).valid, (globalThis as { polluted?: unknown }).polluted, JSON.parse("[1]")], [undefined, undefined, [1]]);
    await close();
  });

  it("nor what goes on: it judges a copy, and what a validator sends back beside its verdict changes nothing", async () => {
    const { ask, close } = await guarded(20_000);
    const came = await ask("forge");
    assert.deepEqual(came, { passed: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "forge", arguments: {} } } });
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
    await close();
  });
});
