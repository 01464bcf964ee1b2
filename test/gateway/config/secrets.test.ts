import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { collectProblems, ConfigError } from "../../../src/gateway/config/problems.ts";
import { createSecrets, hidingChainLog, hidingLog, resolveReferences } from "../../../src/gateway/config/secrets.ts";

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true }));

function resolved(config: unknown, env: Record<string, string> = {}) {
  const secrets = createSecrets();
  const problems = collectProblems("f", () => undefined, secrets.hide);
  return { ...resolveReferences(config, { env, folder, secrets, problems }), secrets, problems };
}

function complaint(config: unknown, env?: Record<string, string>): string {
  const { problems } = resolved(config, env);
  try {
    problems.throwIfAny();
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError);
    return thrown.message;
  }
  return "";
}

describe("references in a configuration", () => {
  it("are replaced in every text, at any depth, and names are left alone", () => {
    writeFileSync(join(folder, "token"), "top-secret\r\n");
    const config = { "${A}": ["Bearer ${A}", { b: "${A}${A}", n: 1, file: "<${file:token}>" }], c: "$${A} costs $5" };
    const { value, files } = resolved(config, { A: "alpha" });
    assert.deepEqual(value, { "${A}": ["Bearer alpha", { b: "alphaalpha", n: 1, file: "<top-secret>" }], c: "${A} costs $5" });
    assert.deepEqual(files, [join(folder, "token")]);
    assert.equal(config["c"], "$${A} costs $5");
  });

  it("have a default for a variable that is not set or empty, and an empty one without a default is empty", () => {
    assert.deepEqual(resolved(["${A:-x:y}", "${B:-}", "${C:-z}", "${D}"], { C: "", D: "" }).value, ["x:y", "", "z", ""]);
  });

  it("are not resolved again within what they stand for", () => {
    assert.equal(resolved("${A}", { A: "${B}", B: "b" }).value, "${B}");
  });

  it("never reach the prototype of the environment or of an object", () => {
    assert.match(complaint("${constructor}"), /needs the environment variable constructor/);
    const { value } = resolved(JSON.parse('{"__proto__":{"x":"${A}"}}'), { A: "a" });
    assert.deepEqual(Object.keys(value as object), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });

  it("that lead nowhere are told with their place, all of them", () => {
    assert.equal(
      complaint({ a: ["${NONE}"], b: "${a b}", c: "x${", d: "${file:none}" }).replaceAll(folder, "FOLDER").replaceAll("\\", "/"),
      [
        "f: /a/0 needs the environment variable NONE, which is not set; set it, or give a default as in ${NONE:-default}",
        "f: /b holds a reference that is none: it takes ${NAME}, ${NAME:-default} or ${file:PATH}, and $${ stands for a plain ${",
        "f: /c holds ${ without a } after it; $${ stands for a plain ${",
        "f: /d refers to a file that cannot be read: ENOENT: no such file or directory, stat 'FOLDER/none'",
      ].join("\n"),
    );
    writeFileSync(join(folder, "large"), "x".repeat(70_000));
    assert.match(complaint("${file:large}"), /larger than 65536 bytes/);
    // A pipe or a device might never end.
    assert.match(complaint("${file:.}"), /is a folder, and no regular file/);
  });

  it("are hidden in whatever is shown, also as JSON has them, the longest first; defaults and short values are not", () => {
    const { secrets } = resolved("${A}${B}${C}${D:-plain-default}", { A: 'a"long', B: 'a"long-one', C: "123" });
    const inHost = createSecrets();
    inHost.add("S3CRET-Name");
    assert.equal(inHost.hide("getaddrinfo ENOTFOUND s3cret-name.example"), "getaddrinfo ENOTFOUND ***.example");
    assert.equal(secrets.hide('x a"long-one a\\"long y 123 plain-default'), "x *** *** y 123 plain-default");
  });

  it("are hidden in a value wherever a text stands, before JSON is made of it: numbers stay, and names of members are texts, too", () => {
    const { secrets } = resolved("${A}${B}", { A: 'a"b\\c d', B: "000000" });
    const condition = JSON.stringify({ equals: 'a"b\\c d' });
    const deep = { list: [{ text: condition, 'a"b\\c d': 1, n: 1_000_000_000, none: null, not: undefined }], map: new Map([["k", 'a"b\\c d']]), set: new Set(["000000"]) };
    assert.deepEqual(secrets.hideIn(deep), { list: [{ text: '{"equals":"***"}', "***": 1, n: 1_000_000_000, none: null, not: undefined }], map: new Map([["k", "***"]]), set: new Set(["***"]) });
    assert.equal(secrets.hide(JSON.stringify({ text: condition })), '{"text":"{\\"equals\\":\\"***\\"}"}');
    const ring: unknown[] = ["000000"];
    ring.push(ring);
    assert.doesNotThrow(() => JSON.stringify(secrets.hideIn(ring)));
  });

  it("are hidden as URLs write them, however they are shortened there", () => {
    const { secrets } = resolved("${A}${B}", { A: 'a"b\\c d@e', B: "../../" });
    const url = new URL('http://h/a"b\\c d@e?x');
    url.username = 'a"b\\c d@e';
    url.searchParams.set("q", 'a"b\\c d@e');
    assert.equal(secrets.hide(url.href), "http://***@h/***?x=&q=***");
  });

  it("are hidden in errors, which stay what they are", () => {
    const { secrets } = resolved("${A}", { A: "top-secret" });
    const faults = new ConfigError([{ file: "f", pointer: "", message: "is top-secret", cause: "unread" }], "the test");
    const hidden = secrets.hideInError(faults);
    assert.ok(hidden instanceof ConfigError);
    assert.deepEqual([hidden.problems, hidden.what], [[{ file: "f", pointer: "", message: "is ***", cause: "unread" }], "the test"]);
    const clean = new ConfigError([]);
    assert.equal(secrets.hideInError(clean), clean);
  });

  it("are hidden in logs, in their details too", () => {
    const { secrets } = resolved("${A}", { A: "top-secret" });
    const seen: unknown[] = [];
    hidingLog((entry) => seen.push(entry), secrets)({ level: "error", message: "top-secret", details: { what: ["top-secret"] } });
    hidingChainLog((entry) => seen.push(entry), secrets)({ level: "error", message: "top-secret", reason: "crashed", thrown: "top-secret" });
    assert.deepEqual(seen, [{ level: "error", message: "***", details: { what: ["***"] } }, { level: "error", message: "***", reason: "crashed", thrown: "***" }]);
  });

  it("are hidden up to a thousand, the oldest forgotten first", () => {
    const secrets = createSecrets();
    for (let number = 0; number < 1_001; number++) secrets.add(`secret-${String(number).padStart(4, "0")}`);
    assert.equal(secrets.hide("secret-0000 secret-0001 secret-1000"), "secret-0000 *** ***");
  });
});
