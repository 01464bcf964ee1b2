// What holds for all verbs alike.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, describe, it } from "node:test";
import { UsageError } from "../../src/cli/errors.ts";
import { parseOptions } from "../../src/cli/options.ts";
import { loadVerbs } from "../../src/cli/verbs.ts";
import { splitWords } from "../../src/cli/words.ts";
import { openAudit } from "../../src/gateway/audit.ts";
import { METHODS } from "../../src/core/wire/methods.ts";
import { readyMade } from "../../src/library/catalog.ts";
import { temporaryFolder } from "../gateway/config/kit.ts";
import { decision } from "../gateway/decision-kit.ts";
import { VERBS } from "./all-verbs.ts";
import { bundledCli, fixture } from "./run-cli.ts";
import { refuseAll, runMany } from "./run-text.ts";

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

// A ready-made interceptor of `NAME[=JSON]`.
const makeOf = (word: string) => {
  const [name = "", ...config] = word.split("=");
  return (readyMade.get(name) ?? assert.fail(name)).create(config.length === 0 ? undefined : JSON.parse(config.join("=")));
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
  it("is here as the command line loads it", async () => {
    assert.deepEqual(VERBS, await loadVerbs());
  });

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

  it("has examples whose words it takes", () => {
    for (const { name, help } of VERBS) {
      const lines = (/\n\nExample:\n([^]*?)\n\n/.exec(help)?.[1] ?? "").replaceAll("\\\n", " ").split("\n");
      const words = lines.map((line) => splitWords(line));
      assert.ok(words.some(([, own]) => own === name || name.startsWith("fixture-")), `${name}: no example of its own`);
      for (const [program, called = "", ...rest] of words) {
        assert.equal(program, "mcp-interceptors", name);
        const { positionals, values } = parseOptions(rest, verb(called).options);
        for (const use of values.get("use") ?? []) assert.doesNotThrow(() => makeOf(use), use);
        if (called === "list" || called === "chain") for (const word of positionals.filter((one) => readyMade.has(one))) makeOf(word);
        for (const option of ["payload", "principal"]) for (const json of values.get(option) ?? []) assert.doesNotThrow(() => JSON.parse(json), json);
        for (const event of [...(values.get("event") ?? []), ...(values.get("method") ?? [])]) assert.ok(METHODS.has(event), event);
        for (const command of [...(values.get("command") ?? []), ...(values.get("adapter") ?? [])]) assert.ok(verb(splitWords(command)[1] ?? ""), command);
      }
    }
  });

  it("suggests what was meant, whatever the word is", async () => {
    const cases: readonly (readonly [words: readonly string[], hint: string])[] = [
      [["lits"], "list"],
      [["help", "lits"], "list"],
      [["help", "redct"], "redact"],
      [["help", "tool-fliter"], "tool-filter"],
      [["completion", "bsh"], "bash"],
      [["list", "redct"], "redact"],
      [["list", "redact", "--evnt", "x"], "--event"],
      [["list", "redact", "-evnt", "x"], "--event"],
      [["invoke", "redact", "redct", "--event", "tools/call"], "redact"],
      [["chain", "redact", "--event", "tools/call", "--phase", "requst"], "request"],
      [["wrap", "--use", "redct", "--", "x"], "redact"],
      [["wrap", "--ues", "redact", "--", "x"], "--use"],
      [["init", client, "--use", "redct"], "redact"],
      [["init", client, "--server", "flies"], "files"],
      [["gateway", "-c", config, "--stdio", "flies"], "files"],
      [["explain", config, "--method", "tools/list", "--upstream", "flies"], "files"],
      [["bench", config, "--upstream", "flies"], "files"],
      [["replay", recording, "-c", config, "--upstream", "flies"], "files"],
      [["audit", "verfy", log], "verify"],
      [["conformance", "--command", "x", "--revision", "2025-11-26"], "2025-11-25"],
      [["vendor", "x", "--entry", "libary"], "library"],
    ];
    await refuseAll(cases.map(([words, hint]) => [words, new RegExp(`did you mean ${hint}\\?`)]));
  });

  it("warns of an event that is nearly a method of MCP, as any name may be one", async () => {
    const cases = [["list", "redact", "--event"], ["invoke", "redact", "redact", "--event"], ["chain", "redact", "--event"], ["explain", config, "--method"]];
    const ran = await runMany([...cases.flatMap((words) => ["tool/call", "custom/summary"].map((event) => [...words, event])), ["bench", config, "--time", "1", "--payload", '{"method":"tools/cal"}']]);
    for (const [at, words] of cases.entries()) {
      const [near, far] = ran.slice(2 * at);
      assert.deepEqual([near?.code, far?.code, far?.stderr], [0, 0, ""], words.join(" "));
      assert.equal(near?.stderr, `mcp-interceptors: warning: ${words.at(-1)} tool/call is no method of MCP; did you mean tools/call?\n`);
    }
    assert.match(ran.at(-1)?.stderr ?? "", /the method of --payload tools\/cal is no method of MCP; did you mean tools\/call\?/);
  });

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
    const ran = await runMany([...JSON_WORDS].map(([name, [words]]) => [name, ...words, "--json"]));
    for (const [at, [name, [, expected]]] of [...JSON_WORDS].entries()) {
      const { code, stdout, stderr } = ran[at] ?? assert.fail(name);
      assert.equal(code, expected, `${name}: ${stderr}`);
      assert.doesNotThrow(() => assert.equal(typeof JSON.parse(stdout), "object"), `${name}: ${stdout.slice(0, 100)} ${stderr}`);
    }
  });

  it("ends well where nobody reads what it prints", async () => {
    for (const words of [["help", "audit"], ["list", "redact", "--json"], ["check", config, "--no-connect", "--stdio", "files"]]) {
      const child = spawn(process.execPath, [bundledCli(), ...words], { stdio: ["ignore", "pipe", "pipe"] });
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.stdout.destroy();
      const code = await new Promise((resolve) => child.once("close", resolve));
      assert.deepEqual([code, stderr], [0, ""], words.join(" "));
    }
  });
});
