import assert from "node:assert/strict";
import { test } from "node:test";
import { compileRedactConfig } from "../../src/library/redact-config.ts";

const TEXT = "bob@example.com 10.0.0.1 123-45-6789";

test("looks for everything by default, with a mask that names the type", () => {
  assert.equal(compileRedactConfig(undefined).redactText(TEXT), "[REDACTED:email] [REDACTED:ip] [REDACTED:ssn]");
  assert.equal(compileRedactConfig({}).numbers, "mask");
});

test("takes types, masks by type, and exact texts that stay", () => {
  assert.equal(compileRedactConfig({ types: ["ip"] }).redactText(TEXT), "bob@example.com [REDACTED:ip] 123-45-6789");
  assert.equal(compileRedactConfig({ types: [] }).redactText(TEXT), TEXT);
  assert.equal(compileRedactConfig({ replacement: "***" }).redactText(TEXT), "*** *** ***");
  assert.equal(compileRedactConfig({ replacement: { email: "{type}!{type}", ip: "x" } }).redactText(TEXT), "email!email x [REDACTED:ssn]");
  assert.equal(compileRedactConfig({ allow: ["10.0.0.1"] }).redactText(TEXT), "[REDACTED:email] 10.0.0.1 [REDACTED:ssn]");
});

test("refuses a wrong config with the name of the member", () => {
  const cases: readonly [config: unknown, message: RegExp][] = [
    [5, /config of redact: it must be an object/],
    [[], /it must be an object/],
    [{ type: ["email"] }, /type is not known; known are types, /],
    [{ types: "email" }, /types must be a list of strings/],
    [{ types: ["email", 5] }, /types\[1\] must be a string/],
    [{ types: ["mail"] }, /types\[0\] must be one of "email", /],
    [{ types: ["constructor"] }, /types\[0\] must be one of/],
    [{ phases: "response" }, /phases must be a list of strings/],
    [{ phases: [] }, /phases must name a phase/],
    [{ phases: ["answer"] }, /phases\[0\] must be one of "request", "response"/],
    [{ phases: ["response"], tokens: true }, /phases must be both where tokens are given/],
    [{ allow: [null] }, /allow\[0\] must be a string/],
    [{ numbers: "zero" }, /numbers must be one of "mask", "keep"/],
    [{ numbers: null }, /numbers must be one of/],
    [{ replacement: "" }, /replacement must not be empty/],
    [{ replacement: "a@example.com" }, /replacement must not be empty, nor have a digit, @ or \+ in it/],
    [{ replacement: 5 }, /replacement must be a string/],
    [{ replacement: { mail: "x" } }, /a member of replacement must be one of/],
    [{ replacement: { ip: "10" } }, /replacement\.ip must not be empty, nor have a digit/],
    [{ replacement: { ip: null } }, /replacement\.ip must be a string/],
  ];
  for (const [config, message] of cases) {
    assert.throws(() => compileRedactConfig(config), { name: "LocalError", code: "invalid_argument", message }, JSON.stringify(config));
  }
});
