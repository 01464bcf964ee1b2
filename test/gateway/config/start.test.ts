import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { after, afterEach, describe, it } from "node:test";
import { startGateway, type ConfiguredGateway, type StartOptions } from "../../../src/gateway/config/start.ts";
import type { ReloadOutcome } from "../../../src/gateway/config/reload.ts";
import { fakeHost } from "../../support/fake-host.ts";
import { complaints, INDEX, temporaryFolder } from "./kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());
const running: ConfiguredGateway[] = [];
afterEach(() => Promise.all(running.splice(0).map((one) => one.close())));

folder.write(
  "server.mjs",
  `import { McpServer } from ${JSON.stringify(INDEX)};
export const server = new McpServer({ name: "own", version: "1" });
server.tool({ name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }, () => "ann@example.com");
server.tool({ name: "wipe", inputSchema: { type: "object" } }, () => "wiped");`,
);
folder.write(
  "refuse.mjs",
  `import { deny, validator } from ${JSON.stringify(INDEX)};
export const refuse = validator({ name: "refuse", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => deny("not you"));`,
);

const when = { all: [{ annotation: "readOnlyHint", equals: false }, { not: { claim: "role", equals: "admin" } }] };
const CONFIG = {
  upstreams: { own: { module: "server.mjs" }, closed: { module: "server.mjs", allow: { claim: "role", equals: "admin" } } },
  interceptors: [{ use: "redact", phase: "response" }, { module: "refuse.mjs", when }],
  http: { port: 0 },
  auth: {
    tokens: [
      { token: "token-of-an-admin", principal: { type: "user", id: "ann", claims: { role: "admin" } } },
      { token: "token-of-somebody", principal: { type: "user", id: "bob" } },
    ],
  },
  audit: { file: "audit.jsonl", sync: "never" },
  metrics: { port: "0" },
};

async function start(config: object, options: Partial<StartOptions> = {}): Promise<ConfiguredGateway> {
  const gateway = await startGateway({ file: folder.write("gateway.json", config), env: {}, ...options });
  running.push(gateway);
  return gateway;
}

async function call({ gateway }: ConfiguredGateway, name: string, token?: string, upstream = "own") {
  const params = { name, arguments: {}, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "c", version: "1" }, "io.modelcontextprotocol/clientCapabilities": {} } };
  const response = await fetch(`${gateway.url}/${upstream}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

describe("a gateway on a configuration", () => {
  it("logs what its servers write to stderr line by line, without secrets", async () => {
    const said: string[] = [];
    const loud = { command: process.execPath, args: ["-e", "console.error('my token is ' + process.env.TOKEN)"], env: { TOKEN: "${TOKEN}" } };
    const config = { upstreams: { loud }, http: { port: 0 } };
    const { gateway } = await start(config, { env: { TOKEN: "s3cr3t-value" }, log: ({ message, details }) => void (details?.["stream"] === "stderr" && said.push(message)) });
    await assert.rejects(gateway.describe("loud"));
    assert.equal(said[0], "loud: my token is ***");
  });

  it("asks who calls, tells interceptors, knows the tools, writes down what was decided, and counts it", async () => {
    const one = await start(CONFIG);
    assert.equal((await call(one, "read")).status, 401);
    const read = await call(one, "read", "token-of-somebody");
    assert.deepEqual([read.status, read.text.includes("[REDACTED:email]"), read.text.includes("ann@example.com")], [200, true, false]);
    assert.match((await call(one, "wipe", "token-of-somebody")).text, /Interceptor validation failed/);
    assert.match((await call(one, "wipe", "token-of-an-admin")).text, /wiped/);
    assert.equal((await call(one, "wipe", "token-of-somebody", "closed")).status, 403);
    assert.match((await call(one, "wipe", "token-of-an-admin", "closed")).text, /wiped/);

    const lines = readFileSync(join(folder.path, "audit.jsonl"), "utf8").trimEnd().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
    const blocked = lines.filter(({ verdict }) => verdict === "blocked");
    assert.deepEqual(blocked.map(({ who, by, upstream, tool }) => [who, by, upstream, tool]), [[{ type: "user", id: "bob" }, "refuse", "own", "wipe"]]);
    const metrics = await (await fetch(`${one.opsUrl}/metrics`)).text();
    assert.match(metrics, /^mcp_interceptors_blocked_total\{upstream="own",reason="validation_failed",interceptor="refuse"\} 1$/m);
    assert.equal((await fetch(`${one.opsUrl}/readyz`)).status, 200);
  });

  it("takes in a file that has changed by itself, but not what takes a new start", async () => {
    const host = fakeHost();
    const outcomes: ReloadOutcome[] = [];
    let told = () => {};
    const reloaded = (outcome: ReloadOutcome) => {
      outcomes.push(outcome);
      told();
    };
    const one = await start(CONFIG, { host, reloaded });
    const next = new Promise<void>((resolve) => (told = resolve));
    folder.write("gateway.json", { ...CONFIG, interceptors: [{ use: "tool-filter", config: { deny: ["read"] } }] });
    await host.advance(2_000);
    await next;
    assert.deepEqual(outcomes.map(({ error }) => error), [undefined]);
    assert.match((await call(one, "read", "token-of-somebody")).text, /Unknown tool: read/);
    assert.match((await call(one, "wipe", "token-of-somebody")).text, /wiped/);
    const { audit: _gone, ...without } = CONFIG;
    folder.write("gateway.json", { ...without, metrics: { port: 1 } });
    await one.reload();
    assert.match(outcomes[1]?.error ?? "", /\/metrics has other metrics now, which takes a new start of the gateway$/);
  });

  it("leaves nothing behind where it cannot start", async () => {
    const file = folder.write("broken.json", { ...CONFIG, audit: { file: "no/such/folder/x" } });
    const lines = await complaints(startGateway({ file, env: {} }), file, folder.path);
    assert.equal(lines.length, 1);
    const busy = createServer().listen(0, "127.0.0.1");
    await once(busy, "listening");
    const { port } = busy.address() as AddressInfo;
    await assert.rejects(startGateway({ file: folder.write("busy.json", { ...CONFIG, metrics: { port } }), env: {} }), /busy\.json: \/metrics\/port port \d+ of 127\.0\.0\.1 is in use; .*EADDRINUSE/);
    await assert.rejects(startGateway({ file: folder.write("busy.json", { ...CONFIG, http: { port } }), env: {} }), /busy\.json: \/http\/port port \d+ of 127\.0\.0\.1 is in use; .*EADDRINUSE/);
    busy.close();
  });

  /** What a gateway writes to stderr as JSON while a tool is called. */
  const linesOf = async (config: object, options: Partial<StartOptions> = {}) => {
    const written: string[] = [];
    const real = process.stderr.write;
    process.stderr.write = ((text: string) => (written.push(text), true)) as typeof process.stderr.write;
    try {
      const one = await start({ ...CONFIG, ...config }, { log: () => assert.fail("not as text"), ...options });
      await call(one, "wipe", "token-of-somebody");
      await one.close();
    } finally {
      process.stderr.write = real;
    }
    return written.flatMap((text) => text.trimEnd().split("\n")).map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it("says in JSON, too, what an interceptor has failed for, where that was asked for", async () => {
    folder.write("fail.mjs", `import { validator } from ${JSON.stringify(INDEX)};
export const fails = validator({ name: "fails", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => { throw new TypeError("what it failed for"); });`);
    for (const verbose of [false, true]) {
      const lines = await linesOf({ interceptors: [{ module: "fail.mjs" }], logs: { format: "json" } }, { verbose });
      const said = lines.filter(({ level }) => level === "error");
      assert.deepEqual(said.map(({ message, reason }) => [message, reason]), [
        ...(verbose ? [["validation failed: what it failed for", "crashed"]] : []),
        ["an interceptor failed", "crashed"],
      ]);
    }
  });

  it("logs as JSON where that is wanted, with no secret in it", async () => {
    const lines = await linesOf({ logs: { format: "json", base: { replica: "r1" } } });
    const [line] = lines.filter(({ message }) => message === "a message does not go on");
    assert.deepEqual([line?.["replica"], line?.["by"], line?.["tool"], line?.["upstream"]], ["r1", "refuse", "wipe", "own"]);
  });
});
