import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createSignal } from "../../src/core/base/signal.ts";
import { validator } from "../../src/core/interceptor/define.ts";
import { serve } from "../../src/core/http/serve.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { connectServer, createChain, localChain } from "../../src/node/chain.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../cli/fixtures/${name}`, import.meta.url));
const policies = { command: process.execPath, args: [fixture("interceptor-server.mjs")] };
const CALL = { event: "tools/call", phase: "request", direction: "receiving" } as const;

describe("a chain that starts servers", { concurrency: 3 }, () => {
  it("finds the interceptors of a command in one call, runs them, and ends the process at close", async () => {
    const chain = createChain();
    await chain.addServer(policies, { label: "policies", overrides: { names: { timeoutMs: 5000 } } });
    assert.deepEqual(chain.entries.map(({ address, policy }) => [address, policy.timeoutMs]), [["policies/names", 5000]]);
    assert.equal((await chain.execute({ ...CALL, payload: { name: "echo" } })).status, "success");
    const denied = await chain.execute({ ...CALL, payload: { name: "rm" } });
    assert.deepEqual([denied.status, denied.abortedAt?.interceptor], ["validation_failed", "names"]);
    await chain.close();
    const after = await chain.execute({ ...CALL, payload: { name: "echo" } });
    assert.deepEqual([after.status, after.results[0]?.error?.reason], ["validation_failed", "unavailable"]);
  });

  it("joins them with interceptors of this process", async () => {
    const own = validator({ name: "own", hooks: [{ events: ["*"], phase: "request" }] }, () => true);
    const chain = await localChain([own]);
    await chain.addServer(policies);
    assert.deepEqual(chain.entries.map(({ address }) => address), ["local/own", "server-1/names"]);
    assert.equal((await chain.execute({ ...CALL, payload: { name: "echo" } })).results.length, 2);
    await chain.close();
  });

  it("adds nothing, and leaves no process, where the server dies at its start or hosts none", async () => {
    const chain = createChain();
    await assert.rejects(chain.addServer({ ...policies, args: [...policies.args, "dies"] }), { code: "closed", message: /exited with code 4; .*no such database/ });
    await assert.rejects(chain.addServer({ command: process.execPath, args: [fixture("server.mjs")] }), { code: "unsupported", message: /hosts no interceptors/ });
    await assert.rejects(chain.addServer({ command: "no-such-command" }), { code: "spawn_failed" });
    assert.deepEqual(chain.entries, []);
    await chain.close();
  });

  it("gives up a server that says nothing when the caller does", async () => {
    const caller = createSignal();
    const adding = createChain().addServer({ command: process.execPath, args: [fixture("server.mjs"), "silent"] }, { signal: caller.signal });
    caller.abort("enough");
    await assert.rejects(adding, { code: "aborted" });
  });

  it("finds the interceptors of a server behind a URL, and gives its connections back at close", async () => {
    const server = new McpServer({ name: "policies", version: "1" });
    hostInterceptors(server, [validator({ name: "names", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => payload.name !== "rm")]);
    const listener = await listenHttp({ port: 0, authenticate: ({ headers }) => (headers.get("x-key") === "k" ? { principal: { type: "service" } } : { challenge: {} }) });
    void serve(server, listener);
    const chain = createChain();
    await assert.rejects(chain.addServer({ url: listener.url }), { code: "refused" });
    await chain.addServer({ url: listener.url, headers: { "X-Key": "k" } });
    assert.deepEqual(chain.entries.map(({ address }) => address), ["server-1/names"]);
    assert.equal((await chain.execute({ ...CALL, payload: { name: "rm" } })).status, "validation_failed");
    await chain.close();
    await listener.close();
  });

  it("speaks the revisions that it is told to, with a command and behind a URL", async () => {
    const listener = await listenHttp();
    void serve(new McpServer({ name: "s", version: "1" }), listener);
    for (const target of [policies, { url: listener.url }]) {
      const client = await connectServer(target, undefined, { versions: ["2025-06-18"] });
      assert.equal(client.protocolVersion, "2025-06-18");
      await client.close();
    }
    await listener.close();
  });

  it("says of a URL behind which nobody listens that the server cannot be reached", async () => {
    await assert.rejects(connectServer({ url: "http://127.0.0.1:1/mcp" }), { code: "closed", message: /cannot be reached/, details: { delivery: "none" } });
    await assert.rejects(createChain().addServer({ url: "http://127.0.0.1:1/mcp" }), { code: "closed" });
    await assert.rejects(connectServer({ url: "/mcp" }), { code: "invalid_argument" });
  });
});
