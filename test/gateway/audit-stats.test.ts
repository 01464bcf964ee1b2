import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { openAudit } from "../../src/gateway/audit.ts";
import { auditStats, OTHERS } from "../../src/gateway/audit-stats.ts";
import { createHasher, FIRST, nextLine } from "../../src/gateway/audit-line.ts";
import { temporaryFolder } from "./config/kit.ts";
import { decision } from "./decision-kit.ts";

const folder = temporaryFolder();
after(() => folder.remove());

describe("statistics of an audit log", () => {
  const path = `${folder.path}/audit.jsonl`;
  before(async () => {
    const log = await openAudit({ path, sync: "never" });
    const check = { name: "check", type: "validation", outcome: "valid", durationMs: 1 } as const;
    const mask = { name: "mask", type: "mutation", outcome: "modified", durationMs: 2 } as const;
    const ada = { type: "user", id: "ada" };
    await log.record(decision({ tool: "echo", durationMs: 10, interceptors: [check, mask], principal: ada }), "files");
    await log.record(decision({ at: "2026-07-28T00:00:05.000Z", tool: "rm", verdict: "blocked", reason: "validation_failed", by: "check", durationMs: 20, interceptors: [{ ...check, outcome: "invalid" }], principal: ada, sessionId: "s-2" }), "files");
    await log.record(decision({ at: "2026-07-28T00:00:03.000Z", event: "tools/list", verdict: "changed", durationMs: 30, interceptors: [{ ...check, outcome: "failed", failure: "crashed" }, { ...mask, mode: "audit" }], principal: { ...ada, issuer: "other" } }), "crm");
    await log.record(decision({ at: "2026-07-28T00:00:04.000Z", verdict: "blocked", reason: "timeout", by: "check", durationMs: 1000, interceptors: [{ ...check, outcome: "failed", failure: "timeout" }] }), "crm");
    await log.close();
    appendFileSync(path, '{"v":1,"wri');
  });

  it("counts by everything that a line says, and tells what failed open", async () => {
    const { judgingMs, interceptors, ...rest } = await auditStats([path]);
    assert.deepEqual(rest, {
      decisions: 4,
      first: "2026-07-28T00:00:01.000Z",
      last: "2026-07-28T00:00:05.000Z",
      verdicts: { blocked: 2, passed: 1, changed: 1 },
      reasons: { validation_failed: 1, timeout: 1 },
      upstreams: { files: 2, crm: 2 },
      methods: { "tools/call": 3, "tools/list": 1 },
      tools: { echo: 1, rm: 1 },
      principals: 2,
      sessions: 2,
      unreadable: 1,
    });
    const within = (got: number | undefined, wanted: number) => assert.ok(got !== undefined && Math.abs(got / wanted - 1) < 0.02, `${got} is not ${wanted}`);
    within(judgingMs?.p50, 30);
    within(judgingMs?.p99, 1000);
    const { check, mask } = interceptors;
    assert.deepEqual({ ...check, p50Ms: 0, p99Ms: 0 }, { ran: 4, stopped: 2, modified: 0, failures: { crashed: 1, timeout: 1 }, failedOpen: 1, last: "2026-07-28T00:00:05.000Z", p50Ms: 0, p99Ms: 0 });
    assert.deepEqual({ ...mask, p50Ms: 0, p99Ms: 0 }, { ran: 2, stopped: 0, modified: 1, failures: {}, failedOpen: 0, last: "2026-07-28T00:00:03.000Z", p50Ms: 0, p99Ms: 0 });
    within(mask?.p99Ms, 2);
  });

  it("keeps to a time, its end not included", async () => {
    const at = (seconds: number) => Date.parse(`2026-07-28T00:00:0${seconds}.000Z`);
    const { decisions, first, last } = await auditStats([path], { since: at(3), until: at(5) });
    assert.deepEqual([decisions, first, last], [2, "2026-07-28T00:00:03.000Z", "2026-07-28T00:00:04.000Z"]);
    assert.deepEqual(await auditStats([path], { since: at(9) }).then(({ judgingMs, decisions: none }) => [none, judgingMs]), [0, undefined]);
  });

  it("keeps its lists short whatever names clients make up", async () => {
    const hasher = createHasher(undefined);
    let link = { writer: "w", seq: 0, hash: FIRST };
    let text = "";
    for (let index = 0; index < 1010; index++) {
      const line = nextLine(hasher, link, { kind: "decision", at: "2026-07-28T00:00:00.000Z", verdict: "passed", event: `x/${index}`, tool: "__proto__" });
      link = line.link;
      text += line.text;
    }
    const { methods, tools } = await auditStats([folder.write("many.jsonl", text)]);
    assert.deepEqual([Object.keys(methods).length, methods[OTHERS], Object.entries(tools)], [1001, 10, [["__proto__", 1010]]]);
  });

  it("counts interceptors of one name by their addresses, what they have stopped too", async () => {
    const path = `${folder.path}/addresses.jsonl`;
    const log = await openAudit({ path, sync: "never" });
    const one = { name: "check", type: "validation", outcome: "valid", durationMs: 1 } as const;
    const stopped = { verdict: "blocked", reason: "validation_failed", by: "check" } as const;
    await log.record(decision({ ...stopped, interceptors: [{ ...one, address: "a/check" }, { ...one, address: "b/check", outcome: "invalid" }] }), "files");
    await log.close();
    const { interceptors } = await auditStats([path]);
    assert.deepEqual(Object.entries(interceptors).map(([name, { ran, stopped: count }]) => [name, ran, count]).sort(), [["a/check", 1, 0], ["b/check", 1, 1]]);
  });
});
