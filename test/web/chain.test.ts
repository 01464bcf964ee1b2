import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { detectHost, type Host } from "../../src/core/base/host.ts";
import { validator } from "../../src/core/interceptor/define.ts";
import { serve } from "../../src/core/http/serve.ts";
import { McpServer } from "../../src/core/mcp/server.ts";
import { hostInterceptors } from "../../src/core/server/interceptor-server.ts";
import { connectServer, createChain, localChain } from "../../src/web/chain.ts";
import { fetchHandler } from "../../src/web/fetch-handler.ts";

const names = validator({ name: "names", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => payload.name !== "rm");

describe("a chain that reaches servers by fetch", () => {
  it("finds the interceptors behind a URL, over the Request and Response of the platform", async () => {
    const server = new McpServer({ name: "policies", version: "1" });
    hostInterceptors(server, [names]);
    const handler = fetchHandler({ allowedHosts: ["policies.example"] });
    void serve(server, handler);
    // The type of the slot takes any arguments; these are those of a WHATWG fetch.
    const fetch = ((url: string, init: RequestInit) => handler.fetch(new Request(url, init))) as unknown as NonNullable<Host["fetch"]>;
    const host: Host = { ...detectHost(), fetch };
    const chain = createChain({ connect: (target, signal) => connectServer(target, signal, { host }) });
    await chain.addServer({ url: "https://policies.example/mcp" }, { label: "policies" });
    const run = (name: string) => chain.execute({ event: "tools/call", phase: "request", direction: "receiving", payload: { name } });
    assert.deepEqual([(await run("echo")).status, (await run("rm")).status], ["success", "validation_failed"]);
    await chain.close();
    await handler.close();
  });

  it("starts no commands", async () => {
    await assert.rejects(connectServer({ command: "x" }), { code: "unsupported", message: /mcp-interceptors\/node/ });
    const chain = await localChain([names]);
    await assert.rejects(chain.addServer({ command: "x" }), { code: "unsupported" });
    await chain.close();
  });
});
