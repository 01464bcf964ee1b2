import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRefusal } from "../../../src/core/base/json-refusal.ts";
import { MESSAGE_CASE_PLACES, scanJson, type ScanOptions } from "../../../src/core/base/json-text.ts";
import { cpuMs } from "../../support/cpu-time.ts";
import { seededRandom, type Random } from "../../support/random.ts";
import { randomJson, randomText } from "../../support/random-json.ts";

function refused(text: string, options?: ScanOptions) {
  const { refusal } = scanJson(text, options);
  assert.ok(refusal !== undefined, `accepted ${text}`);
  return { code: refusal.code, offset: refusal.offset, pointer: refusal.pointer };
}

// An oracle that shares nothing with the scanner: tokens by a regular expression, one set of names per open bracket.
// For texts that JSON.parse accepts.
function oracle(text: string, maxDepth: number): string {
  const open: (Set<unknown> | undefined)[] = [];
  const tokens = text.match(/"(?:[^"\\]|\\[^])*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    if (token === "{" || token === "[") {
      if (open.length === maxDepth) return "depth";
      open.push(token === "{" ? new Set() : undefined);
    } else if (token === "}" || token === "]") open.pop();
    else if (tokens[index + 1] === ":") {
      const key: unknown = JSON.parse(token);
      if (open.at(-1)!.has(key)) return "duplicate_key";
      open.at(-1)!.add(key);
    } else if (/^-?\d/.test(token) && !Number.isFinite(Number(token))) return "number_range";
  }
  return "accepted";
}

function compare(text: string, maxDepth: number): string {
  let native: { value: unknown } | undefined;
  try {
    native = { value: JSON.parse(text) };
  } catch {
    native = undefined;
  }
  const { value, refusal } = scanJson(text, { maxDepth });
  assert.deepEqual(findRefusal(text, maxDepth, []), refusal, "the fast and the slow reader agree");
  if (native === undefined) {
    assert.ok(refusal !== undefined, "JSON.parse refuses it");
    return "refused";
  }
  assert.equal(refusal?.code ?? "accepted", oracle(text, maxDepth));
  if (refusal === undefined) assert.deepStrictEqual(value, native.value);
  return "read";
}

const DEBRIS = ['"', "\\", "{", "}", "[", "]", ",", ":", "0", "-", "e9", ".", "1e999", "true", " ", "\u0000", "\ufeff"];

function damaged(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const other = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1);
    case 1:
      return text.slice(0, at) + random.pick(DEBRIS) + text.slice(at);
    case 2:
      return text.slice(0, at);
    case 3:
      return text.slice(0, at) + text.slice(Math.min(at, other), Math.max(at, other)) + text.slice(at);
    default:
      // Renames every `b` to `a`, which makes duplicates of valid texts.
      return text.replaceAll('"b"', '"a"').replaceAll('"c"', '"\\u0061"');
  }
}

describe("scanJson", () => {
  it("gives what JSON.parse gives on texts of random values", () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const random = seededRandom(seed);
      const text = randomText(random, randomJson(random, 5));
      const scanned = scanJson(text);
      assert.deepEqual(scanned.refusal, undefined, `seed ${seed}: ${text}`);
      assert.deepStrictEqual(scanned.value, JSON.parse(text), `seed ${seed}: ${text}`);
    }
  });

  it("agrees with JSON.parse and with a simple oracle on damaged texts", () => {
    const seen = { read: 0, refused: 0 };
    for (let seed = 1; seed <= 6000; seed++) {
      const random = seededRandom(seed);
      let text = randomText(random, randomJson(random, 4));
      for (let left = 1 + random.below(2); left > 0; left--) text = damaged(random, text);
      try {
        seen[compare(text, random.pick([2, 4, 128])) as keyof typeof seen]++;
      } catch (error) {
        assert.fail(`seed ${seed}: ${JSON.stringify(text)}: ${String(error)}`);
      }
    }
    assert.ok(seen.read > 500 && seen.refused > 500, JSON.stringify(seen));
  });

  it("agrees with JSON.parse on the corners of the grammar", () => {
    const texts = [
      "", " ", "\ufeff{}", "{}\ufeff", "\u00a0{}", "\v1", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "undefined", "0", "-0",
      "00", "01", "-01", "-", "+1", "1.", ".5", "1.e1", "1e", "1e+",
      "1E-05", "0e0", "0x10", "1_000", "1 2", "[1,]", "[,1]", "[,]", "[1 2]", "[", "]", "[]]", "[}", "{", "}", "{]", "{,}",
      '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', '{a:1}', "{'a':1}", '{1:1}',
      '{"a"::1}', '{:1}', '"', '"\\"', '"\\\\"', '"\\\\\\"', '"\\x41"', '"\\u12"', '"\\u123g"', '"\\u00E9"',
      '"\\ud800"', '"\\ud83d\\ude00"', '"\t"', '"\n"', '"\u007f"', '"\u2028"', '"\\/"',
      '{"":1}', '{"a":{"":[[]]}}', "[[[]]]", "//c\n1", "/**/1", "[1]//", '"a" "b"', "tru", "[true,false,null]", "[truefalse]",
      '["a""b"]', '{"__proto__":{"a":1},"b":{"__proto__":null}}',
    ];
    for (const text of texts) {
      for (const around of [text, ` ${text}\n`, `[${text}]`, `{"k":${text}}`]) compare(around, 128);
    }
  });

  it("gives __proto__ as an ordinary member", () => {
    const { value } = scanJson('{"__proto__":{"polluted":true}}');
    assert.deepEqual(Object.keys(value as object), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });

  it("refuses a byte order mark as a character that cannot stand there", () => {
    assert.deepEqual(refused("\ufeff{}"), { code: "syntax", offset: 0, pointer: "" });
  });

  it("refuses a duplicate key wherever it stands, and names the second one", () => {
    assert.deepEqual(refused('{"a":1,"a":2}'), { code: "duplicate_key", offset: 7, pointer: "/a" });
    assert.deepEqual(refused('[0,{"x":{"a/b":1, "a/b":2}}]'), { code: "duplicate_key", offset: 18, pointer: "/1/x/a~1b" });
    assert.deepEqual(refused('{"":1,"":2}'), { code: "duplicate_key", offset: 6, pointer: "/" });
    assert.deepEqual(refused('{"__proto__":1,"__proto__":2}').code, "duplicate_key");
    assert.deepEqual(refused('{"1":1,"1":2}').code, "duplicate_key");
  });

  it("compares keys after unescaping", () => {
    assert.deepEqual(refused('{"name":1,"n\\u0061me":2}'), { code: "duplicate_key", offset: 10, pointer: "/name" });
    assert.equal(scanJson('{"a":1,"\\\\u0061":2}').refusal, undefined);
  });

  it("finds a duplicate though the value that it hides holds as many members", () => {
    assert.equal(refused('{"a":{"b":1,"c":2},"a":{"b":1,"c":2}}').code, "duplicate_key");
  });

  it("finds a duplicate where the prototype of all objects was given members", () => {
    const prototype: object = Object.prototype;
    try {
      Object.defineProperty(prototype, "polluted", { value: 1, enumerable: true, configurable: true });
      assert.equal(refused('{"a":1,"a":2}').code, "duplicate_key");
      assert.deepEqual(Object.keys(scanJson('{"a":{}}').value as object), ["a"]);
    } finally {
      Reflect.deleteProperty(prototype, "polluted");
    }
  });

  it("takes keys that differ in case alone, unless it is told where they may not stand", () => {
    const text = '{"params":{"name":"echo","Name":"rm"}}';
    assert.equal(scanJson(text).refusal, undefined);
    assert.deepEqual(refused(text, { caseVariants: MESSAGE_CASE_PLACES }), { code: "case_variant_key", offset: 25, pointer: "/params/Name" });
  });

  it("refuses case variants of a message at top level, in params and in its _meta, and nowhere else", () => {
    const options = { caseVariants: MESSAGE_CASE_PLACES };
    assert.equal(refused('{"method":"a","Method":"b"}', options).code, "case_variant_key");
    assert.equal(refused('{"id":1,"ID":2}', options).code, "case_variant_key");
    const inMeta = refused('{"params":{"_meta":{"progressToken":1,"progresstoken":2}}}', options);
    assert.deepEqual(inMeta, { code: "case_variant_key", offset: 38, pointer: "/params/_meta/progresstoken" });
    assert.equal(refused('{"params":{"_meta":{},"_Meta":{}}}', options).pointer, "/params/_Meta");
    const elsewhere = ['{"params":{"arguments":VARIANTS}}', '{"result":VARIANTS}', "[VARIANTS]", '{"a":{"params":VARIANTS}}', '{"params":[VARIANTS]}'];
    for (const place of elsewhere) {
      const text = place.replace("VARIANTS", '{"a":1,"A":2}');
      assert.equal(scanJson(text, options).refusal, undefined, text);
    }
  });

  it("finds case variants among many keys, and among keys beyond ASCII", () => {
    const options = { caseVariants: [[]] };
    const many = Array.from({ length: 40 }, (_, index) => `"key${index}":0`).join(",");
    assert.equal(scanJson(`{${many}}`, options).refusal, undefined);
    assert.equal(refused(`{${many},"KEY17":0}`, options).pointer, "/KEY17");
    for (const pair of [["params", "param\u017f"], ["k", "\u212a"], ["straße", "STRASSE"], ["É", "é"], ["ΟΔΟΣ", "οδος"]]) {
      assert.equal(refused(JSON.stringify({ [pair[0]!]: 1, [pair[1]!]: 2 }), options).code, "case_variant_key", pair.join());
    }
    assert.equal(scanJson('{"é":1,"e":2,"[":3,"{":4,"@":5,"`":6}', options).refusal, undefined);
  });

  it("takes the allowed depth, and refuses the bracket that goes beyond it", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    assert.equal(scanJson(nested(128)).refusal, undefined);
    assert.deepEqual(refused(nested(129)), { code: "depth", offset: 128, pointer: "/0".repeat(128) });
    assert.equal(scanJson("[1,{},[]]", { maxDepth: 2 }).refusal, undefined);
    assert.deepEqual(refused('{"a":{"b":[]}}', { maxDepth: 2 }), { code: "depth", offset: 10, pointer: "/a/b" });
    assert.equal(scanJson("1", { maxDepth: 0 }).refusal, undefined);
    assert.equal(scanJson('"[[[["', { maxDepth: 0 }).refusal, undefined);
  });

  it("does not overflow the stack on a text that is nothing but brackets", () => {
    assert.equal(refused("[".repeat(1_000_000)).code, "depth");
    assert.equal(refused('{"a":'.repeat(200_000)).code, "depth");
    assert.equal(refused("[".repeat(100_000), { maxDepth: 1_000_000 }).code, "syntax");
  });

  it("bounds the size in UTF-8 bytes", () => {
    assert.equal(scanJson('"é"', { maxBytes: 4 }).refusal, undefined);
    assert.deepEqual(refused('"é"', { maxBytes: 3 }), { code: "size", offset: 0, pointer: "" });
    assert.equal(refused('"😀"', { maxBytes: 5 }).code, "size");
    assert.equal(scanJson('"😀"', { maxBytes: 6 }).refusal, undefined);
    assert.equal(refused("not json at all", { maxBytes: 4 }).code, "size");
  });

  it("refuses numbers that overflow, not those that lose precision or underflow", () => {
    assert.deepEqual(refused('{"a":[1,1e999]}'), { code: "number_range", offset: 8, pointer: "/a/1" });
    assert.deepEqual(refused("-1e999"), { code: "number_range", offset: 0, pointer: "" });
    assert.equal(refused("9".repeat(400)).code, "number_range");
    for (const text of ["1e-999", "1915883588174806058", "1.7976931348623157e308", '"1e999"']) assert.equal(scanJson(text).refusal, undefined, text);
  });

  it("names the first offence in the order of the text", () => {
    assert.equal(refused('{"a":1,"a":1e999').code, "duplicate_key");
    assert.equal(refused('{"a":1e999,"a":1').code, "number_range");
    assert.deepEqual(refused('{"a":[1,2,x],"a":1}'), { code: "syntax", offset: 10, pointer: "/a/2" });
    assert.deepEqual(refused('{"a":"b'), { code: "syntax", offset: 7, pointer: "/a" });
    assert.deepEqual(refused('{"a":{"b":1,c:2}}'), { code: "syntax", offset: 12, pointer: "/a" });
  });

  it("quotes nothing of the text in its message", () => {
    for (const text of ['{"secret":1,"secret":2}', '{"a":secret}', '["secret', "secret"]) {
      assert.doesNotMatch(scanJson(text).refusal!.message, /secret/);
    }
  });

  it("takes no quadratic time on many keys and on long strings of escapes", () => {
    const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}":0`).join(",");
    const took = cpuMs(() => {
      assert.equal(scanJson(`{${keys}}`, { caseVariants: [[]] }).refusal, undefined);
      assert.equal(refused(`{${keys},"k7":0}`).pointer, "/k7");
      assert.equal(scanJson(`"${'\\"'.repeat(500_000)}"`).refusal, undefined);
      assert.equal(scanJson(`"${"\\".repeat(500_000)}"`).refusal, undefined);
      assert.equal(refused(`"${"\\".repeat(500_001)}"`).code, "syntax");
      assert.equal(refused("1".repeat(500_000)).code, "number_range");
    });
    assert.ok(took < 4_000, `${took} ms`);
  });
});
