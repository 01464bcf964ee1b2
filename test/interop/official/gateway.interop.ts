// The official clients over HTTP and our gateway in front of the official `everything` server: of the handshake era, on stdio, one that asks.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client as Client1x } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Http1x } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as Client2x, StreamableHTTPClientTransport as Http2x } from "@modelcontextprotocol/client";
import { createChain, validator, deny } from "../../../src/index.ts";
import { createGateway, type Gateway } from "../../../src/gateway.ts";
import { EVERYTHING } from "./paths.ts";
import { elicited, sampled } from "./session.ts";

const noEnvironment = validator({ name: "no-env", hooks: [{ events: ["tools/call"], phase: "request" }] }, ({ payload }) => (payload.name === "get-env" ? deny("no") : true));

interface Connected {
  call(name: string, args?: Record<string, unknown>, onprogress?: () => void): Promise<unknown>;
  list(): Promise<readonly string[]>;
  close(): Promise<void>;
}

const CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };

async function open1x(url: URL): Promise<Connected> {
  const client = new Client1x({ name: "interop", version: "1" }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///r", name: "r" }] }));
  client.setRequestHandler(CreateMessageRequestSchema, () => sampled("willing") as never);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicited("willing", params) as never);
  await client.connect(new Http1x(url));
  return {
    call: (name, args = {}, onprogress) => client.callTool({ name, arguments: args }, undefined, { timeout: 20_000, ...(onprogress === undefined ? {} : { onprogress }) }),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

async function open2x(url: URL, mode: "auto" | undefined): Promise<Connected & { readonly version: string | undefined }> {
  const client = new Client2x({ name: "interop", version: "1" }, { capabilities: CAPABILITIES, ...(mode === undefined ? {} : { versionNegotiation: { mode } }) });
  client.setRequestHandler("roots/list", () => ({ roots: [{ uri: "file:///r", name: "r" }] }));
  client.setRequestHandler("sampling/createMessage", () => sampled("willing") as never);
  client.setRequestHandler("elicitation/create", ({ params }) => elicited("willing", params) as never);
  await client.connect(new Http2x(url));
  return {
    version: client.getNegotiatedProtocolVersion(),
    call: (name, args = {}, onprogress) => client.callTool({ name, arguments: args }, { timeout: 20_000, ...(onprogress === undefined ? {} : { onprogress }) }),
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

describe("a gateway in front of the official everything server", () => {
  let gateway: Gateway;
  let url: URL;
  before(async () => {
    const chain = createChain();
    chain.add(noEnvironment);
    gateway = await createGateway({
      upstreams: [{ name: "everything", target: { command: process.execPath, args: [EVERYTHING], stderr: "ignore" } }],
      chain: () => chain,
      http: {},
    });
    url = new URL(`${gateway.url}/everything/mcp`);
  });
  after(() => gateway.close());

  const steps = async (client: Connected) => {
    assert.ok((await client.list()).includes("echo"));
    assert.match(JSON.stringify(await client.call("echo", { message: "é😀" })), /é😀/);
    await assert.rejects(client.call("get-env"), /Interceptor validation failed/);
    let reports = 0;
    await client.call("trigger-long-running-operation", { duration: 0.2, steps: 4 }, () => reports++);
    assert.ok(reports >= 3, `${reports} reports`);
    assert.match(JSON.stringify(await client.call("trigger-sampling-request", { prompt: "p", maxTokens: 5 })), /sampl/i);
    assert.match(JSON.stringify(await client.call("trigger-elicitation-request")), /accept|provided/i);
  };

  it("serves the official client of the 1.x line", async () => {
    const client = await open1x(url);
    await steps(client);
    await client.close();
  });

  it("serves the official client of the 2.x line, by the handshake", async () => {
    const client = await open2x(url, undefined);
    await steps(client);
    await client.close();
  });

  it("serves the official client of the 2.x line in revision 2026-07-28, parking what the server asks", async () => {
    const client = await open2x(url, "auto");
    assert.equal(client.version, "2026-07-28");
    await steps(client);
    await client.close();
    assert.equal(gateway.stats().parked, 0);
  });
});
