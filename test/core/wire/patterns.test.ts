import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENTS } from "../../../src/core/wire/events.ts";
import { coversPattern, isPattern, listedEvents, matchesPattern } from "../../../src/core/wire/patterns.ts";

test("a pattern is an exact name, a namespace with a star, or the star alone", () => {
  for (const text of ["tools/call", "*", "tools/*", "a/b/*", "initialize", "x:y", ...EVENTS]) assert.equal(isPattern(text), true, text);
  for (const text of ["", "*/*", "/*", "tools*", "*/call", "*/request", "to*ls/call", "**", "tools/*/x", 1, null]) assert.equal(isPattern(text), false, String(text));
});

test("patterns match events by exact code points", () => {
  const table: [string, string, boolean][] = [
    ["tools/call", "tools/call", true],
    ["tools/call", "Tools/call", false],
    ["tools/call", "tools/call ", false],
    ["*", "anything", true],
    ["tools/*", "tools/call", true],
    ["tools/*", "tools/a/b", true],
    ["tools/*", "tools/", false],
    ["tools/*", "tools", false],
    ["tools/*", "toolset/call", false],
    ["custom/\u00e9", "custom/e\u0301", false],
    ["constructor", "toString", false],
  ];
  for (const [pattern, event, matches] of table) assert.equal(matchesPattern(pattern, event), matches, `${pattern} on ${event}`);
});

test("a pattern covers itself and what lies under it", () => {
  const table: [string, string, boolean][] = [
    ["*", "*", true],
    ["*", "tools/*", true],
    ["*", "tools/call", true],
    ["tools/*", "tools/call", true],
    ["tools/*", "tools/*", true],
    ["tools/*", "tools/deep/*", true],
    ["tools/deep/*", "tools/*", false],
    ["tools/*", "*", false],
    ["tools/call", "tools/*", false],
    ["tools/call", "tools/list", false],
    ["tools/call", "*", false],
  ];
  for (const [outer, inner, covers] of table) assert.equal(coversPattern(outer, inner), covers, `${outer} over ${inner}`);
});

test("a listed namespace is followed by the SEP's events under it, each once", () => {
  assert.deepEqual(listedEvents(["prompts/get", "prompts/*", "custom/*"]), ["prompts/get", "prompts/*", "prompts/list", "custom/*"]);
  assert.deepEqual(listedEvents(["tools/*", "tools/call", "*"]), ["tools/*", "tools/list", "tools/call", "*"]);
  assert.deepEqual(listedEvents(["tool/*"]), ["tool/*"]);
});
