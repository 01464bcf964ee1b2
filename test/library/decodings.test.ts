import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodings } from "../../src/library/decodings.ts";
import { seededRandom } from "../support/random.ts";

const SECRET = "the quarterly numbers are bad: ünder 4/7, ask Zoë";
const base64 = (text: string) => Buffer.from(text).toString("base64");
const says = (text: string) => decodings(text).some((one) => one.includes(SECRET));

describe("decodings", () => {
  it("begin with the text itself, and are that alone for plain text", () => {
    assert.deepEqual(decodings("Plain words, 12 of them."), ["Plain words, 12 of them."]);
    assert.deepEqual(decodings(""), [""]);
  });

  it("read what is written in other ways", () => {
    const ways: Record<string, string> = {
      "Base64": `x ${base64(SECRET)} y`,
      "Base64 without padding": base64(`${SECRET}!`).replace(/=+$/, ""),
      "the URL alphabet": Buffer.from(`${SECRET}??>>~~`).toString("base64url"),
      "stray bits at the end": base64(`${SECRET}.`).replace(/.(?==*$)/, "x").replace(/=+$/, ""),
      "Base64 in lines": base64(SECRET.repeat(3)).replace(/.{30}/g, "$&\r\n"),
      "Base64 behind letters that do not belong to it": `ab${base64(SECRET)}`,
      "hexadecimal in groups": Buffer.from(SECRET).toString("hex").replace(/../g, "$& "),
      "hexadecimal bytes of code": `[${Buffer.from(SECRET).toString("hex").replace(/../g, "0x$&, ")}]`,
      "Base64 in groups": base64(SECRET).replace(/..../g, "$& "),
      "hexadecimal": Buffer.from(SECRET).toString("hex"),
      "hexadecimal capitals": Buffer.from(SECRET).toString("hex").toUpperCase(),
      "a URL": `https://x.example/?q=${encodeURIComponent(SECRET)}`,
      "URL escapes of every byte": [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16)}`).join(""),
      "JSON in a string": JSON.stringify({ a: SECRET }).replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
      "JSON escapes of every character": [...SECRET].map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
      "character references of every character": [...SECRET].map((unit) => `&#${unit.codePointAt(0)};`).join(""),
      "three layers": base64(encodeURIComponent(Buffer.from(SECRET).toString("hex"))),
      "a byte order and a broken end": base64(`\ufeff${SECRET}é`).slice(0, -2),
    };
    for (const [way, text] of Object.entries(ways)) assert.ok(says(text), way);
  });

  it("read escapes like JSON, and leave what is none", () => {
    const plain: Record<string, string> = { "\\u0041b": "Ab", "a\\x41": "aA", "\\n\\t\\r\\b\\f": "\n\t\r\b\f", "\\/\\\\\\\"": '/\\"', "\\u00zz\\n": "\\u00zz\n", "\\x4\\n": "\\x4\n", "\\q\\n\\": "\\q\n\\", "\\ud83d\\ude00": "😀" };
    for (const [text, read] of Object.entries(plain)) assert.equal(decodings(text)[1], read, text);
    for (const text of ["\\", "\\q", "\\u123", "\\x1", "\\u12é4"]) assert.deepEqual(decodings(text), [text]);
  });

  it("leave bytes alone that say nothing", () => {
    const random = seededRandom(3).next;
    const bytes = Buffer.from(Array.from({ length: 400 }, () => Math.floor(random() * 256)));
    assert.deepEqual(decodings(bytes.toString("base64")).length, 1);
    assert.deepEqual(decodings(bytes.toString("hex")).length, 1);
  });

  it("are given up where a text is made to have ever more of them", () => {
    let text = "x".repeat(200_000);
    for (let layer = 0; layer < 3; layer++) text = base64(text);
    assert.ok(decodings(text).length >= 4);
    const many = Array.from({ length: 40_000 }, () => "\\u0041%41".repeat(4)).join(" ");
    assert.ok(decodings(many).reduce((sum, one) => sum + one.length, 0) < many.length * 10);
  });
});
