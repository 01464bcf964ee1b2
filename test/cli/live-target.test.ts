// Interceptor servers over HTTP under measurement, over real sockets of this machine.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { conformance } from "../../src/cli/conformance.ts";
import { UsageError } from "../../src/cli/errors.ts";
import { liveTarget } from "../../src/cli/live-target.ts";
import { readFixtures, readVectors } from "../../src/cli/spec-files.ts";
import { fixtureServer } from "../../src/conformance/fixture-server.ts";
import { runVectors, type Report, type VectorOutcome } from "../../src/conformance/kit.ts";
import type { Vector } from "../../src/conformance/vector.ts";
import { serve } from "../../src/core/http/serve.ts";
import { nodeHost } from "../../src/node/host.ts";
import { listenHttp, type HttpListener, type ListenOptions } from "../../src/node/http-listener.ts";

const host = nodeHost();
const vectors = readVectors(["list", "invoke"]);
const some = vectors.filter(({ id }) => ["list/all", "invoke/validator/allow", "invoke/validator/deny", "invoke/failure/throw"].includes(id));
// It expects an error of code -32603, which is also the code of what our transport makes up.
const throws = some.filter(({ id }) => id === "invoke/failure/throw");
assert.deepEqual([some.length, throws.length], [4, 1]);

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true, force: true }));

async function listening(options: ListenOptions = {}): Promise<HttpListener> {
  const listener = await listenHttp({ closeGraceMs: 1, ...options });
  void serve(fixtureServer(readFixtures(), host), listener);
  return listener;
}

/** An HTTP server that speaks enough of a handshake to be connected to, and answers all that is about interceptors as it is told. */
async function scripted(answer: (response: ServerResponse, id: unknown) => void, alive: () => boolean = () => true) {
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "broken", version: "1" } };
  const server = createServer((request, response) => void respond(request, response));
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const { id, method } = JSON.parse(text) as { id?: unknown; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    if (!alive()) return;
    if (method.startsWith("interceptor")) return answer(response, id);
    const said = method === "initialize" ? { result: hello } : method === "ping" ? { result: {} } : { error: { code: -32601, message: "no such method" } };
    json(response, { id, ...said });
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function json(response: ServerResponse, message: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

async function measure(url: string, timeoutMs = 5_000, which: readonly Vector[] = some): Promise<readonly VectorOutcome[]> {
  const live = liveTarget({ url }, timeoutMs);
  const outcomes = await runVectors(which, live.target, { host, timeoutMs });
  await live.close();
  return outcomes;
}

const statuses = (outcomes: readonly VectorOutcome[]) => outcomes.map(({ status }) => status);

describe("an interceptor server behind a URL", () => {
  it("is measured in either era, by all vectors", async () => {
    for (const versions of [["2026-07-28"], ["2025-11-25"]]) {
      const listener = await listening({ versions });
      const outcomes = await measure(listener.url, 5_000, vectors);
      assert.deepEqual(outcomes.filter(({ status }) => status !== "passed"), [], versions[0]);
      await listener.close();
    }
  });

  for (const versions of [["2026-07-28"], ["2025-11-25"]]) {
    it(`that is restarted is waited for, and the run goes on (${versions[0]})`, async () => {
      const first = await listening({ versions });
      const live = liveTarget({ url: first.url }, 5_000);
      const run = (which: readonly Vector[] = some) => runVectors(which, live.target, { host, timeoutMs: 5_000 });
      assert.deepEqual(statuses(await run()), some.map(() => "passed"));
      await first.close();
      const [lost] = await run(throws);
      assert.equal(lost?.status, "failed");
      assert.match(lost?.actual ?? "", /^the server: /);
      const going = run();
      const second = await listening({ versions, port: first.port });
      assert.deepEqual(statuses(await going), some.map(() => "passed"));
      await live.close();
      await second.close();
    });
  }

  it("that does not come back within the time of a vector is given up", async () => {
    const listener = await listening();
    const live = liveTarget({ url: listener.url }, 1_000);
    const run = () => runVectors(some, live.target, { host, timeoutMs: 1_000 });
    assert.deepEqual(statuses(await run()), some.map(() => "passed"));
    await listener.close();
    assert.deepEqual(statuses(await run()), some.map(() => "failed"));
    await live.close();
  });

  it("that is not there is told at once, vector by vector", async () => {
    const listener = await listening();
    await listener.close();
    const outcomes = await measure(listener.url);
    assert.deepEqual(statuses(outcomes), some.map(() => "failed"));
    for (const { actual } of outcomes) assert.match(actual ?? "", /ECONNREFUSED/);
  });

  const WRONG: readonly (readonly [what: string, answer: (response: ServerResponse, id: unknown) => void, said: RegExp])[] = [
    ["cuts the connection", (response) => void response.destroy(), /^the server: /],
    ["answers HTTP 500", (response) => void response.writeHead(500, { "content-type": "text/html" }).end("<h1>Oops</h1>"), /^the server: .*HTTP 500/],
    ["answers garbage", (response) => void response.writeHead(200, { "content-type": "application/json" }).end("}{"), /^the server: /],
    ["ends a stream without an answer", (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n"), /^the server: /],
    ["answers another id", (response) => json(response, { id: "other", result: {} }), /./],
    ["answers no object", (response, id) => json(response, { id, result: 5 }), /./],
    ["hangs", () => {}, /no (?:answer|connection) in 500 ms/],
  ];
  for (const [what, answer, said] of WRONG) {
    it(`that ${what} fails in each vector, whatever error that expects`, async () => {
      const server = await scripted(answer);
      const outcomes = await measure(server.url, 500);
      assert.deepEqual(statuses(outcomes), some.map(() => "failed"));
      for (const { actual } of outcomes) assert.match(actual ?? "", said);
      await server.close();
    });
  }

  it("that hangs as a whole is given up after one vector", async () => {
    let alive = true;
    const asked: unknown[] = [];
    const server = await scripted((_response, id) => {
      asked.push(id);
      alive = false;
    }, () => alive);
    assert.deepEqual(statuses(await measure(server.url, 500, vectors)), vectors.map(() => "failed"));
    assert.equal(asked.length, 1);
    await server.close();
  });
});

describe("conformance --url", () => {
  const output = join(folder, "report.json");
  const report = () => JSON.parse(readFileSync(output, "utf8")) as Report;
  const measured = (url: string, ...words: string[]) => conformance.run(["--url", url, "--reporter", "json", "--output", output, ...words]);

  it("sends the headers that it is given with each request", async () => {
    const listener = await listening({ authenticate: ({ token }) => (token === "abc==" ? { principal: { type: "user", id: "kit" } } : { challenge: {} }) });
    assert.deepEqual(await measured(listener.url, "--header", "Authorization=Bearer abc==", "--header", "X-Empty:"), { code: 0 });
    assert.deepEqual([report().passed, report().failed], [vectors.length, 0]);
    assert.deepEqual(await measured(listener.url), { code: 1 });
    assert.equal(report().passed, 0);
    assert.match(report().vectors[0]?.actual ?? "", /HTTP 401/);
    await listener.close();
  });

  it("speaks the revision that it is told to, and the newest otherwise", async () => {
    const spoken = new Set<string | undefined>();
    const listener = await listening({
      authenticate: ({ headers }) => {
        spoken.add(headers.get("mcp-protocol-version"));
        return { principal: { type: "user" as const, id: "kit" } };
      },
    });
    for (const [words, versions] of [[[], ["2026-07-28"]], [["--revision", "2025-11-25"], [undefined, "2025-11-25"]]] as const) {
      spoken.clear();
      assert.deepEqual(await measured(listener.url, ...words), { code: 0 });
      assert.deepEqual([...spoken], versions);
    }
    await assert.rejects(measured(listener.url, "--revision", "2025-01-01"), /--revision must be one of 2026-07-28, /);
    await listener.close();
  });

  it("refuses what is no URL, another server beside it, and headers that are none, without a word of their values", async () => {
    const refuses = async (words: readonly string[], message: RegExp) => {
      await assert.rejects(conformance.run(words), (thrown) => {
        assert.ok(thrown instanceof UsageError, String(thrown));
        assert.match(thrown.message, message);
        assert.ok(!thrown.message.includes("secret"));
        return true;
      });
    };
    for (const url of ["nowhere", "file:///etc", "http://", "http://a b"]) await refuses(["--url", url], /^--url must be an http: or https: URL/);
    await refuses(["--url", "http://localhost/mcp", "--command", "x"], /two servers/);
    await refuses(["--command", "x", "--header", "A=secret"], /--header needs a --url/);
    await refuses(["--url", "http://localhost/mcp", "--header", "Bearer secret"], /NAME:VALUE/);
    await refuses(["--url", "http://localhost/mcp", "--header", "A b=secret"], /--header must be NAME:VALUE/);
    await refuses(["--url", "http://localhost/mcp", "--header", "Accept=secret"], /--header: the header Accept follows from what is sent/);
  });
});
