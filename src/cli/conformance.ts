import { readFileSync, writeFileSync } from "node:fs";
import { describeError } from "../core/base/errors.ts";
import { reportOf, runVectors, type VectorOutcome } from "../conformance/kit.ts";
import { formatReport, REPORTERS } from "../conformance/reporters.ts";
import { nodeHost } from "../node/host.ts";
import { UsageError } from "./errors.ts";
import type { Exit } from "./exit.ts";
import { liveTarget } from "./live-target.ts";
import { describeOptions, millisecondsOption, parseOptions, type OptionSpec } from "./options.ts";
import { readRequirements, readVectors } from "./spec-files.ts";
import { splitWords } from "./words.ts";

const OPTIONS: readonly OptionSpec[] = [
  { name: "command", value: "LINE", help: "starts the server under test, which hosts the fixtures" },
  { name: "reporter", value: "KIND", choices: REPORTERS, help: "text (the default), json, junit or markdown" },
  { name: "output", value: "FILE", help: "where the report goes; stdout otherwise" },
  { name: "known", value: "FILE", help: "ids of vectors that are known to fail, one a line; they run, and fail the run once they pass" },
  { name: "timeout", value: "MS", help: "for one vector; 10000 unless said otherwise" },
  { name: "help", help: "this text" },
];

const HELP = `Usage: mcp-interceptors conformance --command LINE [OPTIONS]

Runs the conformance vectors of SEP-2624 against an interceptor server on
stdio, and reports requirement by requirement. The server hosts the
interceptors of spec/vectors/fixtures.json (see spec/README.md).

${describeOptions(OPTIONS)}

Exit code: 0 where every MUST that was tested holds, 1 where one does not,
2 where the run itself went wrong.

Try: mcp-interceptors conformance --command 'mcp-interceptors fixture-server'
`;

/** Runs the verb. What the server does wrong is in the report, whatever it is. */
export async function conformance(words: readonly string[]): Promise<Exit> {
  const { values, positionals, rest } = parseOptions(words, OPTIONS);
  if (values.has("help")) {
    process.stdout.write(HELP);
    return { code: 0 };
  }
  const unexpected = positionals[0] ?? rest?.[0];
  if (unexpected !== undefined) throw new UsageError(`unexpected ${JSON.stringify(unexpected)}`, "put the server's command in quotes: --command 'COMMAND ARGS'");
  const [command, ...args] = splitWords(values.get("command")?.[0] ?? "");
  if (command === undefined) throw new UsageError("the server's command is missing", "mcp-interceptors conformance --command 'COMMAND ARGS'");
  const timeoutMs = millisecondsOption(values, "timeout") ?? 10_000;
  const reporter = REPORTERS.find((name) => name === values.get("reporter")?.[0]) ?? "text";
  const vectors = readVectors(["list", "invoke"]);
  const known = readKnown(values.get("known")?.[0], new Set(vectors.map(({ id }) => id)));

  const { target, close } = liveTarget([command, ...args], timeoutMs);
  const onOutcome = process.stderr.isTTY ? showProgress(vectors.length) : () => {};
  const outcomes = await runVectors(vectors, target, { host: nodeHost(), timeoutMs, known, onOutcome });
  await close();
  const report = reportOf(outcomes, readRequirements());
  const text = formatReport(report, reporter);
  const output = values.get("output")?.[0];
  if (output === undefined) process.stdout.write(text);
  else writeFileSync(output, text);
  return { code: report.ok ? 0 : 1 };
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

function showProgress(total: number): (outcome: VectorOutcome) => void {
  let done = 0;
  return () => {
    done++;
    process.stderr.write(`\r${done} of ${total}${done === total ? "\n" : ""}`);
  };
}
