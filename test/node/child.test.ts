import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { RequestMessage } from "../../src/core/wire/message.ts";
import { spawnTransport, type ChildTransport, type SpawnOptions } from "../../src/node/child.ts";
import { bundle } from "../support/bundle.ts";

const posix = { skip: process.platform === "win32" };
const server = fileURLToPath(new URL("fixtures/echo-server.mjs", import.meta.url));
const parent = bundle(fileURLToPath(new URL("fixtures/parent.ts", import.meta.url)));
const request = (method: string, id = 1): { message: RequestMessage } => ({ message: { jsonrpc: "2.0", id, method } });

function startServer(mode?: string, options: Partial<SpawnOptions> = {}): Promise<ChildTransport> {
  const args = mode === undefined ? [server] : [server, mode];
  return spawnTransport({ command: process.execPath, args, stderr: "ignore", killGraceMs: 150, ...options });
}

/** Living members of a process group. A zombie, which only waits for its parent to notice, is not alive. */
function groupMembers(group: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
        return Number(pgrp) === group && state !== "Z";
      } catch {
        return false;
      }
    });
}
const linux = { skip: process.platform !== "linux" };

/** Real time, bounded: asks again until it is so. */
async function eventually(condition: () => boolean, what: string): Promise<void> {
  for (let turn = 0; turn < 400; turn++) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`not within 4 s: ${what}`);
}

// Most of the time of these is spent waiting for a grace to pass.
describe("a server as a child process", { concurrency: 4 }, () => {
  it("a child process sends back what it was sent, in order, and closes with its stdin", async () => {
    const transport = await startServer();
    for (let id = 0; id < 100; id++) await transport.send(request("a/b", id));
    for (let id = 0; id < 100; id++) assert.deepEqual((await transport.receive())?.frame.message, request("a/b", id).message);
    const big = { message: { ...request("big").message, params: { text: "é".repeat(1_000_000) } } };
    await transport.send(big);
    assert.deepEqual((await transport.receive())?.frame.message, big.message);
    const pending = transport.receive();
    await Promise.all([transport.close(), transport.close()]);
    assert.equal(await pending, undefined);
    assert.equal(await transport.receive(), undefined);
    assert.deepEqual(await transport.exited, { code: 0, signal: null });
    await assert.rejects(transport.send(request("late")), { code: "closed" });
  });

  it("a server that crashes rejects receive with its exit and its last words, and later sends", async () => {
    const transport = await startServer("crash");
    const died = (thrown: { code: string; message: string; details: object }) => {
      assert.equal(thrown.code, "closed");
      assert.match(thrown.message, /exited with code 3.*the last words/);
      assert.deepEqual(thrown.details, { code: 3, signal: null, stderr: "first\nthe last words" });
      return true;
    };
    await assert.rejects(transport.receive(), died);
    await assert.rejects(transport.receive(), died);
    await assert.rejects(transport.send(request("a")), { code: "closed" });
    await transport.close();
  });

  it("a server that is killed rejects receive with the signal", posix, async () => {
    const transport = await startServer();
    await transport.send(request("test/die"));
    await assert.rejects(transport.receive(), { code: "closed", message: /SIGKILL/ });
    assert.deepEqual(await transport.exited, { code: null, signal: "SIGKILL" });
    await transport.close();
  });

  it("what a server wrote before it exited is all read, by a slow reader too", async () => {
    const transport = await startServer("farewell");
    assert.deepEqual(await transport.exited, { code: 0, signal: null });
    // Longer than every grace, so that only the reader's own pace counts.
    await new Promise((resolve) => setTimeout(resolve, 700));
    let answers = 0;
    while ((await transport.receive()) !== undefined) answers++;
    assert.equal(answers, 5000);
    await transport.close();
  });

  it("a server that closes its stdout and runs on is ended", posix, async () => {
    const transport = await startServer();
    await transport.send(request("test/close-stdout"));
    assert.equal(await transport.receive(), undefined);
    assert.deepEqual(await transport.exited, { code: null, signal: "SIGTERM" });
    await transport.close();
  });

  it("a server that ignores the end of stdin and SIGTERM is killed", posix, async () => {
    const transport = await startServer("stubborn");
    await transport.send(request("a"));
    await transport.receive();
    await transport.close();
    assert.deepEqual(await transport.exited, { code: null, signal: "SIGKILL" });
  });

  it("a SIGTERM that was passed on, before close or during it, is not followed by another grace than its own", posix, async () => {
    for (const when of ["before", "during"] as const) {
      const transport = await startServer("stubborn", { killGraceMs: 5000, termGraceMs: 150 });
      await transport.send(request("a"));
      await transport.receive();
      const started = performance.now();
      if (when === "before") transport.kill("SIGTERM");
      const closed = transport.close();
      if (when === "during") transport.kill("SIGTERM");
      await closed;
      assert.ok(performance.now() - started < 2500, `${when}: it waited for the end of stdin to do something`);
      assert.deepEqual(await transport.exited, { code: null, signal: "SIGKILL" });
    }
  });

  it("a server that reads nothing makes send wait, and close rejects who waits", posix, async () => {
    const transport = await startServer("deaf", { limits: { maxQueuedBytes: 100_000 } });
    const outcomes: string[] = [];
    const sends = Array.from({ length: 30 }, (_, id) => {
      const sent = transport.send({ message: { jsonrpc: "2.0", id, method: "a", params: { filler: "x".repeat(20_000) } } });
      return sent.then(() => outcomes.push("sent"), (thrown: { code: string }) => outcomes.push(thrown.code));
    });
    await transport.close();
    await Promise.all(sends);
    assert.ok(outcomes.includes("sent") && outcomes.includes("closed"), outcomes.join());
  });

  it("a server that logs more than a pipe holds before it answers is not blocked, and its last bytes are kept", async () => {
    let heard = 0;
    const transport = await startServer("noisy", { limits: { maxStderrBytes: 1000 }, stderr: (chunk) => void (heard += chunk.length) });
    await transport.send(request("a"));
    assert.deepEqual((await transport.receive())?.frame.message, request("a").message);
    assert.equal(transport.stderrTail(), "x".repeat(1000));
    await transport.close();
    assert.equal(heard, 262_144);
  });

  it("its stderr is told line by line, the last one too if it has no end, and a long one is cut", async () => {
    const lines: string[] = [];
    const script = 'process.stderr.write("one\\n\\ntwo \\u00e4\\r\\n" + "x".repeat(20000) + "\\nlast")';
    const child = await spawnTransport({ command: process.execPath, args: ["-e", script], onStderrLine: (line) => lines.push(line) });
    await child.exited;
    await child.close();
    await eventually(() => lines.length === 4, "four lines");
    assert.deepEqual(lines, ["one", "two \u00e4", "x".repeat(16_384), "last"]);
  });

  it("a stderr callback that throws costs nothing", async () => {
    const transport = await startServer("noisy", {
      stderr: () => {
        throw new TypeError("log is full");
      },
    });
    await transport.send(request("a"));
    assert.notEqual(await transport.receive(), undefined);
    await transport.close();
  });

  it("the environment is ours unless another is given", async () => {
    process.env["MCP_TEST_MARK"] = "inherited";
    for (const [env, expected] of [[undefined, "inherited"], [{ PATH: process.env["PATH"], MCP_TEST_MARK: "given" }, "given"]] as const) {
      const transport = await startServer(undefined, env === undefined ? {} : { env });
      await transport.send(request("test/environment"));
      const params = ((await transport.receive())?.frame.message as RequestMessage).params!;
      assert.equal(params["MCP_TEST_MARK"], expected);
      await transport.close();
    }
    delete process.env["MCP_TEST_MARK"];
  });

  it("a command that does not start is spawn_failed, and says what to do", async () => {
    const start = (options: Partial<SpawnOptions>) => spawnTransport({ command: "no-such-command", stderr: "ignore", ...options });
    await assert.rejects(start({}), { code: "spawn_failed", message: /"no-such-command": no such command; check/ });
    await assert.rejects(start({ command: "node server.js" }), { code: "spawn_failed", message: /arguments go into `args`/ });
    await assert.rejects(start({ cwd: "/no/such/folder", command: process.execPath }), { code: "spawn_failed", message: /\/no\/such\/folder does not exist/ });
    if (process.platform !== "win32") await assert.rejects(start({ command: server }), { code: "spawn_failed", message: /not executable/ });
    await assert.rejects(start({ args: ["\0"] }), { code: "spawn_failed" });
  });

  it("close leaves no grandchild behind a shell, not even one that ignores SIGTERM", linux, async () => {
    const transport = await spawnTransport({
      command: "sh",
      args: ["-c", `"${process.execPath}" "${server}"; true`],
      stderr: "ignore",
      killGraceMs: 150,
    });
    await transport.send(request("test/grandchild"));
    await transport.receive();
    assert.equal(groupMembers(transport.pid).length, 3);
    await transport.close();
    assert.deepEqual(groupMembers(transport.pid), []);
  });

  it("a member that is dead, though nobody has waited for it, does not hold up close", linux, async () => {
    // Its parent has left the group, and is a program that waits for no children.
    const parent = `sh -c 'sleep 0 & exec setsid sleep 3' </dev/null >/dev/null 2>&1 &`;
    const transport = await spawnTransport({ command: "sh", args: ["-c", `${parent} exec "${process.execPath}" "${server}"`], stderr: "ignore", killGraceMs: 2500 });
    await transport.send(request("a"));
    await transport.receive();
    const started = performance.now();
    await transport.close();
    assert.ok(performance.now() - started < 2000, "it waited for the dead");
  });

  it("what has left the group cannot hold the connection open by the pipes it took along", posix, async () => {
    const started = performance.now();
    const transport = await startServer("escapee");
    assert.equal(await transport.receive(), undefined);
    await transport.close();
    assert.ok(performance.now() - started < 1400, "it waited for the escaped process");
  });

  it("a wrapper that exits leaves nothing running, though nobody called close", linux, async () => {
    const transport = await spawnTransport({
      command: "sh",
      args: ["-c", `"${process.execPath}" "${server}" stubborn & exit 0`],
      stderr: "ignore",
      killGraceMs: 100,
    });
    assert.equal(await transport.receive(), undefined);
    await eventually(() => groupMembers(transport.pid).length === 0, "the group is empty");
    await transport.close();
  });
});

test("no listener of the process and no timer outlives a connection", async () => {
  const count = () => ["exit", "SIGINT", "SIGTERM", "SIGHUP"].map((event) => process.listenerCount(event));
  const before = [...count(), process.stderr.listenerCount("error")];
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const timersBefore = timers();
  const children = await Promise.all([1, 2].map(() => startServer(undefined, { stderr: "inherit" })));
  assert.deepEqual(count(), before.slice(0, 4).map((listeners) => listeners + 1));
  await Promise.all(children.map((child) => child.close()));
  assert.deepEqual([...count(), process.stderr.listenerCount("error")], before);
  assert.equal(timers(), timersBefore);
});

/** Runs the parent fixture until it has started its group, then lets `end` have its way; gives the group and the parent's exit. */
async function runParent(how: string, end: (kill: (signal: NodeJS.Signals) => void) => void) {
  const child = spawn(process.execPath, [parent, how, server], { stdio: ["ignore", "pipe", "ignore"] });
  const exit = new Promise<{ code: number | null; signal: string | null }>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
  const group = await new Promise<number>((resolve) => child.stdout.once("data", (chunk) => resolve(Number(String(chunk)))));
  end((signal) => child.kill(signal));
  const ended = await exit;
  await eventually(() => groupMembers(group).length === 0, `the group of a parent that ended by ${how} is empty`);
  return ended;
}

test("a parent that exits, throws, or is ended by a signal takes the whole group along, and ends as it would have without one", linux, async () => {
  const runs = [
    runParent("exit", () => {}),
    runParent("throw", () => {}),
    runParent("signal", (kill) => kill("SIGTERM")),
    runParent("own-handler", (kill) => kill("SIGTERM")),
  ];
  assert.deepEqual(await Promise.all(runs), [
    { code: 0, signal: null },
    { code: 1, signal: null },
    { code: null, signal: "SIGTERM" },
    { code: 7, signal: null },
  ]);
});
