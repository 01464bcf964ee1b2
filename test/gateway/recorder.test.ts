import assert from "node:assert/strict";
import { appendFileSync, chmodSync, readFileSync, statSync } from "node:fs";
import { after, describe, it } from "node:test";
import { nodeFiles, type AuditFiles } from "../../src/gateway/audit-file.ts";
import { openRecorder, type RecorderOptions } from "../../src/gateway/recorder.ts";
import { isRecordingHeader, readRecording, type RecordingLine } from "../../src/gateway/recording.ts";
import type { Message } from "../../src/core/wire/message.ts";
import { fakeHost } from "../support/fake-host.ts";
import { scriptedTransport } from "../support/scripted-transport.ts";
import { temporaryFolder } from "./config/kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

let files = 0;
const fresh = () => `${folder.path}/session-${++files}.jsonl`;

/** Records what a client and a server say, in turns, and gives the messages that came through, the file's lines and what was logged. */
async function recorded(said: readonly (readonly ["client" | "server", object])[], options: Partial<RecorderOptions> = {}) {
  const path = options.path ?? fresh();
  const logged: string[] = [];
  const recorder = await openRecorder({ path, host: fakeHost(), log: (message) => void logged.push(message), ...options });
  const ends = { client: scriptedTransport(), server: scriptedTransport() };
  const taps = { client: recorder.tap(ends.client, "client"), server: recorder.tap(ends.server, "server") };
  const passed: unknown[] = [];
  for (const [from, message] of said) {
    ends[from].deliver({ jsonrpc: "2.0", ...message });
    passed.push((await taps[from].receive())?.frame.message);
  }
  await recorder.close();
  return { path, logged, passed, header: recorder.header, lines: readFileSync(path, "utf8").split("\n").slice(0, -1) };
}

async function read(path: string): Promise<readonly RecordingLine[]> {
  const lines: RecordingLine[] = [];
  for await (const line of readRecording(path)) lines.push(line);
  return lines;
}

const call = { id: 1, method: "tools/call", params: { name: "send", arguments: { to: "ada@example.com" } } };
const result = { id: 1, result: { content: [{ type: "text", text: "sent to ada@example.com" }] } };

describe("a recorder", () => {
  it("writes each message before it goes on, masked in the file and nowhere else", async () => {
    const { lines, passed, path, header } = await recorded([
      ["client", call],
      ["server", result],
      ["client", { method: "notifications/message", params: { data: "bob@example.com" } }],
      ["server", { id: "q", method: "roots/list" }],
      ["client", { id: "q", error: { code: 1, message: "ask ada@example.com" } }],
      ["server", { id: 77, result: {} }],
    ]);
    assert.deepEqual(passed[0], { jsonrpc: "2.0", ...call });
    assert.deepEqual(passed[1], { jsonrpc: "2.0", ...result });
    assert.deepEqual(JSON.parse(lines[0] ?? ""), { ...header });
    assert.equal(header.raw, undefined);
    assert.ok(header.redactedBy.includes("redact"));
    assert.deepEqual(
      lines.slice(1).map((line) => JSON.parse(line) as object).map((line) => ({ ...line, at: undefined, session: undefined })),
      [
        { from: "client", kind: "request", event: "tools/call", phase: "request", id: 1, params: { name: "send", arguments: { to: "[REDACTED:email]" } } },
        { from: "server", kind: "response", event: "tools/call", phase: "response", id: 1, result: { content: [{ type: "text", text: "sent to [REDACTED:email]" }] } },
        { from: "client", kind: "notification", event: "notifications/message", phase: "request", params: { data: "[REDACTED:email]" } },
        { from: "server", kind: "request", event: "roots/list", phase: "request", id: "q" },
        { from: "client", kind: "response", event: "roots/list", phase: "response", id: "q", error: { code: 1, message: "ask [REDACTED:email]" } },
        { from: "server", kind: "response", event: "unknown", phase: "response", id: 77, result: {} },
      ].map((line) => ({ at: undefined, session: undefined, ...line })),
    );
    if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
    const again = await read(path);
    assert.deepEqual(again.map(({ kind }) => kind), Array(6).fill("message"));
    assert.deepEqual(again[3]?.kind === "message" && again[3].message, { jsonrpc: "2.0", id: "q", method: "roots/list" });
  });

  it("keeps what it does not mask as it stands in the text, raw and masked, for who reads it", async () => {
    const numbers = '{"big":1915883588174806058,"kept":1.10,"twice":{"n":-0, "e":1E2}}';
    const said = {
      request: ['{"jsonrpc":"2.0","id":7.0,"method":"tools/call",\n"params":{"name":"t","arguments":{"n":1915883588174806058,\r\n "\\u0061":"\\u0062"}}}', { kind: "request", value: '"params":{"name":"t","arguments":{"n":1915883588174806058,   "\\u0061":"\\u0062"}}}' }],
      answer: [`{"jsonrpc":"2.0","result":{"content":[],"structuredContent":${numbers}},"id":2}`, { kind: "response", value: `"result":{"content":[],"structuredContent":${numbers}}}` }],
      error: ['{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m","data":1915883588174806058}}', { kind: "response", value: '"error":{"code":1,"message":"m","data":1915883588174806058}}' }],
      masked: ['{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t","arguments":{"n":1915883588174806058,"to":"ada@example.com"}}}', { kind: "request", value: '"params":{"name":"t","arguments":{"n":1915883588174806058,"to":"[REDACTED:email]"}}}' }],
    } as const;
    for (const raw of [false, true]) {
      for (const [what, [text, { kind, value }]] of Object.entries(said)) {
        const path = fresh();
        const recorder = await openRecorder({ path, host: fakeHost(), log: assert.fail, raw });
        const end = scriptedTransport();
        const message = JSON.parse(text) as Message;
        end.deliver(message, { frame: { message, text } });
        const arrival = await recorder.tap(end, "client").receive();
        await recorder.close();
        assert.equal(arrival?.frame.text, text);
        const [, line = "", ...more] = readFileSync(path, "utf8").split("\n");
        assert.deepEqual(more, [""], what);
        assert.ok(line.endsWith(raw ? value.replace("[REDACTED:email]", "ada@example.com") : value), line);
        if (what === "request") assert.match(line, /"id":7\.0,/);
        const [entry] = await read(path);
        assert.equal(entry?.kind === "message" && entry.entry.kind, kind);
      }
    }
  });

  it("masks nothing where it is told so, and says that in the first line", async () => {
    const { lines } = await recorded([["client", call]], { raw: true });
    assert.match(lines[0] ?? "", /"redactedBy":\[\],"raw":true/);
    assert.match(lines[1] ?? "", /ada@example\.com/);
  });

  it("ends at its size with a line that says so, and lets everything pass", async () => {
    const big = { method: "notifications/message", params: { data: "x".repeat(300) } };
    const { lines, logged, passed, path } = await recorded([["client", big], ["client", big], ["client", big]], { maxBytes: 1000 });
    assert.equal(passed.length, 3);
    assert.ok(statSync(path).size <= 1000);
    assert.equal(lines.length, 3);
    assert.deepEqual((await read(path)).map(({ kind }) => kind), ["message", "full"]);
    assert.equal(logged.length, 1);
    assert.match(logged[0] ?? "", /would have more than 1000 bytes/);
    await assert.rejects(openRecorder({ path, maxBytes: 100, log: () => {} }), { code: "limit_exceeded" });
  });

  it("ends where the disk is full, says so once, and lets everything pass", async () => {
    let appended = 0;
    const full: AuditFiles = {
      ...nodeFiles,
      async open(path) {
        const file = await nodeFiles.open(path);
        return { ...file, append: (bytes) => (++appended > 2 ? Promise.reject(Object.assign(new TypeError("ENOSPC"))) : file.append(bytes)) };
      },
    };
    const { lines, logged, passed } = await recorded([["client", call], ["server", result], ["client", call]], { files: full });
    assert.deepEqual([passed.length, lines.length], [3, 2]);
    assert.deepEqual(logged, ["the recording ends here, as it cannot be written: ENOSPC"]);
  });

  it("gives no message away that is not in the file yet", async () => {
    let write: (() => void) | undefined;
    const slow: AuditFiles = {
      ...nodeFiles,
      async open(path) {
        const file = await nodeFiles.open(path);
        // The header is written at once.
        const append = async (bytes: Uint8Array) => {
          if ((await file.size()) > 0) await new Promise<void>((resolve) => (write = resolve));
          await file.append(bytes);
        };
        return { ...file, append };
      },
    };
    const path = fresh();
    const recorder = await openRecorder({ path, host: fakeHost(), log: () => {}, files: slow });
    const client = scriptedTransport();
    const tap = recorder.tap(client, "client");
    client.deliver({ jsonrpc: "2.0", ...call });
    let arrived = false;
    const arrival = tap.receive().then((got) => {
      arrived = true;
      return got;
    });
    while (write === undefined) await new Promise(setImmediate);
    assert.equal(arrived, false);
    write();
    assert.deepEqual((await arrival)?.frame.message, { jsonrpc: "2.0", ...call });
    assert.deepEqual((await read(path)).map(({ kind }) => kind), ["message"]);
    await recorder.close();
  });

  it("goes on with a recording behind what a kill has left of a line, for its owner alone", async () => {
    const { path } = await recorded([["client", call]]);
    appendFileSync(path, '{"at":"2026-07-28T00:00');
    if (process.platform !== "win32") chmodSync(path, 0o644);
    const { header } = await recorded([["client", { ...call, id: 2 }]], { path });
    const lines = await read(path);
    assert.deepEqual(lines.map(({ kind }) => kind), ["message", "unreadable", "message"]);
    assert.equal(readFileSync(path, "utf8").split("\n").filter(isRecordingHeader).length, 2);
    assert.deepEqual(lines[2]?.kind === "message" && [lines[2].entry.session, lines[2].entry.id], [header.session, 2]);
    if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it("touches no file that is something else", async () => {
    const path = folder.write("notes.txt", "dear diary");
    chmodSync(path, 0o664);
    await assert.rejects(openRecorder({ path, log: () => {} }), /is there already, and is no recording/);
    assert.equal(statSync(path).mode & 0o777, 0o664, "what is not ours is left as it is");
    assert.equal(readFileSync(path, "utf8"), "dear diary");
    await assert.rejects(openRecorder({ path: folder.path, log: () => {} }));
  });
});
