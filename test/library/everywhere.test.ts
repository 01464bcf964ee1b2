import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createSignal } from "../../src/core/base/signal.ts";
import { interceptorSource } from "../../src/core/chain/in-process.ts";
import type { InterceptorSource } from "../../src/core/chain/source.ts";
import { clientSource } from "../../src/core/client/interceptor-client.ts";
import type { McpClient } from "../../src/core/mcp/client.ts";
import { OWN_META } from "../../src/core/wire/meta.ts";
import { readyMade } from "../../src/library/catalog.ts";
import { connectServer } from "../../src/node/chain.ts";
import { bundle } from "../support/bundle.ts";
import { everyInterceptor, shown } from "./fixtures/every.ts";

const PROGRAM = bundle(fileURLToPath(new URL("fixtures/every.ts", import.meta.url)));
const root = fileURLToPath(new URL("../..", import.meta.url));

// Answers all who ask a service: yes, for the call that was asked about.
const service = createServer((request: IncomingMessage, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (part: string) => (body += part));
  request.on("end", () => {
    const { digest } = JSON.parse(body) as { digest?: string };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ valid: true, approved: true, digest }));
  });
});
const closing: (() => unknown)[] = [];
const clients: McpClient[] = [];
const sources = new Map<string, InterceptorSource>();
let url = "";

describe("every ready-made interceptor", () => {
  before(async () => {
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`;
    sources.set("in process", interceptorSource(everyInterceptor(url), { label: "every" }));

    const stdio = await connectServer({ command: process.execPath, args: [PROGRAM, "stdio", url], cwd: root });
    clients.push(stdio);
    sources.set("over stdio", clientSource(stdio, { label: "every" }));

    const child = spawn(process.execPath, [PROGRAM, "http", url], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
    const ended = new Promise((resolve) => child.once("close", resolve));
    closing.push(() => (child.stdin.end(), ended));
    const served = await new Promise<string>((resolve, reject) => {
      child.stdout.setEncoding("utf8").once("data", (line: string) => resolve(line.trim()));
      child.once("close", () => reject(new assert.AssertionError({ message: "the HTTP server did not start" })));
    });
    const http = await connectServer({ url: served });
    clients.push(http);
    sources.set("over HTTP", clientSource(http, { label: "every" }));
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(closing.map((close) => close()));
    service.closeAllConnections();
    await new Promise((resolve) => service.close(resolve));
  });

  it("has a row with messages that show what it does", () => {
    assert.deepEqual(Object.keys(shown("")).sort(), [...readyMade.keys()].sort());
  });

  it("is listed alike in process, over stdio and over HTTP", async () => {
    const lists = await Promise.all([...sources.values()].map((source) => source.list()));
    for (const list of lists) assert.deepEqual(list, lists[0]);
  });

  for (const [name, { messages }] of Object.entries(shown(""))) {
    it(`gives the same results in process, over stdio and over HTTP: ${name}`, async () => {
      const results = new Map<string, unknown[]>();
      for (const [where, source] of sources) {
        const signal = createSignal();
        const own: unknown[] = [];
        for (const { name: interceptor = name, event, phase = "request", payload, context, config } of messages) {
          const params = { name: interceptor, event, phase, payload, ...(context === undefined ? {} : { context }), ...(config === undefined ? {} : { config }), _meta: { [OWN_META.request]: { method: event, params: {} } } };
          const { durationMs: _durationMs, _meta: _result, resultType: _type, ...rest } = (await source.invoke(params, signal.signal)) as Record<string, unknown>;
          // How long to wait depends on when it was asked.
          own.push(JSON.parse(JSON.stringify(rest).replace(/\b\d+ ms|(?<="retryAfterMs":)\d+/g, "0")));
        }
        results.set(where, own);
        signal.dispose();
      }
      const [first] = results.values();
      for (const [where, own] of results) assert.deepEqual(own, first, where);
      // Rows that show nothing would prove nothing: what judges has refused or changed something, or has asked its service.
      const decided = JSON.stringify(first);
      if (!["approval", "audit", "webhook"].includes(name)) assert.match(decided, /"valid":false|"modified":true/);
    });
  }
});
