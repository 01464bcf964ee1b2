import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { readRecording, type RecordingLine } from "../../src/gateway/recording.ts";
import { temporaryFolder } from "./config/kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const HEADER = '{"recording":1,"at":"2026-07-28T00:00:00.000Z","session":"s","redactedBy":[]}';
const request = { at: "2026-07-28T00:00:00.000Z", session: "s", from: "client", kind: "request", event: "tools/call", phase: "request", id: 1, params: {} };

async function read(...lines: readonly (object | string)[]): Promise<readonly RecordingLine[]> {
  const path = folder.write("recording", lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""));
  const all: RecordingLine[] = [];
  for await (const line of readRecording(path)) all.push(line);
  return all;
}

describe("reading a recording", () => {
  it("gives messages as JSON-RPC has them, and none of what is withheld", async () => {
    const lines = await read(
      HEADER,
      request,
      { ...request, kind: "response", phase: "response", from: "server", params: undefined, result: { ok: true } },
      { ...request, kind: "response", phase: "response", from: "server", id: undefined, params: undefined, error: { code: 1, message: "m" } },
      { ...request, kind: "notification", event: "notifications/x", id: undefined },
      { ...request, params: undefined, withheld: true, principal: { type: "user", id: "ada" } },
    );
    assert.deepEqual(lines.map((line) => (line.kind === "message" ? line.message : line)), [
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: {} },
      { jsonrpc: "2.0", id: 1, result: { ok: true } },
      { jsonrpc: "2.0", id: null, error: { code: 1, message: "m" } },
      { jsonrpc: "2.0", method: "notifications/x", params: {} },
      undefined,
    ]);
  });

  it("says of each line that is none why, and goes on", async () => {
    const wrong: readonly (readonly [object | string, RegExp])[] = [
      ["{", /./],
      ["5", /no object/],
      [{ ...request, at: "yesterday" }, /no time/],
      [{ ...request, session: 5 }, /no session/],
      [{ ...request, from: "me" }, /who has sent/],
      [{ ...request, kind: "batch" }, /what it is/],
      [{ ...request, phase: "response" }, /phase/],
      [{ ...request, principal: { id: "ada" } }, /principal/],
      [{ ...request, id: 1.5 }, /id/],
      [{ ...request, params: [] }, /params/],
    ];
    const lines = await read(HEADER, ...wrong.map(([line]) => line), request);
    assert.equal(lines.at(-1)?.kind, "message");
    for (const [index, [, why]] of wrong.entries()) {
      const line = lines[index];
      assert.ok(line?.kind === "unreadable" && why.test(line.why), JSON.stringify(line));
      assert.equal(line.line, index + 2);
    }
  });

  it("refuses a file that is no recording", async () => {
    await assert.rejects(read(request), /is no recording: its first line is no header/);
    await assert.rejects(read(), /is empty/);
  });
});
