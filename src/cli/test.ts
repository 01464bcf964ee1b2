import { writeFileSync } from "node:fs";
import { createSignal } from "../core/base/signal.ts";
import { buildPlan, createPools } from "../gateway/config/build.ts";
import { watchFiles } from "../gateway/config/file-watch.ts";
import { loadConfig } from "../gateway/config/load.ts";
import { readTests, runTests, type TestOutcome } from "../gateway/config/policy-tests.ts";
import { nodeHost } from "../node/host.ts";
import { printable } from "./describe.ts";
import { describeUnwritten, failureOf, UsageError } from "./errors.ts";
import { printToPrograms, type Exit } from "./exit.ts";
import { junitXml } from "./junit.ts";
import type { ParsedOptions } from "./options.ts";
import { runSession, SESSION_OPTIONS } from "./session.ts";
import { ENDING_SIGNALS, exitBy } from "./signals.ts";
import { unlessAborted } from "./start-watch.ts";
import { paintFor, printJson } from "./terminal.ts";
import { defineVerb, JSON_OPTION } from "./verb.ts";

/** `test CONFIG FILES…`: tests of a policy as data. */
export const test = defineVerb({
  name: "test",
  words: "file",
  usage: "CONFIG FILE… [OPTIONS]",
  about: `Runs tests of a policy, which are data: given a message, expect that it passes,
that it is blocked by whom, or what it is changed to. Reaches no upstream;
interceptor servers of the configuration are started, once for all tests. Each
test has a session of its own, and interceptors where they run in here, so that
order is of no account; its steps have them in common.
spec/policy-tests.schema.json describes the files, such as this one:

  {
    "upstream": "files",
    "tests": [
      {
        "name": "nobody deletes",
        "method": "tools/call",
        "params": { "name": "delete_file", "arguments": { "path": "/a" } },
        "expect": { "blockedBy": "tool-filter" }
      },
      {
        "name": "addresses are masked in results",
        "method": "tools/call",
        "result": { "content": [{ "type": "text", "text": "a@example.com" }] },
        "expect": { "changes": { "/content/0/text": "[REDACTED:email]" } }
      }
    ]
  }`,
  options: [
    { name: "watch", short: "w", help: "run again when a file changes, until Ctrl-C" },
    { name: "junit", value: "FILE", help: "write the results as JUnit's XML, too" },
    ...SESSION_OPTIONS.filter(({ name }) => name === "timeout" || name === "verbose"),
    JSON_OPTION,
  ],
  examples: ["mcp-interceptors test gateway.jsonc policy.test.jsonc", "mcp-interceptors test gateway.jsonc tests/*.yaml --watch"],
  exit: "Exit code: 0 where all pass, 1 where one fails, 2 for a wrong word,\nconfiguration or file.",
  action(parsed) {
    const [config, ...files] = parsed.positionals;
    if (config === undefined || files.length === 0) throw new UsageError(config === undefined ? "the configuration is missing" : "no file of tests is given", "mcp-interceptors test CONFIG FILE…");
    return parsed.values.has("watch") ? watch(parsed, config, files) : once(parsed, config, files);
  },
});

async function once(parsed: ParsedOptions, configFile: string, files: readonly string[]): Promise<Exit> {
  const json = parsed.values.has("json");
  const junit = parsed.values.get("junit")?.[0];
  return runSession(parsed, async ({ log, chainLog, lacking, signal, secrets }) => {
    const loaded = await loadConfig(configFile, { secrets, signal });
    const pools = createPools();
    const options = { log, chainLog, signal, dry: true };
    // It holds the servers of the configuration, which start once; what is made in this process is made for each test.
    const config = await buildPlan(loaded, { ...options, pools });
    const outcomes: TestOutcome[] = [];
    try {
      const upstreams = [...config.chains.keys()];
      const read = await Promise.all(files.map((file) => unlessAborted(readTests(file, upstreams), signal)));
      const open = () => buildPlan(loaded, { ...options, upstreams: config.upstreams, pools: { ...pools, made: createPools().made } });
      for (const file of read) for await (const outcome of runTests(open, file, signal)) outcomes.push(outcome);
    } finally {
      await config.close();
    }
    const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
    return () => {
      if (lacking.size > 0) log({ level: "error", message: '"principal": { "id": "ada" } in a test says who calls' });
      const shown = secrets.hideIn(outcomes);
      if (junit !== undefined) writeJunit(junit, junitXml(shown));
      if (json) printJson(shown);
      else process.stdout.write(report(shown, failed));
      return { code: failed === 0 ? 0 : 1 };
    };
  });
}

function writeJunit(file: string, xml: string): void {
  try {
    writeFileSync(file, xml);
  } catch (thrown) {
    throw new UsageError(`--junit ${file}: ${describeUnwritten(thrown)}`);
  }
}

function report(outcomes: readonly TestOutcome[], failed: number): string {
  const paint = paintFor();
  const lines: string[] = [];
  let file = "";
  for (const outcome of outcomes) {
    if (outcome.file !== file) lines.push(paint.bold(printable((file = outcome.file), 200)));
    lines.push(outcome.failure === undefined ? `  ${paint.good("✓")} ${printable(outcome.name, 200)}` : `  ${paint.bad("✗")} ${printable(outcome.name, 200)}\n      ${printable(outcome.failure, 2000)}`);
  }
  const total = `${outcomes.length} ${outcomes.length === 1 ? "test" : "tests"}`;
  return `${lines.join("\n")}\n\n${failed === 0 ? paint.good(`${total}, all pass`) : paint.bad(`${total}, ${failed} failed`)}\n`;
}

// Until somebody ends it. Each run reads everything anew.
async function watch(parsed: ParsedOptions, configFile: string, files: readonly string[]): Promise<Exit> {
  const stop = createSignal();
  let exit: Exit = { code: 0 };
  const onSignal = (signal: NodeJS.Signals) => {
    exit = exitBy(signal);
    stop.abort(undefined);
  };
  for (const signal of ENDING_SIGNALS) process.on(signal, onSignal);
  let wake = () => {};
  const watcher = watchFiles({ host: nodeHost(), pollMs: 300, changed: () => wake() });
  try {
    while (!stop.signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
        stop.signal.onAbort(() => resolve());
      });
      watcher.watch([configFile, ...files]);
      await once(parsed, configFile, files).catch((thrown: unknown) => {
        const { text, error } = failureOf(thrown);
        process.stderr.write(text);
        if (parsed.values.has("json")) printToPrograms({ error });
      });
      if (!stop.signal.aborted) process.stderr.write("mcp-interceptors: waiting for a file to change; Ctrl-C ends\n");
      await changed;
    }
  } finally {
    watcher.close();
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  }
  return exit;
}
