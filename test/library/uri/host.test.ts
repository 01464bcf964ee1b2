import assert from "node:assert/strict";
import { test } from "node:test";
import { compileHostPattern, foldHost, notPublic, parseHost } from "../../../src/library/uri/host.ts";

const hostOf = (text: string) => {
  const folded = foldHost(text);
  return folded === undefined ? undefined : parseHost(folded);
};

test("folds other writings of letters, digits and dots", () => {
  for (const text of ["EXAMPLE.com", "ｅｘａｍｐｌｅ.ｃｏｍ", "ⓔⓧⓐⓜⓟⓛⓔ.com", "example。com", "example．com", "example｡com", "e%78ample.com", "example.com."]) {
    assert.equal(hostOf(text)?.name, "example.com", text);
  }
  for (const text of ["①②⑦.⓪.⓪.①", "１２７。０。０。１", "%31%32%37.0.0.1", "127.0.0.1."]) assert.deepEqual(hostOf(text)?.readings, [0x7f00_0001], text);
});

test("reads leading zeros as octal and as decimal", () => {
  assert.deepEqual(hostOf("010.8.8.8")?.readings, [0x0808_0808, 0x0a08_0808]);
  assert.deepEqual(hostOf("127.0.0.1")?.readings, [0x7f00_0001]);
});

test("refuses what is no host, or not the same to every parser", () => {
  const wrong = ["", ".", "..", "a..b", ".a", "a b", "a/b", "a\\b", "a%zz", "a%", "%ff.com", "exa\u00admple.com", "exam\u200bple.com", "a\ufe0f.com", "a,b", "a@b", "a:80", "[::1", "[127.0.0.1]", "[::1%25eth0]", "℀.com", "a%00b.com", "a%2eb%2fc", "1.2.3.4.5", "256.256.256.256", "a.0x7g.1", `${"a".repeat(64)}.com`, `${"a.".repeat(127)}com`, "a".repeat(1_001)];
  for (const text of wrong) assert.equal(hostOf(text), undefined, JSON.stringify(text));
});

test("refuses every character that the platform's parser drops, wherever it stands in an address", () => {
  const dropped = (char: string) => {
    const url = `http://127${char}.0.0.1/`;
    return URL.canParse(url) && new URL(url).hostname === "127.0.0.1";
  };
  // All of the plane with most of the world's letters; of others, where there are any that parsers drop.
  const chars = [[0x80, 0xd800], [0xe000, 0x1_0000], [0x1_bc00, 0x1_bd00], [0x1_d100, 0x1_d200], [0xe_0000, 0xe_1000]].flatMap(([from = 0, to = 0]) =>
    Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at)).filter(dropped),
  );
  assert.ok(chars.includes("\u00ad") && chars.includes("\u{e0100}"), `${chars.length} characters`);
  for (const char of chars) for (const text of [`127.0.0.1${char}`, `127${char}.0.0.1`, `${char}127.0.0.1`]) assert.equal(hostOf(text), undefined, JSON.stringify(text));
});

test("knows names of this host, private networks, metadata, and wildcard DNS", () => {
  const problem = (text: string) => notPublic(hostOf(text) ?? assert.fail(text));
  for (const name of ["localhost", "LOCALHOST.", "a.localhost", "db", "printer.local", "x.internal", "router.home.arpa", "kubernetes.default.svc", "consul.service.consul", "foo.lan"]) assert.match(problem(name) ?? "", /private network/, name);
  for (const name of ["metadata.google.internal", "metadata.goog"]) assert.match(problem(name) ?? "", /metadata/, name);
  for (const name of ["127.0.0.1.nip.io", "app.10-0-0-1.sslip.io", "localtest.me", "a.lvh.me"]) assert.match(problem(name) ?? "", /any address/, name);
  for (const name of ["10-0-0-1.example.com", "192.168.0.1.example.com"]) assert.match(problem(name) ?? "", /private address/, name);
  for (const name of ["example.com", "localhost.example.com", "internal.example.com", "8-8-8-8.example.com", "notlocalhost.com", "münchen.example", "xn--mnchen-3ya.example", "my_host.example.com", "svc.example.com", "consul.io", "nip.io.example.com"]) assert.equal(problem(name), undefined, name);
});

test("matches hosts by name, address in any spelling, and all names below one", () => {
  const matches = (pattern: string, host: string) => compileHostPattern(pattern)?.(hostOf(host) ?? assert.fail(host));
  assert.equal(matches("Example.com", "example.COM."), true);
  assert.equal(matches("example.com", "a.example.com"), false);
  assert.equal(matches("*.example.com", "a.b.example.com"), true);
  assert.equal(matches("*.example.com", "example.com"), false);
  assert.equal(matches("*.example.com", "badexample.com"), false);
  assert.equal(matches("127.0.0.1", "0x7f.1"), true);
  assert.equal(matches("::1", "[0:0::1]"), true);
  assert.equal(matches("[::1]", "[::1]"), true);
  assert.equal(matches("8.8.8.8", "010.8.8.8"), false);
  for (const pattern of ["", "*", "a*", "*.", "*.*.com", "a b", "http://a.com", "*.127.0.0.1", "010.8.8.8"]) assert.equal(compileHostPattern(pattern), undefined, pattern);
});

test("matches an address that is denied in any reading, and by any address that reaches it", () => {
  const matches = (pattern: string, host: string) => compileHostPattern(pattern, "some")?.(hostOf(host) ?? assert.fail(host));
  const reaching = ["1.1.1.1", "0x1010101", "[::ffff:1.1.1.1]", "[::ffff:101:101]", "[::1.1.1.1]", "[::ffff:0:101:101]", "[64:ff9b::101:101]", "[2002:101:101::]", "[2001:0:4136:e378:8000:63bf:fefe:fefe]", "[2606::200:5efe:101:101]"];
  for (const pattern of ["1.1.1.1", "::ffff:1.1.1.1"]) for (const host of reaching) assert.equal(matches(pattern, host), true, `${pattern} ${host}`);
  for (const host of ["1.1.1.2", "[::ffff:1.1.1.2]", "[::1]", "[2606:4700::101:101]", "one.example"]) assert.equal(matches("1.1.1.1", host), false, host);
  assert.equal(matches("8.8.8.8", "010.8.8.8"), true);
  assert.equal(matches("::1", "[::1]"), true);
  assert.equal(compileHostPattern("1.1.1.1")?.(hostOf("[::ffff:1.1.1.1]") ?? assert.fail()), false);
});
