import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeFragment, resolveUri, splitFragment } from "../../../src/core/schema/uri.ts";

test("resolves references as RFC 3986 section 5.4 says", () => {
  const base = "http://a/b/c/d;p?q";
  const expected: Record<string, string> = {
    "g:h": "g:h", g: "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g",
    "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s", ";x": "http://a/b/c/;x",
    "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
    "../..": "http://a/", "../../g": "http://a/g", "../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.",
    "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/", "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h",
    "g?y/../x": "http://a/b/c/g?y/../x", "g#s/../x": "http://a/b/c/g#s/../x",
  };
  for (const [reference, uri] of Object.entries(expected)) assert.equal(resolveUri(base, reference), uri, reference);
});

test("resolves against a base of unknown place, a URN and an authority without a path", () => {
  assert.equal(resolveUri("", "list#item"), "list#item");
  assert.equal(resolveUri("urn:uuid:1", "#here"), "urn:uuid:1#here");
  assert.equal(resolveUri("http://a", "b"), "http://a/b");
});

test("splits and decodes fragments", () => {
  assert.deepEqual(splitFragment("a#b#c"), { uri: "a", fragment: "b#c" });
  assert.deepEqual(splitFragment("a"), { uri: "a", fragment: undefined });
  assert.equal(decodeFragment("/a%25b"), "/a%b");
  assert.equal(decodeFragment("%"), undefined);
});
