import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { bench } from "../../src/cli/bench.ts";
import { policyServer, temporaryFolder } from "../gateway/config/kit.ts";
import { runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const config = () => folder.write("gateway.json", { upstreams: { files: { command: "x" }, crm: { command: "x" } }, interceptors: [{ use: "redact" }, { ...policyServer(), upstreams: ["files"] }] });
const run = (...words: string[]) => runText(["bench", ...words, "--time", "2"]);

interface Cost {
  readonly upstream: string;
  readonly rows: readonly { readonly message: string; readonly refused: number; readonly runs: number; readonly interceptors: readonly { readonly address: string; readonly p50Us: number }[] }[];
}

describe("bench", () => {
  it("prints what each message costs before each upstream, and each interceptor's part", async () => {
    const { code, stdout, stderr } = await run(config());
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^files\n {2}message +bytes +p50 µs +p99 µs +mean µs +a second\n {2}list of 20 +\d+ +[\d.]+ /);
    assert.match(stdout, /\n {2}result 256 KiB +26\d{4} /);
    assert.match(stdout, /\n {2}p50 µs, and share +redact\/redact +server\/names\n {2}list of 20 +[\d.]+ \(\d+ %\) +–\n {2}call +[\d.]+ \(\d+ %\) +[\d.]+ \(\d+ %\)\n/);
    assert.match(stdout, /\ncrm\n[^]*share +redact\/redact\n/);
  });

  it("measures messages of one's own, and those of a recording, as JSON too", async () => {
    const own = await run(config(), "--upstream", "files", "--json", "--payload", '{"method":"tools/call","params":{"name":"rm"}}');
    const [cost, ...others] = JSON.parse(own.stdout) as Cost[];
    assert.deepEqual([cost?.upstream, others.length, cost?.rows.length], ["files", 0, 1]);
    const row = cost?.rows[0];
    assert.deepEqual([row?.message, row?.refused], ["tools/call", row?.runs]);
    assert.ok(row?.interceptors.some(({ address, p50Us }) => address === "server/names" && p50Us > 0));
    const line = { at: "2026-07-28T00:00:00.000Z", session: "s", from: "client", kind: "request", event: "tools/call", phase: "request", id: 1, params: { name: "rm" } };
    const header = { recording: 1, at: line.at, session: "s", redactedBy: [] };
    const answer = { ...line, from: "server", kind: "response", phase: "response", params: undefined, error: { code: 1, message: "m" } };
    const recording = folder.write("session.jsonl", [header, line, answer].map((one) => `${JSON.stringify(one)}\n`).join(""));
    const { stdout } = await run(config(), "--upstream", "crm", "--json", "--recording", recording);
    assert.deepEqual((JSON.parse(stdout) as Cost[])[0]?.rows.map(({ message }) => message), ["line 2: tools/call", "line 3: tools/call answer"]);
    const refused = await run(config(), "--upstream", "files", "--tool", "rm");
    assert.match(refused.stdout, /\n {2}call .* refused each time\n/);
  });

  it("ends with code 1 where an interceptor fails, and refuses what makes no sense", async () => {
    const remembers = folder.write("failing.json", { upstreams: { files: { command: "x" } }, interceptors: [{ use: "tool-filter", config: { deny: ["rm"] }, when: { annotation: "readOnlyHint", equals: true } }] });
    const failed = await run(remembers, "--payload", '{"method":"tools/call","params":{"name":"new"}}');
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /tools\/call .* refused each time, an interceptor failed each time/);
    const wrong: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /the configuration is missing/],
      [[config(), "--payload", "{}"], /--payload needs a method/],
      [[config(), "--payload", '{"method":"x","result":5}'], /params and result must be objects/],
      [[config(), "--payload", '{"method":"x"}', "--recording", "x"], /two sources/],
      [[config(), "--recording", config()], /is no recording/],
    ];
    for (const [words, text] of wrong) await assert.rejects(async () => bench.run(words), text);
    const { code, stderr } = await run(config(), "--upstream", "fils");
    assert.deepEqual([code, /did you mean files\?/.test(stderr)], [2, true]);
  });
});
