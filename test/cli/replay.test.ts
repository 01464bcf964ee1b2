import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { replay } from "../../src/cli/replay.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { startCli } from "./run-cli.ts";
import { runAlone, runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const upstreams = { files: { command: "files-server" } };
const HEADER = { recording: 1, at: "2026-07-28T00:00:00.000Z", session: "s", redactedBy: [] };
const at = (second: number) => new Date(Date.UTC(2026, 6, 28, 0, 0, second)).toISOString();
const call = (id: number, name: string, second: number, args: object = {}) => ({ at: at(second), session: "s", from: "client", kind: "request", event: "tools/call", phase: "request", id, params: { name, arguments: args } });
const answer = (id: number, text: string, second: number) => ({ at: at(second), session: "s", from: "server", kind: "response", event: "tools/call", phase: "response", id, result: { content: [{ type: "text", text }] } });
const recording = (...lines: readonly (object | string)[]) => folder.write("session.jsonl", lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
const config = (name: string, ...interceptors: readonly object[]) => folder.write(name, { upstreams, interceptors });

describe("replay", () => {
  it("says what a configuration refuses and changes, without a payload", async () => {
    const file = recording(HEADER, call(1, "ls", 0, { who: "ada@example.com" }), answer(1, "fine", 1), call(2, "rm", 2), answer(2, "gone", 3));
    const { code, stdout, stderr } = await runText(["replay", file, "-c", config("a.json", { use: "redact" }, { use: "tool-filter", config: { deny: ["rm"] } })]);
    assert.deepEqual([code, stderr], [1, ""]);
    assert.equal(
      stdout.replaceAll(folder.path, "D"),
      `tools/call ls  request 1 of the client, line 2
  is changed at /params/arguments/who
tools/call rm  request 2 of the client, line 4
  is blocked by tool-filter: validation_failed (-32602)

4 messages: 2 refused or changed
A, D/a.json: 1 changed, 1 passed, 1 blocked, 1 unreached; stopped by tool-filter 1
`,
    );
  });

  it("reads stdin where it is told to, and says so where that is no recording", async () => {
    const words = ["replay", "-", "-c", config("a.json", { use: "tool-filter", config: { deny: ["rm"] } })];
    const { code, stdout } = await runAlone(words, { input: readFileSync(recording(HEADER, call(1, "ls", 0), call(2, "rm", 2)), "utf8") });
    assert.deepEqual([code, /^2 messages: 1 refused/m.test(stdout)], [1, true]);
    const empty = await runAlone(words);
    assert.deepEqual([empty.code, /stdin is empty/.test(empty.stderr)], [2, true]);
  });

  it("compares two configurations, by exit code and as JSON too", async () => {
    const file = recording(HEADER, call(1, "ls", 0, { who: "ada@example.com" }), answer(1, "ada@example.com", 1));
    const [a, b] = [config("a.json", { use: "redact" }), config("b.json", { use: "redact", phase: "response" })];
    const { code, stdout } = await runText(["replay", file, "--config", a, "--against", b, "--json"]);
    assert.equal(code, 1);
    assert.ok(!stdout.includes("ada@"));
    const { messages, summary } = JSON.parse(stdout) as { messages: { agree: boolean; tool?: string; a: object; b: object; differences: object[] }[]; summary: object };
    assert.deepEqual(messages.map(({ agree, tool, a: left, b: right, differences }) => ({ agree, tool, left, right, differences })), [
      { agree: false, tool: "ls", left: { verdict: "changed", changes: [{ pointer: "/params/arguments/who", kind: "replaced" }] }, right: { verdict: "passed" }, differences: [{ pointer: "/params/arguments/who", kind: "replaced" }] },
      { agree: true, tool: undefined, left: { verdict: "changed", changes: [{ pointer: "/result/content/0/text", kind: "replaced" }] }, right: { verdict: "changed", changes: [{ pointer: "/result/content/0/text", kind: "replaced" }] }, differences: [] },
    ]);
    assert.deepEqual(summary, { messages: 2, differ: 1, a: { verdicts: { changed: 2 }, blockedBy: {} }, b: { verdicts: { passed: 1, changed: 1 }, blockedBy: {} } });
    const same = await runText(["replay", file, "--config", a, "--against", a]);
    assert.deepEqual([same.code, /2 messages: A and B agree/.test(same.stdout)], [0, true]);
  });

  it("lets limits by time see the time of the recording", async () => {
    const limit = config("limit.json", { use: "rate-limit", config: { perMinute: 2 } });
    const slow = recording(HEADER, call(1, "a", 0), call(2, "a", 0), call(3, "a", 31), call(4, "a", 62));
    assert.equal((await runText(["replay", slow, "-c", limit])).code, 0);
    const fast = recording(HEADER, call(1, "a", 0), call(2, "a", 0), call(3, "a", 29));
    const { code, stdout } = await runText(["replay", fast, "-c", limit]);
    assert.equal(code, 1);
    assert.match(stdout, /request 3 of the client, line 4\n {2}is blocked by rate-limit/);
  });

  it("tells of what the recording lacks, and refuses what makes no sense", async () => {
    const plain = config("plain.json");
    const torn = await runText(["replay", recording(HEADER, call(1, "a", 0), { at: at(1), session: "s", full: true }, '{"at":'), "-c", plain, "--all"]);
    assert.equal(torn.code, 0);
    assert.match(torn.stdout, /^tools\/call a {2}request 1 of the client, line 2\n {2}passes\n\n1 message: all pass as they are\n/);
    assert.match(torn.stderr, /1 line of the recording cannot be read and was passed over \(line 4: .+\)\n.*became full/);
    const two = folder.write("two.json", { upstreams: { ...upstreams, crm: { command: "x" } } });
    const file = recording(HEADER);
    const mistyped: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /the recording is missing/],
      [[file], /--config is missing/],
      [[file, "more", "-c", plain], /unexpected "more"/],
      [[file, "-c", plain, "--principal", '{"id":5}'], /--principal: .*id/],
    ];
    for (const [words, text] of mistyped) await assert.rejects(async () => replay.run(words), text);
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [[plain, "-c", plain], /is no recording/],
      [["none.jsonl", "-c", plain], /none\.jsonl: cannot be read: there is no such file/],
      [[file, "-c", two], /--upstream is missing[^]*has files, crm/],
      [[file, "-c", plain, "--against", two, "--upstream", "fils"], /did you mean files\?/],
    ];
    await Promise.all(
      wrong.map(async ([words, text]) => {
        const { code, stderr } = await runText(["replay", ...words]);
        assert.equal(code, 2, words.join(" "));
        assert.match(stderr, text);
      }),
    );
  });

  it("counts what cannot be read, and refuses a recording of which nothing can", async () => {
    const plain = config("plain.json");
    const mixed = await runText(["replay", recording(HEADER, "{", call(1, "a", 0), "[]"), "-c", plain, "--json"]);
    assert.deepEqual([mixed.code, (JSON.parse(mixed.stdout) as { summary: { messages: number; unreadable: number } }).summary.unreadable], [0, 2]);
    assert.match(mixed.stderr, /2 lines of the recording cannot be read and were passed over \(2 lines, the first line 2: /);
    const deep = `{"at":"2026-07-28T00:00:00Z","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const wrong: readonly (readonly [file: string, said: RegExp])[] = [
      [recording(HEADER, "{", "{}"), /nothing of .* can be read: 2 lines, the first line 2: /],
      [folder.write("deep.jsonl", `${JSON.stringify(HEADER)}\n${deep}\n`), /nothing of .* can be read: line 2: .*deep/],
      [folder.write("half.jsonl", '{"recording":1,"at":"2026'), /is no recording: its first line, the header, cannot be read/],
    ];
    for (const [file, said] of wrong) {
      const { code, stdout, stderr } = await runText(["replay", file, "-c", plain]);
      assert.deepEqual([code, stdout], [2, ""], file);
      assert.match(stderr, said);
    }
    assert.equal((await runText(["replay", recording(HEADER), "-c", plain])).code, 0);
  });

  it("says whom an interceptor lacks that keeps state by principal, and which messages were masked when recorded", async () => {
    const auth = { tokens: [{ token: "a-token-of-some-length", principal: { type: "user", id: "ada" } }] };
    const limit = folder.write("limit.json", { upstreams: { files: { command: "no-such-server" } }, http: {}, auth, interceptors: [{ use: "rate-limit", config: { perMinute: 9, scope: "principal" } }] });
    const file = recording(HEADER, call(1, "a", 0), call(2, "a", 1, { to: "[REDACTED:email]" }));
    const unknown = await runText(["replay", file, "-c", limit]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /warning: rate-limit\/rate-limit failed for want of somebody who calls: --principal .*\n.*warning: 1 message holds masks of when it was recorded, .*record --raw/);
    const known = await runText(["replay", recording(HEADER, call(1, "a", 0)), "-c", limit, "--principal", '{"id":"ada"}']);
    assert.deepEqual([known.code, known.stderr], [0, ""]);
  });

  it("ends by a signal while the pipe that it reads is silent", { skip: process.platform === "win32" }, async () => {
    folder.write("tells.mjs", 'console.error("loaded");\nexport const pass = { descriptor: { name: "pass", type: "validation", hooks: [{ events: ["*"], phase: "request" }] }, handler: () => true };\n');
    const pipe = `${folder.path}/pipe`;
    execFileSync("mkfifo", [pipe]);
    for (const file of [pipe, "-"]) {
      const running = await startCli(["replay", file, "-c", config("waits.json", { module: "./tells.mjs" })]);
      await new Promise((resolve) => running.child.stderr.once("data", resolve));
      running.child.kill("SIGINT");
      const ended = await running.ended;
      assert.deepEqual([file, ended.signal, ended.stderr], [file, "SIGINT", "loaded\n"]);
    }
  });
});
