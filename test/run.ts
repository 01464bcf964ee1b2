// Collects every *.test.ts under test/ (interop apart, and what is about the packed package) and runs them in a few processes, one more than there are processors, as some
// tests wait for others' processes. A process for each file would cost fifty times more. With --packed, those that are about the packed package; with arguments, only files
// whose path contains one of them, in one process. A file without a test fails the run.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { bundleTests } from "./support/bundle.ts";
import { runReported, TOTALS } from "./support/reported.ts";
import { scriptWords } from "./support/script-words.ts";

const TIMEOUT_MS = 20 * 60_000;
/** Files that take long, in seconds, and what another one takes: they are shared out so that all lanes end together. */
const SECONDS: Readonly<Record<string, number>> = {
  "cli/gateway-sigterm.test.ts": 13,
  "conformance/adapter-live.test.ts": 12,
  "conformance/sabotage.test.ts": 12,
  "cli/session-signals.test.ts": 11,
  "cli/failures.test.ts": 10,
  "conformance/seams.test.ts": 10,
  "cases/failing.test.ts": 9,
  "cli/gateway-workers.test.ts": 9,
  "node/worker-interceptor.test.ts": 9,
  "cli/gateway-signals.test.ts": 8,
  "cli/live-target.test.ts": 8,
  "faults/interceptor-child.test.ts": 8,
  "cases/routing.test.ts": 7,
  "cli/init.test.ts": 7,
  "conformance/vectors.test.ts": 7,
  "core/schema/bounds.test.ts": 7,
  "faults/upstream-child.test.ts": 7,
  "vm/core.test.ts": 7,
  "cli/explore.test.ts": 6,
  "cli/readme.test.ts": 6,
  "gateway/client-faults.test.ts": 6,
  "cases/leaks.test.ts": 5,
  "cli/explain.test.ts": 5,
  "cli/main.test.ts": 5,
  "cli/wrap-ends.test.ts": 5,
  "core/guard/hostile-handlers.test.ts": 5,
  "fuzz/parts/parts.test.ts": 5,
  "gateway/face.test.ts": 5,
  "library/secrets/scan.test.ts": 5,
  "tools/scripts.test.ts": 5,
  "cases/caching.test.ts": 4,
  "cases/names.test.ts": 4,
  "cli/gateway-disk-full.test.ts": 4,
  "cli/record.test.ts": 4,
  "cli/replay.test.ts": 4,
  "cli/terminal.test.ts": 4,
  "cli/test.test.ts": 4,
  "cli/verbs.test.ts": 4,
  "cli/wrap-start.test.ts": 4,
  "conformance/live.test.ts": 4,
  "fuzz/fuzz.test.ts": 4,
  "gateway/config/start.test.ts": 4,
  "scenarios/requests.test.ts": 4,
};
const OTHERWISE = 0.3;
/** About what users install, or copy: they pack, install and compile, and share the packed package. */
const PACKED: readonly string[] = ["cli/vendor.test.ts", "docs/guides.test.ts", "examples/demo.test.ts", "pack/pack.test.ts"];
const root = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const { words: wanted, values } = scriptWords({
  usage: "npm test [-- PART…]\nRuns all tests but those of the packed package (npm run test:pack), or those whose path contains a part.",
  options: { packed: { type: "boolean", default: false } },
});
const started = performance.now();

const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules") && !file.startsWith("interop"))
  .filter((file) => (wanted.length === 0 ? PACKED.includes(file) === values.packed : wanted.some((part) => file.includes(part))))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(" ") || "*.test.ts"}`);
  process.exit(1);
}
for (const file of files) {
  if (!/\b(?:test|it)\(/.test(readFileSync(join(root, file), "utf8"))) {
    console.error(`${relative(process.cwd(), join(root, file))} holds no test`);
    process.exit(1);
  }
}

interface Lane {
  readonly files: string[];
  seconds: number;
}

/** The longest file first, each to the lane that has least to do. */
function shareOut(count: number): readonly Lane[] {
  const lanes = Array.from({ length: count }, (): Lane => ({ files: [], seconds: 0 }));
  const secondsOf = (file: string) => SECONDS[file] ?? OTHERWISE;
  for (const file of files.toSorted((one, other) => secondsOf(other) - secondsOf(one))) {
    const lane = lanes.reduce((least, next) => (next.seconds < least.seconds ? next : least));
    lane.files.push(file);
    lane.seconds += secondsOf(file);
  }
  return lanes;
}

const lanes = shareOut(wanted.length > 0 || values.packed ? 1 : availableParallelism() + 1);
// Beside the packages that tests import.
const built = mkdtempSync(join(root, "..", "node_modules", ".tests-"));
process.on("exit", () => rmSync(built, { recursive: true, force: true }));
const codes = lanes.length === 1 ? [await runAlone(lanes[0]!)] : await runTogether();
if (codes.some((code) => code !== 0)) process.exitCode = 1;

/** The words for Node that run a lane: its files are one module, as loading each by itself takes longer than most of them run. */
async function words({ files }: Lane): Promise<readonly string[]> {
  const module = join(built, `lane-${lanes.findIndex((lane) => lane.files === files)}.mjs`);
  await bundleTests(["support/lane-start.ts", ...files, "support/lane-end.ts"].map((file) => join(root, file)), module);
  return ["--conditions=mcp-interceptors-source", "--enable-source-maps", module];
}

async function runAlone(lane: Lane): Promise<number | null> {
  return (await runReported(await words(lane), TIMEOUT_MS, (text) => process.stdout.write(text))).code;
}

/** Prints what each lane reports once it has ended, then the totals of all, and each failure once more. */
async function runTogether(): Promise<readonly (number | null)[]> {
  const runs = await Promise.all(
    lanes.map(async (lane) => {
      const run = await runReported(await words(lane), TIMEOUT_MS);
      const totals = run.lines.findIndex((line) => /^ℹ tests \d+$/.test(line));
      const reports = totals === -1 ? run.lines : run.lines.slice(0, totals);
      console.log(reports.join("\n"));
      return run;
    }),
  );
  for (const name of TOTALS) console.log(`ℹ ${name} ${runs.reduce((sum, { totals }) => sum + totals[name], 0)}`);
  console.log(`ℹ duration_ms ${performance.now() - started}`);
  for (const { lines } of runs) {
    const failures = lines.indexOf("✖ failing tests:");
    if (failures !== -1) console.log(`\n${lines.slice(failures).join("\n")}`);
  }
  return runs.map(({ code }) => code);
}
