import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base64Decode, base64Encode, utf8Decode, utf8DecodeExact, utf8Encode, utf8Length } from "../../../src/core/base/bytes.ts";
import { detectHost } from "../../../src/core/base/host.ts";
import { seededRandom } from "../../support/random.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
// Each boundary of the ranges of UTF-8's first and second bytes.
const EDGES = [
  0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
];
const UNITS = [
  "a", "\u007f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ud800", "\udbff", "\udc00",
  "\udfff", "\ue000", "\ufeff", "\uffff", "\u{10000}", "\u{10ffff}", "é", "😀",
];

describe("utf8Encode and utf8Length", () => {
  it("agree with the platform on every pair of edge cases", () => {
    for (const first of UNITS) {
      for (const second of UNITS) {
        for (const text of [first, first + second, `x${first}${second}y`]) {
          const expected = encoder.encode(text);
          assert.deepEqual(utf8Encode(text), expected, JSON.stringify(text));
          assert.equal(utf8Length(text), expected.length, JSON.stringify(text));
        }
      }
    }
    assert.deepEqual(utf8Encode(""), new Uint8Array());
  });

  it("take the host's encoder where there is one", () => {
    const utf8 = { encode: () => Uint8Array.of(7), decode: () => "seven" };
    assert.deepEqual(utf8Encode("x", { utf8 }), Uint8Array.of(7));
    assert.equal(utf8Decode(Uint8Array.of(1), { utf8 }), "seven");
    assert.deepEqual(utf8Encode("é", detectHost()), Uint8Array.of(0xc3, 0xa9));
  });
});

describe("utf8Decode", () => {
  it("agrees with the platform on every sequence of up to three edge bytes", () => {
    for (const a of EDGES) {
      for (const b of EDGES) {
        for (const c of EDGES) {
          for (const bytes of [Uint8Array.of(a), Uint8Array.of(a, b), Uint8Array.of(a, b, c), Uint8Array.of(a, b, c, 0x80, 0x41)]) {
            if (utf8Decode(bytes) !== decoder.decode(bytes)) assert.fail(`differs on ${bytes}`);
          }
        }
      }
    }
  });

  it("agrees with the platform on random bytes", () => {
    for (let seed = 1; seed <= 2000; seed++) {
      const random = seededRandom(seed);
      const bytes = Uint8Array.from({ length: random.below(40) }, () => (random.below(4) === 0 ? random.below(256) : random.pick(EDGES)));
      assert.equal(utf8Decode(bytes), decoder.decode(bytes), `seed ${seed}`);
    }
  });

  it("puts long texts together, pairs across pieces included", () => {
    const text = "😀é".repeat(30_000);
    assert.equal(utf8Decode(encoder.encode(text)), text);
    assert.equal(utf8Decode(encoder.encode(`a${text}`)), `a${text}`);
  });

  it("keeps a leading byte order mark, with and without a host", () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d);
    assert.equal(utf8Decode(bytes), "\ufeff{}");
    assert.equal(utf8Decode(bytes, detectHost()), "\ufeff{}");
  });
});

describe("base64", () => {
  it("encodes as the platform does, and decodes its own texts, in both alphabets", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const random = seededRandom(seed);
      const bytes = Uint8Array.from({ length: random.below(50) }, () => random.below(256));
      const standard = base64Encode(bytes);
      const url = base64Encode(bytes, "url");
      assert.equal(standard, Buffer.from(bytes).toString("base64"), `seed ${seed}`);
      assert.equal(url, Buffer.from(bytes).toString("base64url"), `seed ${seed}`);
      assert.deepEqual(base64Decode(standard), bytes, `seed ${seed}`);
      assert.deepEqual(base64Decode(url, "url"), bytes, `seed ${seed}`);
    }
  });

  it("decodes nothing but what it would write", () => {
    const texts = [
      "A", "AA", "AAA", "AA=", "AAA==", "A===", "====", "=", "AB==", "AAB=", "AA==AA==", "AA A", "AAA\n",
      "AAAA\n", "A-A_", "AAA=AAAA", "é===", "AAA\u0141", "=AAA", "A=AA",
    ];
    for (const text of texts) {
      assert.equal(base64Decode(text), undefined, text);
    }
    for (const text of ["A", "AA==", "AAA=", "AB", "AAB", "A+A/", "AAAAA"]) assert.equal(base64Decode(text, "url"), undefined, text);
  });

  it("decodes any text to bytes that encode to it again, or to nothing", () => {
    for (let seed = 1; seed <= 3000; seed++) {
      const random = seededRandom(seed);
      const text = Array.from({ length: random.below(10) }, () => random.pick([..."AQgwBZaz09+/-_= "])).join("");
      for (const alphabet of ["standard", "url"] as const) {
        const bytes = base64Decode(text, alphabet);
        if (bytes !== undefined) assert.equal(base64Encode(bytes, alphabet), text, `seed ${seed}`);
      }
    }
  });
});

describe("utf8DecodeExact", () => {
  it("reads what is UTF-8, a replacement character that was written included, and nothing else", () => {
    for (const text of ["", "abc", "\ufeffé😀", "\ufffd"]) assert.equal(utf8DecodeExact(utf8Encode(text)), text);
    for (const bytes of [[0xff], [0x61, 0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xef, 0xbf, 0xbd, 0x80]]) {
      assert.equal(utf8DecodeExact(Uint8Array.from(bytes)), undefined);
      assert.equal(utf8DecodeExact(Uint8Array.from(bytes), detectHost()), undefined);
    }
  });
});
