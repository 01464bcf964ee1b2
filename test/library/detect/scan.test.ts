import assert from "node:assert/strict";
import { test } from "node:test";
import type { Detector, SensitiveType } from "../../../src/library/detect/detector.ts";
import { createScanner, DETECTORS, SENSITIVE_TYPES } from "../../../src/library/detect/scan.ts";

function read(text: string, allow?: readonly string[]): [SensitiveType, string][] {
  const matches = createScanner(SENSITIVE_TYPES).find(text, allow === undefined ? undefined : new Set(allow));
  return matches.map(({ type, start, end }) => [type, text.slice(start, end)]);
}

test("finds several types in one text, in order", () => {
  assert.deepEqual(read("bob@example.com, 123-45-6789, 10.0.0.1, +14155550123"), [
    ["email", "bob@example.com"],
    ["ssn", "123-45-6789"],
    ["ip", "10.0.0.1"],
    ["phone", "+14155550123"],
  ]);
});

test("looks for no type that was not asked for", () => {
  assert.deepEqual(createScanner(["ssn"]).find("bob@example.com 123-45-6789").map(({ type }) => type), ["ssn"]);
  assert.deepEqual(createScanner([]).find("bob@example.com 123-45-6789"), []);
});

test("makes one match of those that overlap, named for the first, so that no rest stays in the clear", () => {
  assert.deepEqual(read("4111 1111 1111 1111.bob@example.com"), [["card", "4111 1111 1111 1111.bob@example.com"]]);
  assert.deepEqual(read("a@example.com@example.org"), [["email", "a@example.com@example.org"]]);
});

test("names a match with the same start for the longest", () => {
  assert.deepEqual(read("123-45-6789.x@example.com"), [["email", "123-45-6789.x@example.com"]]);
});

test("leaves out what is allowed, by its exact text", () => {
  assert.deepEqual(read("a@example.com b@example.com", ["a@example.com"]), [["email", "b@example.com"]]);
  assert.deepEqual(read("A@example.com", ["a@example.com"]), [["email", "A@example.com"]]);
});

const WORST: readonly string[] = [
  ..."a|1|0|@|+|:|\\\\|a@|1-|1 |1.|+1 |01 |01-23 |::|a:|1:|f::|1111:|4111 |4111-|411111 |DE89 |DE89|255.|a.a@|\\\\a@|-a@a.|(0)|+1(2)|00 1 |a@2x.".split("|"),
  ..."1-555-|123-45-|415-555-|12345678901234567890 |é@é.|中@中.".split("|"),
];

/** A string that counts how often its characters are looked at. */
function countReads(text: string): { readonly text: string; reads(): number } {
  let reads = 0;
  const counted = new Proxy(Object(text) as object, {
    get(_target, member) {
      reads++;
      const value: unknown = Reflect.get(Object(text) as object, member);
      return typeof value === "function" ? value.bind(text) : value;
    },
  });
  // A boxed string has every member of a string, which is all that detectors use.
  return { text: counted as unknown as string, reads: () => reads };
}

test("reads hostile text no more than ten times as often when it is ten times as long", () => {
  const readsOf = (detector: Detector, text: string) => {
    const counted = countReads(text);
    const anchors = detector.anchor === "digit" ? /(?<![0-9])[0-9]/g : new RegExp(detector.anchor, "g");
    for (const { index } of text.matchAll(anchors)) detector.matchAt(counted.text, index);
    return counted.reads();
  };
  for (const detector of DETECTORS) {
    for (const part of WORST) {
      const short = readsOf(detector, part.repeat(Math.ceil(300 / part.length)));
      const long = readsOf(detector, part.repeat(Math.ceil(300 / part.length) * 10));
      assert.ok(long <= short * 10.5 + 500, `${detector.type} on ${JSON.stringify(part)}: ${short} reads, then ${long}`);
    }
  }
});

test("gets through a megabyte of one detector's worst text", () => {
  for (const part of ["\u001b[", "\\u001b[3", "%20", "\\u0022", "a@", "1-", "+1 ", "::", "4111 ", "a.a@", "DE89 ", "deadbeefdeadbeef ", "1:2:3:4:5:6: ", "a 1234567 ", "ABCD 1234 5678 ", "1.1.1", ":aaaa", "z:1111:", "1 + ", "(0", "2026-07-28T10:11:12 "]) {
    // With what a search might look for in vain up to its end.
    const text = `${part.repeat(1_000_000 / part.length)} : `;
    assert.deepEqual(createScanner(SENSITIVE_TYPES).find(text), [], part);
  }
});

test("finds in a run of numbers what stands behind a date, a size or a time, and an address in full between other colons", () => {
  assert.deepEqual(read("size=10485760 123-45-6789, 2026-07-28 4111 1111 1111 1111 2026-07-28T10:11:12.345Z"), [
    ["ssn", "123-45-6789"],
    ["card", "4111 1111 1111 1111"],
  ]);
  assert.deepEqual(read("12:30:45 abcd:abcd:abcd:abcd:abcd:abcd:abcd:abcd a:1:b"), [["ip", "abcd:abcd:abcd:abcd:abcd:abcd:abcd:abcd"]]);
  assert.deepEqual(read("1:2:3:4:5:6:1.1.1.1, 1.1.1.1 and +683 4000, 2026"), [["ip", "1:2:3:4:5:6:1.1.1.1"], ["ip", "1.1.1.1"], ["phone", "+683 4000"]]);
});

test("leaves nothing of a number that is glued to the end of an address", () => {
  for (const glued of ["123-45-6789", "4111 1111 1111 1111", "555-123-4567", "10.0.0.1"]) {
    assert.deepEqual(read(`to a@example.com${glued} and on`), [["email", `a@example.com${glued}`]]);
  }
  assert.deepEqual(read("a@example.com2 b"), [["email", "a@example.com2"]]);
});

const VALUES: readonly (readonly [type: string, value: string])[] = [
  ["card", "4111111111111111"],
  ["ssn", "219-19-4684"],
  ["phone", "+49 30 12345678"],
  ["iban", "DE89370400440532013000"],
  ["ip", "192.168.7.41"],
  ["email", "ada@example.com"],
];

test("takes the end of a colour of a terminal for no part of a value", () => {
  for (const [type, value] of VALUES) {
    for (const [before, after] of [["\u001b[32m", "\u001b[0m"], ["\\u001b[1;31m", "\\u001b[0m"], ["\\\\u001b[1m", ""], ["\\x1b[31m", "\\x1b[0m"], ["\\033[1m", "\\033[0m"], ["^[[32m", "^[[0m"], ["\u001b[K", "\u001b[0m\u001b[33m42"], ["x\u001b(B", ""]]) {
      assert.deepEqual(read(`${before}${value}${after}`), [[type, value]], before);
    }
  }
  assert.deepEqual(read("m4111111111111111 [32m4111111111111111 \u001b[32m1234567890123456\u001b[0m"), []);
});

test("takes an escape of JSON or of a URL for the sign that it stands for", () => {
  for (const [type, value] of VALUES) {
    for (const [before, after] of [["\\u003cb\\u003e", "\\u003c/b\\u003e"], ["\\u0022", "\\u0022"], ["x\\n", "\\n"], ["a\\t", "\\t"], ["\\r\\n", "\\r\\n"], ["\\/", "\\/"], ["\\x22", "\\x22"], ["\\u5bc6\\u7801", ""]]) {
      assert.deepEqual(read(`${before}${value}${after}`), [[type, value]], before);
    }
    // What stands in front of an address may be a part of it: it is masked rather than left.
    if (type !== "email") for (const before of ["\\\\n", "\\\\\\\\n", "a%20", "k%3D", "&quot;", "&gt;"]) assert.deepEqual(read(`${before}${value}%20`), [[type, value]], before);
  }
  assert.deepEqual(read("\\u003e2001:db8::12ab"), [["ip", "2001:db8::12ab"]]);
  assert.deepEqual(read("LIKE '%212-55-5555%'"), [["ssn", "212-55-5555"]]);
  // Letters and digits that are written so are some.
  for (const text of ["\\u00614111111111111111", "%614111111111111111", "\\u00314111111111111111", "\\q4111111111111111"]) assert.deepEqual(read(text), [], text);
});

test("finds the one number of a long text, in whatever digits it is written", () => {
  const prose = "The quick brown fox jumps over the lazy dog. ".repeat(40);
  const wide = (digits: string) => digits.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
  for (const number of ["4111111111111111", wide("4111111111111111")]) assert.deepEqual(read(prose + number), [["card", number]]);
  assert.deepEqual(read(`${prose}GB82 WEST 1234 5698 7654 32 ${prose}`), [["iban", "GB82 WEST 1234 5698 7654 32"]]);
});
