// How a run of `wrap` ends: with the server, by a signal, by the client's leave. Nothing hangs, and no process is left.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Decision } from "../../src/core/guard/decision.ts";
import { fixture, INITIALIZE, isAlive, lines, request, runCli, server, startCli, type Running } from "./run-cli.ts";

const posix = { skip: process.platform === "win32" };
const call = (id: number | string, name: string, args: object = {}) => request(id, "tools/call", { name, arguments: args });
const policyServer = (...words: string[]) => ["--interceptors", [process.execPath, fixture("interceptor-server.mjs"), ...words].join(" ")];

async function pidOf(running: Running): Promise<number> {
  running.send(request("pid", "test/pid"));
  return (await running.answer("pid")).result?.["pid"] as number;
}

async function gone(pid: number): Promise<void> {
  for (let turn = 0; turn < 300; turn++) {
    if (!isAlive(pid)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`process ${pid} is still there`);
}

describe("wrap ends", { concurrency: 3 }, () => {
  it("with the exit code of a server that is dead at once; what waits is answered, and stderr says how it died", async () => {
    const ended = await runCli(["wrap", "--quiet", ...server("exit=3")], lines(INITIALIZE, call(1, "echo")));
    assert.equal(ended.code, 3);
    assert.match(ended.stderr, /the last words\n/);
    assert.match(ended.stderr, /mcp-interceptors: the server's side broke: .*exited with code 3/);
    for (const { error } of ended.messages) assert.deepEqual([error?.message, error?.data], ["The server exited with code 3 before the answer came", { delivery: "unknown" }]);
  });

  it("by the signal that ended the server in mid-call, after the call is answered", posix, async () => {
    const running = await startCli(["wrap", "--quiet", ...server()]);
    running.send(request(1, "test/silent"));
    running.send(request(2, "test/exit", { signal: "SIGKILL" }));
    const ended = await running.ended;
    assert.deepEqual(ended.messages.map(({ id, error }) => [id, error?.message]), [1, 2].map((id) => [id, "The server was ended by SIGKILL before the answer came"]));
    assert.deepEqual([ended.code, ended.signal], [null, "SIGKILL"]);
  });

  it("after a timeout answer where the server is silent, when the client leaves", async () => {
    const running = await startCli(["wrap", "--quiet", "--timeout", "250", ...server("silent")]);
    running.send(INITIALIZE);
    const { error } = await running.answer("init");
    assert.match(error?.message ?? "", /^The server did not answer initialize within \d+ ms$/);
    const ended = await running.end();
    assert.equal(ended.code, 0);
    assert.equal(ended.messages.length, 1);
    assert.match(ended.stderr, /the server has not answered initialize within \d+ ms/);
  });

  it("with 127 and one line where there is no such command", async () => {
    const ended = await runCli(["wrap", "--use", "redact", "--", "no-such-command-anywhere"], lines(INITIALIZE));
    assert.equal(ended.code, 127);
    assert.equal(ended.stderr, 'mcp-interceptors: cannot start "no-such-command-anywhere": no such command; check the spelling, install it, or give its full path (PATH is searched)\n');
    assert.deepEqual(ended.messages, []);
  });

  it("by a signal that is passed on, with nothing left of a server or an interceptor server that ignores it", posix, async () => {
    const running = await startCli(["wrap", "--quiet", ...policyServer("stubborn"), ...server()]);
    running.send(INITIALIZE);
    running.send(call(1, "rm"));
    assert.equal((await running.answer(1)).error?.code, -32602);
    const upstream = await pidOf(running);
    running.child.kill("SIGTERM");
    const ended = await running.ended;
    assert.deepEqual([ended.code, ended.signal], [null, "SIGTERM"]);
    const policies = Number(/policies run as (\d+)/.exec(ended.stderr)?.[1]);
    assert.ok(policies > 0, ended.stderr);
    for (const pid of [upstream, policies]) await gone(pid);
  });

  it("when the client is gone from both pipes, server and all", posix, async () => {
    const running = await startCli(["wrap", ...server("stay", "stubborn")]);
    const upstream = await pidOf(running);
    running.child.stderr.destroy();
    running.child.stdout.destroy();
    running.send(call(1, "echo"));
    running.child.stdin.end();
    await new Promise((resolve) => running.child.once("exit", resolve));
    await gone(upstream);
  });

  it("though a policy has left a timer behind; what it prints goes to stderr, its crash blocks, and no payload is logged", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    try {
      const log = join(folder, "decisions.jsonl");
      const words = ["wrap", "--log", log, "--interceptors", fixture("crashing.mjs"), "--use", "redact", "--use", 'tool-filter={"deny":["drop"]}', ...server()];
      const running = await startCli(words);
      const secret = "s3nt1nel-ada@example.org";
      running.send(INITIALIZE);
      running.send(call(1, "echo", { apiKey: secret }));
      running.send(call(2, "rm", { apiKey: secret }));
      running.send(call(secret, "drop", {}));
      running.send(request(3, "test/silent"));
      running.send(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { data: secret } }));
      running.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"${secret}","name":"rm"}}`);
      assert.deepEqual((await running.answer(2)).error, { code: -32602, message: "Interceptor validation failed", data: { validationErrors: [{ interceptor: "crashing", severity: "error", message: "crashed" }] } });
      await running.answer(1);
      await running.answer(4);
      running.send(request(5, "test/seen"));
      const { lines: seen } = (await running.answer(5)).result as { lines: string[] };
      assert.ok(!seen.some((line) => line.includes('"rm"') || line.includes('"drop"')), "nothing blocked reaches the server");
      running.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}');
      const ended = await running.end();
      assert.equal(ended.code, 0);
      assert.match(ended.stderr, /loading the policy\nwritten past the console\n/);
      assert.match(ended.stderr, /judging echo\n/);
      assert.match(ended.stderr, /^mcp-interceptors: local\/crashing at the request of tools\/call failed: crashed$/m);
      assert.match(ended.stderr, /guarding .* with redact \(mutation\), tool-filter \(validation\), .*crashing \(validation\)\n/);

      const text = readFileSync(log, "utf8");
      const decisions = text.trimEnd().split("\n").map((line) => JSON.parse(line) as Decision);
      const calls = decisions.filter(({ event, phase }) => event === "tools/call" && phase === "request");
      assert.deepEqual(calls.map(({ id, verdict, reason, by }) => [id === secret ? "drop" : id, verdict, reason, by]), [
        [1, "changed", undefined, undefined],
        [2, "blocked", "validation_failed", "crashing"],
        ["drop", "blocked", "validation_failed", "tool-filter"],
      ]);
      assert.equal(decisions.filter(({ event, phase, id }) => event === "tools/call" && phase === "response" && id === 1).length, 1);
      // The client's own request id is all of its words that a decision holds.
      assert.ok(!text.replaceAll(`"id":"${secret}"`, "").includes("s3nt1nel"), "no payload in the log");
      assert.ok(!ended.stderr.includes("s3nt1nel"), ended.stderr);
      if (process.platform !== "win32") assert.equal(statSync(log).mode & 0o777, 0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("with 1 where a policy leaves an error to nobody: what waits is answered, and the server goes too", async () => {
    const running = await startCli(["wrap", "--quiet", "--interceptors", fixture("crashing.mjs"), ...server()]);
    const upstream = await pidOf(running);
    running.send(request(1, "test/silent"));
    running.send(call(2, "stray"));
    const ended = await running.ended;
    assert.equal(ended.code, 1);
    assert.match(ended.stderr, /^mcp-interceptors: an error that nobody caught ends this run: an error\n +at .*crashing\.mjs/m);
    assert.ok(!ended.stderr.includes("a stray rejection"), "what an error says may be payload");
    assert.equal(ended.messages.find(({ id }) => id === 1)?.error?.message, "The relay was closed before the answer came");
    assert.equal(ended.messages.filter(({ id }) => id === 2).length, 1);
    await gone(upstream);
  });

  it("with 2, one line and a hint where the command line is wrong", async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    try {
      writeFileSync(join(folder, "file"), "");
      const cases: readonly (readonly [words: string[], stderr: RegExp])[] = [
        [["wrap", "--usee", "redact", ...server()], /^mcp-interceptors: unknown option --usee\n  did you mean --use\?\n$/],
        [["wrap", "--log", join(folder, "file", "log"), ...server()], /^mcp-interceptors: --log .* cannot be opened: ENOTDIR.*\n  name a file in a folder that you may write to\n$/],
        [["wrop"], /^mcp-interceptors: unknown verb "wrop"\n  did you mean wrap\?\n$/],
      ];
      for (const ended of await Promise.all(cases.map(async ([words, expected]) => ({ expected, ...(await runCli(words, lines(INITIALIZE))) })))) {
        assert.match(ended.stderr, ended.expected);
        assert.deepEqual([ended.code, ended.messages], [2, []]);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
