// Runs one program of what the core has to do on every runtime that is here, and holds the table in README.md against what came of it; with --write, writes
// the table. With other words, only rows whose name contains one, and no table. A runtime that is not here is a row that says why, and nothing else.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtures, vectors } from "../../conformance/vectors.ts";
import { installInterop } from "../../support/install-interop.ts";
import { readMarked, writeMarked } from "../../support/marked-text.ts";
import { scriptWords } from "../../support/script-words.ts";
import { EXPECTED } from "../../vm/expected.ts";
import { ROOT, runCommand } from "../suite/processes.ts";
import type { Findings, Inputs } from "./program.ts";
import { findRows, type Row } from "./rows.ts";

const README = join(ROOT, "README.md");
const RUN_MS = 2 * 60_000;
const LIBRARY = { calls: ["tool-filter", "size-limit", "rate-limit"], finalPayload: { content: [{ type: "text", text: "write to [REDACTED:email]" }] } };
const HEAD = ["| runtime | version | runs | vectors | `require` |", "|---|---|---|---|:-:|"];

const { words, values } = scriptWords({
  usage: "npm run test:runtimes [-- NAME… --write]\nRuns a program on every runtime that is here, or on those whose name contains a word; --write writes the table.",
  options: { write: { type: "boolean", default: false } },
});
installInterop();
await mustRun([process.execPath, "--import", "tsx", "test/tools/build.ts"]);
const folder = mkdtempSync(join(tmpdir(), "runtimes-"));
const lines: string[] = [];
const failures: string[] = [];
const skipped: string[] = [];
try {
  const inputs = join(folder, "inputs.json");
  writeFileSync(inputs, JSON.stringify({ vectors, fixtures } satisfies Inputs));
  for (const row of findRows(folder, inputs)) {
    const name = `${row.runtime} ${row.version}`.trim();
    if (words.length > 0 && !words.some((word) => name.toLowerCase().includes(word.toLowerCase()))) continue;
    if (row.missing !== undefined) {
      skipped.push(row.runtime);
      console.log(`${name}: skipped, as ${row.missing}`);
      continue;
    }
    const started = performance.now();
    try {
      const passed = await measure(row);
      const required = row.node === undefined ? "–" : await requireAll(row.node);
      console.log(`${name}: ${passed} vectors passed, ${((performance.now() - started) / 1000).toFixed(1)} s`);
      lines.push(`| ${[row.runtime, row.version, row.runs === "sources" ? "the sources, unbuilt" : "one bundle", "all pass", required].join(" | ")} |`);
    } catch (thrown) {
      failures.push(name);
      console.log(`${name}: FAILED\n${thrown instanceof Error ? thrown.message : String(thrown)}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

if (lines.length + failures.length + skipped.length === 0) failures.push(`no runtime of the name ${words.join(" or ")}`);
const whole = words.length === 0;
if (whole && values.write && failures.length + skipped.length === 0) writeMarked(README, "runtimes", [...HEAD, ...lines].join("\n"));
if (whole) {
  const written = readMarked(README, "runtimes").split("\n").filter((line) => !HEAD.includes(line) && !skipped.some((runtime) => line.startsWith(`| ${runtime} |`)));
  if (written.join("\n") !== lines.join("\n")) {
    console.log(`\nREADME.md has another table (npm run test:runtimes -- --write) than this:\n${lines.join("\n")}`);
    failures.push("README.md");
  }
}
console.log(`\n${lines.length} passed, ${failures.length} failed, ${skipped.length} skipped`);
process.exitCode = failures.length === 0 && lines.length > 0 ? 0 : 1;

/** Runs the program there; how many vectors passed. Throws where anything came out otherwise than it has to. */
async function measure({ command }: Row): Promise<number> {
  const output = await mustRun(command);
  const found = output.split("\n").find((line) => line.startsWith("{"));
  assert.ok(found !== undefined, output.slice(-2_000));
  const findings = JSON.parse(found) as Findings;
  const failed = Object.entries(findings.vectors).flatMap(([seam, { failed }]) => failed.map((line) => `${seam}: ${line}`));
  assert.deepEqual(failed, []);
  assert.deepEqual({ core: findings.core, library: findings.library }, { core: EXPECTED, library: LIBRARY });
  return Object.values(findings.vectors).reduce((sum, { passed }) => sum + passed, 0);
}

/** Gives each entry point of the built package to `require`, as CommonJS programs load it; the mark of a table. */
async function requireAll(node: string): Promise<string> {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { exports: Record<string, unknown> };
  const names = Object.keys(exports).map((name) => name.replace(/^\./, "mcp-interceptors"));
  const script = `const empty = ${JSON.stringify(names)}.filter((name) => Object.keys(require(name)).length === 0); if (empty.length > 0) throw new Error("nothing in " + empty);`;
  await mustRun([node, "--input-type=commonjs", "--eval", script]);
  return "✓";
}

async function mustRun([command = "", ...args]: readonly string[]): Promise<string> {
  const { code, output } = await runCommand(command, args, RUN_MS);
  if (code !== 0) throw new Error(`${command} ended with ${code}\n${output.slice(-2_000)}`);
  return output;
}
