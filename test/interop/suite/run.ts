// Builds the package, runs the official conformance suite against the everything server and the everything client, and writes down how it came
// out. With words after `--` (`server`, `client`, a revision), only what they name, and nothing is written down.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installInterop } from "../../support/install-interop.ts";
import { scriptWords } from "../../support/script-words.ts";
import { ROOT, runCommand, startServer } from "./processes.ts";
import { hasPassed, isClean, isOwed, missing, renderReport, writeReport, type Run } from "./report.ts";
import { parseRequirements, type Leg } from "./requirements.ts";
import { readResults, type ScenarioResult } from "./results.ts";

const LEGS: readonly Leg[] = ["server", "client"];
const REVISIONS = ["2026-07-28", "2025-11-25"];
const RUN_MS = 10 * 60_000;
const INTEROP = join(ROOT, "test", "interop", "node_modules");
const SUITE = join(INTEROP, "@modelcontextprotocol", "conformance");

const { words: wanted } = scriptWords({
  usage: "npm run test:official [-- server|client|REVISION…]\nRuns the official conformance suite, or the parts that are named; only a whole run writes the tables.",
  known: [...LEGS, ...REVISIONS],
});
installInterop();
const node = newNode();
const built = await runCommand(process.execPath, ["--import", "tsx", "test/tools/build.ts"], RUN_MS);
if (built.code !== 0) throw new Error(`the build failed:\n${built.output}`);
// Written by the package.
const { version } = JSON.parse(readFileSync(join(SUITE, "package.json"), "utf8")) as { version: string };
const suite = (args: readonly string[]) => runCommand(node, [join(SUITE, "dist", "index.js"), ...args], RUN_MS);

const among = <T extends string>(all: readonly T[]) => {
  const named = all.filter((one) => wanted.includes(one));
  return named.length === 0 ? all : named;
};
const runs: Run[] = [];
for (const leg of among(LEGS)) for (const revision of among(REVISIONS)) runs.push(await measure(leg, revision));

const failed = runs.flatMap(missing);
if (runs.length === LEGS.length * REVISIONS.length) {
  const report = renderReport(version, runs);
  writeReport(report);
  console.log(`\n${report}`);
}
console.log(failed.length === 0 ? "\nall that is required passes" : `\nrequired, and not passed: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function measure(leg: Leg, revision: string): Promise<Run> {
  console.log(`\n${leg}, ${revision}`);
  const requirements = parseRequirements((await suite(["list", "--requirements", revision])).output, leg);
  const folder = mkdtempSync(join(tmpdir(), "official-suite-"));
  try {
    const { output } = await (leg === "server" ? runServerLeg(revision, folder) : runClientLeg(["--requirements", revision], folder));
    const results = readResults(folder, leg);
    if (results.size === 0) throw new Error(`the suite left no results:\n${output.slice(-4_000)}`);
    const again = leg === "client" ? requirements.required.filter((name) => isOwed(name) && !isClean(results.get(name))) : [];
    for (const name of again) results.set(name, await runAlone(name, revision));
    for (const name of [...requirements.required, ...requirements.unscored.keys()]) {
      tell(name, results.get(name), requirements.required.includes(name), again.includes(name));
    }
    return { leg, revision, requirements, results, again };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runServerLeg(revision: string, folder: string) {
  const server = await startServer(node, ["--disable-warning=ExperimentalWarning", "examples/everything-server.ts"]);
  try {
    return await suite(["server", "--url", server.url, "--requirements", revision, "-o", folder]);
  } finally {
    await server.stop();
  }
}

// The suite starts a client for each scenario, all at once, by a shell: hence the quotes.
function runClientLeg(what: readonly string[], folder: string) {
  const client = `"${node}" --disable-warning=ExperimentalWarning examples/everything-client.ts`;
  return suite(["client", "--command", client, ...what, "-o", folder]);
}

// Dozens of clients that start at once on a small machine can be too late for anything. What fails alone as well is a fault.
async function runAlone(scenario: string, revision: string): Promise<ScenarioResult> {
  const folder = mkdtempSync(join(tmpdir(), "official-suite-"));
  try {
    const { output } = await runClientLeg(["--scenario", scenario, "--spec-version", revision, "--force"], folder);
    return readResults(folder, "client").get(scenario) ?? { passed: 0, failures: [`no result: ${output.slice(-1_000)}`], warnings: [] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(name: string, result: ScenarioResult | undefined, required: boolean, again: boolean): void {
  const mark = hasPassed(result) ? "✓" : "✗";
  const counts = result === undefined ? "not run" : `${result.passed} passed, ${result.failures.length} failed, ${result.warnings.length} warnings`;
  console.log(`${mark} ${name}: ${counts}${required ? "" : " (not scored)"}${again ? ", alone" : ""}`);
  if (!required || !isOwed(name)) return;
  for (const line of [...(result?.failures ?? []), ...(result?.warnings ?? [])]) console.log(`    ${line}`);
}

/** A Node of version 22 or later, which the suite needs: this one, or else the one that test/interop installs. */
function newNode(): string {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath;
  const installed = join(INTEROP, "node-22", "bin", "node");
  if (existsSync(installed)) return installed;
  console.error("the official suite needs Node 22 or later, which is neither this one nor installed in test/interop (linux-x64 alone has it there)");
  process.exit(1);
}
