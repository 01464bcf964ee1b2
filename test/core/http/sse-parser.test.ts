import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { utf8Encode } from "../../../src/core/base/bytes.ts";
import { createSseParser, type SseItem } from "../../../src/core/http/sse-parser.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { seededRandom } from "../../support/random.ts";

const MAX = { maxEventBytes: 1_000 };
const event = (data: string, more: Partial<{ type: string; id: string }> = {}): SseItem => ({ kind: "event", type: "message", data, id: "", ...more });

const FIXTURES: readonly (readonly [name: string, text: string, items: readonly SseItem[], lastEventId?: string])[] = [
  ["ends lines with LF", "data: a\n\ndata: b\n\n", [event("a"), event("b")]],
  ["ends lines with CR", "data: a\r\rdata: b\r\r", [event("a"), event("b")]],
  ["ends lines with CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [event("a"), event("b")]],
  ["takes line endings mixed", "data: a\r\n\ndata: b\r\n\rdata: c\n\r\ndata: d\n\r", [event("a"), event("b"), event("c"), event("d")]],
  ["skips a byte order mark, once", "\ufeffdata: a\n\n\ufeffdata: b\n\n", [event("a")]],
  ["skips a byte order mark before a comment", "\ufeff: hi\ndata: a\n\n", [event("a")]],
  ["joins data lines by a line feed", "data: one\ndata:two\ndata\ndata:  three\n\n", [event("one\ntwo\n\n three")]],
  ["ignores comments, between and inside of events", ": hb\n\n:\ndata: a\n: more\ndata: b\n\n", [event("a\nb")]],
  ["gives an event whose data is empty, and none without data", "data\n\nid: 7\n\nevent: x\n\n", [event("")], "7"],
  ["reads the priming event of 2025-11-25", "id: 7\ndata:\n\n", [event("", { id: "7" })], "7"],
  ["keeps the id for the events after it, and drops it where it is empty", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", [event("a", { id: "1" }), event("b", { id: "1" }), event("c")], ""],
  ["ignores an id with NUL", "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n", [event("a", { id: "1" }), event("b", { id: "1" })], "1"],
  ["counts an id from the end of its event on", "id: 1\ndata: a\n\nid: 2\ndata: b\n", [event("a", { id: "1" })], "1"],
  ["names types, for one event each", "event: ping\ndata: a\n\ndata: b\n\nevent:\ndata: c\n\n", [event("a", { type: "ping" }), event("b"), event("c")]],
  ["takes retry of digits alone", "retry: 500\nretry: 1s\nretry: -1\nretry:\nretry: 1.5\n\n", [{ kind: "retry", ms: 500 }]],
  ["ignores fields that it does not know, and names in another case", "Data: a\nfoo: b\n data: c\ndata: d\n\n", [event("d")]],
  ["cuts one space, and no other white space", "data:\ta\ndata:  b\n\n", [event("\ta\n b")]],
  ["drops what the stream leaves unfinished", "data: a\n\ndata: b\n", [event("a")]],
  ["keeps text of any script", "data: é😀\u2028世\n\n", [event("é😀\u2028世")]],
];

function run(pieces: readonly (Uint8Array | string)[], options = MAX): { items: SseItem[]; last: string } {
  const parser = createSseParser(options);
  return { items: pieces.flatMap((piece) => parser.push(piece)), last: parser.lastEventId };
}

describe("the parser of server-sent events", () => {
  for (const [name, text, items, last] of FIXTURES) {
    it(`${name}, however the stream is cut`, () => {
      const bytes = utf8Encode(text);
      const expected = { items: [...items], last: last ?? run([bytes]).last };
      assert.deepEqual(run([bytes]), expected);
      for (let cut = 0; cut <= bytes.length; cut++) {
        assert.deepEqual(run([bytes.subarray(0, cut), bytes.subarray(cut)]), expected, `cut at byte ${cut}`);
      }
      for (let cut = 0; cut <= text.length; cut++) {
        assert.deepEqual(run([text.slice(0, cut), text.slice(cut)]), expected, `cut at character ${cut}`);
      }
      assert.deepEqual(run([...bytes].map((byte) => Uint8Array.of(byte))), expected, "byte by byte");
    });
  }

  it("gives the same for any cuts of all fixtures in a row", () => {
    const bytes = utf8Encode(FIXTURES.map(([, text]) => `${text.replaceAll("\ufeff", "")}\n\n`).join(""));
    const whole = run([bytes]);
    assert.ok(whole.items.length > 25);
    for (let seed = 1; seed <= 50; seed++) {
      const random = seededRandom(seed);
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; ) {
        const end = at + random.below(12);
        pieces.push(bytes.subarray(at, end));
        at = end;
      }
      assert.deepEqual(run(pieces), whole, `seed ${seed}`);
    }
  });

  it("does not look at a chunk again after the call", () => {
    const parser = createSseParser(MAX);
    const chunk = utf8Encode("data: ab");
    parser.push(chunk);
    chunk.fill(0x78);
    assert.deepEqual(parser.push("c\n\n"), [event("abc")]);
  });

  it("goes on from the id of the stream that it resumes", () => {
    const parser = createSseParser({ ...MAX, lastEventId: "41" });
    assert.equal(parser.lastEventId, "41");
    assert.deepEqual(parser.push("data: a\n\nid: 42\ndata:\n\n"), [event("a", { id: "41" }), event("", { id: "42" })]);
    assert.equal(parser.lastEventId, "42");
  });

  it("says of an event that its bytes are no UTF-8, and reads on", () => {
    const pieces = [utf8Encode("id: 1\ndata: a"), Uint8Array.of(0xff), utf8Encode("\n\ndata: \ufffd\n\n")];
    assert.deepEqual(run(pieces), { items: [{ kind: "broken", why: "utf8" }, event("\ufffd", { id: "1" })], last: "1" });
  });
});

describe("the size limit of the parser", () => {
  it("keeps and drops the same of a line that is too large, however the stream is cut", () => {
    for (const text of [`data: a\nid: ${"7".repeat(9_000)}\n\n`, `\ufeff: ${"c".repeat(9_000)}\ndata: a\n\n`, `data: a\n: ${"c".repeat(9_000)}\n\n`]) {
      const bytes = utf8Encode(text);
      const whole = run([bytes]);
      assert.ok(whole.last.length < 9_000);
      for (const at of [1, 2, 4, 20, 5_000]) assert.deepEqual(run([bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at ${at}`);
    }
    assert.deepEqual(run([utf8Encode(`\ufeff: ${"c".repeat(9_000)}\ndata: a\n\n`)]).items, [event("a")]);
  });

  const line = (bytes: number) => `data:${"x".repeat(bytes - 5)}\n`;
  const cases: [name: string, text: string][] = [
    ["one line", line(1_001).trimEnd()],
    ["many lines", line(500) + line(500) + line(6).trimEnd()],
    ["a line that never ends", "data: " + "x".repeat(20_000)],
    ["fields that it does not know", `foo: ${"x".repeat(1_001)}`],
  ];
  for (const [name, text] of cases) {
    it(`ends an event that is too large by ${name} at once, and reads the next one`, () => {
      const parser = createSseParser(MAX);
      const items: SseItem[] = [];
      for (let at = 0; at < text.length; at += 100) items.push(...parser.push(text.slice(at, at + 100)));
      assert.deepEqual(items, [{ kind: "broken", why: "size" }]);
      assert.deepEqual(parser.push(`\ndata: y\nid: 9\n\ndata: next\n\n`), [event("next", { id: "9" })]);
      assert.equal(parser.lastEventId, "9");
      assert.deepEqual(run([utf8Encode(`${text}\n\ndata: next\n\n`)]).items, [{ kind: "broken", why: "size" }, event("next")]);
    });
  }

  it("lets an event of exactly that size pass, and counts each for itself", () => {
    assert.equal(run([line(1_000) + "\n" + line(1_000) + "\n"]).items.filter(({ kind }) => kind === "event").length, 2);
  });

  it("counts no comments, and keeps nothing of them", () => {
    const comments = `: ${"x".repeat(3_000)}\n`.repeat(3);
    assert.deepEqual(run([`${comments}data: a\n${comments}\n`]).items, [event("a")]);
    const parser = createSseParser(MAX);
    for (let count = 0; count < 5_000; count++) assert.deepEqual(parser.push(count === 0 ? ":" : "xxxx"), []);
    assert.deepEqual(parser.push("\ndata: a\n\n"), [event("a")]);
  });

  it("reads one large event in many pieces in linear time", () => {
    const time = (count: number) => {
      const parser = createSseParser({ maxEventBytes: 100_000_000 });
      const piece = new Uint8Array(64).fill(0x78);
      return cpuMs(() => {
        parser.push("data: ");
        for (let index = 0; index < count; index++) parser.push(piece);
        assert.equal(parser.push("\n\n").length, 1);
      });
    };
    time(4_000);
    // Quadratic buffering would take 256 times as long.
    assert.ok(time(64_000) < 100 * Math.max(4, time(4_000)));
  });
});
