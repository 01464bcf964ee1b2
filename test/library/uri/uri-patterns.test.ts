import assert from "node:assert/strict";
import { test } from "node:test";
import { compileUriPatterns } from "../../../src/library/uri/uri-patterns.ts";
import { assertLinear } from "../linear.ts";

test("allows a URI only where every reading of it is allowed", () => {
  const { matchesAll } = compileUriPatterns(["file:///srv/*", "note://a", "https://example.com/a%20b/*", "db:*"]);
  for (const uri of ["file:///srv/a", "file:///srv/a/b%20c", "file:///srv/%61", "file:///srv/a/../b", "note://a", "https://example.com/a%20b/c", "https://example.com/a b/c", "db:x"]) {
    assert.equal(matchesAll(uri), true, uri);
  }
  for (const uri of ["file:///etc", "file:///srv", "file:///srv/../etc", "file:///srv/%2e%2e/etc", "file:///srv/%252e%252e/etc", "file:///srv/..\\etc", "file:///srv/a/../../etc", "file:///srvx/a", "note://ab", "http://example.com/a b/c", "file:///srv/..%2fetc", "FILE:///srv/a", "file:///srv/.\t./etc", "x".repeat(40_000), "file:///srv/%2525252525"]) {
    assert.equal(matchesAll(uri), false, uri.slice(0, 60));
  }
});

test("denies a URI however it is written", () => {
  const { matchesAny } = compileUriPatterns(["file:///etc/*", "https://example.com/secret"]);
  const denied = ["file:///etc/x", "FILE:///etc/x", "file://localhost/etc/x", "file:///srv/../etc/x", "file:///%65tc/x", "file:///%2565tc/x", "file:////etc/x", "file:///./etc/x", "file:///ETC/x", "file:\\\\\\etc\\x", "file:///srv/%2e%2e/etc/x", "file:///e\ttc/x", "f\nile:///etc/x", "file:///srv/.\r./etc/x", " \u0000file:///etc/x", "file:///e%09tc/x", "https://example.com/secret\n ", "https://EXAMPLE.com/secret", "https://example.com/a/../secret", "https://example.com//secret", "x".repeat(40_000), "file:///%25252525252561"];
  for (const uri of denied) assert.equal(matchesAny(uri), true, uri.slice(0, 60));
  for (const uri of ["file:///etcx/x", "file:///srv/etc/x", "https://example.com/secrets", "https://example.org/secret", "file:///srv/%ff", "", "etc/x"]) assert.equal(matchesAny(uri), false, uri);
});

test("tells whether a template may expand to something that matches", () => {
  const { mayMatchTemplate } = compileUriPatterns(["file:///srv/data/*", "note://a"]);
  for (const template of ["file:///srv/data/{x}", "file:///{+path}", "file:///srv/{x}", "note://{id}", "{+any}", "note://a"]) assert.equal(mayMatchTemplate(template), true, template);
  for (const template of ["file:///etc/{x}", "db://{x}", "note://b", "note://ab{x}"]) assert.equal(mayMatchTemplate(template), false, template);
});

test("takes time in proportion to the URI", () => {
  const { matchesAny } = compileUriPatterns(["file:///etc/*"]);
  const run = (text: string) => [matchesAny(text), ...(text.match(/[^]{1,30000}/g) ?? []).map((part) => matchesAny(`file:///${part}`))];
  assertLinear(run, "srv/a%20b/", ["../", "%25", "%ff", "/", "a/", ".", "\\", "a/../", "\t", " "]);
});
