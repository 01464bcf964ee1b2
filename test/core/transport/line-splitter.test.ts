import assert from "node:assert/strict";
import { test } from "node:test";
import { createLineSplitter, type Line } from "../../../src/core/transport/line-splitter.ts";
import { seededRandom } from "../../support/random.ts";

const encoder = new TextEncoder();
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Lines of a stream that comes in these chunks and then ends; `next` is drained after each, as a reader does. */
function split(chunks: readonly Uint8Array[], maxBytes = 1000): Line[] {
  const splitter = createLineSplitter(maxBytes, decode);
  const lines: Line[] = [];
  const drain = () => {
    for (let line = splitter.next(); line !== undefined; line = splitter.next()) lines.push(line);
  };
  for (const chunk of chunks) {
    splitter.push(chunk);
    drain();
  }
  splitter.end();
  drain();
  return lines;
}

/** The same bytes cut at every position, and byte by byte. */
function everyCut(bytes: Uint8Array): Uint8Array[][] {
  const cuts = Array.from(bytes, (_, at) => [bytes.slice(0, at), bytes.slice(at)]);
  return [...cuts, [bytes], Array.from(bytes, (byte) => Uint8Array.of(byte))];
}

const line = (text: string): Line => ({ kind: "line", text });

const fixtures: { what: string; bytes: string; lines: Line[] }[] = [
  { what: "a character of four bytes", bytes: '{"t":"😀"}\n', lines: [line('{"t":"😀"}')] },
  { what: "line and paragraph separators", bytes: '"before\u2028after\u2029\u0085\v\f"\n2\n', lines: [line('"before\u2028after\u2029\u0085\v\f"'), line("2")] },
  { what: "CRLF, of which one CR is dropped", bytes: "1\r\n2\r\r\n3\n", lines: [line("1"), line("2\r"), line("3")] },
  { what: "blank lines", bytes: "\n\r\n \t\n1\n\n\n2\n\n", lines: [line("1"), line("2")] },
  { what: "several lines in one read", bytes: "1\n22\n333\n", lines: [line("1"), line("22"), line("333")] },
  { what: "an end in mid-line", bytes: "1\n{", lines: [line("1"), { kind: "unfinished", text: "{" }] },
  { what: "an end after blanks", bytes: "1\n \r", lines: [line("1")] },
  { what: "nothing", bytes: "", lines: [] },
];

for (const { what, bytes, lines } of fixtures) {
  test(`splits ${what} the same wherever the bytes are cut`, () => {
    for (const chunks of everyCut(encoder.encode(bytes))) assert.deepEqual(split(chunks), lines);
  });
}

test("accepts a line at the cap with either ending, refuses one above it, and reads on behind it", () => {
  const tooLong: Line = { kind: "too-long", head: "123456789", tail: "123456789", bytes: 9 };
  for (const ending of ["\n", "\r\n"]) {
    const bytes = encoder.encode(["12345678", "123456789", "after"].join(ending) + ending);
    for (const chunks of everyCut(bytes)) {
      const [at, above, next, ...rest] = split(chunks, 8);
      assert.deepEqual([at, next, rest], [line("12345678"), line("after"), []]);
      assert.equal(above?.kind, "too-long");
      assert.ok(above.kind === "too-long" && above.bytes === 9 && above.head.startsWith("12345678"));
      if (ending === "\n") assert.deepEqual(above, tooLong);
    }
  }
});

test("counts bytes, not characters", () => {
  assert.deepEqual(split([encoder.encode("éé\n")], 4), [line("éé")]);
  assert.equal(split([encoder.encode("éé\n")], 3)[0]?.kind, "too-long");
});

test("keeps both ends of an over-long line, however it comes, and reports it once", () => {
  const text = `{"id":1,${"x".repeat(30_000)},"end":2}`;
  const bytes = encoder.encode(`${text}\nafter\n`);
  for (const step of [1, 100, 4095, 4096, 4097, 29_000, bytes.length]) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += step) chunks.push(bytes.slice(at, at + step));
    const [long, next, ...rest] = split(chunks, 5000);
    assert.deepEqual(long, { kind: "too-long", head: text.slice(0, 4096), tail: text.slice(-4096), bytes: text.length }, `step ${step}`);
    assert.deepEqual([next, rest], [line("after"), []]);
  }
});

test("reports an over-long line that the end cuts off", () => {
  const [long, ...rest] = split([encoder.encode("123456789012")], 8);
  assert.ok(long?.kind === "too-long" && long.bytes === 12);
  assert.deepEqual(rest, []);
});

test("gives the same lines for any random bytes in any random cut", () => {
  const alphabet = [..."\n\n\r{}\"a 1é😀\u2028"].map((char) => encoder.encode(char)).concat([Uint8Array.of(0xff), Uint8Array.of(0xf0, 0x9f)]);
  for (let seed = 1; seed <= 300; seed++) {
    const random = seededRandom(seed);
    const bytes = Uint8Array.from(Array.from({ length: random.below(80) }, () => [...random.pick(alphabet)]).flat());
    const max = 1 + random.below(20);
    const whole = split([bytes], max);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + random.below(9);
      chunks.push(bytes.slice(at, at + size));
      at += size;
    }
    assert.deepEqual(split(chunks, max), whole, `seed ${seed}`);
    // An oracle of another build: split the whole, drop one CR, drop blanks.
    const parts = latin1Lines(bytes);
    const expected = parts.filter((part) => part.length > max || decode(part).trim() !== "");
    assert.equal(whole.length, expected.length, `seed ${seed}`);
    whole.forEach((got, index) => {
      const part = expected[index]!;
      if (got.kind === "too-long") assert.equal(got.bytes, part.length, `seed ${seed}`);
      else assert.equal(got.text, decode(part), `seed ${seed}`);
    });
  }
});

function latin1Lines(bytes: Uint8Array): Uint8Array[] {
  const text = String.fromCharCode(...bytes);
  return text.split("\n").map((part) => Uint8Array.from(part.replace(/\r$/, ""), (char) => char.charCodeAt(0)));
}
