// What holds for all verbs alike.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, describe, it } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { VERBS } from "../../src/cli/verbs.ts";
import { openAudit } from "../../src/gateway/audit.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { decision } from "../gateway/decision-kit.ts";
import { bundledCli, fixture } from "./run-cli.ts";
import { runText } from "./run-text.ts";

const folder = temporaryFolder();
after(() => folder.remove());

const config = folder.write("gateway.json", { upstreams: { files: { command: process.execPath, args: [fixture("server.mjs")] } }, interceptors: [{ use: "redact" }] });
const tests = folder.write("policy.test.json", { tests: [{ name: "all pass", method: "tools/list", expect: "pass" }] });
const client = folder.write("mcp.json", { mcpServers: { files: { command: "files-server" } } });
const recording = folder.write("session.jsonl", `${JSON.stringify({ recording: 1, at: "2026-07-28T00:00:00.000Z", session: "s", redactedBy: [] })}\n`);
const log = `${folder.path}/audit.jsonl`;

const verb = (name: string) => VERBS.find((one) => one.name === name) ?? assert.fail(name);
const refusal = (message: RegExp, hint?: RegExp) => (thrown: unknown) => {
  assert.ok(thrown instanceof UsageError, String(thrown));
  assert.match(thrown.message, message);
  if (hint !== undefined) assert.match(thrown.hint ?? "", hint);
  return true;
};

// Words with which each verb that can print JSON does so, and the exit code.
const JSON_WORDS: ReadonlyMap<string, readonly [words: readonly string[], code: number]> = new Map([
  ["check", [[config, "--no-connect"], 0]],
  ["list", [["redact"], 0]],
  ["invoke", [["redact", "redact", "--event", "tools/call"], 0]],
  ["chain", [["redact", "--event", "tools/call"], 0]],
  ["explain", [[config, "--method", "tools/list"], 0]],
  ["test", [[config, tests], 0]],
  ["replay", [[recording, "-c", config], 0]],
  ["bench", [[config, "--time", "1", "--payload", '{"method":"tools/list"}'], 0]],
  ["doctor", [[config, "--no-connect"], 0]],
  ["init", [[client], 0]],
  ["audit", [["stats", log], 0]],
  ["conformance", [["--adapter", `${process.execPath} -e 0`], 1]],
]);

describe("each verb", { concurrency: 3 }, () => {
  for (const { name, help, options, summary } of VERBS) {
    it(`${name} explains itself within 80 columns, with its options, an example and its exit codes`, () => {
      for (const line of help.split("\n")) assert.ok(line.length <= 80 && line === line.trimEnd(), `${line.length}: ${line}`);
      assert.ok(help.startsWith(`Usage: mcp-interceptors ${name}`));
      assert.match(help, /\n\nExample:\n {2}mcp-interceptors /);
      assert.match(help, /\n\nExit code: [^]*\n$/);
      for (const option of options) assert.match(help, new RegExp(`^  (?:-\\w, )?--${option.name}\\b`, "m"));
      assert.ok(summary.length > 0 && options.some((option) => option.name === "help"));
    });

    it(`${name} suggests the option that was meant`, async () => {
      for (const option of options) {
        await assert.rejects(verb(name).run([`--${option.name}q`]), refusal(/unknown option/, /did you mean --/));
        await assert.rejects(verb(name).run(["-Z"]), refusal(/unknown option -Z/));
      }
    });
  }

  it("refuses words that it has no use for", async () => {
    const surplus: readonly (readonly [string, readonly string[]])[] = [
      ["wrap", []],
      ["gateway", ["-c", config]],
      ["check", [config]],
      ["invoke", ["redact", "redact"]],
      ["explain", [config]],
      ["record", ["-o", "x"]],
      ["replay", [recording, "-c", config]],
      ["bench", [config]],
      ["doctor", [config]],
      ["init", [client]],
      ["vendor", ["nowhere"]],
      ["conformance", []],
      ["fixture-server", []],
      ["fixture-adapter", []],
    ];
    for (const [name, words] of surplus) {
      await assert.rejects(verb(name).run([...words, "surplus"]), refusal(/unexpected "surplus"/), name);
      if (name !== "wrap" && name !== "record") await assert.rejects(verb(name).run([...words, "--", "surplus"]), refusal(/unexpected "surplus"/), name);
    }
    await assert.rejects(verb("audit").run(["verfy", log]), refusal(/verify, head or stats/, /did you mean verify\?/));
    // All others take any number of words.
    assert.deepEqual(VERBS.map(({ name }) => name).filter((name) => surplus.every(([other]) => other !== name)).sort(), ["audit", "chain", "list", "test"]);
  });

  it("prints one JSON value with --json, where it has that, and nothing else on stdout", async () => {
    const opened = await openAudit({ path: log, sync: "never" });
    await opened.record(decision({}));
    await opened.close();
    assert.deepEqual(VERBS.filter(({ options }) => options.some(({ name }) => name === "json")).map(({ name }) => name).sort(), [...JSON_WORDS.keys()].sort());
    for (const [name, [words, expected]] of JSON_WORDS) {
      const { code, stdout, stderr } = await runText([name, ...words, "--json"]);
      assert.equal(code, expected, `${name}: ${stderr}`);
      assert.doesNotThrow(() => assert.equal(typeof JSON.parse(stdout), "object"), `${name}: ${stdout.slice(0, 100)} ${stderr}`);
    }
  });

  it("ends well where nobody reads what it prints", async () => {
    for (const words of [["help", "audit"], ["list", "redact", "--json"], ["check", config, "--no-connect"]]) {
      const child = spawn(process.execPath, [await bundledCli(), ...words], { stdio: ["ignore", "pipe", "pipe"] });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.stdout.destroy();
      const code = await new Promise((resolve) => child.once("close", resolve));
      assert.deepEqual([code, stderr], [0, ""], words.join(" "));
    }
  });
});
