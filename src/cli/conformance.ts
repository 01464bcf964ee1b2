import { readFileSync, writeFileSync } from "node:fs";
import { describeError } from "../core/base/errors.ts";
import type { ServerTarget } from "../core/client/local-chain.ts";
import { PROTOCOL_VERSIONS } from "../core/wire/versions.ts";
import { ADAPTER_KINDS } from "../conformance/adapter-protocol.ts";
import { reportOf, runVectors, type VectorOutcome } from "../conformance/kit.ts";
import { formatReport, REPORTERS } from "../conformance/reporters.ts";
import type { Vector } from "../conformance/vector.ts";
import { nodeHost } from "../node/host.ts";
import { spawnedAdapter } from "./adapter-target.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { headersOption } from "./headers.ts";
import { liveTarget } from "./live-target.ts";
import { millisecondsOption, type ParsedOptions } from "./options.ts";
import { readRequirements, readVectors } from "./spec-files.ts";
import { defineVerb } from "./verb.ts";
import { isHttpUrl, splitWords } from "./words.ts";

/** `conformance`: an implementation against the vectors. What it does wrong is in the report, whatever it is. */
export const conformance = defineVerb({
  name: "conformance",
  words: "none",
  usage: "--command LINE|--url URL|--adapter LINE …",
  about: `Runs the conformance vectors of SEP-2624 against an implementation in any
language, and reports requirement by requirement: against an interceptor server
on stdio or over HTTP that hosts the interceptors of spec/vectors/fixtures.json,
against a chain behind an adapter, or against both in one run. spec/README.md
says what a server hosts and how an adapter is spoken to.`,
  options: [
    { name: "command", value: "LINE", help: "starts a server that hosts the fixtures: list and invoke vectors" },
    { name: "url", value: "URL", help: "such a server over HTTP" },
    { name: "header", value: "NAME:VALUE", many: true, help: "goes with each request to the URL, such as 'Authorization: Bearer …'" },
    { name: "revision", value: "DATE", choices: PROTOCOL_VERSIONS, help: "the revision of MCP to speak with the server; the newest that both know unless said" },
    { name: "adapter", value: "LINE", help: "starts a program that speaks the adapter protocol: chain, descriptor and dialect vectors" },
    { name: "reporter", value: "KIND", choices: REPORTERS, help: "text (the default), json, junit or markdown" },
    { name: "json", help: "the same as --reporter json" },
    { name: "output", value: "FILE", help: "where the report goes; stdout otherwise" },
    { name: "known", value: "FILE", help: "ids of vectors that are known to fail, one a line; they run, and fail the run once they pass" },
    { name: "timeout", value: "MS", help: "for one vector; 10000 unless said otherwise" },
  ],
  examples: ["mcp-interceptors conformance --command 'mcp-interceptors fixture-server' \\\n    --adapter 'mcp-interceptors fixture-adapter'"],
  exit: `Exit code: 0 where every MUST that was tested holds, 1 where one does not,
2 where the run itself went wrong, or tested nothing.`,
  action: measure,
});

async function measure({ values, positionals }: ParsedOptions): Promise<Exit> {
  const [unexpected] = positionals;
  if (unexpected !== undefined) throw new UsageError(`unexpected ${JSON.stringify(unexpected)}`, "put the command in quotes: --command 'COMMAND ARGS'");
  const timeoutMs = millisecondsOption(values, "timeout") ?? 10_000;
  const reporter = values.has("json") ? "json" : (REPORTERS.find((name) => name === values.get("reporter")?.[0]) ?? "text");
  if (values.has("json") && values.has("reporter")) throw new UsageError("--json and --reporter say the same twice", "use one of them");
  const server = serverOf(values);
  const adapter = commandOf(values, "adapter");
  if (server === undefined && adapter === undefined) {
    throw new UsageError("what is to be measured is missing", "mcp-interceptors conformance --command 'COMMAND ARGS', --url URL or --adapter 'COMMAND ARGS'");
  }
  const kinds = [...(server === undefined ? [] : (["list", "invoke"] as const)), ...(adapter === undefined ? [] : ADAPTER_KINDS)];
  const vectors = readVectors(kinds);
  const known = readKnown(values.get("known")?.[0], new Set(vectors.map(({ id }) => id)));

  const versions = values.get("revision");
  const live = server === undefined ? undefined : liveTarget(server, timeoutMs, versions === undefined ? {} : { versions });
  const spawned = adapter === undefined ? undefined : spawnedAdapter(adapter, timeoutMs);
  const onOutcome = process.stderr.isTTY ? showProgress(vectors.length, process.stderr) : () => {};
  // Each is made ready for the kinds of its own.
  const ready = async (kind: Vector["kind"]) => {
    await live?.target.ready?.(kind);
    await spawned?.target.ready?.(kind);
  };
  const outcomes = await runVectors(vectors, { ...live?.target, ...spawned?.target, ready }, { host: nodeHost(), timeoutMs, known, onOutcome });
  await Promise.all([live?.close(), spawned?.close()]);
  const report = reportOf(outcomes, readRequirements());
  const text = formatReport(report, reporter);
  const output = values.get("output")?.[0];
  if (output === undefined) await printReport(text);
  else writeReport(output, text);
  if (report.passed + report.failed > 0) return { code: report.ok ? 0 : 1 };
  process.stderr.write("mcp-interceptors: nothing was tested: all vectors were skipped\n");
  return { code: 2 };
}

function serverOf(values: ReadonlyMap<string, readonly string[]>): ServerTarget | undefined {
  const [command, ...args] = commandOf(values, "command") ?? [];
  const url = values.get("url")?.[0];
  const headers = headersOption(values);
  if (command !== undefined && url !== undefined) throw new UsageError("--command and --url are two servers", "measure one after the other");
  if (url === undefined) {
    if (headers !== undefined) throw new UsageError("--header needs a --url to go to");
    return command === undefined ? undefined : { command, args };
  }
  if (!isHttpUrl(url) || !URL.canParse(url)) throw new UsageError(`--url must be an http: or https: URL, not ${JSON.stringify(url)}`);
  return { url, ...(headers === undefined ? {} : { headers }) };
}

function commandOf(values: ReadonlyMap<string, readonly string[]>, option: string): readonly [string, ...string[]] | undefined {
  const line = values.get(option)?.[0];
  if (line === undefined) return undefined;
  const [command, ...args] = splitWords(line);
  if (command === undefined) throw new UsageError(`--${option} is empty`, `mcp-interceptors conformance --${option} 'COMMAND ARGS'`);
  return [command, ...args];
}

// Whoever has closed the pipe has read enough. Any other report that is not whole must not end in a code that says it was.
async function printReport(text: string): Promise<void> {
  const failed = await new Promise<Error | null | undefined>((resolve) => process.stdout.write(text, resolve));
  if (failed instanceof Error && !("code" in failed && failed.code === "EPIPE")) throw new UsageError(`the report cannot be written: ${describeError(failed)}`);
}

function writeReport(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (thrown) {
    throw new UsageError(`the report cannot be written: ${describeError(thrown)}`);
  }
}

function readKnown(file: string | undefined, ids: ReadonlySet<string>): ReadonlySet<string> {
  if (file === undefined) return new Set();
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (thrown) {
    throw new UsageError(`the known failures cannot be read: ${describeError(thrown)}`);
  }
  const known = text.split("\n").map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "");
  const unknown = known.find((id) => !ids.has(id));
  if (unknown !== undefined) throw new UsageError(`${file} names ${JSON.stringify(unknown)}, which is no vector of this run`);
  return new Set(known);
}

/** Counts on one line of a terminal, which the last outcome ends. */
export function showProgress(total: number, terminal: { write(text: string): unknown }): (outcome: VectorOutcome) => void {
  let done = 0;
  let failed = 0;
  return ({ status }) => {
    done++;
    if (status === "failed" || status === "fixed") failed++;
    terminal.write(`\r${done} of ${total}${failed === 0 ? "" : `, ${failed} failed`}${done === total ? "\n" : ""}`);
  };
}
