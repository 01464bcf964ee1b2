import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { runMany, runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

// What JSON, XML and URLs write otherwise. The other one is within numbers.
const SECRET = 'quokka"wombat\\numbat <dingo> bandicoot';
const ANY_OF_IT = /quokka|wombat|numbat|dingo|bandicoot/i;
const env = { SECRET, DIGITS: "000000" };

// Says what its config says, as policies do.
folder.write("sayer.mjs", `
const said = process.env.SECRET;
export default [{
  descriptor: { name: "sayer", type: "validation", description: "of " + said, hooks: [{ events: ["tools/call"], phase: "request" }] },
  handler: () => ({ valid: false, severity: "error", messages: [{ severity: "error", message: said.repeat(8) + JSON.stringify({ said: JSON.stringify({ said }) }) }] }),
}];
`);
const config = folder.write("gateway.json", {
  upstreams: {
    files: { command: process.execPath, args: ["-e", "console.error(process.argv[1]); process.exit(3)", "${SECRET}"], env: { DIGITS: "${DIGITS}" } },
    crm: { url: "http://127.0.0.1:1/${SECRET}", headers: { Authorization: "Bearer ${SECRET}" } },
  },
  interceptors: [
    { module: "./sayer.mjs" },
    { use: "redact", when: { any: [{ claim: "k", equals: "${SECRET}" }, { not: { argument: "/path", equals: "${SECRET}" } }] } },
    { use: "tool-filter", mode: "audit", config: { deny: ["${SECRET}"] } },
  ],
  http: { port: 0 },
});
const faulty = folder.write("faulty.json", { upstreams: { files: { command: "none-of-that-name-${SECRET}" } }, interceptors: [{ url: "http://127.0.0.1:1/${SECRET}" }, { use: "tool-filter", config: { deny: ["${SECRET}", 5] } }] });
const call = { name: "quit", arguments: { path: "x", amount: 123_000_000_456 } };
const recording = folder.write("session.jsonl", [
  { recording: 1, redactedBy: [] },
  { at: "2026-07-28T12:00:00.000Z", session: "s", from: "client", kind: "request", event: "tools/call", phase: "request", id: 1, params: call },
].map((line) => JSON.stringify(line)).join("\n"));
const tests = folder.write("policy.json", { tests: [{ name: "a call", upstream: "files", method: "tools/call", params: call, expect: "pass" }] });

// Where an answer is JSON it is read as such.
const message = ["--event", "tools/call", "--payload", JSON.stringify(call)];
const VERBS: readonly (readonly [code: number, ...words: readonly string[]])[] = [
  [1, "check", config],
  [1, "check", faulty],
  [1, "check", faulty, "--no-connect", "--verbose"],
  [1, "doctor", config],
  [1, "doctor", faulty],
  [0, "explain", config, "--tool", "x", "--arguments", '{"amount":5}'],
  [2, "explain", faulty, "--tool", "x"],
  [1, "explain", config, "--tool", "x", "--connect"],
  [0, "bench", config, "--time", "1"],
  [1, "replay", recording, "--config", config, "--upstream", "files"],
  [2, "replay", recording, "--config", faulty],
  [1, "test", config, tests, "--junit", join(folder.path, "junit.xml")],
  [0, "list", "-c", config],
  [2, "list", "-c", faulty],
  [3, "invoke", "sayer", "sayer", "-c", config, ...message],
  [3, "chain", "--upstream", "files", "-c", config, ...message],
  [3, "chain", "sayer", "redact", "-c", config, ...message, "--verbose"],
];

// Each as text and as JSON.
const ran = runMany(VERBS.flatMap(([, ...words]) => [words, [...words, "--json"]]), { env });
ran.catch(() => {});

describe("a secret of a configuration", () => {
  for (const [at, [code, ...words]] of VERBS.entries()) {
    it(`is nowhere in what ${words.map((word) => word.replace(folder.path, "").replace(/^\W/, "")).slice(0, 4).join(" ")} prints`, async () => {
      const printed = (await ran).slice(2 * at, 2 * at + 2);
      assert.deepEqual(printed.map((one) => one.code), [code, code], printed[0]?.stderr);
      for (const { stdout, stderr } of printed) assert.doesNotMatch(stdout + stderr, ANY_OF_IT);
      assert.equal(typeof JSON.parse(printed[1]?.stdout ?? ""), "object");
    });
  }

  it("is nowhere in a report as JUnit writes it", async () => {
    await ran;
    const xml = readFileSync(join(folder.path, "junit.xml"), "utf8");
    assert.match(xml, /<failure message="/);
    assert.doesNotMatch(xml, ANY_OF_IT);
  });

  for (const [how, logs] of [["text", undefined], ["JSON", { level: "debug" }]] as const) {
    it(`is nowhere in what a gateway logs as ${how}`, async () => {
      const file = folder.write(`logs-${how}.json`, {
        upstreams: { files: { command: "none-${SECRET}" } },
        interceptors: [{ url: "http://127.0.0.1:1/${SECRET}" }],
        http: { port: 0 },
        ...(logs === undefined ? {} : { logs }),
      });
      const { stderr, code } = await runText(["gateway", "-c", file, "--verbose"], { env });
      assert.deepEqual([code === 0, stderr === ""], [false, false]);
      assert.doesNotMatch(stderr, ANY_OF_IT);
    });
  }
});
