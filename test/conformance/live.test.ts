// The verbs `conformance` and `fixture-server`, as processes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../src/conformance/kit.ts";
import { CLI, conformance, nodeLine, root } from "./run-conformance.ts";
import { vectors } from "./vectors.ts";

const broken = fileURLToPath(new URL("fixtures/broken-server.mjs", import.meta.url));
const OURS = nodeLine(...CLI, "fixture-server");
const brokenBy = (way: string) => nodeLine(broken, way);

const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const reportOn = async (command: string, ...words: string[]): Promise<{ readonly code: number; readonly report: Report }> => {
  const { code, stdout, stderr } = await conformance("--command", command, "--reporter", "json", ...words);
  assert.notEqual(stdout, "", stderr);
  return { code, report: JSON.parse(stdout) as Report };
};

const measured = vectors.filter(({ kind }) => kind === "list" || kind === "invoke");

describe("conformance against a live server", { concurrency: 2 }, () => {
  it("finds nothing wrong with our own", async () => {
    const { code, stdout } = await conformance("--command", OURS);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^MUST +\d+ of \d+ hold \(100 %\)$/m);
    assert.match(stdout, new RegExp(`^${measured.length} vectors passed, 0 failed, 0 were skipped$`, "m"));
  });

  it("finds nothing wrong with our own over HTTP, which says where it is and ends well by a signal", { timeout: 30_000 }, async () => {
    const server = spawn(process.execPath, [...CLI, "fixture-server", "--http", "0"], { cwd: root, stdio: ["ignore", "pipe", "pipe"], timeout: 30_000 });
    const ended = once(server, "exit");
    let stderr = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const lines = createInterface({ input: server.stdout });
    const printed: string[] = [];
    lines.on("line", (line) => printed.push(line));
    await once(lines, "line");
    const [url = ""] = printed;
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const { code, stdout } = await conformance("--url", url);
    assert.equal(code, 0, stdout);
    assert.match(stdout, new RegExp(`^${measured.length} vectors passed, 0 failed, 0 were skipped$`, "m"));
    server.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
    assert.equal(stderr, `mcp-interceptors: serving the fixtures on ${url}\n`);
    assert.deepEqual(printed, [url]);
  });

  it("takes an entry of the known failures that passes for a failure", async () => {
    const known = join(folder, "known.txt");
    writeFileSync(known, "invoke/validator/deny  # was broken once\n\n");
    const { code, report } = await reportOn(OURS, "--known", known);
    assert.deepEqual([code, report.ok, report.failed], [1, false, 0]);
    assert.deepEqual(report.vectors.filter(({ status }) => status === "fixed").map(({ id }) => id), ["invoke/validator/deny"]);
  });

  it("ends with exit code 2 where the report cannot be printed", { skip: !existsSync("/dev/full") }, async () => {
    const full = openSync("/dev/full", "w");
    try {
      const child = spawn(process.execPath, [...CLI, "conformance", "--command", OURS], { cwd: root, stdio: ["ignore", full, "pipe"] });
      let stderr = "";
      child.stderr?.on("data", (chunk) => (stderr += String(chunk)));
      assert.deepEqual(await once(child, "close"), [2, null]);
      assert.match(stderr, /the report cannot be written: .*ENOSPC/);
    } finally {
      closeSync(full);
    }
  });

  it("names the requirements that a server breaks which allows all", async () => {
    const { code, report } = await reportOn(brokenBy("allows-all"));
    assert.equal(code, 1);
    const brokenIds = report.requirements.filter(({ status }) => status === "broken").map(({ id }) => id);
    for (const id of ["verdict.no-severity", "verdict.odd-severity", "invoke.failed", "invoke.unknown", "mutator.result", "list.order", "time.error"]) assert.ok(brokenIds.includes(id), id);
    assert.equal(report.vectors.find(({ id }) => id === "invoke/validator/allow")?.status, "passed");
  });

  for (const [way, what] of [["exits", "ends at once"], ["mute", "never answers"], ["garbage", "prints garbage"], ["crashes", "crashes in mid-run"]] as const) {
    it(`reports a server that ${what}, vector by vector`, async () => {
      const { code, report } = await reportOn(brokenBy(way), "--timeout", "300");
      assert.equal(code, 1);
      assert.equal(report.passed + report.failed, measured.length);
      assert.equal(report.vectors.find(({ id }) => id === "invoke/validator/deny")?.status, "failed");
    });
  }

  it("reports a command that does not exist", async () => {
    const { code, report } = await reportOn("no-such-command-anywhere");
    assert.deepEqual([code, report.passed], [1, 0]);
  });

  it("refuses a call without a command, with one that is not quoted, or with known failures that are none, with code 2", async () => {
    const known = join(folder, "odd.txt");
    writeFileSync(known, "invoke/no-such-vector\n");
    const runs = await Promise.all([conformance(), conformance("--command", "a", "b"), conformance("--command", "a", "--known", known), conformance("--command", "a", "--reporter", "xml")]);
    assert.deepEqual(runs.map(({ code }) => code), [2, 2, 2, 2]);
    assert.match(runs[2]?.stderr ?? "", /"invoke\/no-such-vector", which is no vector of this run/);
  });
});
