// What comes down the pipes, good and bad, through a real `wrap` with a real server behind it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { INITIALIZE, lines, request, runCli, server, startCli, type Message, type Running } from "./run-cli.ts";

const FILTER = ["--use", 'tool-filter={"deny":["rm"]}'];
const call = (id: number | string, name: string, args: object = {}) => request(id, "tools/call", { name, arguments: args });
const answersTo = (messages: readonly Message[], id: unknown) => messages.filter((message) => message.id === id && message.method === undefined);
const textOf = (message: Message | undefined) => (message?.result?.["content"] as { text: string }[] | undefined)?.[0]?.text;
const nested = (depth: number) => `${'{"x":'.repeat(depth)}1${"}".repeat(depth)}`;

describe("wrap, whatever comes in", { concurrency: 3 }, () => {
  it("a client's broken lines are each answered once and never reach the server; good ones around them do", async () => {
    const running = await startCli(["wrap", "--quiet", ...FILTER, ...server()]);
    running.send(INITIALIZE);
    const broken: readonly (readonly [line: string, id: number | string | null, code: number])[] = [
      ["not json", null, -32700],
      ['{"jsonrpc":"2.0","id":1,"method":5}', 1, -32600],
      ['{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}', 2, -32600],
      ['{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","name":"rm","arguments":{}}}', 3, -32600],
      ['{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","Name":"rm","arguments":{}}}', 4, -32600],
      ['{"jsonrpc":"2.0","id":5,"id":6,"method":"tools/list"}', 5, -32600],
      ['{"jsonrpc":"2.0","id":7,"method":"tools/list","Method":"tools/call"}', 7, -32600],
      ['[{"jsonrpc":"2.0","id":8,"method":"tools/list"}]', null, -32600],
      ["[]", null, -32600],
      ["[1]", null, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}', null, -32600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', null, -32600],
      ['{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":' + nested(200) + "}}", 9, -32600],
      ["[".repeat(800_000), null, -32600],
      ['{"id":10,"method":"tools/list"}', 10, -32600],
      ['{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"echo","arguments":{"n":NaN}}}', 11, -32700],
      [call(12, "rm"), 12, -32602],
      ['{"jsonrpc":"2.0","id":13,"method":"tools/call","params":{"name":{"a":1}}}', 13, -32602],
      ['{"jsonrpc":"2.0","id":14,"method":"initialize","params":{"protocolVersion":5}}', 14, -32602],
      ["null", null, -32600],
    ];
    for (const [line] of broken) running.send(line);
    running.send(call("last", "echo"));
    await running.answer("last");
    running.send(request("seen", "test/seen"));
    const { lines: seen } = (await running.answer("seen")).result as { lines: string[] };
    assert.deepEqual(seen, [INITIALIZE, call("last", "echo"), request("seen", "test/seen")]);
    const ended = await running.end();
    for (const [line, id, code] of broken) {
      if (id !== null) assert.deepEqual(answersTo(ended.messages, id).map(({ error }) => error?.code), [code], line.slice(0, 100));
    }
    const withoutId = broken.filter(([, id]) => id === null).map(([, , code]) => code);
    assert.deepEqual(answersTo(ended.messages, null).map(({ error }) => error?.code), withoutId);
    assert.equal(answersTo(ended.messages, 12)[0]?.error?.message, "Unknown tool: rm");
    assert.equal(ended.messages.length, broken.length + 3);
    assert.equal(ended.code, 0);
  });

  it("a batch of revision 2025-03-26 reaches the server message by message, each one judged", async () => {
    const running = await startCli(["wrap", "--quiet", ...FILTER, ...server()]);
    const initialize = INITIALIZE.replace("2025-11-25", "2025-03-26");
    running.send(initialize);
    await running.answer("init");
    const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    running.send(`[${note}, ${call(1, "echo", { n: 1 })},${call(2, "rm")},5]`);
    await running.answer(2);
    await running.answer(1);
    running.send(request("seen", "test/seen"));
    const { lines: seen } = (await running.answer("seen")).result as { lines: string[] };
    assert.deepEqual(seen, [initialize, note, call(1, "echo", { n: 1 }), request("seen", "test/seen")]);
    const ended = await running.end();
    assert.equal(textOf(answersTo(ended.messages, 1)[0]), 'echo: {"n":1}');
    assert.equal(answersTo(ended.messages, 2)[0]?.error?.message, "Unknown tool: rm");
    assert.deepEqual(answersTo(ended.messages, null).map(({ error }) => error?.code), [-32600]);
    assert.deepEqual([ended.messages.length, ended.code], [5, 0]);
  });

  it("a client's lines are read by bytes: long ones, CRLF, U+2028, blank lines, characters cut by a write, and half a message at the end", async () => {
    const running = await startCli(["wrap", "--quiet", ...FILTER, ...server()]);
    const long = "é".repeat(40_000);
    running.send(call(1, "echo", { text: long }));
    running.child.stdin.write(`${call(2, "echo", { text: "before\u2028after" })}\r\n\r\n\n`);
    const emoji = Buffer.from(`${call(3, "echo", { text: "😀" })}\n`);
    const cut = emoji.indexOf(0xf0) + 2;
    running.child.stdin.write(emoji.subarray(0, cut));
    await running.answer(2);
    running.child.stdin.write(emoji.subarray(cut));
    await running.answer(3);
    running.send(`{ "id" : 4 ,"jsonrpc":"2.0", "method":"test/seen" }`);
    const { lines: seen } = (await running.answer(4)).result as { lines: string[] };
    // As they came, to the letter.
    assert.deepEqual(seen, [call(1, "echo", { text: long }), call(2, "echo", { text: "before\u2028after" }), emoji.toString().trimEnd(), '{ "id" : 4 ,"jsonrpc":"2.0", "method":"test/seen" }']);
    running.child.stdin.write('{"jsonrpc":"2.0","id":99,"method":"tools/ca');
    const ended = await running.end();
    assert.equal(textOf(answersTo(ended.messages, 1)[0])?.length, `echo: {"text":"${long}"}`.length);
    assert.equal(textOf(answersTo(ended.messages, 2)[0]), 'echo: {"text":"before\u2028after"}');
    assert.deepEqual(answersTo(ended.messages, 99).map(({ error }) => error?.message), ["The stream ended within a message"]);
    assert.equal(ended.messages.length, 5);
    assert.equal(ended.code, 0);
  });

  it("a server may print banners, fill its stderr, and break its messages: the client sees messages alone, one answer each", async () => {
    const running = await startCli(["wrap", "--use", "redact", ...server("banner", "stderr=262144")]);
    running.send(INITIALIZE);
    assert.equal((await running.answer("init")).error, undefined);
    const result = (id: number, text: string) => JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
    const emoji = Buffer.from(`${result(1, "😀 ada@example.org")}\r\n`);
    const cut = emoji.indexOf(0xf0) + 2;
    const written: Record<number, readonly (string | Uint8Array)[]> = {
      1: [emoji.subarray(0, cut), emoji.subarray(cut)],
      2: [`${result(2, "before\u2028after")}\n`],
      3: [`${result(3, "x".repeat(70_000))}\n`],
      4: ['{"jsonrpc":"2.0","id":4,"result":{"a":1},"result":{"secret":"s3nt1nel"}}\n'],
      5: ['{"jsonrpc":"2.0","id":5,"result":5}\n'],
      6: ['{"jsonrpc":"2.0","id":6,"result":{},"error":{"code":1,"message":"m"}}\n'],
      // It has been answered, by what is no answer.
      7: [`[${result(7, "in a batch")}]\n`, `${result(7, "alone")}\n`],
      8: ['garbage, then half: {"jsonrpc":"2.0","id":8,\n', `${result(8, "whole")}\n${result(8, "twice")}\n`],
      9: [`${result(9, "x").replace('"id":9', '"id":"9"')}\n`, `${result(9, "of the right type")}\n`],
      10: [`{"jsonrpc":"2.0","id":10,"result":${nested(200)}}\n`],
    };
    for (const [id, chunks] of Object.entries(written)) {
      running.send(request(Number(id), "test/write", { chunks: chunks.map((chunk) => Buffer.from(chunk).toString("base64")) }));
      await running.answer(Number(id));
    }
    running.send(request(11, "test/exit", { code: 7, chunk: '{"jsonrpc":"2.0","id":11,"resu' }));
    const ended = await running.ended;
    const texts = Object.keys(written).map((id) => {
      const [answer, ...more] = answersTo(ended.messages, Number(id));
      assert.deepEqual(more, [], `a second answer to ${id}`);
      return answer?.error?.code ?? textOf(answer)?.slice(0, 30);
    });
    assert.deepEqual(texts, ["😀 [REDACTED:email]", "before\u2028after", "x".repeat(30), -32600, -32600, -32600, -32600, "whole", "of the right type", -32600]);
    assert.match(answersTo(ended.messages, 11)[0]?.error?.message ?? "", /exited with code 7/);
    assert.equal(ended.messages.length, 12);
    assert.equal(ended.code, 7);
    assert.match(ended.stderr, /warning: the server wrote a line of 28 characters that is no message \(Parse error: [^"]*\)\n/);
    for (const secret of ["s3nt1nel", "garbage, then half", "Server v1.2", "/result"]) assert.ok(!ended.stderr.includes(secret), `no payload is logged: ${secret}`);
  });

  it("answers come out before the end, though the client has closed its stdin at once and the server is slow", async () => {
    for (const posture of ["client", "server"]) {
      // As `printf` has it: the last line may lack its end.
      const input = lines(INITIALIZE, call(1, "echo", { to: "ada@example.org" })) + call(2, "echo");
      const ended = await runCli(["wrap", "--quiet", "--posture", posture, "--use", "redact", ...server("slow=50")], input);
      assert.deepEqual(ended.messages.map(({ id }) => id), ["init", 1, 2]);
      assert.equal(textOf(ended.messages[1]), 'echo: {"to":"[REDACTED:email]"}', posture);
      assert.deepEqual([ended.code, ended.stderr], [0, ""]);
    }
  });

  it("cancelled, timed-out and repeated requests get their one answer or none", async () => {
    const running = await startCli(["wrap", "--quiet", "--timeout", "1500", ...server()]);
    running.send(INITIALIZE);
    await running.answer("init");
    running.send(request(1, "test/silent"));
    running.send(request(1, "tools/list"));
    running.send(request(2, "test/silent"));
    running.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}');
    assert.equal((await running.answer(1)).error?.code, -32600, "the id is in use");
    while (answersTo((await Promise.race([running.ended, tick(running)])).messages, 1).length < 2);
    const late = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { late: true } })}\n${JSON.stringify({ jsonrpc: "2.0", id: 2, result: { late: true } })}\n`);
    running.send(request(3, "test/write", { chunks: [late.toString("base64"), Buffer.from('{"jsonrpc":"2.0","id":3,"result":{}}\n').toString("base64")] }));
    await running.answer(3);
    running.send(request(4, "test/seen"));
    const { lines: seen } = (await running.answer(4)).result as { lines: string[] };
    const ended = await running.end();
    assert.deepEqual(ended.messages.map(({ id, error }) => [id, error?.message]), [
      ["init", undefined],
      [1, "Request id 1 is in flight already; use a new one"],
      [1, answersTo(ended.messages, 1)[1]?.error?.message],
      [3, undefined],
      [4, undefined],
    ]);
    assert.match(answersTo(ended.messages, 1)[1]?.error?.message ?? "", /did not answer test\/silent within \d+ ms/);
    assert.deepEqual(seen.filter((line) => line.includes("notifications/cancelled")).map((line) => (JSON.parse(line) as Message).params?.["requestId"]), [2, 1]);
    assert.equal(ended.code, 0);
  });
});

// What has come so far, a moment later.
async function tick(running: Running): Promise<{ messages: readonly Message[] }> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { messages: running.messages };
}
