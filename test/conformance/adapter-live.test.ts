// `conformance --adapter` and `fixture-adapter`, as processes.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { Report } from "../../src/conformance/kit.ts";
import { CLI, conformance, nodeLine, root } from "./run-conformance.ts";
import { vectors } from "./vectors.ts";

const broken = fileURLToPath(new URL("fixtures/broken-adapter.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ours = (verb: string) => nodeLine(...CLI, verb);
const brokenBy = (way: string) => nodeLine(broken, way);

const reportOn = async (way: string, ...words: string[]): Promise<{ readonly code: number; readonly report: Report }> => {
  const { code, stdout, stderr } = await conformance("--adapter", brokenBy(way), "--reporter", "json", ...words);
  assert.notEqual(stdout, "", stderr);
  return { code, report: JSON.parse(stdout) as Report };
};
const measured = vectors.filter(({ kind }) => kind === "chain" || kind === "descriptor" || kind === "dialect");
const called = vectors.filter(({ kind }) => kind === "list" || kind === "invoke");
// The one that the broken adapter is wrong in.
const fifth = measured[4]?.id ?? "";

describe("conformance against an adapter", { concurrency: 2 }, () => {
  it("finds nothing wrong with ours, alone or beside our server", async () => {
    const [alone, both] = await Promise.all([conformance("--adapter", ours("fixture-adapter")), conformance("--adapter", ours("fixture-adapter"), "--command", ours("fixture-server"))]);
    for (const [{ code, stdout }, count] of [[alone, measured.length], [both, measured.length + called.length]] as const) {
      assert.equal(code, 0, stdout);
      assert.match(stdout, /^MUST +\d+ of \d+ hold \(100 %\)\nSHOULD +\d+ of \d+ hold \(100 %\)$/m);
      assert.match(stdout, new RegExp(`^${count} vectors passed, 0 failed, 0 were skipped$`, "m"));
    }
  });

  for (const [way, what] of [["crashes", /exited with code 4; its last line on stderr: a fine mess/], ["garbage", /it printed what is no message: \}\{ no/], ["hangs", /no answer in 400 ms/]] as const) {
    it(`reports what an adapter that ${way} was asked, and asks a new one the rest`, async () => {
      const { code, report } = await reportOn(way, "--timeout", "400");
      assert.equal(code, 1);
      const outcome = report.vectors.find(({ id }) => id === fifth);
      assert.equal(outcome?.status, "failed");
      assert.match(outcome?.actual ?? "", what);
      assert.equal(report.skipped, 0);
      // It refuses all that it is asked, which is right for what is to be refused.
      assert.equal(report.passed, measured.filter(({ id, expect }) => id !== fifth && JSON.stringify(expect) === '{"refused":true}').length);
    });
  }

  for (const [way, what] of [["exits", /the adapter: it does not start: .* exited with code 3; its last line on stderr: no licence found$/], ["mute", /the adapter: it does not start: no answer to hello in 900 ms$/], ["banner", /it printed what is no message: Welcome/]] as const) {
    it(`reports an adapter that ${way}, in each vector`, async () => {
      const { code, report } = await reportOn(way, "--timeout", "300");
      assert.deepEqual([code, report.passed, report.failed], [1, 0, measured.length]);
      for (const { actual } of report.vectors) assert.match(actual ?? "", what);
    });
  }

  it("reports a command that does not exist, beside a server that does", async () => {
    const { code, stdout } = await conformance("--adapter", "no-such-command-anywhere", "--command", ours("fixture-server"), "--reporter", "json");
    const report = JSON.parse(stdout) as Report;
    assert.deepEqual([code, report.passed, report.failed], [1, called.length, measured.length]);
  });

  it("drains what an adapter says on stderr, however much that is", async () => {
    const { code, report } = await reportOn("chatters");
    assert.equal(code, 1);
    assert.ok(report.passed > 0);
  });

  it("skips what is unsupported, with the reason, and does not call that conformance", async () => {
    const { code, stdout, stderr } = await conformance("--adapter", brokenBy("unsupported"));
    assert.equal(code, 2);
    assert.match(stdout, new RegExp(`^0 vectors passed, 0 failed, ${measured.length} were skipped\\n  ${measured.length}: there is no \\\\u001b\\[31mchain`, "m"));
    assert.match(stderr, /nothing was tested/);
  });

  it("holds known failures against an adapter, too", async () => {
    const known = join(folder, "known.txt");
    const refused = measured.find(({ expect }) => JSON.stringify(expect) === '{"refused":true}')?.id ?? "";
    const wrong = measured.find(({ id, expect }) => id !== fifth && JSON.stringify(expect) !== '{"refused":true}')?.id ?? "";
    writeFileSync(known, `${refused}\n${wrong}\n`);
    const { code, report } = await reportOn("right", "--known", known);
    assert.equal(code, 1);
    const statusOf = (wanted: string) => report.vectors.find(({ id }) => id === wanted)?.status;
    assert.deepEqual([statusOf(refused), statusOf(wrong)], ["fixed", "known"]);
  });

  it("writes XML that a parser takes, whatever an adapter prints", async (t: TestContext) => {
    for (const way of ["garbage", "unsupported"]) {
      const { stdout } = await conformance("--adapter", brokenBy(way), "--reporter", "junit", "--timeout", "400");
      const parse = "import sys, xml.dom.minidom as m; d = m.parseString(sys.stdin.buffer.read()); print(len(d.getElementsByTagName('testcase')))";
      const parsed = spawnSync("python3", ["-c", parse], { input: stdout, encoding: "utf8" });
      if (parsed.error !== undefined) return t.skip("there is no python3 here");
      assert.equal(parsed.stdout.trim(), String(measured.length), parsed.stderr);
    }
  });

  it("ends in peace where nobody reads its report to the end", async () => {
    const child = spawn(process.execPath, [...CLI, "conformance", "--adapter", brokenBy("right")], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdout.destroy();
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.deepEqual([code, stderr], [1, ""]);
  });

  it("refuses an empty command, two of them, and a report that cannot be written, with code 2", async () => {
    const runs = await Promise.all([conformance("--adapter", " "), conformance("--adapter", "a", "--adapter", "b"), conformance("--adapter", brokenBy("unsupported"), "--output", folder)]);
    assert.deepEqual(runs.map(({ code }) => code), [2, 2, 2]);
  });
});
