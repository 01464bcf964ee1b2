// src/gateway/targets.ts: a few rows of the matrix with real children and real sockets, and children that fail.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { describe, it } from "node:test";
import { createChain } from "../../src/core/client/local-chain.ts";
import { httpTransport } from "../../src/core/http/http-client.ts";
import { serve } from "../../src/core/http/serve.ts";
import { McpClient } from "../../src/core/mcp/client.ts";
import type { Era } from "../../src/core/mcp/lifecycle.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { defaultEnvironment } from "../../src/gateway/targets.ts";
import type { Gateway, UpstreamTarget } from "../../src/gateway/plan.ts";
import { spawnTransport } from "../../src/node/child.ts";
import { listenHttp } from "../../src/node/http-listener.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { bundle } from "../support/bundle.ts";

const program = (name: string) => bundle(fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url)));
const server = program("server");
const child = (era: Era): UpstreamTarget => ({
  command: process.execPath,
  args: [server, era],
  stderr: "ignore",
});

async function connected(gateway: Gateway, era: Era) {
  const send = createHttpSend();
  const client = new McpClient({ name: "c", version: "1" }, { era });
  client.onElicitation(() => ({ action: "accept", content: {} }));
  await client.connect(httpTransport({ url: `${gateway.url}/up/mcp`, send, release: () => send.close() }));
  return client;
}
const textOf = async (client: McpClient, name: string) => {
  const [block] = (await client.callTool({ name })).content;
  return block?.type === "text" ? block.text : "";
};

describe("a gateway on a port, in front of a child", () => {
  for (const upstreamEra of ["handshake", "stateless"] as const) {
    it(`of the ${upstreamEra} era, serves clients of both`, async () => {
      const gateway = await createGateway({ upstreams: [{ name: "up", target: child(upstreamEra) }], chain: () => createChain(), http: {} });
      for (const era of ["handshake", "stateless"] as const) {
        const client = await connected(gateway, era);
        assert.equal(client.era, era);
        assert.match(await textOf(client, "pid"), /^\d+$/);
        assert.equal(await textOf(client, "ask"), "accept");
        await client.close();
      }
      await gateway.close();
      await gateway.done;
    });
  }

  it("that dies in the middle of a call answers the call at once, and the next one has another child", async () => {
    const gateway = await createGateway({ upstreams: [{ name: "up", target: child("handshake"), era: "handshake" }], chain: () => createChain(), http: {} });
    const client = await connected(gateway, "handshake");
    const first = await textOf(client, "pid");
    const hanging = client.callTool({ name: "hang" }, { onProgress: () => process.kill(Number(first), "SIGKILL") });
    await assert.rejects(hanging, { code: -32603, data: { reason: "unavailable", delivery: "unknown" } });
    const second = await textOf(client, "pid");
    assert.notEqual(second, first);
    await assert.rejects(client.callTool({ name: "die" }), { code: -32603, data: { reason: "unavailable", delivery: "unknown" } });
    assert.equal(gateway.stats().upstreams["up"]?.lost, 2);
    await client.close();
    await gateway.close();
  });

  it("that writes no messages, or broken ones, has its call answered with an error and goes on", async () => {
    const gateway = await createGateway({ upstreams: [{ name: "up", target: child("handshake"), era: "handshake" }], chain: () => createChain(), http: {} });
    const client = await connected(gateway, "stateless");
    const pid = await textOf(client, "pid");
    await assert.rejects(client.callTool({ name: "garble" }), { code: -32603, data: { reason: "malformed", delivery: "unknown" } });
    assert.equal(await textOf(client, "pid"), pid);
    await client.close();
    await gateway.close();
  });

  it("passes on what a program needs to start, and nothing else of the environment", async () => {
    assert.deepEqual(defaultEnvironment({ PATH: "/bin", Path: "C:", HOME: "/h", AWS_SECRET_ACCESS_KEY: "x", NODE_OPTIONS: "y", UNSET: undefined }), { PATH: "/bin", Path: "C:", HOME: "/h" });
    const gateway = await createGateway({ upstreams: [{ name: "up", target: child("handshake") }], chain: () => createChain(), http: {} });
    process.env["GATEWAY_TEST_SECRET"] = "x";
    const client = await connected(gateway, "handshake");
    delete process.env["GATEWAY_TEST_SECRET"];
    assert.doesNotMatch(await textOf(client, "environment"), /SECRET/);
    await client.close();
    await gateway.close();
  });

  it("that does not start says so, in one answer a call", async () => {
    const gateway = await createGateway({ upstreams: [{ name: "up", target: { command: "/nowhere/at-all" } }], chain: () => createChain(), http: {} });
    for (const era of ["handshake", "stateless"] as const) {
      await assert.rejects(connected(gateway, era), { code: "closed", message: /The upstream cannot be reached$/, details: { reason: "unavailable", delivery: "none" } });
    }
    await gateway.close();
  });
});

describe("a gateway on stdio", () => {
  it("serves clients of both eras, and ends with its client and its child", async () => {
    const gateway = program("gateway");
    for (const [upstreamEra, era] of [["handshake", "stateless"], ["stateless", "handshake"]] as const) {
      let said = "";
      const transport = await spawnTransport({ command: process.execPath, args: [gateway, upstreamEra, server], stderr: (chunk) => (said += String(Buffer.from(chunk))), killGraceMs: 10_000 });
      const client = new McpClient({ name: "c", version: "1" }, { era });
      client.onElicitation(() => ({ action: "accept", content: {} }));
      await client.connect(transport);
      const child = Number(await textOf(client, "pid"));
      assert.equal(await textOf(client, "ask"), "accept");
      await assert.rejects(client.callTool({ name: "environment" }), { code: -32602 });
      await client.close();
      assert.deepEqual(await transport.exited, { code: 0, signal: null });
      assert.match(said, /the gateway has ended/);
      assert.throws(() => process.kill(child, 0), { code: "ESRCH" });
    }
  });
});

describe("a gateway on a port, in front of another", () => {
  it("carries calls over real connections on both sides, and both listeners end", async () => {
    const server = new McpServer({ name: "s", version: "1" });
    server.tool({ name: "pid", inputSchema: { type: "object" } }, () => "42");
    const listener = await listenHttp();
    void serve(server, listener);
    const gateway = await createGateway({ upstreams: [{ name: "up", target: { url: listener.url } }], chain: () => createChain(), http: {} });
    for (const era of ["handshake", "stateless"] as const) {
      const client = await connected(gateway, era);
      assert.equal(await textOf(client, "pid"), "42");
      await client.close();
    }
    await gateway.close();
    await listener.close();
  });
});
