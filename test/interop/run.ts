// Installs what the interop tests need if it is missing or differs from the lockfile, builds the package (they run its command line as users do)
// and checks the types of this folder. Then runs every *.interop.ts below it, each in a process of its own; with arguments, only files whose path
// contains one of them. A file without a test fails the run.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { installInterop } from "../support/install-interop.ts";
import { runReported } from "../support/reported.ts";
import { scriptWords } from "../support/script-words.ts";

const REAL_PROCESSES = /^(?:official|guarded|gateway|deploy|matrix)\b/;
const FILE_TIMEOUT_MS = 10 * 60_000;
const root = import.meta.dirname ?? new URL(".", import.meta.url).pathname;

function orExit(what: string, args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, args, { cwd: join(root, "..", ".."), stdio: "inherit" });
  if (status === 0) return;
  console.error(`${what} failed`);
  process.exit(1);
}

function build(): void {
  orExit("the build", ["--import", "tsx", "test/tools/build.ts"]);
  const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
  orExit("the type check of test/interop", [compiler, "-b", "test/interop"]);
}

/** Runs one file, shows what it prints, and finds the lines that say what was compared. */
async function runFile(file: string) {
  const { totals, lines, code } = await runReported([...process.execArgv, join(root, file)], FILE_TIMEOUT_MS, (text) => process.stdout.write(text));
  const compared = lines.filter((line) => line.startsWith("compared: ")).map((line) => line.slice("compared: ".length));
  return { ...totals, compared, failed: code !== 0 || totals.fail > 0 || totals.tests === 0 };
}

const { words: wanted } = scriptWords({ usage: "npm run test:interop [-- PART…]\nRuns the interop tests, or those whose path contains a part." });
installInterop();
build();
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".interop.ts") && !file.includes("node_modules"))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();

const rows: string[] = [];
const comparisons: string[] = [];
let failed = files.length === 0;
for (const file of files) {
  console.log(`\n${file}`);
  let result = await runFile(file);
  let again = "";
  if (result.failed && REAL_PROCESSES.test(file)) {
    // Published servers and their timers share a busy machine with everything else. What fails twice is a fault; what fails once is shown.
    console.log(`\n${file} failed and runs once more`);
    result = await runFile(file);
    again = ", at the second try";
  }
  failed ||= result.failed;
  comparisons.push(...result.compared);
  const { tests, pass, fail, skipped } = result;
  rows.push(`${result.failed ? "FAILED" : "passed"}  ${file}: ${tests} tests, ${pass} pass, ${fail} fail, ${skipped} skipped${again}`);
}
if (comparisons.length > 0) console.log(`\nwhat was compared, with wrap and without, and measured:\n${comparisons.map((line) => `  ${line}`).join("\n")}`);
console.log(`\n${rows.join("\n") || `no file matches ${wanted.join(" ") || "*.interop.ts"}`}`);
process.exitCode = failed ? 1 : 0;
