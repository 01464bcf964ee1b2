import assert from "node:assert/strict";
import { test } from "node:test";
import { LocalError } from "../../src/core/base/errors.ts";
import { decisionEvent } from "../../src/core/guard/events.ts";
import { createLog, type LogOptions } from "../../src/gateway/logs.ts";
import { fakeHost } from "../support/fake-host.ts";
import { decision } from "./decision-kit.ts";

function rig(options: LogOptions = {}) {
  const lines: string[] = [];
  const log = createLog({ host: fakeHost(), write: (line) => lines.push(line), ...options });
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

test("each entry is one line of JSON, with its level in one spelling, and none below the lowest", () => {
  const { log, lines, parsed } = rig({ base: { replica: "r1" } });
  log.log({ level: "debug", message: "not this" });
  log.log({ level: "warning", message: "a\nb\u2028c", details: { n: 1 } });
  log.log({ level: "warn", message: "x".repeat(5_000) });
  assert.deepEqual(parsed()[0], { at: "2026-07-28T00:00:00.000Z", level: "warn", replica: "r1", message: "a\nb\u2028c", details: { n: 1 } });
  assert.equal(lines.every((line) => line.indexOf("\n") === line.length - 1), true);
  assert.equal((parsed()[1]!["message"] as string).length, 2_001);
  assert.equal(lines.length, 2);
});

test("an error is told by class and code, and by its text where that was asked for", () => {
  const error = new LocalError("timeout", "s3cret");
  for (const verbose of [false, true]) {
    const { log, lines, parsed } = rig({ verbose });
    log.log({ level: "error", message: "failed", error });
    log.chain({ level: "error", message: "validation failed: s3cret", address: "local/a", event: "tools/call", phase: "request", reason: "crashed", thrown: error });
    assert.equal(lines.join("").includes("s3cret"), verbose);
    assert.deepEqual(parsed()[0]!["error"], verbose ? { name: "LocalError", code: "timeout", text: "s3cret" } : { name: "LocalError", code: "timeout" });
    assert.equal(parsed()[1]!["message"], verbose ? "validation failed: s3cret" : "an interceptor failed");
  }
});

test("whatever it is given, it neither throws nor writes half a line", () => {
  const { log, lines } = rig();
  const hostile = new Proxy({}, { getPrototypeOf: () => assert.fail("no") });
  log.log({ level: "error", message: "a", error: hostile });
  log.log({ level: "error", message: "b", details: { big: 1n } });
  assert.equal(lines.length, 1);
  assert.equal(log.dropped(), 1);
});

test("blocks and failures are told, what passes is not", () => {
  const { log, parsed } = rig();
  log.observe(decisionEvent(decision(), 1), "files");
  log.observe(decisionEvent(decision({ verdict: "blocked", reason: "validation_failed", by: "no-shell", code: -32602, tool: "shell" }), 1), "files");
  log.observe({ kind: "timed_out", run: 1, at: "", event: "tools/call", phase: "request", address: "local/a", interceptor: "a", type: "validation", mode: "active", timeoutMs: 5, elapsedMs: 6 }, "files");
  assert.deepEqual(parsed().map(({ level, upstream, by, tool, interceptor, reason }) => [level, upstream, by, tool, interceptor, reason]), [
    ["warn", "files", "no-shell", "shell", undefined, "validation_failed"],
    ["error", "files", undefined, undefined, "local/a", "timeout"],
  ]);
});
