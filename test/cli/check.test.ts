import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { policyServer, temporaryFolder } from "../gateway/config/kit.ts";
import { fixture } from "./run-cli.ts";
import { runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const files = { command: process.execPath, args: [fixture("server.mjs")] };

const check = (...words: string[]) => runText(["check", ...words], { env: { CHECK_SECRET: "s3cret-value" } });

describe("check", { concurrency: 2 }, () => {
  it("connects, and prints what each upstream is and what guards it", async () => {
    const file = folder.write("fine.json", {
      upstreams: { files, more: files },
      interceptors: [{ use: "redact", phase: "response" }, policyServer()],
      expose: { name: "policies" },
      http: {},
    });
    const { code, stdout, stderr } = await check(file);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Upstreams\n {2}files: fixture 1, 2025-11-25 \(handshake\), tools; 2 tools\n {2}more: /);
    assert.match(stdout, /^Affinity behind a balancer, by the revisions of clients\n {2} +2026-07-28 +older revisions\n {2}files +parked calls +sessions\n {2}more +parked calls +sessions\n {2}policies +none +sessions\n/m);
    assert.match(stdout, /^Exposed to chains elsewhere\n {2}policies: redact\n\n/m);
    const json = JSON.parse((await check(file, "--json")).stdout) as { upstreams: { name: string; reached: boolean; tools: number; affinity: object; coverage: { rows: { method: string }[] } }[]; exposed: object; warnings: string[]; well: boolean };
    assert.deepEqual(json.upstreams.map(({ name, reached, tools, affinity }) => ({ name, reached, tools, affinity })), ["files", "more"].map((name) => ({ name, reached: true, tools: 2, affinity: { stateless: "parked calls", handshake: "sessions" } })));
    assert.deepEqual([json.exposed, json.warnings, json.well], [{ name: "policies", interceptors: ["redact"] }, [], true]);
    assert.match(stdout, /\n\nnothing is wrong\n$/);
    assert.ok(json.upstreams[0]?.coverage.rows.some(({ method }) => method === "tools/call"));
    // Both are guarded alike, and told of once.
    assert.match(stdout, /^files, more\n===========\n\nIntercepted, by the guard of a server\n/m);
    assert.match(stdout, /^ {2}tools\/call +client +request +receiving +validate: server\/names$/m);
    assert.equal(stdout.split("Intercepted, by the guard").length, 2);
  });

  it("says what an audit log leaves out, where there is one and anything passes unhooked", async () => {
    const rest = /^Not in the audit log\n {2}What passes unhooked: /m;
    const audit = { file: "audit.jsonl" };
    const all = { use: "size-limit", mode: "audit" };
    const some = { use: "tool-filter", config: { deny: ["rm"] } };
    const told = [{ audit, interceptors: [some] }, { interceptors: [some] }, { audit, interceptors: [some, all] }].map(async (config, index) => {
      const { stdout } = await check("--no-connect", folder.write(`audited-${index}.json`, { upstreams: { files }, ...config }));
      return [/^Passes unhooked\n {2}\(nothing\)$/m.test(stdout), rest.test(stdout)];
    });
    assert.deepEqual(await Promise.all(told), [[false, true], [false, false], [true, false]]);
  });

  it("warns of what can never run, by its place, and with --strict that counts", async () => {
    const file = folder.write("idle.json", { upstreams: { files }, interceptors: [{ use: "redact", events: ["prompts/get"] }], stdio: "files" });
    const { code, stdout, stderr } = await check("--strict", file);
    assert.match(stdout, /\n\n1 warning\n$/);
    assert.deepEqual([code, stderr], [1, `${file}:11:5: warning: /interceptors/0 redact can never run at files: it has no prompts\n`]);
  });

  it("warns of a file that serves nothing by itself, unless it is said what --stdio will name, and of hosts that this machine has not", async () => {
    const file = folder.write("bare.json", { upstreams: { files } });
    const away = folder.write("away.json", { upstreams: { files }, http: { host: "203.0.113.7", allowedHosts: "any" } });
    const [bare, named, wrong, host] = await Promise.all([check("--no-connect", file), check("--no-connect", "--strict", "--stdio", "files", file), check("--stdio", "fils", file), check("--no-connect", away)]);
    assert.deepEqual([bare.code, bare.stderr], [0, `${file}:1:1: warning: serves nothing, unless a gateway is started with --stdio NAME: add "http": {}, or name the upstream that is served on stdin and stdout\n`]);
    assert.deepEqual([named.code, named.stderr], [0, ""]);
    assert.deepEqual([wrong.code, wrong.stderr], [1, `${file}: has no upstream "fils"; did you mean files?\nmcp-interceptors: the configuration cannot be used: 1 problem\n`]);
    assert.match(host.stderr, /away\.json:\d+:\d+: warning: \/http\/host is no address of this machine, and only where it is one can a gateway listen there$/m);
  });

  it("tells of an upstream that cannot be reached, and of none with --no-connect", async () => {
    const file = folder.write("gone.json", { upstreams: { gone: { command: `${folder.path}/no-such-program` }, files }, http: {} });
    const [reached, alone] = await Promise.all([check(file), check("--no-connect", file)]);
    assert.equal(reached.code, 1);
    assert.match(reached.stderr, /^mcp-interceptors: gone cannot be reached: /);
    assert.match(reached.stdout, /^ {2}gone: not asked$/m);
    assert.deepEqual([alone.code, alone.stderr], [0, ""]);
    assert.deepEqual([reached, alone].map(({ stdout }) => stdout.trimEnd().split("\n").at(-1)), ["1 upstream cannot be reached", "nothing is wrong"]);
  });

  it("breaks lists that are wider than 100 columns", async () => {
    const names = Array.from({ length: 12 }, (_, index) => ({ use: "redact", name: `personal-data-${index}` }));
    const { stdout } = await check("--no-connect", folder.write("wide.json", { upstreams: { files }, interceptors: names }));
    const lines = stdout.split("\n");
    const listing = lines.filter((line) => /tools\/|mutate: |resources\//.test(line));
    assert.deepEqual(listing.filter((line) => line.length > 100), []);
    const at = lines.findIndex((line) => /^ {2}tools\/call +client +request/.test(line));
    assert.match(lines.slice(at, at + 2).join("\n"), /mutate:\n {6}personal-data-0\/redact > personal-data-1\/redact > /);
  });

  it("says what is wrong, with exit code 1, and keeps secrets in it and in the report", async () => {
    const wrong = folder.write("wrong.json", '{ "upstreams": { "a": { "command": "x" } }, "interceptors": [{ "command": "${CHECK_SECRET}" }] }');
    const shown = folder.write("shown.json", { upstreams: { a: { command: "x" } }, interceptors: [{ use: "redact", name: "${CHECK_SECRET}" }] });
    const [refused, fine] = await Promise.all([check(wrong), check("--no-connect", shown)]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^\S+wrong\.json:1:62: \/interceptors\/0 .*\*\*\*.*\nmcp-interceptors: the configuration cannot be used: 1 problem\n$/);
    assert.equal(fine.code, 0);
    assert.match(fine.stdout, /\*\*\*\/redact/);
    assert.doesNotMatch([refused.stdout, refused.stderr, fine.stdout, fine.stderr].join(), /s3cret/);
  });

  it("tells all faults in one run, of servers that do not answer as well, and as one JSON value where it is asked for that", async () => {
    const file = folder.write("many.json", {
      upstreams: { files, own: { module: "./none.mjs" } },
      interceptors: [{ use: "redct" }, { use: "tool-filter", config: { deny: 5 } }, { use: "redact", upstreams: ["fiels"] }, { command: process.execPath, args: ["-e", "0"] }, { use: "redact", overrides: { redcat: { mode: "audit" } } }],
    });
    const { code, stdout, stderr } = await check("--json", file);
    const { error } = JSON.parse(stdout) as { error: { exitCode: number; message: string; problems: { file: string; line: number; column: number; pointer: string; message: string; cause?: string }[] } };
    assert.deepEqual([code, error.exitCode, error.message], [1, 1, "the configuration cannot be used: 6 problems"]);
    assert.deepEqual(
      error.problems.map(({ pointer, message, cause }) => [pointer, message.split(":")[0]?.split(";").at(-1)?.trim(), cause]),
      [
        ["/upstreams/own", `there is no file ${folder.path}/none.mjs`, undefined],
        ["/interceptors/0/use", "did you mean redact?", undefined],
        ["/interceptors/1", "config of tool-filter", undefined],
        ["/interceptors/2/upstreams/0", "did you mean files?", undefined],
        ["/interceptors/3", "the connection is closed", "unanswered"],
        ["/interceptors/4/overrides/redcat", "did you mean redact?", undefined],
      ],
    );
    // People read the same.
    assert.equal(stderr, `${error.problems.map(({ line, column, pointer, message }) => `${file}:${line}:${column}: ${pointer} ${message}\n`).join("")}mcp-interceptors: ${error.message}\n`);
  });
});
