import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localChain } from "../../../src/core/client/local-chain.ts";
import { guardServer } from "../../../src/core/guard/attach.ts";
import { directSend } from "../../../src/core/http/direct-send.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createHttpServer } from "../../../src/core/http/http-server.ts";
import { serve } from "../../../src/core/http/serve.ts";
import { validator } from "../../../src/core/interceptor/define.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { URL_OF_SERVER } from "./client-kit.ts";

/** The `sessionId`s that an interceptor sees of two calls of one client, two phases each. */
async function sessionsSeen(era: "handshake" | "stateless"): Promise<readonly (string | undefined)[]> {
  const seen: (string | undefined)[] = [];
  const hooks = [{ events: ["tools/call"], phase: "request" }, { events: ["tools/call"], phase: "response" }] as const;
  const look = validator({ name: "look", hooks }, ({ context }) => (seen.push(context.sessionId), true));
  const http = createHttpServer({ allowedHosts: ["server.example"] });
  const server = new McpServer({ name: "s", version: "1" });
  server.tool({ name: "t", inputSchema: { type: "object" } }, () => "done");
  guardServer(server, await localChain([look]));
  void serve(server, http);
  const client = new McpClient({ name: "c", version: "1" }, { era });
  await client.connect(httpTransport({ url: URL_OF_SERVER, send: directSend(http.handle) }));
  await client.callTool({ name: "t" });
  await client.callTool({ name: "t" });
  await client.close();
  await http.close();
  return seen;
}

describe("the session that interceptors are told over HTTP", () => {
  it("is one of our own making for all of a session", async () => {
    const seen = await sessionsSeen("handshake");
    assert.equal(seen.length, 4);
    assert.equal(new Set(seen).size, 1);
    assert.match(seen[0] ?? "", /^s-[0-9a-f]{16}$/);
  });

  it("is none where each request stands alone: a name for one message would look like a new session each time", async () => {
    assert.deepEqual(await sessionsSeen("stateless"), [undefined, undefined, undefined, undefined]);
  });
});
