import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { validator } from "../../src/core/interceptor/define.ts";
import type { Decision } from "../../src/core/guard/decision.ts";
import { nodeFiles, type AuditFiles } from "../../src/gateway/audit-file.ts";
import { auditRecord } from "../../src/gateway/audit-record.ts";
import { openAudit, type AuditOptions } from "../../src/gateway/audit.ts";
import { verifyAudit } from "../../src/gateway/audit-verify.ts";
import { fakeHost, settle } from "../support/fake-host.ts";
import { call, guardedPair } from "../support/guarded-pair.ts";
import { decision, watched } from "./decision-kit.ts";

// Files take their own time.
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await settle();
}

describe("an audit log", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mcp-interceptors-"));
    path = join(folder, "audit.jsonl");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (options: Partial<AuditOptions> = {}) => openAudit({ path, host: fakeHost(), sync: "never", ...options });
  const linesIn = (file = path): Record<string, unknown>[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** Files whose disk can be full, or whose operations can fail otherwise. */
  function breakable() {
    const faults = { full: false, open: false, truncate: false, appended: 0 };
    const fail = (code: string) => Promise.reject(Object.assign(new RangeError(code), { code }));
    const files: AuditFiles = {
      ...nodeFiles,
      async open(name) {
        if (faults.open) return fail("EMFILE");
        const file = await nodeFiles.open(name);
        return {
          ...file,
          async append(bytes) {
            faults.appended++;
            if (!faults.full) return file.append(bytes);
            await file.append(bytes.subarray(0, 20));
            return fail("ENOSPC");
          },
          truncate: (size) => (faults.truncate ? fail("EIO") : file.truncate(size)),
        };
      },
    };
    return { files, faults };
  }

  test("each decision is one line in its order, in a file for its owner alone, chained to the one before", async () => {
    const log = await open();
    await Promise.all([1, 2, 3].map((id) => log.record(decision({ id }), "files")));
    const { head, written, queued } = log.stats();
    await log.close();
    const lines = linesIn();
    assert.deepEqual(lines.map(({ kind, seq, id, upstream }) => [kind, seq, id, upstream]), [["opened", 1, undefined, undefined], ...[1, 2, 3].map((id) => ["decision", id + 1, id, "files"])]);
    assert.deepEqual([written, queued, head.seq, head.hash], [3, 0, 4, lines[3]?.["hash"]]);
    lines.forEach(({ prev }, index) => assert.equal(prev, index === 0 ? "0".repeat(64) : lines[index - 1]!["hash"]));
    if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
    await assert.rejects(log.record(decision()), { code: "closed" });
  });

  test("a file that others could read no longer can be", { skip: process.platform === "win32" }, async () => {
    writeFileSync(path, "", { mode: 0o644 });
    await (await open()).close();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    await assert.rejects(openAudit({ path: folder }));
    await assert.rejects(openAudit({ path: "/dev/null" }), { code: "invalid_argument" });
  });

  test("a restart goes on with the chain, and cuts off what a kill has left of a line, wherever the kill came", async () => {
    const first = await open();
    await first.record(decision({ id: 1 }));
    await first.record(decision({ id: 2 }));
    await first.close();
    const whole = readFileSync(path);
    const start = whole.subarray(0, -1).lastIndexOf(0x0a) + 1;
    for (let at = start; at <= whole.length; at += at < whole.length - 3 ? 17 : 1) {
      writeFileSync(path, whole.subarray(0, at));
      const before = await verifyAudit([path]);
      assert.equal(before.problem, undefined, "the file is valid up to its last whole line");
      const again = await open();
      await again.record(decision({ id: 3 }));
      await again.close();
      const report = await verifyAudit([path]);
      const kept = at === whole.length ? 3 : 2;
      assert.deepEqual([report.problem, report.lines, report.writers.length, report.partial], [undefined, kept + 2, 1, []]);
      assert.equal(linesIn()[kept]!["cutBytes"], at === start || at === whole.length ? undefined : at - start);
    }
  });

  test("a file that holds something else, or a last line that does not hold, is not gone on with", async () => {
    for (const text of ["hello\n", "{}\n", "x".repeat(2_200_000), "token: abc", '{"v":2,']) {
      writeFileSync(path, text);
      await assert.rejects(open(), { code: "invalid_message" });
      assert.equal(readFileSync(path, "utf8"), text, "nor is it touched");
    }
    rmSync(path);
    await (await open({ key: "one" })).close();
    await assert.rejects(open({ key: "two" }), { code: "invalid_message" });
    await assert.rejects(open(), { code: "invalid_message" });
    await (await open({ key: "one" })).close();
  });

  describe("a full disk", () => {
    test("rejects the records that it hits, leaves nothing of them, and is over when there is room again", async () => {
      const { files, faults } = breakable();
      const log = await open({ files });
      await log.record(decision({ id: 1 }));
      faults.full = true;
      const hit = await Promise.allSettled([log.record(decision({ id: 2 })), log.record(decision({ id: 3 }))]);
      assert.deepEqual(hit.map(({ status }) => status), ["rejected", "rejected"]);
      faults.truncate = true;
      await assert.rejects(log.record(decision({ id: 4 })), { code: "closed" });
      assert.deepEqual([faults.appended, log.stats().failed], [3, 3], "nothing is appended to a torn line");
      faults.full = faults.truncate = false;
      await log.record(decision({ id: 5 }));
      await log.close();
      const report = await verifyAudit([path]);
      assert.deepEqual([report.problem, report.lines], [undefined, 3]);
      assert.deepEqual(linesIn().map(({ id }) => id), [undefined, 1, 5]);
    });

    test("is told while it lasts and looked at each second, so that its end shows where nothing is sent any more", async () => {
      const host = fakeHost();
      const { files, faults } = breakable();
      const log = await open({ files, host });
      assert.deepEqual([log.stats().failing, host.liveTimers], [undefined, 0]);
      faults.full = true;
      await Promise.allSettled([log.record(decision({ id: 1 })), log.record(decision({ id: 2 }))]);
      assert.deepEqual([log.stats().failing, log.canRecord()], ["ENOSPC", false]);
      const tried = faults.appended;
      await host.advance(1_000);
      await until(() => faults.appended === tried + 1);
      faults.full = false;
      await host.advance(1_000);
      await until(() => log.canRecord());
      assert.equal(log.stats().failing, undefined);
      assert.deepEqual([log.stats().failed, log.stats().written, host.liveTimers], [2, 0, 0], "what it tries with is no decision");
      assert.deepEqual(linesIn().map(({ kind, missed }) => [kind, missed]), [["opened", undefined], ["resumed", 2]]);
      // A decision that gets there first shows it as well.
      faults.full = true;
      await assert.rejects(log.record(decision({ id: 3 })));
      faults.full = false;
      await log.record(decision({ id: 4 }));
      assert.deepEqual([log.stats().failing, host.liveTimers], [undefined, 0]);
      faults.full = true;
      await assert.rejects(log.record(decision({ id: 5 })));
      faults.full = false;
      await log.close();
      assert.equal(host.liveTimers, 0);
      assert.equal((await verifyAudit([path])).problem, undefined);
    });

    test("is told of a disk that does not answer, too", async () => {
      const host = fakeHost();
      let answer = () => {};
      const answered = new Promise<void>((resolve) => (answer = resolve));
      let slow = false;
      const files: AuditFiles = {
        ...nodeFiles,
        async open(name) {
          const file = await nodeFiles.open(name);
          return { ...file, append: async (bytes) => (slow ? await answered : undefined, file.append(bytes)) };
        },
      };
      const log = await open({ files, host });
      slow = true;
      const recorded = log.record(decision());
      await host.advance(15_000);
      assert.equal(log.stats().failing, undefined);
      await host.advance(1);
      assert.equal(log.stats().failing, "a write takes more than 15000 ms");
      answer();
      await recorded;
      await log.close();
      assert.equal(log.stats().failing, undefined);
    });

    test("blocks messages, or lets them pass unrecorded, as the policy says", async () => {
      for (const onRecordFailure of ["block", "continue"] as const) {
        rmSync(path, { force: true });
        const { files, faults } = breakable();
        const log = await open({ files });
        const look = validator({ name: "look", hooks: [{ events: ["tools/call"], phase: "request" }] }, () => true);
        const { record, written } = watched((made) => log.record(made, "files"));
        const pair = guardedPair([look], { record, policy: { onRecordFailure } });
        faults.full = true;
        await pair.fromPeer(call(1));
        await written();
        assert.equal(pair.atApp.length, onRecordFailure === "block" ? 0 : 1);
        assert.equal(pair.atPeer.length, onRecordFailure === "block" ? 1 : 0);
        await log.close();
      }
    });
  });

  test("a file that has grown goes on in a new one, in one chain over all, also over restarts, and the oldest may go", async () => {
    let log = await open({ maxFileBytes: 2_000 });
    for (let id = 1; id <= 12; id++) {
      await log.record(decision({ id }));
      if (id % 5 !== 0) continue;
      await log.close();
      log = await open({ maxFileBytes: 2_000 });
    }
    await log.close();
    const names = readdirSync(folder).sort();
    assert.deepEqual(names.slice(0, 3), ["audit.jsonl", "audit.jsonl.000001", "audit.jsonl.000002"]);
    const inOrder = [...names.slice(1), names[0]!].map((name) => join(folder, name));
    const report = await verifyAudit(inOrder);
    assert.deepEqual([report.problem, report.lines, report.writers.length, report.writers[0]?.firstSeq], [undefined, 15, 1, 1]);
    assert.match((await verifyAudit([inOrder[1]!, inOrder[0]!])).problem?.why ?? "", /^it is number 1 of its writer, after number \d+$/);
    assert.ok(((await verifyAudit(inOrder.slice(1))).writers[0]?.firstSeq ?? 0) > 1, "a chain may begin in the middle, and says so");
    // A kill between the two steps of a rotation: the file has its new name, and there is no new one yet.
    rmSync(inOrder.at(-1)!);
    await (await open()).close();
    assert.equal((await verifyAudit(inOrder)).writers.length, 1);
    log = await open({ maxFileBytes: 1, keepFiles: 2 });
    for (let id = 0; id < 4; id++) await log.record(decision({ id }));
    await log.close();
    assert.equal(readdirSync(folder).length, 3);
  });

  test("a kill within the very first line leaves a file that is begun anew", async () => {
    await (await open()).close();
    const whole = readFileSync(path);
    for (const at of [1, 5, 12, 40, whole.length - 1]) {
      writeFileSync(path, whole.subarray(0, at));
      await (await open()).close();
      const report = await verifyAudit([path]);
      assert.deepEqual([report.problem, report.lines, report.writers[0]?.firstSeq, linesIn()[0]!["cutBytes"]], [undefined, 1, 1, at]);
    }
  });

  test("an old file that cannot be removed is told of, and holds up nothing", async () => {
    const said: string[] = [];
    const files: AuditFiles = { ...nodeFiles, remove: () => Promise.reject(new RangeError("EPERM")) };
    const log = await open({ files, maxFileBytes: 1, keepFiles: 1, log: (message) => said.push(message) });
    for (let id = 0; id < 3; id++) await log.record(decision({ id }));
    await log.close();
    assert.deepEqual(said, ["an old audit log could not be removed: EPERM", "an old audit log could not be removed: EPERM"]);
    assert.equal(readdirSync(folder).length, 4);
  });

  test("a rotation that fails rejects, and is made up for", async () => {
    const { files, faults } = breakable();
    const log = await open({ files, maxFileBytes: 1 });
    faults.open = true;
    await assert.rejects(log.record(decision({ id: 1 })), { code: "closed" });
    await assert.rejects(log.record(decision({ id: 2 })), { code: "closed" });
    faults.open = false;
    await log.record(decision({ id: 3 }));
    await log.close();
    const report = await verifyAudit([`${path}.000001`, path]);
    assert.deepEqual([report.problem, report.lines], [undefined, 2]);
  });

  test("a file that somebody else writes to is not written to", async () => {
    const log = await open();
    await log.record(decision());
    appendFileSync(path, "x\n");
    await assert.rejects(log.record(decision()), { message: /was changed by somebody else/ });
    truncateSync(path, 10);
    await assert.rejects(log.record(decision()), { message: /was changed by somebody else/ });
    await log.close();
  });

  test("records wait in a bounded line", async () => {
    const log = await open({ maxQueued: 2 });
    const outcomes = await Promise.allSettled([1, 2, 3].map((id) => log.record(decision({ id }))));
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected"]);
    await log.close();
  });

  test("lines are forced to the disk before the record settles, a while later, or not at all", async () => {
    for (const [sync, atRecord, later] of [["each", 2, 2], [1_000, 0, 1], ["never", 0, 0]] as const) {
      const host = fakeHost();
      let synced = 0;
      const files: AuditFiles = { ...nodeFiles, open: async (name) => ({ ...(await nodeFiles.open(name)), sync: () => Promise.resolve(void synced++) }) };
      const log = await open({ path: join(folder, String(sync)), host, files, sync });
      await log.record(decision());
      await log.record(decision());
      assert.equal(synced, atRecord);
      await host.advance(1_000);
      assert.equal(synced, later);
      await log.close();
      assert.equal(synced, sync === "never" ? 0 : later + 1);
      assert.equal(host.liveTimers, 0);
    }
  });

  test("a record holds names, numbers and pointers, whatever a decision may hold, and is bounded", async () => {
    const log = await open();
    const long = "x".repeat(10_000);
    const secret = "s3cret";
    const stuffed = {
      ...decision({ id: long, event: long, tool: long, changes: Array.from({ length: 150 }, () => ({ pointer: `/${long}`, kind: "added" as const })) }),
      interceptors: Array.from({ length: 250 }, () => ({ name: long, type: "mutation", outcome: "modified", durationMs: 1, provenance: { changes: [{ pointer: "/a", kind: "added", after: secret }] } })),
      payload: secret,
    } as unknown as Decision;
    await log.record(stuffed);
    await log.close();
    const text = readFileSync(path, "utf8");
    assert.ok(!text.includes(secret));
    assert.ok(text.length < 200_000, String(text.length));
    const [, line] = linesIn();
    assert.deepEqual([line!["moreChanged"], line!["moreInterceptors"], (line!["event"] as string).length], [50, 50, 257]);
  });

  test("each member of a line is in the page on operations", async () => {
    const page = readFileSync(new URL("../../src/gateway/operations.md", import.meta.url), "utf8");
    const table = page.slice(page.indexOf("| member of a line |"), page.indexOf("`mcp-interceptors audit stats"));
    const record = auditRecord(decision(), "files");
    const outcome = auditRecord(decision({ interceptors: [{ name: "n", address: "a/n", type: "validation", mode: "audit", outcome: "valid", durationMs: 1 }] }))["interceptors"] as object[];
    const members = [...Object.keys(record), ...Object.keys(outcome[0]!), "v", "writer", "seq", "prev", "hash", "cutBytes", "missed"];
    assert.deepEqual(members.filter((member) => !table.includes(`\`${member}\``)), []);
  });

  test("a file that is moved or removed while it is written is gone on from in a new one, and said so", async () => {
    const said: string[] = [];
    const log = await open({ log: (message) => said.push(message) });
    await log.record(decision({ id: 1 }));
    renameSync(path, `${path}.moved`);
    await log.record(decision({ id: 2 }));
    rmSync(path);
    await log.record(decision({ id: 3 }));
    const [moved, now] = [linesIn(`${path}.moved`), linesIn()];
    assert.deepEqual([moved.map(({ id }) => id), now.map(({ id }) => id)], [[undefined, 1], [3]]);
    assert.equal(said.filter((line) => line.includes("has been moved or removed")).length, 2);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    // Somebody else's file is not written to.
    rmSync(path);
    writeFileSync(path, "mine\n");
    await assert.rejects(log.record(decision({ id: 4 })), /another file has been put at/);
    assert.equal(readFileSync(path, "utf8"), "mine\n");
    await log.close();
  });

  test("options that make no sense are refused", async () => {
    for (const options of [{ maxFileBytes: 0 }, { sync: 0 }, { keepFiles: 0.5 }, { key: "" }]) await assert.rejects(open(options), { code: "invalid_argument" });
  });
});
