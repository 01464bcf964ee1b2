// src/gateway: an upstream over HTTP that loses its sessions, as one that is started anew does.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { directSend } from "../../src/core/http/direct-send.ts";
import type { HttpCall } from "../../src/core/http/exchange.ts";
import { createHttpServer } from "../../src/core/http/http-server.ts";
import { serve } from "../../src/core/http/serve.ts";
import { McpServer, type McpServerOptions } from "../../src/core/mcp/server.ts";
import { HANDSHAKE_VERSIONS } from "../../src/core/wire/versions.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { clientOf, gatewayFor, until } from "./kit.ts";

/** One address, behind which servers come and go. */
function address() {
  const host = fakeHost();
  const methods: string[] = [];
  let now: { http: ReturnType<typeof createHttpServer>; server: McpServer } | undefined;
  const start = (options: McpServerOptions = {}) => {
    const versions = options.versions ?? HANDSHAKE_VERSIONS;
    const http = createHttpServer({ host, allowedHosts: ["upstream.example"], versions });
    const server = new McpServer({ name: "up", version: "1" }, { host, capabilities: { logging: {} }, versions });
    server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ text }) => String(text));
    server.resource({ uri: "mem:///a", name: "a" }, () => ({ contents: [] }));
    void serve(server, http);
    now = { http, server };
    return server;
  };
  const send = (call: HttpCall) => {
    if (call.method !== "POST") methods.push(call.method);
    else methods.push(String((JSON.parse(call.body ?? "{}") as { method?: string }).method));
    return directSend(now!.http.handle)(call);
  };
  const stop = async () => {
    const { http, server } = now!;
    const closing = http.close();
    await host.advance(2_000);
    await Promise.all([closing, server.close()]);
  };
  return { host, methods, start, stop, target: { url: "https://upstream.example/mcp", send } };
}

describe("an upstream that has lost the session", () => {
  for (const sharing of ["session", "shared"] as const) {
    it(`is told again what is wanted, once for all calls, and clients that they may have missed something (${sharing})`, async () => {
      const { host, methods, start, stop, target } = address();
      start();
      const gateway = await gatewayFor(target, { host }, { sharing, era: "handshake" });
      const heard: string[] = [];
      const client = await clientOf(gateway, "memory", "handshake", (it) => void it.onResourceUpdated((uri) => heard.push(uri)));
      await client.subscribeResource("mem:///a");
      if (sharing === "session") await client.setLogLevel("warning");
      await stop();
      const server = start();
      methods.length = 0;
      const texts = await Promise.all(["1", "2", "3"].map((text) => client.callTool({ name: "echo", arguments: { text } })));
      assert.deepEqual(texts.map(({ content }) => (content[0] as { text: string }).text), ["1", "2", "3"]);
      await until(() => heard.length > 0);
      assert.deepEqual(heard, ["mem:///a"], "what was missed is not known");
      const again = ["initialize", "resources/subscribe", ...(sharing === "session" ? ["logging/setLevel"] : [])];
      assert.deepEqual(again.map((method) => methods.filter((one) => one === method).length), again.map(() => 1));
      server.resourceUpdated("mem:///a");
      await until(() => heard.length > 1);
      assert.equal(heard.length, 2);
      const closing = gateway.close();
      await host.advance(20_000);
      await closing;
      await stop();
    });
  }

  it("is found out without a call where somebody listens", async () => {
    const { host, methods, start, stop, target } = address();
    start();
    const gateway = await gatewayFor(target, { host }, { era: "handshake" });
    const heard: string[] = [];
    const client = await clientOf(gateway, "memory", "handshake", (it) => void it.onResourceUpdated((uri) => heard.push(uri)));
    await client.subscribeResource("mem:///a");
    await settle();
    await stop();
    const server = start();
    methods.length = 0;
    for (let turn = 0; turn < 20 && heard.length === 0; turn++) await host.advance(1_000);
    assert.deepEqual(heard, ["mem:///a"]);
    server.resourceUpdated("mem:///a");
    await until(() => heard.length > 1);
    assert.equal(heard.length, 2);
    assert.equal(methods.includes("tools/call"), false);
    const closing = gateway.close();
    await host.advance(20_000);
    await closing;
    await stop();
  });

  it("and comes back in another revision has a connection of that revision, and the call that found out is made there", async () => {
    for (const version of ["2025-06-18", "2026-07-28"]) {
      const { host, methods, start, stop, target } = address();
      start();
      const gateway = await gatewayFor(target, { host }, { sharing: "shared" });
      const client = await clientOf(gateway, "memory", "handshake");
      await client.callTool({ name: "echo", arguments: { text: "before" } });
      await stop();
      start({ versions: [version] });
      methods.length = 0;
      let text = "";
      const call = async () => {
        const { content } = await client.callTool({ name: "echo", arguments: { text: "after" } });
        text = (content[0] as { text: string }).text;
      };
      // A failed start takes a while to be tried again.
      for (let turn = 0; turn < 20 && text === ""; turn++) {
        const tried = call().catch(() => {});
        await host.advance(1_000);
        await tried;
      }
      assert.equal(text, "after", version);
      const closing = gateway.close();
      await host.advance(20_000);
      await closing;
      await stop();
    }
  });
});
