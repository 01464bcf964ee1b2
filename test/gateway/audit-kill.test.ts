// What src/gateway/audit.ts leaves when its process is killed for real.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { bundle } from "../support/bundle.ts";

const writer = bundle(fileURLToPath(new URL("fixtures/audit-writer.ts", import.meta.url)));

test("a log whose writer is killed over and over holds, in one chain over all files and restarts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
  try {
    const path = join(folder, "audit.jsonl");
    const inOrder = () => readdirSync(folder).sort((a, b) => (a === "audit.jsonl" ? 1 : b === "audit.jsonl" ? -1 : a.localeCompare(b))).map((name) => join(folder, name));
    let lines = 0;
    for (let round = 0; round < 3; round++) {
      const child = spawn(process.execPath, [writer, path], { stdio: ["ignore", "pipe", "inherit"], timeout: 20_000, killSignal: "SIGKILL" });
      await once(child.stdout, "data");
      child.kill("SIGKILL");
      await once(child, "close");
      const report = await verifyAudit(inOrder());
      assert.equal(report.problem, undefined);
      assert.ok(report.lines > lines + 100, `${report.lines} lines in round ${round}`);
      assert.deepEqual([report.writers.length, report.writers[0]?.firstSeq, report.writers[0]?.head.seq], [1, 1, report.lines]);
      lines = report.lines;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
