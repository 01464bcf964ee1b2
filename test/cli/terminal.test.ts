// The command line as people meet it: on a terminal, which stdin, stdout and stderr are.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { temporaryFolder, type Folder } from "../gateway/config/kit.ts";
import { fixture } from "./run-cli.ts";
import { runText } from "./run-text.ts";
import { CTRL_C, CTRL_D, hasTerminal, runOnTerminal, startOnTerminal } from "./tty.ts";

const folder = temporaryFolder();
const folders: Folder[] = [folder];
after(() => folders.forEach((one) => one.remove()));

const COLOUR = /\u001b\[\d+m/;
const config = folder.write("gateway.json", { upstreams: { files: { command: process.execPath, args: [fixture("server.mjs")] } }, interceptors: [{ use: "redact" }], http: { port: 0 } });
const tests = folder.write("policy.test.json", { tests: [{ name: "all pass", method: "tools/list", expect: "pass" }] });
const message = { at: "2026-07-28T00:00:00.000Z", session: "s", from: "client", kind: "request", event: "tools/list", phase: "request", id: 1, params: {} };
const recording = folder.write("session.jsonl", `${JSON.stringify({ recording: 1, at: message.at, session: "s", redactedBy: [] })}\n${JSON.stringify(message)}\n`);

const COLOURED: readonly (readonly string[])[] = [["list", "redact"], ["chain", "redact", "--event", "tools/call"], ["test", config, tests], ["doctor", config, "--no-connect"], ["explain", config, "--method", "tools/list"]];

describe("on a terminal", { concurrency: 3 }, () => {
  for (const words of COLOURED) {
    it(`${words[0]} has colours, and but for these the text of a pipe, which has none`, async (t) => {
      if (!hasTerminal(t)) return;
      const [there, piped] = await Promise.all([runOnTerminal(words), runText(words)]);
      assert.deepEqual([there.code, piped.code], [0, 0], there.screen);
      assert.match(there.screen, COLOUR);
      assert.doesNotMatch(piped.stdout + piped.stderr, COLOUR);
      // Times apart, no two runs of which are alike.
      const timeless = (text: string) => text.replaceAll("\r\n", "\n").replaceAll(/\u001b\[\d+m/g, "").replaceAll(/ *[\d.]+ ms */g, " ");
      assert.equal(timeless(there.screen), timeless(piped.stdout));
    });
  }

  it("NO_COLOR takes the colours away, and so does a dumb terminal", async (t) => {
    if (!hasTerminal(t)) return;
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) assert.doesNotMatch((await runOnTerminal(["list", "redact"], { env })).screen, COLOUR);
  });

  it("conformance, bench and replay show how far they are, on a line that goes away, and in a pipe nothing", async (t) => {
    if (!hasTerminal(t)) return;
    const shown: [string[], RegExp][] = [
      [["conformance", "--adapter", `${process.execPath} -e 0`, "--output", `${folder.path}/report`], /\r1 of (\d+), 1 failed[^]*\r\1 of \1, \d+ failed\r\n/],
      [["bench", config, "--time", "1", "--payload", '{"method":"tools/list"}'], /\r\u001b\[Kfiles: tools\/list[^\r\n]*\r\u001b\[K/],
      [["replay", recording, "-c", config], /\r\u001b\[K1 messages\r\u001b\[K/],
    ];
    for (const [words, pattern] of shown) {
      const [there, piped] = await Promise.all([runOnTerminal(words), runText(words)]);
      assert.match(there.screen, pattern);
      assert.deepEqual([there.code, piped.stderr, /[\r\u001b]/.test(piped.stdout)], [piped.code, "", false], words.join(" "));
    }
  });

  it("Ctrl-C ends test --watch, and what waits for a server, like a signal", async (t) => {
    if (!hasTerminal(t)) return;
    const watching = await startOnTerminal(["test", config, tests, "--watch"]);
    await watching.until(/1 test, all pass[^]*Ctrl-C ends/);
    watching.type(CTRL_C);
    assert.equal(await watching.code, 130);
    const waiting = await startOnTerminal(["list", `'${process.execPath}' '${fixture("interceptor-server.mjs")}' silent`]);
    await waiting.until(/policies are silent/);
    waiting.type(CTRL_C);
    assert.equal(await waiting.code, 130);
    assert.doesNotMatch(waiting.screen(), /unexpected|\bat /);
  });

  it("Ctrl-C ends a gateway in good order", async (t) => {
    if (!hasTerminal(t)) return;
    const gateway = await startOnTerminal(["gateway", "-c", config]);
    await gateway.until(/serving .*http:/);
    gateway.type(CTRL_C);
    assert.equal(await gateway.code, 0, gateway.screen());
  });
});

describe("init asks", { concurrency: 2 }, () => {
  function place() {
    const own = temporaryFolder();
    folders.push(own);
    const file = own.write(".mcp.json", { mcpServers: { files: { command: "files-server" }, other: { command: "other-server" } } });
    return { own, start: () => startOnTerminal(["init"], { cwd: own.path, env: { HOME: own.path } }), text: readFileSync(file, "utf8") };
  }

  it("for the file, the servers, the interceptors and where to put it, and does what it is told", async (t) => {
    if (!hasTerminal(t)) return;
    const { own, start, text } = place();
    const dialogue = await start();
    for (const [question, answer] of [
      [/The client's file of servers \[\.mcp\.json\]: /, ""],
      [/Servers to guard \[all: files, other\]: /, "files"],
      [/Interceptors \[.*\]: /, "redact tool-filter"],
      [/in the place of \.mcp\.json\? .*\[y\/N\] /, "y"],
    ] as const) {
      await dialogue.until(question);
      dialogue.type(`${answer}\r`);
    }
    assert.equal(await dialogue.code, 0, dialogue.screen());
    assert.match(dialogue.screen(), /guarded: files\r\n/);
    const entries = (JSON.parse(readFileSync(`${own.path}/.mcp.json`, "utf8")) as { mcpServers: Record<string, { args?: string[] }> }).mcpServers;
    assert.deepEqual([entries["files"]?.args?.at(-1), entries["other"]?.args], ["files", undefined]);
    assert.equal(readFileSync(`${own.path}/.mcp.json.backup`, "utf8"), text);
    assert.match(readFileSync(`${own.path}/mcp-interceptors.jsonc`, "utf8"), /"use":"redact"[^]*"use":"tool-filter"/);
  });

  it("and writes nothing where it is interrupted, where its input ends, or where an answer is wrong", async (t) => {
    if (!hasTerminal(t)) return;
    const ends: [string, number][] = [[CTRL_C, 130], [CTRL_D, 1], ["\rnothing\r\rn\r", 2]];
    for (const [typed, code] of ends) {
      const { own, start } = place();
      const dialogue = await start();
      await dialogue.until(/file of servers/);
      dialogue.type(typed);
      assert.equal(await dialogue.code, code, dialogue.screen());
      assert.deepEqual(readdirSync(own.path), [".mcp.json"]);
      assert.doesNotMatch(dialogue.screen(), /before its time|unexpected/);
    }
    // In a pipe nobody could answer.
    const piped = await runText(["init"], { cwd: folder.path });
    assert.deepEqual([piped.code, existsSync(`${folder.path}/mcp-interceptors.jsonc`)], [2, false]);
  });
});
