import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openDecisionLog } from "../../src/cli/decision-log.ts";
import type { Decision } from "../../src/core/guard/decision.ts";

const decision = (id: number, padding = ""): Decision => ({
  at: "2026-07-28T00:00:00.000Z",
  durationMs: 1,
  role: "client",
  direction: "sending",
  kind: "request",
  event: `tools/call${padding}`,
  phase: "request",
  id,
  verdict: "passed",
  interceptors: [],
  sessionId: "s",
});

test("decisions are appended as whole lines in their order, to a file for its owner alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    const path = join(folder, "log");
    for (const first of [0, 50]) {
      const log = await openDecisionLog(path);
      await Promise.all(Array.from({ length: 50 }, (_, index) => log.record(decision(first + index, index % 7 === 0 ? "x".repeat(100_000) : ""))));
      await log.close();
      await assert.rejects(log.record(decision(999)), "what cannot be written rejects, so that a guard can block");
    }
    const written = readFileSync(path, "utf8").trimEnd().split("\n").map((line) => (JSON.parse(line) as Decision).id);
    assert.deepEqual(written, Array.from({ length: 100 }, (_, index) => index));
    if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
    await assert.rejects(openDecisionLog(folder), { name: "UsageError", message: /--log .* is no regular file/ });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("only a regular file is a log: a pipe that nobody reads is refused at once, and so is a device", { skip: process.platform === "win32" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/null"]) await assert.rejects(openDecisionLog(path), { name: "UsageError", message: `--log ${path} is no regular file` });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
