import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_LIMITS, resolveLimits } from "../../../src/core/base/limits.ts";
import { createFrameReader, encodeLine, type LineEvent } from "../../../src/core/transport/ndjson.ts";
import { seededRandom } from "../../support/random.ts";

function readAll(chunks: readonly Uint8Array[], limits = DEFAULT_LIMITS): LineEvent[] {
  const reader = createFrameReader({ limits, host: {} });
  const events: LineEvent[] = [];
  const drain = () => {
    for (let event = reader.next(); event !== undefined; event = reader.next()) events.push(event);
  };
  for (const chunk of chunks) {
    reader.push(chunk);
    drain();
  }
  reader.end();
  drain();
  return events;
}

test("reads messages with their text, and tells broken lines apart, in the order of the stream", () => {
  const good = '{"jsonrpc":"2.0","id":1,"result":{"t":"😀 \u2028"}}';
  const bytes = new TextEncoder().encode(`banner\n${good}\r\n{"jsonrpc":"2.0","id":2,"result":{bad}}\n{"id":3`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const [banner, message, broken, unfinished, ...rest] = readAll([bytes.slice(0, cut), bytes.slice(cut)]);
    assert.equal(message?.frame?.text, good);
    assert.ok(banner?.broken?.why === "invalid" && !banner.broken.object && banner.broken.invalid.error.code === -32700);
    const { error, ...found } = broken!.broken!.invalid;
    assert.deepEqual([error.code, found], [-32700, { id: 2, answers: true, ends: [2] }]);
    assert.equal(unfinished?.broken?.why, "unfinished");
    assert.deepEqual(rest, []);
  }
});

test("takes a whole message at the end of the stream though its line feed is missing, and no shorter start of it", () => {
  const whole = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  for (let end = 1; end <= whole.length; end++) {
    const [event, ...rest] = readAll([new TextEncoder().encode(whole.slice(0, end))]);
    assert.deepEqual(rest, []);
    assert.equal(event?.frame?.text, end === whole.length ? whole : undefined);
    if (end < whole.length) assert.equal(event?.broken?.why, "unfinished");
  }
});

test("says of an over-long message how long it is, what was allowed, and whose answer it was", () => {
  const limits = resolveLimits({ maxMessageBytes: 64 });
  const long = `{"jsonrpc":"2.0","id":"a","result":{"x":"${"y".repeat(100)}"}}`;
  const [event] = readAll([new TextEncoder().encode(`${long}\n`)], limits);
  assert.equal(event?.broken?.why, "too-long");
  assert.deepEqual(event.broken.invalid, {
    error: { code: -32600, message: `Message too long: ${long.length} bytes, at most 64 are accepted` },
    id: "a",
    answers: true,
    ends: ["a"],
  });
});

test("reads a message at the default cap and refuses one above it", () => {
  const line = (bytes: number) => `{"jsonrpc":"2.0","id":1,"result":{"x":"${"y".repeat(bytes - 42)}"}}`;
  assert.equal(line(1000).length, 1000);
  const [at, above] = readAll([new TextEncoder().encode(`${line(16 * 1024 * 1024)}\n${line(16 * 1024 * 1024 + 1)}\n`)]);
  assert.notEqual(at?.frame, undefined);
  assert.equal(above?.broken?.why, "too-long");
});

test("gives the same messages for any mix of lines in any random cut", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = seededRandom(seed);
    const line = (): string =>
      random.pick([
        () => `{"jsonrpc":"2.0","id":${random.below(9)},"method":"a/b","params":{"t":"é😀\u2029${"z".repeat(random.below(30))}"}}`,
        () => `{"jsonrpc":"2.0","id":"${random.below(9)}","result":{}}`,
        () => `{"jsonrpc":"2.0","id":4,"result":{"big":"${"w".repeat(200)}"}}`,
        () => `[${random.below(9)}]`,
        () => "garbage \u0085 }",
        () => "",
        () => `{"id":${random.below(9)}`,
      ])();
    const text = Array.from({ length: 1 + random.below(12) }, () => line() + random.pick(["\n", "\r\n", "\n\n"])).join("");
    const bytes = new TextEncoder().encode(text.slice(0, text.length - random.below(3)));
    const limits = resolveLimits({ maxMessageBytes: 150 });
    const chunks: Uint8Array[] = [];
    for (let at = 0, size = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + (size = 1 + random.below(40))));
    assert.deepEqual(readAll(chunks, limits), readAll([bytes], limits), `seed ${seed}`);
  }
});

test("writes one line with a bare LF, and its own text where a frame has one", () => {
  const message = { jsonrpc: "2.0", id: 1, method: "a" } as const;
  assert.equal(encodeLine({ message }, 128, 1024), '{"jsonrpc":"2.0","id":1,"method":"a"}\n');
  assert.equal(encodeLine({ message, text: '{ "jsonrpc":"2.0","id":1.0,"method":"a" }' }, 128, 1024), '{ "jsonrpc":"2.0","id":1.0,"method":"a" }\n');
});

test("writes text that was formatted over several lines as one line", () => {
  const text = '{\r\n  "jsonrpc": "2.0",\n  "method": "a\\n"\n}\n';
  const line = encodeLine({ message: { jsonrpc: "2.0", method: "a\n" }, text }, 128, 1024);
  assert.equal(line.indexOf("\n"), line.length - 1);
  assert.deepEqual(JSON.parse(line), JSON.parse(text));
});

test("escapes the line separators of Unicode in what it serialises, for readers that split at them", () => {
  const line = encodeLine({ message: { jsonrpc: "2.0", method: "a", params: { t: "1\u20282\u20293" } } }, 128, 1024);
  assert.ok(!/[\u2028\u2029]/.test(line));
  assert.deepEqual(JSON.parse(line).params, { t: "1\u20282\u20293" });
});

test("bytes that are no UTF-8 make no message, and U+FFFD that was sent is an ordinary character", () => {
  const encode = (text: string) => [...new TextEncoder().encode(text)];
  const [head, tail] = ['{"jsonrpc":"2.0","id":7,"method":"x","params":{"t":"', '"}}\n'];
  for (const bad of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xef, 0xbf, 0xbd, 0xff]]) {
    const [event, ...rest] = readAll([Uint8Array.from([...encode(head), ...bad, ...encode(tail)])]);
    assert.deepEqual(rest, []);
    assert.match(event?.broken?.invalid.error.message ?? "", /not UTF-8/, String(bad));
    assert.equal(event?.broken?.invalid.id, 7);
  }
  const [fine] = readAll([Uint8Array.from(encode(`${head}\ufffd\ufffd é 😀${tail}`))]);
  assert.notEqual(fine?.frame, undefined);
});

test("bytes that are no UTF-8 make no message of a batch either, nor of a last line without its end", () => {
  const [head, tail] = ['{"jsonrpc":"2.0","method":"', '"}'].map((text) => [...new TextEncoder().encode(text)]) as [number[], number[]];
  const bad = [...head, 0xff, ...tail];
  const reader = createFrameReader({ limits: DEFAULT_LIMITS, host: {}, split: (text) => [text.slice(1, -1)] });
  reader.push(Uint8Array.from([0x5b, ...bad, 0x5d, 0x0a, ...bad]));
  reader.end();
  const events = [reader.next(), reader.next(), reader.next()];
  assert.deepEqual(events.map((event) => event?.broken?.why), ["invalid", "unfinished", undefined]);
  assert.deepEqual(events.map((event) => event?.frame), [undefined, undefined, undefined]);
});
