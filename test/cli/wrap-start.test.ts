// How a run of `wrap` starts, or does not: within its time, and with nothing left of what it started.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { bundledCli, fixture, INITIALIZE, lines, request, runCli, server, startCli } from "./run-cli.ts";

const posix = { skip: process.platform === "win32" };
const silent = ["--interceptors", [process.execPath, fixture("interceptor-server.mjs"), "silent"].join(" ")];

// A client that starts `wrap` and is killed once `wrap` has said what is awaited. Settles when nobody has our stderr open any more, `wrap` included.
async function orphan(words: readonly string[], { input = '""', after }: { input?: string; after: RegExp }): Promise<void> {
  const script = `
    const child = require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: ["pipe", "ignore", "inherit"] });
    child.stdin.write(${input});
    setInterval(() => {}, 1000);`;
  const client = spawn(process.execPath, ["-e", script, bundledCli(), ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  const kill = () => client.kill("SIGKILL");
  client.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    if (after.test(stderr)) setTimeout(kill, 300);
  });
  const ended = await Promise.race([
    new Promise((resolve) => client.once("close", () => resolve("ended"))),
    new Promise((resolve) => setTimeout(resolve, 15_000, "still there").unref()),
  ]);
  assert.equal(ended, "ended", stderr);
}

describe("wrap starts", { concurrency: 3 }, () => {
  it("within --timeout or not at all: a module that never loads and a server that never answers are named, and end it", async () => {
    const ends = [["--interceptors", fixture("unsettled.mjs")], silent].map(async (policy) => (await startCli(["wrap", "--timeout", "400", ...policy, ...server()])).ended);
    for (const ended of await Promise.all(ends)) {
      assert.deepEqual([ended.code, ended.messages], [1, []]);
      assert.match(ended.stderr, /^mcp-interceptors: --interceptors .*(?:unsettled\.mjs|silent): it was not ready within 400 ms, which is all that the start may take\n$/m);
    }
  });

  it("and ends with a signal that comes while a module is being loaded", posix, async () => {
    const running = await startCli(["wrap", "--use", "tool-filter", "--interceptors", fixture("unsettled.mjs"), ...server()]);
    await new Promise((resolve) => running.child.stderr.once("data", resolve));
    running.child.kill("SIGTERM");
    const ended = await running.ended;
    assert.deepEqual([ended.code, ended.signal], [null, "SIGTERM"]);
  });

  it("not with a pipe for a log", posix, async () => {
    const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    try {
      const pipe = join(folder, "pipe");
      await new Promise((resolve) => spawn("mkfifo", [pipe]).once("close", resolve));
      const ended = await runCli(["wrap", "--log", pipe, ...server()], lines(INITIALIZE));
      assert.equal(ended.stderr, `mcp-interceptors: --log ${pipe} is no regular file\n  name a file; one that does not exist is made\n`);
      assert.equal(ended.code, 2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("and is gone with its client, while it starts and while the server takes nothing", posix, async () => {
    // More than all the buffers on the way hold.
    const flood = `(${JSON.stringify(request(1, "tools/call", { name: "x", arguments: { a: "A" } }))} + "\\n").replace('"A"', JSON.stringify("y".repeat(1e6))).repeat(100)`;
    await Promise.all([
      orphan(["wrap", ...silent, ...server()], { after: /silent/ }),
      orphan(["wrap", "--use", "tool-filter", "--interceptors", fixture("unsettled.mjs"), ...server()], { after: /warning/ }),
      orphan(["wrap", "--", "sleep", "60"], { input: flood, after: /guarding/ }),
    ]);
  });

  it("and says so where a module ends the process, at its start or in a call, with exit code 1", async () => {
    const expected = /mcp-interceptors: this process ends before its time: a module has called process\.exit, or an error was not caught \(exit code 0\)\n$/;
    const words = ["wrap", "--interceptors", fixture("leaving.mjs"), ...server()];
    const loading = startCli(words, { env: { LEAVE: "load" } });
    const called = await startCli(words);
    called.send(request(1, "tools/call", { name: "echo" }));
    for (const running of [await loading, called]) {
      const ended = await running.ended;
      assert.match(ended.stderr, expected);
      assert.deepEqual([ended.code, ended.messages], [1, []]);
    }
  });

  it("and tells of a notification that is dropped, which nobody else would hear of", async () => {
    const running = await startCli(["wrap", "--quiet", "--interceptors", fixture("quiet.mjs"), ...server()]);
    running.send('{"jsonrpc":"2.0","method":"notifications/news","params":{"text":"SECRET"}}');
    running.send(request(1, "tools/list"));
    await running.answer(1);
    const ended = await running.end();
    assert.equal(ended.stderr, "mcp-interceptors: warning: the notification notifications/news was dropped by quiet: validation_failed\n");
    assert.equal(ended.code, 0);
  });

  it("not with a word that is none, and says where to read on", async () => {
    const [near, far] = await Promise.all([runCli(["wrap", "--lgo", "x", ...server()]), runCli(["wrap", "--bogus", ...server()])]);
    assert.equal(near.stderr, "mcp-interceptors: unknown option --lgo\n  did you mean --log?\n");
    assert.equal(far.stderr, "mcp-interceptors: unknown option --bogus\n  mcp-interceptors help wrap\n");
  });
});
