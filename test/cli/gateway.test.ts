import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { gateway } from "../../src/cli/gateway.ts";
import { loadConfig } from "../../src/gateway/config/load.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { fixture, INITIALIZE, lines, request, runCli, startCli, type Running } from "./run-cli.ts";

const posix = { skip: process.platform === "win32" };
const folder = temporaryFolder();
after(() => folder.remove());

const upstreams = { files: { command: process.execPath, args: [fixture("server.mjs")] } };
const denying = (...deny: string[]) => ({ upstreams, interceptors: [{ use: "tool-filter", config: { deny } }], http: { port: 0 } });
const start = (name: string, config: object | string, ...words: string[]) => startCli(["gateway", "-c", folder.write(name, config), ...words]);

async function until<T>(running: Running, look: (stderr: string) => T | undefined): Promise<T> {
  for (;;) {
    const found = look(running.stderr());
    if (found !== undefined) return found;
    await new Promise((resolve) => running.child.stderr.once("data", resolve));
  }
}

const served = (running: Running) => until(running, (stderr) => /http:\/\/\S+\/files\/mcp/.exec(stderr)?.[0]);
const said = (running: Running, pattern: RegExp) => until(running, (stderr) => (pattern.test(stderr) ? true : undefined));

async function post(url: string, body: object, session?: string): Promise<{ readonly session: string; readonly answer: { result?: unknown; error?: { message: string } } }> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream", ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }) };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) });
  return { session: response.headers.get("mcp-session-id") ?? "", answer: (await response.json()) as { result?: unknown } };
}

const call = (name: string) => ({ method: "tools/call", params: { name } });

describe("gateway", { concurrency: 2 }, () => {
  it("serves upstreams over HTTP, takes in a changed file on SIGHUP, keeps what runs where it is wrong, and ends in order", posix, async () => {
    const running = await start("http.json", denying("rm"), "--no-watch");
    const url = await served(running);
    const { session } = await post(url, { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } } });
    assert.equal((await post(url, call("rm"), session)).answer.error?.message, "Unknown tool: rm");
    assert.notEqual((await post(url, call("echo"), session)).answer.result, undefined);

    folder.write("http.json", denying("echo"));
    running.child.kill("SIGHUP");
    await said(running, /reloaded/);
    assert.equal((await post(url, call("echo"), session)).answer.error?.message, "Unknown tool: echo");
    assert.notEqual((await post(url, call("rm"), session)).answer.result, undefined);

    const file = folder.write("http.json", '{ "upstreams": 7 }');
    running.child.kill("SIGHUP");
    await said(running, /goes on as it was/);
    assert.ok(running.stderr().includes(`${file}:1:16: /upstreams must be an object\nmcp-interceptors: not reloaded: the gateway goes on as it was\n`));
    assert.notEqual((await post(url, call("rm"), session)).answer.result, undefined);

    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
  });

  it("serves one upstream on stdio, and ends with its client", async () => {
    const running = await start("stdio.json", { upstreams, interceptors: [{ use: "tool-filter", config: { deny: ["rm"] } }] }, "--stdio", "files", "--quiet");
    running.send(INITIALIZE);
    await running.answer("init");
    running.child.stdin.write(lines(request(1, "tools/list"), request(2, "tools/call", { name: "rm" })));
    assert.deepEqual((await running.answer(1)).result?.["tools"], [{ name: "echo", inputSchema: { type: "object" } }]);
    assert.equal((await running.answer(2)).error?.message, "Unknown tool: rm");
    const { code, stderr } = await running.end();
    assert.deepEqual([code, stderr], [0, ""]);
  });

  it("says on stderr why an upstream cannot be started, which its client is not told", async () => {
    const running = await start("no-command.json", { upstreams: { files: { command: "no-such-program-at-all" } } }, "--stdio", "files");
    running.send(INITIALIZE);
    assert.equal((await running.answer("init")).error?.message, "The upstream cannot be reached");
    const { stderr } = await running.end();
    assert.match(stderr, /^mcp-interceptors: warning: files: cannot be reached: cannot start "no-such-program-at-all": no such command; check the spelling/m);
  });

  it("says on stderr, as text and as JSON, what its upstream writes that is no message, and quotes it where that was asked for", async () => {
    const noisy = { files: { command: process.execPath, args: [fixture("server.mjs"), "banner"] } };
    const broken = Buffer.from('{"jsonrpc":"2.0","id":99,"result":{},"error":{"code":1,"message":"s3cret"}}\n').toString("base64");
    for (const [format, verbose] of [["text", false], ["json", false], ["text", true], ["json", true]] as const) {
      const running = await start(`noise-${format}-${verbose}.json`, { upstreams: noisy, logs: { format }, drainMs: 1 }, "--stdio", "files", "--quiet", ...(verbose ? ["--verbose"] : []));
      running.send(INITIALIZE);
      await running.answer("init");
      running.child.stdin.write(lines(request(1, "test/write", { chunks: [broken] })));
      await said(running, /(?:is no message[^]*){3}/);
      const { stderr } = await running.end();
      assert.equal(stderr.includes("s3cret"), verbose, stderr);
      assert.equal(stderr.includes("[db] Connected"), verbose, stderr);
      assert.equal(stderr.match(format === "json" ? /"level":"warn","message":"files: wrote a line of \d+ characters that is no message \(/g : /^mcp-interceptors: warning: files: wrote a line of \d+ characters that is no message \(/gm)?.length, 3, stderr);
    }
  });

  it("serves its own interceptors, too, over HTTP and on stdio", async () => {
    const config = { upstreams, interceptors: [{ use: "redact" }, { use: "tool-filter", config: { deny: ["rm"] } }], expose: { name: "policies" } };
    const [open, alone] = await Promise.all([start("exposing.json", { ...config, http: {} }), start("exposing-stdio.json", config, "--stdio", "policies", "--quiet")]);
    await said(open, /files at http:\/\/\S+\/files\/mcp with 3 interceptors, policies at http:\/\/\S+\/policies\/mcp offering 3 interceptors\n/);
    alone.send(INITIALIZE);
    await alone.answer("init");
    alone.child.stdin.write(lines(request(1, "interceptors/list"), request(2, "interceptor/invoke", { name: "tool-filter", event: "tools/call", phase: "request", payload: { name: "rm" } })));
    const { interceptors } = (await alone.answer(1)).result as { interceptors: readonly { name: string }[] };
    assert.deepEqual(interceptors.map(({ name }) => name), ["redact", "tool-filter", "tool-filter-list"]);
    assert.equal((await alone.answer(2)).result?.["valid"], false);
    assert.deepEqual((await alone.end()).code, 0);
    open.child.kill("SIGTERM");
    assert.equal((await open.ended).code, 0);
  });

  it("is not started where the configuration cannot be used, and says all that is wrong with it", async () => {
    const file = folder.write("wrong.json", '{\n  "upstreams": { "files": { "comand": "x" } },\n  "stdio": "fils"\n}');
    const ended = await runCli(["gateway", "-c", file]);
    assert.equal(ended.code, 2);
    assert.equal(ended.stderr, `${file}:2:29: /upstreams/files/comand is not known; did you mean command?\n${file}:3:12: /stdio is no upstream; did you mean files?\nmcp-interceptors: the configuration cannot be used: 2 problems\n`);
  });

  it("is not started where nothing would be served, or what is served is not there", async () => {
    const file = folder.write("bare.json", { upstreams });
    const [bare, other] = await Promise.all([runCli(["gateway", file]), runCli(["gateway", file, "--stdio", "fils"])]);
    assert.match(bare.stderr, /bare\.json: serves nothing: add "http": \{\}, or name the upstream that is served on stdin and stdout\n/);
    assert.match(other.stderr, /bare\.json: has no upstream "fils"; did you mean files\?\n/);
    assert.deepEqual([bare.code, other.code], [2, 2]);
  });

  it("explains itself by a file that can be used", async () => {
    const missing = await runCli(["gateway"]);
    assert.deepEqual([missing.code, missing.stderr], [2, "mcp-interceptors: the configuration is missing\n  mcp-interceptors gateway -c FILE\n"]);
    const example = /^ {2}\{\n[\s\S]*?^ {2}\}\n/m.exec(gateway.help)?.[0];
    const { config } = await loadConfig(folder.write("example.json", example ?? ""));
    assert.deepEqual(config.interceptors?.map(({ use }) => use), ["redact", "tool-filter"]);
  });
});
