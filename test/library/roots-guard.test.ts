import assert from "node:assert/strict";
import { test } from "node:test";
import { rootsGuard, type RootsGuardConfig } from "../../src/library/roots-guard.ts";
import { assertLinear } from "./linear.ts";
import { verdictOf } from "./verdict-of.ts";

const judge = (roots: unknown, config: RootsGuardConfig = { allow: ["/srv/work", "C:\\work"] }) => verdictOf(rootsGuard(config), { event: "roots/list", phase: "response", payload: { roots } });
const uri = (text: unknown, config?: RootsGuardConfig) => judge([{ uri: text }], config);

test("lets roots under the allowed paths pass", () => {
  for (const text of ["file:///srv/work", "file:///srv/work/a%20b", "file:///srv/work/", "file://localhost/srv/work/x", "FILE:///srv/work", "file:///c:/Work/x", "file:///C|/work", "file:///c%3A/Work/x", "file:///C%7c/work"]) assert.equal(uri(text), "pass", text);
  assert.equal(judge([]), "pass");
});

test("refuses roots that are elsewhere, or look as if they were not", () => {
  for (const text of ["file:///srv", "file:///srv/workshop", "file:///etc", "file:///SRV/work", "file:///srv/work/../..", "file:///srv/work/%2e%2e/x", "file:///srv/work/%252e%252e", "file:///srv/work/..%5cx", "file:///srv/work/‥/x", "file://server/srv/work", "file:////server/x", "file:///srv/work?x", "file:///srv/work/%00", "https://example.com/srv/work", "/srv/work", "srv/work", "file:srv/work", "", 5, undefined]) {
    assert.match(uri(text), /^\/roots\/0\/uri: A root /, String(text));
  }
  assert.match(judge([{ uri: "file:///srv/work" }, { uri: "file:///etc" }]), /^\/roots\/1\/uri: /);
  for (const roots of [undefined, {}, "file:///srv/work", null]) assert.match(judge(roots), /must be a list/);
  assert.match(judge(["file:///srv/work", null]), /no file URI/);
});

test("refuses without a list of allowed paths what is a whole disk, or holds secrets", () => {
  for (const text of ["file:///", "file:///C:/", "file:///etc", "file:///root/x", "file:///proc", "file:///home/me/.ssh", "file:///dev", "file:///C%3A/", "file:///c%253A/", "file:///%43:/", "file:///c：/"]) assert.match(uri(text, {}), /must not/, text);
  for (const text of ["file:///home/me/project", "file:///etcetera", "file:///C:/Users/me/project"]) assert.equal(uri(text, {}), "pass", text);
  for (const text of ["file:///c%3A/PROGRA~1/x", "file:///c%3A/a/con", "file:///c%253A/a/con", "file:///%63%3A/a/con", "file:///c%7C/a:b"]) assert.match(uri(text, {}), /device|short name|stream/, text);
  assert.equal(uri("file:///c%3A/Users/me/project", {}), "pass");
  assert.equal(uri("file:///etc", { deny: [] }), "pass");
  assert.match(uri("file:///", { deny: [] }), /must not/);
});

test("takes time in proportion to the text", () => {
  assertLinear((text) => uri(`file:///${text.slice(0, 30_000)}`), "srv/a%20b/", ["../", "%25", "a/", "．", "%c3%a9", ".", "\u200b"]);
  assert.match(uri(`file:///${"a".repeat(1_000_000)}`), /too long/);
});
