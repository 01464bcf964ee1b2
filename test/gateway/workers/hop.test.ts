// Two workers in this process, each on a port of its own, so that a request comes to whichever a test wants.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Authenticate } from "../../../src/core/http/authentication.ts";
import { listenHandler, type HandlerServer } from "../../../src/node/http-handler.ts";
import { createHops } from "../../../src/gateway/workers/hop.ts";
import { socketOf, type WorkerPlace } from "../../../src/gateway/workers/place.ts";
import { behind, gatewayFor } from "../kit.ts";

const posix = { skip: process.platform === "win32" ? "the sockets here have paths" : false };
const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true }));
const place = (slot: number, name = "abc"): WorkerPlace => ({ slot, count: 2, name, stateKey: btoa("k".repeat(32)), folder });

/** A worker that passes on to `owner`, whatever that does, and is nothing else. */
async function passing(owner: RequestListener | undefined): Promise<{ readonly front: HandlerServer; readonly door: Server | undefined; done(): Promise<void> }> {
  const hops = createHops(place(1));
  const front = await listenHandler(() => Promise.resolve({ status: 418, headers: [] }), { divert: hops.divert });
  const door = owner === undefined ? undefined : createServer(owner);
  if (door !== undefined) await new Promise<void>((resolve) => door.listen(socketOf(place(1), 2), resolve));
  return {
    front,
    door,
    async done() {
      hops.close();
      await front.close(0);
      door?.closeAllConnections();
      await new Promise((resolve) => (door === undefined ? resolve(undefined) : door.close(resolve)));
    },
  };
}

/** Sends these bytes, and gives what comes back until the connection ends. */
function raw(port: number, ...pieces: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let got = "";
    socket.setEncoding("latin1").on("data", (text) => (got += text)).on("close", () => resolve(got)).on("error", reject);
    for (const piece of pieces) socket.write(piece, "latin1");
  });
}

const send = (port: number, method: string, headers: Record<string, string>, body?: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ port, method, path: "/up/mcp", headers, agent: false }, resolve).on("error", reject).end(body);
  });

async function textOf(answer: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const piece of answer) text += String(piece);
  return text;
}

const FOREIGN = { "mcp-session-id": "2-ab" };

describe("a request in another worker's session", posix, () => {
  it("gets there and back as it is, but for what is about one connection", async () => {
    const seen: IncomingMessage[] = [];
    let body = "";
    const { front, done } = await passing((message, response) => {
      seen.push(message);
      void textOf(message.setEncoding("latin1")).then((text) => {
        body = text;
        response.writeHead(201, ["X-One", "1", "x-one", "2", "content-type", "text/plain"]);
        response.end("got it");
      });
    });
    const head = "POST /up/mcp?a=%20b HTTP/1.1\r\nHost: evil.example:1\r\nMcp-Session-Id: 2-ab\r\nX-Two: a\r\nx-two: b\r\nConnection: close\r\nTE: trailers\r\nTransfer-Encoding: chunked\r\n\r\n";
    const answer = await raw(front.port, head, "3\r\n\xff{ \r\n", "4\r\n1.10\r\n0\r\n\r\n");
    assert.equal(body, "\xff{ 1.10");
    const [{ method, url, rawHeaders, headers } = assert.fail()] = seen;
    assert.deepEqual([method, url, headers.host, headers["mcp-session-id"], headers.te], ["POST", "/up/mcp?a=%20b", "evil.example:1", "2-ab", undefined]);
    assert.deepEqual(rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() === "x-two"), ["X-Two", "a", "x-two", "b"]);
    assert.match(answer, /^HTTP\/1\.1 201 Created\r\nX-One: 1\r\nx-one: 2\r\ncontent-type: text\/plain\r\n/);
    assert.match(answer, /got it/);
    await done();
  });

  it("gets an answer that its owner gives before it has the body, and ends there", async () => {
    let left = () => {};
    const leaving = new Promise<void>((resolve) => (left = resolve));
    const { front, done } = await passing((message, response) => {
      message.resume().socket.on("close", left);
      response.writeHead(401).end("no");
    });
    const answer = await raw(front.port, "POST /up/mcp HTTP/1.1\r\nHost: x\r\nMcp-Session-Id: 2-ab\r\nTransfer-Encoding: chunked\r\n\r\n", "2\r\n{ \r\n");
    assert.match(answer, /^HTTP\/1\.1 401 Unauthorized\r\n[^]*connection: close[^]*no/i);
    await leaving;
    await done();
  });

  it("has no body where its method has none, so that nothing in it can be taken for another request", async () => {
    const seen: string[] = [];
    const { front, done } = await passing((message, response) => {
      seen.push(`${message.method} ${message.url}`);
      message.resume().on("end", () => response.writeHead(204).end());
    });
    const smuggled = "GET /other HTTP/1.1\r\nHost: x\r\n\r\n";
    const framed = [`Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`, `Transfer-Encoding: chunked\r\n\r\n${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`];
    for (const rest of framed) assert.match(await raw(front.port, `DELETE /up/mcp HTTP/1.1\r\nHost: x\r\nMcp-Session-Id: 2-ab\r\nConnection: close\r\n${rest}`), /^HTTP\/1\.1 204/);
    assert.deepEqual(seen, ["DELETE /up/mcp", "DELETE /up/mcp"]);
    await done();
  });

  it("is answered piece by piece as its owner writes, and ends for the owner when its client leaves", async () => {
    let left = () => {};
    const leaving = new Promise<void>((resolve) => (left = resolve));
    const { front, done } = await passing((_message, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      response.write("data: 1\n\n");
      response.on("close", left);
    });
    const answer = await send(front.port, "GET", FOREIGN);
    assert.equal(answer.headers["content-type"], "text/event-stream");
    const { value } = await answer[Symbol.asyncIterator]().next();
    assert.equal(String(value), "data: 1\n\n");
    answer.destroy();
    await leaving;
    await done();
  });

  it("is cut off where its owner is lost in the middle of the answer, and told so before it", async () => {
    let cut = (message: IncomingMessage): unknown => message.socket.destroy();
    const { front, done } = await passing((message, response) => {
      if (message.method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("data: 1\n\n", () => cut(message));
      } else cut(message);
    });
    const streamed = await send(front.port, "GET", FOREIGN);
    await assert.rejects(textOf(streamed), /aborted/);
    const answer = await send(front.port, "POST", FOREIGN, "{}");
    assert.equal(answer.statusCode, 502);
    assert.deepEqual(JSON.parse(await textOf(answer)), {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32603, message: "The worker that has this session was lost", data: { reason: "unavailable", delivery: "unknown" } },
    });
    cut = () => {};
    await done();
  });

  it("is told that the session has ended where its owner is not there, and goes on with the connection", async () => {
    const { front, done } = await passing(undefined);
    const twice = `POST /up/mcp HTTP/1.1\r\nHost: x\r\nMcp-Session-Id: 2-ab\r\nContent-Length: 2\r\n\r\n{}`;
    const answers = await raw(front.port, twice, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(answers, /^HTTP\/1\.1 404 Not Found\r\n[^]*Session not found[^]*HTTP\/1\.1 418/);
    await done();
  });

  it("is asked for a body that it holds back until it is asked", async () => {
    const { front, done } = await passing((message, response) => void textOf(message).then((text) => response.end(text.toUpperCase())));
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = httpRequest({ port: front.port, method: "POST", headers: { ...FOREIGN, expect: "100-continue", "content-length": "4" }, agent: false }, resolve);
      outgoing.on("error", reject).on("continue", () => outgoing.end("body"));
      outgoing.flushHeaders();
    });
    assert.equal(await textOf(answer), "BODY");
    await done();
  });
});

describe("two workers of one gateway", posix, () => {
  const authenticate: Authenticate = ({ token }) =>
    token === undefined ? { challenge: {} } : { principal: { type: "user", id: token } };
  const asked: string[] = [];
  async function pair(name: string) {
    const up = behind("memory", "handshake");
    const counting = (slot: number): Authenticate => (request) => {
      asked.push(`${slot} ${request.token}`);
      return authenticate(request);
    };
    const worker = (slot: number) => gatewayFor(up.target, { http: { authenticate: counting(slot) }, worker: place(slot, name) });
    const gateways = await Promise.all([worker(1), worker(2)]);
    const post = async (slot: number, body: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${gateways[slot - 1]?.url}/up/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: "Bearer ann", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
      });
      return { status: response.status, session: response.headers.get("mcp-session-id") ?? "", text: await response.text() };
    };
    const done = async () => {
      await Promise.all(gateways.map((gateway) => gateway.close()));
      await up.close();
    };
    return { gateways, worker, post, done };
  }
  const initialize = { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } };
  const echo = { method: "tools/call", params: { name: "echo", arguments: { text: "hello" } } };

  it("ask who calls where the session is, once, and know it of nobody else", async () => {
    const { gateways, post, done } = await pair("sessions");
    const { session } = await post(2, initialize);
    assert.match(session, /^2-[0-9a-f]{32}$/);
    const within = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
    asked.length = 0;
    assert.match((await post(1, echo, within)).text, /hello/);
    assert.deepEqual(asked, ["2 ann"]);
    assert.equal((await post(1, echo, { ...within, authorization: "Bearer bob" })).status, 404);
    for (const body of [echo, { ...echo, padding: "x".repeat(2_000_000) }]) assert.equal((await post(1, body, { ...within, authorization: "" })).status, 401);
    // In pieces, of which the owner wants none.
    for (let count = 0; count < 50; count++) {
      const refused = await send(Number(new URL(gateways[0]?.url ?? "").port), "POST", { ...within, "transfer-encoding": "chunked" }, JSON.stringify(echo));
      assert.equal(refused.statusCode, 401);
      refused.destroy();
    }
    await done();
  });

  it("go on with a call that is parked at the other, for the same caller alone", async () => {
    const { gateways, worker, post, done } = await pair("parked");
    const call = (more: object = {}) => ({
      method: "tools/call",
      params: {
        name: "ask",
        arguments: { about: "ü" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
        },
        ...more,
      },
    });
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask" };
    const { result } = JSON.parse((await post(1, call(), headers)).text) as { result: { requestState: string } };
    const retry = call({ requestState: result.requestState, inputResponses: { "ask-1": { action: "accept", content: { ok: true, note: "é" } } } });
    assert.match((await post(2, retry, { ...headers, authorization: "Bearer bob" })).text, /another principal/);
    assert.equal(gateways[0]?.stats().parked, 1);
    assert.match((await post(2, retry, headers)).text, /accept.*é/);
    assert.equal(gateways[0]?.stats().parked, 0);
    await gateways[0]?.close();
    assert.match((await post(2, retry, headers)).text, /parked_gone/);
    // Whoever takes the place of a worker that is gone knows what that gave out, and what nobody did.
    gateways[0] = await worker(1);
    for (const slot of [1, 2]) assert.match((await post(slot, retry, headers)).text, /parked_gone/);
    assert.match((await post(1, call({ requestState: `${result.requestState}x` }), headers)).text, /not what this server gave out/);
    await done();
  });
});
