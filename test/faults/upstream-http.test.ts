// Upstreams over HTTP that answer with anything but what they should, behind a real configuration and on real sockets.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../src/core/base/json.ts";
import { connectClients, policies, startRig } from "./kit.ts";

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };
const envelope = (message: JsonObject) => JSON.stringify({ jsonrpc: "2.0", ...message });
const event = (text: string) => `data: ${text}\n\n`;

/** What is answered to a call; `text` is its whole proper answer. */
type Deed = (response: ServerResponse, text: string, id: unknown) => void;
const plain = (status: number, headers: Record<string, string>, body: (text: string, id: unknown) => string | Buffer): Deed => (response, text, id) => {
  response.writeHead(status, headers).end(body(text, id));
};
const broken = (write: Deed): Deed => (response, text, id) => {
  write(response, text, id);
  // What was written gets out, and then the connection is gone.
  setImmediate(() => response.destroy());
};

const PASSES: Readonly<Record<string, Deed>> = {
  echo: plain(200, JSON_TYPE, (text) => text),
  stream: plain(200, STREAM_TYPE, (text) => event(text)),
  "bare-json-as-stream": plain(200, STREAM_TYPE, (text) => text),
  "stream-in-bits"(response, text) {
    response.writeHead(200, STREAM_TYPE);
    const bytes = Buffer.from(`\uFEFF: unguarded\nid: unguarded\nretry: 1\n\n${event(text)}`);
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
    response.end();
  },
  "answered-twice": plain(200, STREAM_TYPE, (text) => event(text) + event(text)),
  "others-first": plain(200, STREAM_TYPE, (text) => event(envelope({ id: 4_711, result: { content: [], unguarded: 1 } })) + event(envelope({ id: "1", result: { unguarded: 1 } })) + event(text)),
};
/** The server has answered, and it is no answer. */
const MALFORMED: Readonly<Record<string, Deed>> = {
  "stream-as-json": plain(200, JSON_TYPE, (text) => event(text)),
  html: plain(200, { "content-type": "text/html" }, () => "<html><body>unguarded</body></html>"),
  "html-as-json": plain(200, JSON_TYPE, () => "<html><body>unguarded</body></html>"),
  "no-type": plain(200, {}, (text) => text),
  "gzip-unsaid": plain(200, JSON_TYPE, (text) => gzipSync(text)),
  empty: plain(200, JSON_TYPE, () => ""),
  accepted: plain(202, {}, () => ""),
  "no-content": plain(204, {}, () => ""),
  batch: plain(200, JSON_TYPE, (text) => `[${text}]`),
  "not-utf8": plain(200, JSON_TYPE, (text) => Buffer.concat([Buffer.from(text.slice(0, -6)), Buffer.from([0xff, 0xfe]), Buffer.from(text.slice(-6))])),
  "two-keys": plain(200, JSON_TYPE, (text) => `${text.slice(0, -1)},"id":"unguarded"}`),
  "anothers-id": plain(200, JSON_TYPE, () => envelope({ id: 4_711, result: { content: [], unguarded: 1 } })),
  "id-as-text": plain(200, JSON_TYPE, (_text, id) => envelope({ id: String(id), result: { content: [], unguarded: 1 } })),
  both: plain(200, JSON_TYPE, (text) => `${text.slice(0, -1)},"error":{"code":1,"message":"unguarded"}}`),
  "short-stream": plain(200, STREAM_TYPE, (text) => `data: ${text.slice(0, -9)}\n\n`),
  "endless-event"(response) {
    response.writeHead(200, STREAM_TYPE).write("data: ");
    const block = Buffer.from("unguarded ".repeat(100_000));
    const more = () => {
      while (!response.destroyed && response.write(block));
    };
    response.on("drain", more);
    more();
  },
  bare: plain(200, JSON_TYPE, (_text, id) => envelope({ id })),
  "bare-on-stream": plain(200, STREAM_TYPE, (_text, id) => event(envelope({ id }))),
  "broken-then-true": plain(200, STREAM_TYPE, (text, id) => event(envelope({ id, result: "unguarded" })) + event(text)),
  "list-result": plain(200, JSON_TYPE, (_text, id) => envelope({ id, result: ["unguarded"] })),
  "no-code": plain(200, STREAM_TYPE, (_text, id) => event(envelope({ id, error: { message: "unguarded" } }))),
  "no-version": plain(200, JSON_TYPE, (text) => text.replace('"jsonrpc":"2.0",', "")),
  "batch-on-stream": plain(200, STREAM_TYPE, (text) => event(`[${text}]`)),
};
/** It has failed, or what it said was cut off. */
const FAILS: Readonly<Record<string, Deed>> = {
  gzip: plain(200, { ...JSON_TYPE, "content-encoding": "gzip" }, (text) => gzipSync(text)),
  redirect: plain(302, { location: "/mcp?unguarded" }, () => "unguarded"),
  "redirect-elsewhere": plain(307, { location: "http://unguarded.invalid/mcp" }, () => "unguarded"),
  "redirect-in-a-circle": plain(307, { location: "/mcp" }, () => "unguarded"),
  "empty-stream": plain(200, STREAM_TYPE, () => ": unguarded\n\n"),
  "server-error": plain(500, JSON_TYPE, (_text, id) => envelope({ id, error: { code: -32000, message: "unguarded", data: "unguarded" } })),
  "error-page": plain(503, { "content-type": "text/plain", "retry-after": "unguarded" }, () => "unguarded"),
  unauthorized: plain(401, { "www-authenticate": 'Bearer realm="unguarded", error="unguarded"' }, () => "unguarded"),
  "not-here": plain(410, JSON_TYPE, () => '{"unguarded":1}'),
  "cut-json": broken((response, text) => response.writeHead(200, { ...JSON_TYPE, "content-length": String(text.length) }).write(text.slice(0, -9))),
  "cut-event": broken((response, text) => response.writeHead(200, STREAM_TYPE).write(`data: ${text.slice(0, -9)}`)),
  "cut-before-blank-line": broken((response, text) => response.writeHead(200, STREAM_TYPE).write(`data: ${text}\n`)),
  "cut-before-all": broken(() => {}),
};
const DEEDS: Readonly<Record<string, Deed>> = { ...PASSES, ...MALFORMED, ...FAILS };

/** A server of one era that does what the tool is named that is called. */
async function faultyServer(test: TestContext, era: "handshake" | "stateless"): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { id, method, params = {} } = JSON.parse(body) as { id?: unknown; method: string; params?: JsonObject };
    const answer = (result: JsonObject) => void response.writeHead(200, { ...JSON_TYPE, ...(era === "handshake" && { "mcp-session-id": "s" }) }).end(envelope({ id, result }));
    if (id === undefined) return void response.writeHead(202).end();
    const capabilities = { tools: {} };
    if (method === "initialize" && era === "handshake") return answer({ protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "faulty", version: "1" } });
    if (method === "server/discover" && era === "stateless") return answer({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities });
    if (method !== "tools/call") return void response.writeHead(400, JSON_TYPE).end(envelope({ id, error: { code: -32601, message: "Method not found" } }));
    const { nonce } = params["arguments"] as JsonObject;
    const result = { ...(era === "stateless" && { resultType: "complete" }), content: [{ type: "text", text: `unguarded ${String(nonce)}` }] };
    DEEDS[String(params["name"])]?.(response, envelope({ id, result }), id);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe("an upstream over HTTP", { concurrency: true }, () => {
  for (const era of ["handshake", "stateless"] as const) {
    it(`of the ${era} era that answers with anything else fails the call that it answers, and no other`, async (test) => {
      const url = await faultyServer(test, era);
      const rig = await startRig(test, { upstreams: { up: { url, callTimeoutMs: 30_000 } }, interceptors: [policies("cleaner")] });
      const clients = await connectClients(rig.one.gateway.url, { ofEach: 2 });
      for (const deed of Object.keys(DEEDS)) {
        clients.call(deed);
        clients.call("echo");
      }
      await clients.settled();
      const { own, failed } = clients.judged();
      const deedOf = (id: string) => id.split("-").slice(2).join("-");
      for (const id of own) assert.ok(Object.hasOwn(PASSES, deedOf(id)), `${id} was answered`);
      for (const [id, { code, data }] of failed) {
        const deed = deedOf(id);
        if (Object.hasOwn(MALFORMED, deed)) assert.deepEqual([deed, code, data], [deed, -32603, { reason: "malformed", delivery: "unknown" }]);
        else assert.ok(Object.hasOwn(FAILS, deed) && (data as JsonObject | undefined)?.["reason"] !== "malformed", `${id} has failed: ${JSON.stringify(data)}`);
      }
      await clients.close();
      await rig.end();
    });
  }
});
