import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { McpServer } from "../../src/core/mcp/server.ts";
import { serve } from "../../src/core/http/serve.ts";
import { listenHandler } from "../../src/node/http-handler.ts";
import { createHttpSend } from "../../src/node/http-send.ts";
import { listenHttp, type HttpListener, type ListenOptions } from "../../src/node/http-listener.ts";
import { statelessCall } from "../support/http-exchange.ts";
import { NEVER } from "../support/never.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

const echo = statelessCall(1, "tools/call", { name: "echo", arguments: { text: "ä😀" } });

async function withListener(options: ListenOptions, body: (listener: HttpListener, server: McpServer) => Promise<void>): Promise<void> {
  const server = new McpServer({ name: "s", version: "1" });
  server.tool({ name: "echo", inputSchema: { type: "object" } }, ({ text }) => String(text));
  server.tool({ name: "flood", inputSchema: { type: "object" } }, async (_args, { notify, coreSignal }) => {
    for (let step = 0; !coreSignal.aborted; step++) await notify("notifications/message", { level: "info", data: "x".repeat(100_000) });
  });
  const listener = await listenHttp(options);
  void serve(server, listener);
  try {
    await body(listener, server);
  } finally {
    await listener.close();
  }
}

function open(url: string, { headers = {}, body = "", method = "POST", agent }: { headers?: object; body?: unknown; method?: string; agent?: Agent }) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers };
  let call!: ClientRequest;
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    call = request(url, { method, headers: all, agent: agent ?? false }, resolve);
    call.on("error", reject);
    call.end(text);
  });
  return { call, answer };
}

async function send(url: string, options: Parameters<typeof open>[1]): Promise<Answer> {
  const message = await open(url, options).answer;
  let text = "";
  message.setEncoding("utf8");
  for await (const chunk of message) text += chunk;
  return { status: message.statusCode ?? 0, headers: message.headers, text };
}

/** What a raw connection gets until the server ends it. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.setEncoding("utf8").on("data", (chunk: string) => (got += chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(got));
  });
}

const until = async (done: () => boolean) => {
  for (let turn = 0; turn < 2_000 && !done(); turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(done(), "it never came to be");
};

/** For what takes real time: the other end's. */
const untilEnded = async (seen: { readonly ended: boolean }) => {
  while (!seen.ended) await new Promise((resolve) => setImmediate(resolve));
};

describe("listenHttp", () => {
  it("serves one path on a free port, over connections that are kept", async () => {
    await withListener({}, async ({ url, port }) => {
      assert.equal(url, `http://127.0.0.1:${port}/mcp`);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let turn = 0; turn < 3; turn++) {
        const { status, headers, text } = await send(url, { ...echo, agent } as never);
        assert.equal(status, 200);
        assert.equal(Number(headers["content-length"]), Buffer.byteLength(text));
        assert.ok(text.includes("ä😀"));
      }
      assert.equal((await send(url.replace("/mcp", "/other"), { ...echo, agent } as never)).status, 404);
      const kept = Object.values(agent.freeSockets).flat();
      assert.equal(kept.length, 1);
      const long = await send(url.replace("/mcp", "/other"), { body: "x".repeat(1_000_000), agent });
      assert.equal(long.headers.connection, "close", "nobody reads that through");
    });
  });

  it("sends the head of a stream and a first comment at once, and tells the server of a client that leaves", async () => {
    await withListener({}, async (listener) => {
      const { url } = listener;
      const listen = statelessCall(2, "subscriptions/listen", { notifications: { toolsListChanged: true } });
      const { call, answer } = open(url, listen as never);
      call.on("error", () => {});
      const message = await answer;
      assert.equal(message.headers["content-type"], "text/event-stream");
      const chunk = await new Promise<string>((resolve) => message.setEncoding("utf8").once("data", resolve));
      assert.ok(chunk.startsWith(": \n\n"));
      message.on("error", () => {});
      call.destroy();
      await until(() => listener.stats().stateless === 0 && listener.stats().requests === 0);
    });
  });

  it("lets a reader that takes nothing hold up nobody but itself, in bounded memory, and cuts it off", async () => {
    await withListener({ stallMs: 1, limits: { maxStreamChars: 200_000 } }, async (listener) => {
      const { url } = listener;
      const { call, answer } = open(url, statelessCall(3, "tools/call", { name: "flood" }) as never);
      call.on("error", () => {});
      const message = await answer;
      message.on("error", () => {});
      message.pause();
      assert.equal((await send(url, echo as never)).status, 200);
      await new Promise((resolve) => message.once("close", resolve).resume());
      await until(() => listener.stats().stateless === 0);
    });
  });

  it("refuses a body that is too long, said or not, and one that is compressed", async () => {
    await withListener({ limits: { maxMessageBytes: 1_000 } }, async ({ url }) => {
      const long = statelessCall(1, "tools/list", { x: "y".repeat(1_000) });
      assert.equal((await send(url, long as never)).status, 413);
      assert.equal((await send(url, { ...long, headers: { ...long.headers, "transfer-encoding": "chunked" } } as never)).status, 413);
      assert.equal((await send(url, { ...echo, headers: { ...echo.headers, "content-encoding": "gzip" } } as never)).status, 415);
      assert.equal((await send(url, { ...echo, headers: { ...echo.headers, host: "evil.example" } } as never)).status, 403);
    });
  });

  it("gives up senders that are too slow, with their headers or their body, and headers that are too long", async () => {
    await withListener({ headerTimeoutMs: 50, requestTimeoutMs: 100, limits: { maxHeaderBytes: 1_000 } }, async ({ port }) => {
      const head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nContent-Type: application/json\r\n";
      const [headers, body, large] = await Promise.all([
        raw(port, head),
        raw(port, `${head}Content-Length: 10\r\n\r\n{`),
        raw(port, `${head}X: ${"y".repeat(2_000)}\r\n\r\n`),
      ]);
      assert.match(headers, /^HTTP\/1.1 408 /);
      assert.match(body, /^HTTP\/1.1 408 |^$/);
      assert.match(large, /^HTTP\/1.1 431 /);
    });
  });

  it("joins a header that comes twice, so that no two readers take a different one", async () => {
    await withListener({}, async ({ port }) => {
      const body = JSON.stringify(echo.body);
      const lines = Object.entries({ ...echo.headers, accept: "*/*", "content-length": String(Buffer.byteLength(body)), connection: "close" });
      const head = (type: string) =>
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
      assert.match(await raw(port, head("Content-Type: application/json\r\n")), /^HTTP\/1.1 200 /);
      assert.match(await raw(port, head("Content-Type: application/json\r\nContent-Type: text/plain\r\n")), /^HTTP\/1.1 415 /);
      assert.match(await raw(port, head("Content-Type: application/json\r\nMcp-Method: tools/list\r\n")), /^HTTP\/1.1 400 /);
    });
  });

  it("leaves other paths to a handler of one's own", async () => {
    const otherwise: ListenOptions["otherwise"] = async ({ path }) => ({ status: 200, headers: [], body: `{"at":"${path}"}` });
    await withListener({ otherwise }, async ({ url }) => {
      const path = "/.well-known/oauth-protected-resource";
      assert.equal((await send(url.replace("/mcp", path), { method: "GET" })).text, `{"at":"${path}"}`);
      assert.equal((await send(url, echo as never)).status, 200);
    });
  });

  it("answers 500 where that handler fails or gives what cannot be sent, and cuts an answer that breaks off", async () => {
    const broken: Record<string, ListenOptions["otherwise"]> = {
      "/throws": () => Promise.reject(new Error("secret")),
      "/header": async () => ({ status: 200, headers: [["x-a", "b\nc"]], body: "" }),
      "/status": async () => ({ status: 7, headers: [], body: "" }),
      "/stream": async () => ({ status: 200, headers: [], body: { opened() {}, next: () => Promise.reject(new Error("secret")), cancel() {} } }),
    };
    await withListener({ otherwise: (request) => broken[request.path]!(request) }, async ({ url }) => {
      for (const path of ["/throws", "/header", "/status", "/nothing"]) {
        const { status, text } = await send(url.replace("/mcp", path), { method: "GET" });
        assert.deepEqual([status, text], [500, ""], path);
      }
      await assert.rejects(send(url.replace("/mcp", "/stream"), { method: "GET" }));
      assert.equal((await send(url, echo as never)).status, 200);
    });
  });

  it("is not reached from elsewhere unless it is told by which names", async () => {
    await assert.rejects(listenHttp({ host: "0.0.0.0" }), /allowedHosts/);
    const listener = await listenHttp({ host: "0.0.0.0", allowedHosts: ["mcp.example.com"] });
    const url = `http://127.0.0.1:${listener.port}/mcp`;
    assert.equal((await send(url, echo as never)).status, 403);
    await listener.close();
  });

  it("is reached by the name of this machine that it was told to listen on", { skip: process.platform === "darwin" }, async () => {
    await withListener({ host: "127.0.0.2" }, async ({ url }) => {
      assert.equal((await send(url, echo as never)).status, 200);
      assert.equal((await send(url, { ...(echo as object), headers: { ...echo.headers, host: "evil.example" } })).status, 403);
    });
  });

  it("takes a target in absolute form, and the name in it for the one that the request is for", async () => {
    await withListener({}, async ({ port }) => {
      const body = JSON.stringify(echo.body);
      const lines = Object.entries({ ...echo.headers, accept: "*/*", "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) });
      const to = (target: string) =>
        raw(port, `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`);
      assert.match(await to("http://localhost/mcp?x"), /^HTTP\/1.1 200 /);
      assert.match(await to("HTTP://LOCALHOST:1/mcp"), /^HTTP\/1.1 200 /);
      assert.match(await to("http://evil.example/mcp"), /^HTTP\/1.1 403 /);
      assert.match(await to("http://localhost@evil.example/mcp"), /^HTTP\/1.1 403 /);
      assert.match(await to("http://localhost?/mcp"), /^HTTP\/1.1 404 /);
    });
  });

  it("asks for a body that waits to be asked for only once it wants to read it", async () => {
    await withListener({}, async ({ port }) => {
      const body = JSON.stringify(echo.body);
      const own = Object.entries(echo.headers ?? {}).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      const head = (host: string, length: number) =>
        `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nExpect: 100-continue\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`;
      const refused = await raw(port, `${head("evil.example", 10)}\r\n`);
      assert.match(refused, /^HTTP\/1.1 403 [^]*connection: close/i, "whether the body still comes is not known");
      assert.match(await raw(port, `${head("localhost", 1e9)}\r\n`), /^HTTP\/1.1 413 /);
      const taken = await raw(port, `${head("localhost", Buffer.byteLength(body))}Connection: close\r\n${own.join("")}\r\n${body}`);
      assert.match(taken, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    });
  });

  it("refuses a body in a transfer coding that is not undone here", async () => {
    await withListener({}, async ({ port }) => {
      const head = (coding: string) =>
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: */*\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      assert.match(await raw(port, `${head("gzip, chunked")}2\r\n{}\r\n0\r\n\r\n`), /^HTTP\/1.1 501 /);
      assert.match(await raw(port, `${head("Chunked")}2\r\n{}\r\n0\r\n\r\n`), /^HTTP\/1.1 400 [^]*-32600/);
    });
  });

  it("rejects where the port is taken", async () => {
    const listener = await listenHttp();
    await assert.rejects(listenHttp({ port: listener.port }), /EADDRINUSE/);
    await listener.close();
  });
});

describe("close", () => {
  it("ends connections that clients keep for later, after a moment, and settles", async () => {
    const listener = await listenHttp({ keepAliveTimeoutMs: 600_000 });
    const agent = new Agent({ keepAlive: true });
    assert.equal((await send(listener.url, { agent, body: "{" })).status, 400);
    await until(() => Object.values(agent.freeSockets).flat().length === 1);
    const [socket] = Object.values(agent.freeSockets).flat();
    await listener.close();
    await until(() => socket?.destroyed === true);
  });
});

/** A connection that the test writes to, and all that has come of it. */
async function kept(port: number) {
  const socket = connect(port, "127.0.0.1");
  const seen = { text: "", ended: false };
  socket.setEncoding("utf8").on("data", (chunk: string) => (seen.text += chunk));
  socket.on("error", () => {});
  socket.on("close", () => (seen.ended = true));
  await new Promise((resolve) => socket.once("connect", resolve));
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  return { seen, ask: (...paths: string[]) => void socket.write(paths.map(get).join("")) };
}

describe("listenHandler", () => {
  it("has an answer for many more connections than requests that may be served", async () => {
    const server = await listenHandler(() => Promise.resolve({ status: 503, headers: [], body: "busy" }), { limits: { maxHttpRequests: 1 } });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => kept(server.port)));
    for (const socket of sockets) socket.ask("/");
    await until(() => sockets.every(({ seen }) => seen.text.endsWith("busy") || seen.ended));
    assert.ok(sockets.every(({ seen }) => seen.text.endsWith("busy")));
    await server.close(0);
  });

  it("stops to take connections, answers once more on each that is there, and ends it with the answer", async () => {
    let finish = () => {};
    const slow = new Promise<void>((resolve) => (finish = resolve));
    const server = await listenHandler(async ({ path }) => {
      if (path === "/slow") await slow;
      return { status: path === "/word" ? 202 : 200, headers: [], body: path };
    });
    const [used, fresh, busy, ahead, idle] = await Promise.all(Array.from({ length: 5 }, () => kept(server.port)));
    used!.ask("/before");
    idle!.ask("/before");
    busy!.ask("/slow");
    ahead!.ask("/slow", "/second");
    await until(() => used!.seen.text.endsWith("/before") && idle!.seen.text.endsWith("/before"));
    assert.doesNotMatch(used!.seen.text, /connection: close/i);
    server.stop();
    const refused = await new Promise((resolve) => connect(server.port, "127.0.0.1").on("error", resolve));
    assert.match(String(refused), /ECONNREFUSED/);
    // Whoever has only something to say may have more to say.
    fresh!.ask("/word");
    await until(() => fresh!.seen.text.endsWith("/word"));
    const closed = server.close(10_000);
    fresh!.ask("/late");
    used!.ask("/late");
    await until(() => used!.seen.ended && fresh!.seen.ended);
    for (const { seen } of [used!, fresh!]) assert.match(seen.text, /HTTP\/1.1 200 OK\r\nconnection: close\r\n[^]*\/late$/i);
    await untilEnded(idle!.seen);
    assert.deepEqual([busy!.seen.ended, ahead!.seen.ended], [false, false], "idle connections alone end by themselves");
    finish();
    await until(() => busy!.seen.ended);
    assert.match(busy!.seen.text, /connection: close\r\n[^]*\/slow$/i);
    await closed;
    assert.match(ahead!.seen.text, /\/slow[^]*\/second$/, "both were taken, and both are answered");
  });

  it("cuts what is busy for too long after the end", async () => {
    const server = await listenHandler(() => new Promise(() => {}));
    const busy = await kept(server.port);
    busy.ask("/");
    const closing = server.close(50);
    await closing;
    await until(() => busy.seen.ended);
    assert.equal(busy.seen.text, "");
  });

  it("lets an unread body through where it is told to, and goes on with the connection", async () => {
    const server = await listenHandler(async ({ method }) => ({ status: method === "POST" ? 401 : 200, headers: [], body: method }), { readsOn: true });
    const socket = connect(server.port, "127.0.0.1");
    const seen = { text: "" };
    socket.setEncoding("latin1").on("data", (text) => void (seen.text += String(text)));
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{ \r\n");
    await until(() => seen.text.endsWith("POST"));
    assert.doesNotMatch(seen.text, /connection: close/i);
    const piece = "x".repeat(100_000);
    socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => seen.text.endsWith("GET"));
    socket.destroy();
    await server.close();
  });

  it("serves any handler, and hands it path, query and headers", async () => {
    const seen: string[] = [];
    const server = await listenHandler(async ({ method, path, query, headers }) => {
      seen.push(`${method} ${path} ${query} ${headers.get("x-twice")}`);
      return { status: 200, headers: [["set-cookie", "a"], ["set-cookie", "b"]] };
    });
    const answer = await send(`${server.origin}/a/b?c=d?e`, { method: "GET", headers: { "X-Twice": ["1", "2"] } });
    assert.deepEqual(seen, ["GET /a/b c=d?e 1, 2"]);
    assert.deepEqual(answer.headers["set-cookie"], ["a", "b"]);
    await server.close();
  });

  it("listens on a socket in place of a port, for whoever is told of it, and has some requests taken over before", { skip: process.platform === "win32" ? "sockets have paths there that this test does not make" : false }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    const socketPath = join(folder, "a.sock");
    const server = await listenHandler(({ path, headers }) => Promise.resolve({ status: 200, headers: [["x-path", `${headers.get("host")} ${path}`]] }), {
      socketPath,
      divert(message, response) {
        if (message.url !== "/taken") return false;
        response.writeHead(204).end();
        return true;
      },
    });
    assert.deepEqual([server.origin, server.port], [`unix:${socketPath}`, 0]);
    const client = createHttpSend({ socketPath });
    const get = (path: string) => client({ method: "GET", url: `http://a.example${path}`, headers: [], signal: NEVER });
    const [plain, taken] = [await get("/x"), await get("/taken")];
    assert.deepEqual([plain.headers.get("x-path"), taken.status], ["a.example /x", 204]);
    client.close();
    await server.close();
    assert.deepEqual(readdirSync(folder), []);
    rmSync(folder, { recursive: true });
  });
});
