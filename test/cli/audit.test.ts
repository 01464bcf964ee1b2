import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { audit } from "../../src/cli/audit.ts";
import { doctor } from "../../src/cli/doctor.ts";
import { describeUnread, UsageError } from "../../src/cli/errors.ts";
import { openAudit } from "../../src/gateway/audit.ts";
import { decision } from "../gateway/decision-kit.ts";
import { bundledCli } from "./run-cli.ts";
import { runText } from "./run-text.ts";

describe("the verb audit", () => {
  let folder: string;
  let log: string;
  let key: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    [log, key] = [join(folder, "audit.jsonl"), join(folder, "key")];
    writeFileSync(key, "a key\n");
    const opened = await openAudit({ path: log, key: "a key", sync: "never" });
    for (let id = 1; id <= 3; id++) await opened.record(decision({ id }));
    await opened.close();
  });
  after(() => rmSync(folder, { recursive: true }));

  async function run(...words: readonly string[]): Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }> {
    const main = bundledCli();
    return new Promise((resolve) => {
      execFile(process.execPath, [main, "audit", ...words], { timeout: 20_000 }, (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }));
    });
  }

  test("verify says that a log holds, what it cannot tell, and with an anchor that it is whole", async () => {
    const plain = await run("verify", "--key-file", key, log);
    assert.equal(plain.code, 0, plain.stderr);
    assert.match(plain.stdout, /numbers 1 to 4\n4 lines hold\nWhether the end was cut off, a log cannot tell: keep what `audit head` prints elsewhere/);
    const { stdout: head } = await run("head", "--key-file", key, log);
    assert.match(head, /^[0-9a-f]{16}:4:[0-9a-f]{64}\n$/);
    const anchored = await run("verify", "--key-file", key, "--anchor", head.trim(), log);
    assert.deepEqual([anchored.code, anchored.stdout.includes("Whether")], [0, false]);
    const cut = join(folder, "cut");
    writeFileSync(cut, readFileSync(log, "utf8").split("\n").slice(0, 2).join("\n") + "\n");
    const missing = await run("verify", "--key-file", key, "--anchor", head.trim(), cut);
    assert.deepEqual([missing.code, /MISSING: number 4/.test(missing.stdout)], [1, true]);
  });

  test("verify names the first broken line and ends with code 1", async () => {
    const changed = join(folder, "changed");
    writeFileSync(changed, readFileSync(log, "utf8").replace('"id":2', '"id":9'));
    appendFileSync(changed, '{"v":1');
    const { code, stdout } = await run("verify", "--key-file", key, changed);
    assert.equal(code, 1);
    assert.match(stdout, /^BROKEN: .*changed, line 3: its hash does not fit what it says\n/);
    const { stdout: keyless } = await run("verify", log);
    assert.match(keyless, /line 1: its hash .*\n\(if the log was written with a key, verifying needs --key-file\)/);
  });

  test("stats counts decisions, and all three give JSON", async () => {
    const { code, stdout } = await run("stats", log);
    assert.equal(code, 0);
    assert.match(stdout, /^3 decisions, 2026-07-28T00:00:01\.000Z to 2026-07-28T00:00:01\.000Z\n1 session, 0 principals\njudged in 12\.\d ms \(p50\), /);
    assert.match(stdout, /\nverdicts\n {2}passed {2}3\n\nmethods\n {2}tools\/call {2}3\n/);
    const json = async (...words: readonly string[]) => JSON.parse((await run(...words, "--json")).stdout) as Record<string, unknown>;
    const [counted, none, head, held] = await Promise.all([json("stats", log), json("stats", "--until", "2026-07-28", log), json("head", "--key-file", key, log), json("verify", "--key-file", key, log)]);
    assert.deepEqual([counted["decisions"], none["decisions"]], [3, 0]);
    assert.deepEqual([head["seq"], head["anchor"], held["holds"], held["lines"]], [4, `${String(head["writer"])}:4:${String(head["hash"])}`, true, 4]);
  });

  test("what was typed wrong is told, and what was meant", async () => {
    const cases = [[["verify"], /needs the files/], [["head", "a", "b"], /needs one file/], [[], /verify, head or stats/], [["verfy", log], /did you mean verify\?/], [["stats", "--since", "soon", log], /--since must be a time/], [["verify", "--anchor", "x", log], /is no anchor/], [["verify", "--key-file", "absent", log], /cannot be read/]] as const;
    for (const [words, text] of cases) {
      await assert.rejects(async () => audit.run(words), (thrown) => thrown instanceof UsageError && text.test(`${thrown.message}\n${thrown.hint ?? ""}`));
    }
    assert.equal((await run("verify")).code, 2);
    // The ready-made interceptor of that name is told of as well.
    const { stdout } = await runText(["help", "audit"]);
    assert.match(stdout, /^Usage: mcp-interceptors audit verify\|head\|stats [^]*\naudit: sends a service /);
    assert.match((await run("--help")).stdout, /audit verify\|head\|stats/);
  });

  test("what is no log to read is told in words, with code 2: no file, a folder, a pipe, one that may not be read, an empty one", async () => {
    const [empty, pipe] = [join(folder, "empty"), join(folder, "pipe")];
    writeFileSync(empty, "");
    execFileSync("mkfifo", [pipe]);
    const cases = [[join(folder, "absent"), /absent: cannot be read: there is no such file$/], [folder, /: is a folder; name the file in it$/], [pipe, /pipe: is a pipe; name a file/], [empty, /empty: there is nothing in it/]] as const;
    for (const [file, text] of cases) {
      for (const verb of ["verify", "head", "stats"]) {
        await assert.rejects(async () => audit.run([verb, file]), (thrown) => thrown instanceof UsageError && text.test(thrown.message), `${verb} ${file}`);
      }
      if (file === empty) continue;
      await assert.rejects(async () => doctor.run(["none.json", "--audit", file]), (thrown) => thrown instanceof UsageError && text.test(thrown.message), `doctor ${file}`);
    }
    // Root may read all.
    const denied = Object.assign(new Error("EACCES: permission denied, open 'locked'"), { code: "EACCES", syscall: "open" });
    assert.equal(describeUnread(denied), "cannot be read: that is not permitted");
    const absent = await run("stats", join(folder, "absent"));
    assert.deepEqual([absent.code, absent.stdout], [2, ""]);
    // One of several may be empty, and an anchor says what an empty one lacks.
    assert.equal((await run("verify", "--key-file", key, log, empty)).code, 0);
    const anchor = (await run("head", "--key-file", key, log)).stdout.trim();
    const missing = await run("verify", "--anchor", anchor, empty);
    assert.deepEqual([missing.code, /MISSING: number 4/.test(missing.stdout)], [1, true]);
  });
});
