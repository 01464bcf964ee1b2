import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { record } from "../../src/cli/record.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { bundledCli, INITIALIZE, lines, request, runCli, server, startCli } from "./run-cli.ts";
import { runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const call = (id: number, name: string, args: object = {}) => request(id, "tools/call", { name, arguments: args });
const read = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);

describe("record", () => {
  it("carries a session unchanged, and has it in the file, masked", async () => {
    const path = `${folder.path}/session.jsonl`;
    const { code, messages, stderr } = await runCli(["record", "-o", path, ...server()], lines(INITIALIZE, call(1, "echo", { to: "ada@example.com" })));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^mcp-interceptors: recording .* to .*session\.jsonl, masked by redact/);
    assert.match(JSON.stringify(messages.find(({ id }) => id === 1)?.result), /ada@example\.com/);
    const [header, ...entries] = read(path);
    assert.deepEqual([header?.["recording"], header?.["raw"]], [1, undefined]);
    assert.deepEqual(entries.map(({ from, kind, event, id }) => [from, kind, event, id]).sort(), [
      ["client", "request", "initialize", "init"],
      ["client", "request", "tools/call", 1],
      ["server", "response", "initialize", "init"],
      ["server", "response", "tools/call", 1],
    ]);
    const text = readFileSync(path, "utf8");
    assert.ok(text.includes("[REDACTED:email]") && !text.includes("ada@example.com"));
  });

  it("masks ids that are secrets, so that a request and its answer still belong together, over sessions of both eras", async () => {
    const path = `${folder.path}/ids.jsonl`;
    const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const stateless = request("bob@example.com", "tools/call", { name: "echo", arguments: {}, _meta });
    const sessions = [lines(INITIALIZE, request("ada@example.com", "tools/call", { name: "rm", arguments: {} })), lines(stateless)];
    for (const input of sessions) assert.equal((await runCli(["record", "-o", path, ...server()], input)).code, 0);
    assert.doesNotMatch(readFileSync(path, "utf8"), /@example/);
    const calls = read(path).filter(({ event }) => event === "tools/call").map(({ session, kind, id }) => ({ session, kind, id: String(id) }));
    assert.deepEqual(calls.map(({ kind }) => kind), ["request", "response", "request", "response"]);
    assert.ok(calls.every(({ id }) => /^masked:[0-9a-f]{16}$/.test(id)) && new Set(calls.map(({ id }) => id)).size === 2);
    const deny = folder.write("deny.json", { upstreams: { files: { command: "x" } }, interceptors: [{ use: "tool-filter", config: { deny: ["rm"] } }] });
    const { code, stdout } = await runText(["replay", path, "-c", deny, "--json"]);
    const { messages, summary } = JSON.parse(stdout) as { messages: { event: string; a: { verdict: string } }[]; summary: { differ: number } };
    assert.deepEqual([code, summary.differ, messages.filter(({ event }) => event === "tools/call").map(({ a }) => a.verdict)], [1, 1, ["blocked", "unreached", "passed", "passed"]]);
  });

  it("warns where nothing is masked, and has whole lines when it is killed", async () => {
    const path = `${folder.path}/raw.jsonl`;
    const running = await startCli(["record", "--raw", `--output=${path}`, ...server()]);
    running.send(INITIALIZE);
    running.send(call(1, "echo", { to: "ada@example.com" }));
    await running.answer(1);
    const gone = once(running.child, "close");
    running.child.kill("SIGKILL");
    await gone;
    assert.match(running.stderr(), /warning: .*raw\.jsonl will hold what is said as it is: nothing is masked/);
    const [header, ...entries] = read(path);
    assert.deepEqual([header?.["raw"], header?.["redactedBy"], entries.length], [true, [], 4]);
    assert.match(readFileSync(path, "utf8"), /ada@example\.com/);
  });

  it("refuses what makes no sense, and touches no other file", async () => {
    const notes = folder.write("notes.txt", "dear diary");
    const file = `${folder.path}/new.jsonl`;
    const mistyped: readonly (readonly [readonly string[], RegExp])[] = [
      [[...server()], /the file is missing/],
      [["-o", file], /the server's command is missing/],
      [["-o", file, "node", ...server()], /unexpected "node"/],
      [["-o", file, "--max-bytes", "1k", ...server()], /--max-bytes must be a whole number of bytes/],
      [["--ouput", file, ...server()], /unknown option --ouput/],
    ];
    for (const [words, text] of mistyped) await assert.rejects(async () => record.run(words), text);
    const wrong = await Promise.all([notes, `${folder.path}/none/x`].map((path) => runText(["record", "-o", path, ...server()])));
    assert.deepEqual(wrong.map(({ code }) => code), [2, 2]);
    assert.match(wrong[0]?.stderr ?? "", /notes\.txt is there already, and is no recording/);
    assert.match(wrong[1]?.stderr ?? "", /--output .*none\/x: cannot be written: its folder is not there\n/);
    // What the shell has sent stdout to carries messages.
    const own = openSync(file, "w");
    const { status, stderr } = spawnSync(process.execPath, [bundledCli(), "record", "-o", file, ...server()], { stdio: ["ignore", own, "pipe"], encoding: "utf8" });
    closeSync(own);
    assert.deepEqual([status, /is this program's stdout/.test(stderr), readFileSync(file, "utf8")], [2, true, ""]);
    assert.equal(readFileSync(notes, "utf8"), "dear diary");
    assert.equal((await runText(["record", "--quiet", "-o", file, "--", `${folder.path}/no-such-program`])).code, 127);
  });
});
