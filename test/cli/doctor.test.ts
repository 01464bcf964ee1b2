import assert from "node:assert/strict";
import { mkdirSync, renameSync } from "node:fs";
import { after, describe, it } from "node:test";
import { openAudit } from "../../src/gateway/audit.ts";
import { policyServer, temporaryFolder } from "../gateway/config/kit.ts";
import { decision } from "../gateway/decision-kit.ts";
import { fixture } from "./run-cli.ts";
import { refuseAll, runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const files = { command: process.execPath, args: [fixture("server.mjs")] };

interface Told {
  readonly well: boolean;
  readonly items: readonly { readonly name: string; readonly ms: number; readonly interceptors?: readonly string[]; readonly error?: string }[];
  readonly upstreams: readonly { readonly name: string; readonly reached: boolean; readonly tools?: number }[];
  readonly audit?: { readonly decisions: number; readonly files: readonly string[] };
  readonly fired: readonly { readonly name: string; readonly last?: string; readonly ran?: number; readonly failedOpen?: number }[];
  readonly findings: readonly { readonly level: string; readonly about: string; readonly what: string; readonly todo: string }[];
}

let written = 0;

async function doctor(config: object, ...words: string[]) {
  const file = folder.write(`gateway-${++written}.json`, config);
  const { code, stdout, stderr } = await runText(["doctor", file, "--json", ...words], { env: { DOCTOR_SECRET: "s3cret-value" } });
  assert.ok(!stdout.includes("s3cret-value"));
  const told: Partial<Told> = stdout === "" ? {} : (JSON.parse(stdout) as Told);
  return { code, stderr, told, findings: (told.findings ?? []).map(({ level, about, what }) => `${level} ${about} ${what.slice(file.length)}`) };
}

const check = { name: "names", type: "validation", outcome: "valid", durationMs: 1 } as const;

async function write(path: string, ...decisions: Parameters<typeof decision>[0][]) {
  const log = await openAudit({ path, sync: "never" });
  for (const one of decisions) await log.record(decision(one));
  await log.close();
}

describe("doctor", { concurrency: 2 }, () => {
  it("opens each item by itself: what is broken, and what hangs, hides no other", async () => {
    const interceptors = [{ ...policyServer("dies"), name: "dead" }, { ...policyServer("silent"), name: "hung" }, policyServer(), { use: "redact" }, { use: "redact", name: "wrong", config: { kind: ["email"] } }, { module: "none.mjs" }];
    const { code, told, findings } = await doctor({ upstreams: { files, gone: { command: `${folder.path}/no-such-program` } }, interceptors, expose: { interceptors: ["wrong"] }, http: {} }, "--timeout", "1500");
    assert.deepEqual([code, told.well], [1, false]);
    assert.deepEqual(told.items?.map(({ name, interceptors: has }) => [name, has]), [["dead", undefined], ["hung", undefined], ["server", ["names"]], ["redact", ["redact"]], ["wrong", undefined], ["none", undefined]]);
    assert.deepEqual(told.upstreams?.map(({ name, reached, tools }) => [name, reached, tools]), [["files", true, 2], ["gone", false, undefined]]);
    const [dead, hung, wrong, none, gone, ...rest] = findings;
    assert.match(dead ?? "", /^problem reach :\d+:5: \/interceptors\/0 dead cannot be used \(command \S+, after \d+ ms\): .*exited with code 4/);
    assert.match(hung ?? "", /\/interceptors\/1 hung cannot be used .*: it has not answered within 1500 ms$/);
    assert.match(wrong ?? "", /\/interceptors\/4 wrong .*kind is not known/);
    assert.match(none ?? "", /\/interceptors\/5 none .*none\.mjs/);
    assert.match(gone ?? "", /\/upstreams\/gone gone cannot be used .*no such command/);
    assert.deepEqual(rest.map((line) => line.split(" ")[1]), ["fired"]);
    assert.equal(told.findings?.[2]?.todo, "see what its config takes: mcp-interceptors help redact");
  });

  it("is content where all is well, and says so for people, with the order, and what an audit log tells", async () => {
    const file = folder.write("well/gateway.json", { upstreams: { files }, interceptors: [policyServer(), { use: "redact" }], audit: { file: "audit.jsonl" } });
    await write(`${folder.path}/well/audit.jsonl`, { interceptors: [check, { ...check, name: "redact", type: "mutation", outcome: "modified" }] });
    const { code, stdout, stderr } = await runText(["doctor", file]);
    assert.deepEqual([code, stderr], [0, ""], stdout);
    assert.match(stdout, /^interceptors\n {2}✓ server +command \S+ +\d+ ms +names\n {2}✓ redact +ready-made redact +\d+ ms +redact\n\nupstreams\n {2}✓ files .* fixture 1; 2 tools\n/);
    assert.match(stdout, /^ {2}files\n {4}tools\/call request +validate: names; then mutate: redact\n {4}tools\/call response +mutate: redact\n/m);
    assert.match(stdout, /^fired, by 1 decision, the last at 2026-\S+\n {2}name +last +ran .*\n {2}server\/names +2026-\S+ +1 +0 +0 +0 +0\n {2}redact\/redact +2026-\S+ +1 +0 +1 /m);
    assert.match(stdout, /\nnothing is wrong\n$/);
  });

  it("tells what can never run and what runs in a wrong order, and what to do", async () => {
    const { code, told, findings } = await doctor({ upstreams: { files }, interceptors: [{ use: "redact", events: ["prompts/get"] }, { use: "redact", name: "all" }, { use: "size-limit", config: { action: "truncate" }, priorityHint: 1 }, { use: "tool-filter", when: { tool: "delete_*" } }] });
    assert.equal(code, 1);
    assert.deepEqual(findings.map((line) => line.replace(/:\d+:\d+/, "").slice(0, 62)), [
      "problem match : /interceptors/3 it has no rules and filters not",
      "problem match : /interceptors/0 redact can never run at files: ",
      "problem match : /interceptors/3 tool-filter can never run at fi",
      "problem match : /interceptors/3 tool-filter-list can never run ",
      "problem order : /interceptors/2 size-limit-truncate cuts texts ",
      "note fired :1:1: has no audit, so nobody can tell what has fired".replace(/:\d+:\d+/, ""),
    ].map((line) => line.slice(0, 62)));
    assert.ok(told.findings?.every(({ todo }) => todo !== ""));
    // Whether an upstream has the tool, only the upstream can tell.
    const { told: unasked } = await doctor({ upstreams: { files }, interceptors: [{ use: "redact", events: ["prompts/get"] }] }, "--no-connect");
    assert.deepEqual([unasked.well, unasked.upstreams], [true, []]);
  });

  it("counts from logs: when each has run last, what failed, what went on all the same, and what has never run", async () => {
    mkdirSync(`${folder.path}/logs`);
    const path = `${folder.path}/logs/audit.jsonl`;
    const failed = { ...check, outcome: "failed", failure: "crashed" } as const;
    await write(path, { at: "2026-07-28T00:00:01.000Z", interceptors: [failed] });
    renameSync(path, `${path}.000001`);
    await write(path, { at: "2026-07-28T00:00:02.000Z", verdict: "passed", interceptors: [check] });
    await write(`${folder.path}/logs/audit.2.jsonl`, { at: "2026-07-28T00:00:03.000Z", interceptors: [failed] });
    folder.write("logs/audit.notes.jsonl", "not ours");
    const config = { upstreams: { files }, interceptors: [policyServer(), { use: "redact", name: "${DOCTOR_SECRET}" }], audit: { file: "logs/audit.jsonl" } };
    const { code, told, findings } = await doctor(config, "--no-connect");
    assert.equal(code, 1);
    assert.deepEqual([told.audit?.decisions, told.audit?.files.length], [3, 3]);
    assert.deepEqual(told.fired?.map(({ name, last, ran, failedOpen }) => [name, last, ran, failedOpen]), [["server/names", "2026-07-28T00:00:03.000Z", 3, 2], ["***/redact", undefined, undefined, undefined]]);
    assert.match(findings[0] ?? "", /^problem fired :\d+:\d+: \/interceptors\/0 server\/names has failed: crashed 2 of 3; 2 messages went on all the same$/);
    assert.match(findings[1] ?? "", /^note fired .*redact has not run in 3 decisions$/);
    const since = await doctor(config, "--no-connect", "--since", "2026-08-01");
    assert.deepEqual([since.code, since.told.audit?.decisions, since.findings.length], [0, 0, 1]);
    const named = await doctor(config, "--no-connect", "--audit", path);
    assert.deepEqual([named.code, named.told.audit?.decisions], [0, 1]);
    const nowhere = await doctor({ ...config, audit: { file: "nowhere.jsonl" } }, "--no-connect");
    assert.match(nowhere.findings[0] ?? "", /^note fired .*\/audit\/file is not there: no gateway has written it yet$/);
  });

  it("counts two items of one name apart, by their addresses", async () => {
    const path = `${folder.path}/two.jsonl`;
    const one = { ...check, name: "redact", type: "mutation", outcome: "modified" } as const;
    await write(path, { interceptors: [{ ...one, address: "first/redact" }] }, { interceptors: [{ ...one, address: "first/redact" }, { ...one, address: "second/redact" }] });
    const items = ["first", "second", "third"].map((name) => ({ use: "redact", name }));
    const { told } = await doctor({ upstreams: { files }, interceptors: items }, "--no-connect", "--audit", path);
    assert.deepEqual(told.fired?.map(({ name, ran }) => [name, ran]), [["first/redact", 2], ["second/redact", 1], ["third/redact", undefined]]);
  });

  it("ends with exit code 2 where a word is wrong or a file cannot be read, and with 1 where the configuration cannot be used", async () => {
    const file = folder.write("fine.json", { upstreams: { files } });
    const wrong: [string[], RegExp][] = [
      [["doctor"], /the configuration is missing/],
      [["doctor", file, "more"], /unexpected "more"/],
      [["doctor", "none.json"], /none\.json: cannot be read/],
      [["doctor", file, "--no-connect", "--audit", "none.jsonl"], /--audit none\.jsonl: cannot be read: there is no such file/],
      [["doctor", file, "--since", "yesterday"], /--since must be a time/],
      [["doctor", file, "--timeout", "0"], /--timeout must be a whole number/],
    ];
    await refuseAll(wrong);
    // That a configuration cannot be used is what it looks for.
    const odd = await runText(["doctor", folder.write("odd.json", { upstreams: {}, interceptor: [] })]);
    assert.deepEqual([odd.code, /did you mean interceptors\?/.test(odd.stderr)], [1, true]);
  });
});
