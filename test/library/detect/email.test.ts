import assert from "node:assert/strict";
import { test } from "node:test";
import { found } from "./found.ts";

const ADDRESSES: readonly [text: string, ...addresses: string[]][] = [
  ["bob@example.com", "bob@example.com"],
  ["Write to bob@example.com.", "bob@example.com"],
  ["bob@example.com, alice@example.org; carol@example.net", "bob@example.com", "alice@example.org", "carol@example.net"],
  ["<bob@example.com>", "bob@example.com"],
  ["'bob@example.com'", "bob@example.com"],
  ["**bob@example.com**", "bob@example.com"],
  ["mailto:bob@example.com?subject=hi", "bob@example.com"],
  ["first.last+tag@sub.example.co.uk", "first.last+tag@sub.example.co.uk"],
  ["o'brien@example.ie", "o'brien@example.ie"],
  ["_under_score_@example.com", "_under_score_@example.com"],
  ["a&b@example.com", "a&b@example.com"],
  ["1234567890@example.com", "1234567890@example.com"],
  ["user=bob@example.com&x", "bob@example.com"],
  ["bounce+bob=example.org@list.example.com", "bounce+bob=example.org@list.example.com"],
  ["x@a.io", "x@a.io"],
  ["BOB@EXAMPLE.COM", "BOB@EXAMPLE.COM"],
  ["bob@my-host.example.museum/path", "bob@my-host.example.museum"],
  ["email=bob@example.com&next=1", "bob@example.com"],
  ["bob@xn--bcher-kva.example", "bob@xn--bcher-kva.example"],
  ["bob@example.xn--p1ai", "bob@example.xn--p1ai"],
  ["josé@bücher.de", "josé@bücher.de"],
  ["иван@пример.рф", "иван@пример.рф"],
  ["张三@例子.中国", "张三@例子.中国"],
  ["请联系bob@example.com谢谢", "bob@example.com"],
  ["bob＠example．com", "bob＠example．com"],
  ["bob@example.com-old", "bob@example.com"],
  ["bob@example.com_backup", "bob@example.com"],
  ["bob@example.com1", "bob@example.com1"],
  ["bob@1and1.com", "bob@1and1.com"],
  ["bob@163.com", "bob@163.com"],
  ["postgres://admin:pw@db.example.com/x", "pw@db.example.com"],
  ["a@b.co@c.org", "a@b.co@c.org"],
];

const OTHERS: readonly string[] = [
  "@bob",
  "bob@",
  "bob@localhost",
  "bob@host",
  "@",
  "@@@@",
  "a@@example.com",
  "bob @ example.com",
  "bob@ example.com",
  "bob@.example.com",
  "bob@example..com",
  "bob@example.c",
  "react@18.2.0",
  "lodash@4.17.21-beta.rc",
  "pkg@1.2.3-rc.1",
  "icon@2x.png",
  "@scope/package",
  "@types/node@20.1.0",
  "https://medium.com/@someone.else",
  "x@1.5",
  "@media (min-width: 3em)",
  "user@[192.0.2.1]",
  "...@example.com",
  "meet @ 5.30pm",
  "matrix @ vector.T",
];

test("finds e-mail addresses in running text, quotes, URLs and other scripts", () => {
  for (const [text, ...addresses] of ADDRESSES) assert.deepEqual(found("email", text), addresses, text);
});

test("takes no handle, version, host or decorator for an e-mail address", () => {
  for (const text of OTHERS) assert.deepEqual(found("email", text), [], text);
});

test("leaves the escapes of JSON text whole in front of an address", () => {
  assert.deepEqual(found("email", String.raw`{"a":"x\nbob@example.com"}`), ["bob@example.com"]);
  assert.deepEqual(found("email", String.raw`{"a":"\u00e9bob@example.com"}`), ["bob@example.com"]);
  assert.deepEqual(found("email", String.raw`{"a":"C:\\nbob@example.com"}`), ["nbob@example.com"]);
  assert.deepEqual(found("email", String.raw`\@example.com`), []);
});
