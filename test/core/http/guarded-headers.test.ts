import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { localChain } from "../../../src/core/client/local-chain.ts";
import { guardTransport } from "../../../src/core/guard/guard.ts";
import { directSend } from "../../../src/core/http/direct-send.ts";
import type { HttpCall, HttpSend } from "../../../src/core/http/exchange.ts";
import { httpTransport } from "../../../src/core/http/http-client.ts";
import { createHttpServer } from "../../../src/core/http/http-server.ts";
import { serve } from "../../../src/core/http/serve.ts";
import { mutator, type Interceptor } from "../../../src/core/interceptor/define.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import type { RequestMessage } from "../../../src/core/wire/message.ts";
import { URL_OF_SERVER } from "./client-kit.ts";

interface Sent {
  readonly headers: ReadonlyMap<string, string>;
  readonly message: RequestMessage;
}

/** A stateless client under a guard of these interceptors, before a server that holds headers to bodies, and what went over the wire. */
async function guarded(interceptors: readonly Interceptor[]) {
  const http = createHttpServer({ allowedHosts: ["server.example"] });
  const server = new McpServer({ name: "s", version: "1" });
  const regional = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" }, count: { type: "integer", "x-mcp-header": "Count" } } } as const;
  server.tool({ name: "query", inputSchema: regional }, ({ region, count }) => `${region} ${count}`);
  server.prompt({ name: "plan" }, () => "Plan");
  server.resource({ uri: "file:///é", name: "r" }, () => ({ contents: [{ uri: "file:///é", text: "x" }] }));
  void serve(server, http);
  const calls: HttpCall[] = [];
  const direct = directSend(http.handle);
  const send: HttpSend = (call) => {
    calls.push(call);
    return direct(call);
  };
  const chain = await localChain(interceptors);
  const client = new McpClient({ name: "c", version: "1" }, { era: "stateless" });
  await client.connect(guardTransport(httpTransport({ url: URL_OF_SERVER, send }), { role: "client", chain: { current: () => chain } }));
  return {
    client,
    /** The only request of this method. */
    sent(method: string): Sent {
      const messages = calls.map((call) => ({ headers: new Map(call.headers), message: JSON.parse(call.body ?? "") as RequestMessage }));
      const [only, ...more] = messages.filter(({ message }) => message.method === method);
      assert.ok(only !== undefined && more.length === 0, `${more.length + 1} requests`);
      return only;
    },
    async end() {
      await client.close();
      await http.close();
    },
  };
}

const onRequest = (event: "tools/call" | "prompts/get" | "resources/read", change: Record<string, unknown>) =>
  mutator({ name: `change ${event}`, hooks: [{ events: [event], phase: "request" }] }, ({ payload }) => ({ ...payload, ...change }));

describe("the routing headers of a guarded client", () => {
  it("name the tool and mirror the arguments of the payload that the mutators left", async () => {
    const { client, sent, end } = await guarded([onRequest("tools/call", { name: "query", arguments: { region: "zürich", count: 7 } })]);
    await client.listTools();
    const { content } = await client.callTool({ name: "ask", arguments: { region: "paris", count: 1 } });
    assert.deepEqual(content, [{ type: "text", text: "zürich 7" }]);
    const { headers, message } = sent("tools/call");
    assert.deepEqual([message.params?.["name"], message.params?.["arguments"]], ["query", { region: "zürich", count: 7 }]);
    const named = ["mcp-method", "mcp-name", "mcp-param-region", "mcp-param-count"].map((name) => headers.get(name));
    assert.deepEqual(named, ["tools/call", "query", `=?base64?${Buffer.from("zürich").toString("base64")}?=`, "7"]);
    await end();
  });

  it("mirror no argument that the mutators took away", async () => {
    const { client, sent, end } = await guarded([onRequest("tools/call", { arguments: { count: 7 } })]);
    await client.listTools();
    await client.callTool({ name: "query", arguments: { region: "paris", count: 1 } });
    const { headers } = sent("tools/call");
    assert.deepEqual([headers.has("mcp-param-region"), headers.get("mcp-param-count")], [false, "7"]);
    await end();
  });

  it("name the prompt and the resource of the payload that the mutators left", async () => {
    const { client, sent, end } = await guarded([onRequest("prompts/get", { name: "plan" }), onRequest("resources/read", { uri: "file:///é" })]);
    await client.getPrompt({ name: "idea" });
    await client.readResource({ uri: "file:///e" });
    assert.equal(sent("prompts/get").headers.get("mcp-name"), "plan");
    assert.equal(sent("resources/read").headers.get("mcp-name"), `=?base64?${Buffer.from("file:///é").toString("base64")}?=`);
    await end();
  });
});
