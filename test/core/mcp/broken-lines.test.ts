// A server and a client of ours at the end of a byte pipe, and whatever lines come down it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LocalError, RpcError } from "../../../src/core/base/errors.ts";
import type { JsonObject } from "../../../src/core/base/json.ts";
import { McpClient } from "../../../src/core/mcp/client.ts";
import { McpServer } from "../../../src/core/mcp/server.ts";
import { lineTransport } from "../../../src/core/transport/line-transport.ts";
import { META } from "../../../src/core/wire/versions.ts";
import { bytePipes } from "../../support/byte-pipe.ts";
import { fakeHost, settle } from "../../support/fake-host.ts";
import { seededRandom, type Random } from "../../support/random.ts";

const SEED = 20260805;
const encoder = new TextEncoder();

/** The far end as bare lines. */
function rawEnd(chunkBytes = 1_000) {
  const [near, far] = bytePipes({ chunkBytes, capacity: 1e7 });
  const heard: JsonObject[] = [];
  const decoder = new TextDecoder();
  let partial = "";
  const listen = async () => {
    for (let chunk = await far.read(); chunk !== undefined; chunk = await far.read()) {
      const lines = (partial + decoder.decode(chunk, { stream: true })).split("\n");
      partial = lines.pop() ?? "";
      for (const line of lines) heard.push(JSON.parse(line) as JsonObject);
    }
  };
  void listen();
  return { near, heard, say: (...lines: readonly string[]) => far.write(encoder.encode(lines.map((line) => `${line}\n`).join(""))), end: () => far.close(Promise.resolve()) };
}

function served(chunkBytes?: number) {
  const { near, heard, say, end } = rawEnd(chunkBytes);
  const gates: ((value: string) => void)[] = [];
  const server = new McpServer({ name: "s", version: "1" }, { host: fakeHost() });
  server.tool({ name: "echo", inputSchema: { type: "object" } }, (args) => JSON.stringify(args));
  server.tool({ name: "slow", inputSchema: { type: "object" } }, () => new Promise<string>((resolve) => gates.push(resolve)));
  const connection = server.connect(lineTransport(near, { invalid: "answer" }));
  return {
    heard,
    say,
    end,
    connection,
    open: () => gates.splice(0).forEach((resolve) => resolve("slow one")),
    answersTo: (id: unknown) => heard.filter((message) => message.id === id && message.method === undefined),
  };
}

const STATELESS = JSON.stringify({ [META.protocolVersion]: "2026-07-28", [META.clientCapabilities]: {} });
const initialize = (version: string) =>
  `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"${version}","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`;
const nested = (depth: number) => `${'{"x":'.repeat(depth)}1${"}".repeat(depth)}`;
const codeOf = ({ error, result }: JsonObject) => (result === undefined ? (error as { code: number }).code : "result");

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
  describe(`a server over lines, in ${version}`, () => {
    const stateless = version >= "2026";
    const call = (id: unknown, params: string) =>
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":{${params}${stateless ? `,"_meta":${STATELESS}` : ""}}}`;
    const started = async (chunkBytes?: number) => {
      const end = served(chunkBytes);
      if (!stateless) await end.say(initialize(version));
      await settle();
      end.heard.length = 0;
      return end;
    };

    test("refuses a second request with an id in flight, and the first gets its own answer (case 12)", async () => {
      const { say, open, answersTo } = await started();
      await say(call(1, '"name":"slow"'), call(1, '"name":"echo","arguments":{"to":"nobody"}'), call("1", '"name":"echo"'));
      await settle();
      assert.deepEqual([answersTo(1).map(codeOf), answersTo("1").map(codeOf)], [[-32600], ["result"]]);
      open();
      await settle();
      assert.deepEqual(answersTo(1).map(codeOf), [-32600, "result"]);
      assert.match(JSON.stringify(answersTo(1)[1]), /slow one/);
      await say(call(1, '"name":"echo"'));
      await settle();
      assert.deepEqual(answersTo(1).map(codeOf), [-32600, "result", "result"], "the id is free again");
    });

    const batches = [`[${call(2, '"name":"echo"')}]`, "[]", "[1]", `[${initialize(version)}]`, `[${call(3, '"name":"echo"')},${call(4, '"name":"no such tool"')}]`, '[{"jsonrpc":"2.0","method":"notifications/initialized"}]'];
    if (version === "2025-03-26") {
      test("takes a batch apart, answers each request in it once, and refuses an empty one and initialize (case 13)", async () => {
        const { say, heard } = await started(3);
        await say(...batches, call("after", '"name":"echo"'));
        await settle();
        const expected = [[2, "result"], [null, -32600], [null, -32600], ["init", -32600], [3, "result"], [4, -32602], ["after", "result"]];
        assert.deepEqual(heard.map((answer) => [answer.id, codeOf(answer)]).sort(), expected.sort());
      });
    } else {
      test("answers each line that is a batch with one refusal, and does nothing that is in it (case 13)", async () => {
        const { say, heard } = await started();
        await say(...batches, call("after", '"name":"echo"'));
        await settle();
        assert.deepEqual(heard.map((answer) => [answer.id, codeOf(answer)]), [...batches.map(() => [null, -32600]), ["after", "result"]]);
      });
    }

    test("gives each request with a usable id one answer, whatever its members are, and omits what it has not (case 15)", async () => {
      const { say, heard, answersTo } = await started();
      const broken: readonly (readonly [line: string, id: unknown, outcome: number | "result"])[] = [
        ['{"jsonrpc":"2.0","id":1,"method":5}', 1, -32600],
        ['{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}', 2, -32600],
        ['{"jsonrpc":"2.0","id":3,"method":"tools/call","params":null}', 3, -32600],
        [call(4, '"name":"echo","arguments":5'), 4, -32602],
        [call(5, '"name":"echo","arguments":[]'), 5, -32602],
        [call(6, '"name":{}'), 6, -32602],
        [call(7, '"name":"no such tool"'), 7, -32602],
        [call(8, '"name":"constructor"'), 8, -32602],
        ['{"jsonrpc":"2.0","id":9,"method":{}}', 9, -32600],
        ['{"jsonrpc":"2.0","id":"ten"}', "ten", -32600],
        ['{"jsonrpc":"1.0","id":11,"method":"tools/list"}', 11, -32600],
        [call(12, '"name":"echo"'), 12, "result"],
      ];
      await say(...broken.map(([line]) => line));
      await settle();
      for (const [line, id, outcome] of broken) assert.deepEqual(answersTo(id).map(codeOf), [outcome], line);
      assert.equal(heard.length, broken.length);
      assert.doesNotMatch(JSON.stringify(heard), /null/);
    });

    test("takes 64 levels, answers deeper nesting and 800 KB of brackets once, and serves on (case 17)", async () => {
      const { say, heard, answersTo } = await started();
      await say(call(1, `"name":"echo","arguments":${nested(60)}`), call(2, `"name":"echo","arguments":${nested(125)}`), call(3, `"name":"echo","arguments":${nested(126)}`));
      await say(call(4, `"name":"echo","arguments":${nested(50_000)}`), "[".repeat(800_000), '{"a":'.repeat(160_000), call("after", '"name":"echo"'));
      await settle();
      assert.deepEqual([answersTo(1).map(codeOf), answersTo(4).map(codeOf), answersTo("after").map(codeOf)], [["result"], [-32600], ["result"]]);
      // Whether these two are too deep is for the limits to say; that each gets one answer is not.
      assert.deepEqual([answersTo(2).length, answersTo(3).length, answersTo(null).length, heard.length], [1, 1, 2, 7]);
    });
  });
}

const LINES = [
  '{"jsonrpc":"2.0","id":ID,"method":"tools/list","params":{}}',
  '{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo","arguments":{"text":"é 😀 \\u2028","n":[1,2.5e3,null,true]}}}',
  '{"jsonrpc":"2.0","id":ID,"method":"ping"}',
  `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo","_meta":${STATELESS}}}`,
  `{"jsonrpc":"2.0","id":ID,"method":"server/discover","params":{"_meta":${STATELESS}}}`,
];
const PIECES = ['"', "\\", "{", "}", "[", "]", ",", ":", "null", "0", "-", "1e999", "\u0000", "\u2028", "\ud83d", "é", '"id":7,', '"method":5,', '"__proto__":{},', nested(130), " "];

function bent(random: Random, line: string): string {
  let text = line;
  for (let count = random.below(4); count > 0; count--) {
    const at = random.below(text.length + 1);
    const piece = random.below(4) === 0 ? text.slice(at, at + random.below(20)) : random.pick(PIECES);
    text = text.slice(0, at) + (random.below(3) === 0 ? "" : piece) + text.slice(at + random.below(6));
  }
  return text;
}

test("whatever lines a client sends, bent at any place and cut at any byte, a server answers each once and stays up", async () => {
  const seen = { results: 0, refused: 0 };
  for (let round = 0; round < 40; round++) {
    const seed = SEED + round;
    const random = seededRandom(seed);
    const { say, heard, end, connection } = served(1 + random.below(9));
    await say(initialize("2025-11-25"));
    await settle();
    heard.length = 0;
    let owed = 0;
    let optional = 0;
    for (let id = 0; id < 60; id++) {
      const line = bent(random, random.pick(LINES).replace("ID", String(1_000 + id)));
      // A blank line is no message.
      if (line.trim() === "") continue;
      if (mayBeSilent(line)) optional++;
      else owed++;
      await say(line);
    }
    await say('{"jsonrpc":"2.0","id":"last","method":"ping"}');
    await settle();
    assert.equal(heard.filter(({ id }) => id === "last").length, 1, `seed ${seed}: the server no longer answers`);
    const answers = heard.length - 1;
    assert.ok(answers >= owed && answers <= owed + optional, `seed ${seed}: ${answers} answers to ${owed} lines, and ${optional} that may have none`);
    for (let id = 1_000; id < 1_060; id++) assert.ok(heard.filter((answer) => answer.id === id).length <= 1, `seed ${seed}: ${id} was answered twice`);
    for (const answer of heard) seen[answer.error === undefined ? "results" : "refused"]++;
    await end();
    await connection.closed;
  }
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 200, `${what}: ${count}`);
});

/** A sound line without an id, or one that is a response of sorts, is owed nothing. */
function mayBeSilent(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) && (!Object.hasOwn(value, "id") || !Object.hasOwn(value, "method"));
  } catch {
    return false;
  }
}

test("whatever lines a server writes, each call of a client settles once, and nothing is left", async () => {
  const outcomes = { fulfilled: 0, failed: 0 };
  for (let round = 0; round < 30; round++) {
    const seed = SEED + 1_000 + round;
    const random = seededRandom(seed);
    const host = fakeHost();
    const { near, heard, say, end } = rawEnd(1 + random.below(9));
    const client = new McpClient({ name: "c", version: "1" }, { host, versions: ["2025-11-25"], checkCapabilities: false });
    const connecting = client.connect(lineTransport(near, { invalid: "drop" }));
    await settle();
    await say(`{"jsonrpc":"2.0","id":${JSON.stringify(heard[0]?.id)},"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`);
    await connecting;
    const settled: unknown[] = [];
    const calls = 30;
    for (let index = 0; index < calls; index++) {
      client.callTool({ name: "t" }, { timeoutMs: 1_000 }).then(
        () => settled.push(undefined),
        (error: unknown) => settled.push(error),
      );
      await settle();
      const { id } = heard.at(-1) ?? {};
      const result = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"é 😀"}]}}`;
      await say(bent(random, result), random.pick(["banner", "[]", `[${result}]`, '{"jsonrpc":"2.0","id":"x","method":5}', "{"]));
    }
    await host.advance(2_000);
    assert.equal(settled.length, calls, `seed ${seed}: a call hangs`);
    for (const error of settled) {
      assert.ok(error === undefined || error instanceof RpcError || error instanceof LocalError, `seed ${seed}: ${String(error)}`);
      outcomes[error === undefined ? "fulfilled" : "failed"]++;
    }
    await client.close();
    await end();
    assert.equal(host.liveTimers, 0, `seed ${seed}`);
  }
  for (const [what, count] of Object.entries(outcomes)) assert.ok(count > 50, `${what}: ${count}`);
});
