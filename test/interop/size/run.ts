// Builds the package, bundles and minifies what programs take of it, as a browser's bundler does, and holds what is left after gzip against `budgets.json`; the same of the official
// SDK, beside it. A ready-made interceptor must bring no other one along. With --write, lowers the budgets to what is measured, and writes the table in README.md; they are raised by hand alone.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { installInterop } from "../../support/install-interop.ts";
import { readMarked, writeMarked } from "../../support/marked-text.ts";
import { scriptWords } from "../../support/script-words.ts";
import { ROOT, runCommand } from "../suite/processes.ts";
import { LIBRARY_MODULES, readSubjects, type Subject } from "./subjects.ts";

const README = join(ROOT, "README.md");
const BUDGETS = join(import.meta.dirname, "budgets.json");
const BUILD_MS = 2 * 60_000;
// What a budget leaves for the next small change.
const SLACK = 1.01;
const STEP_BYTES = 100;

const { values } = scriptWords({ usage: "npm run size [-- --write]\nMeasures bundles, and holds them against their budgets; --write writes what is measured.", known: [], options: { write: { type: "boolean", default: false } } });
installInterop();
const { buildSync } = await import("esbuild");
const built = await runCommand(process.execPath, ["--import", "tsx", "test/tools/build.ts"], BUILD_MS);
if (built.code !== 0) throw new Error(`the build failed:\n${built.output}`);

const { write } = values;
const subjects = readSubjects();
/** Bytes after gzip, by name. */
const budgets = JSON.parse(readFileSync(BUDGETS, "utf8")) as Record<string, number>;
const failures: string[] = [];
const rows: string[] = [];
for (const subject of subjects) {
  const { name, foreign } = subject;
  const { bytes, minified, strangers } = measure(subject);
  if (strangers.length > 0) failures.push(`${name} brings ${strangers.join(", ")} along`);
  const fitting = Math.ceil((bytes * SLACK) / STEP_BYTES) * STEP_BYTES;
  const budget = foreign ? undefined : (budgets[name] ?? (write ? fitting : 0));
  if (budget !== undefined) {
    if (bytes > budget) failures.push(`${name} takes ${bytes} bytes, and its budget is ${budget}`);
    budgets[name] = write ? Math.min(budget, fitting) : budget;
  }
  console.log(`${kilobytes(bytes).padStart(6)} kB  ${kilobytes(minified).padStart(6)} kB minified  ${budget === undefined ? "" : `budget ${kilobytes(budget)}  `}${name}`);
  rows.push(`| ${name} | ${foreign ? "" : "< "}${kilobytes(foreign ? bytes : budgets[name]!)} kB |`);
}
const table = ["| what | minified, gzip |", "|---|---:|", ...rows].join("\n");
if (write && failures.length === 0) {
  writeFileSync(BUDGETS, `${JSON.stringify(budgets, undefined, 2)}\n`);
  writeMarked(README, "size", table);
} else if (readMarked(README, "size") !== table) failures.push(`README.md has another table (npm run size -- --write) than this:\n${table}`);
for (const failure of failures) console.log(`\n${failure}`);
console.log(`\n${subjects.length} measured, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

function measure({ code, library, foreign }: Subject): { readonly bytes: number; readonly minified: number; readonly strangers: readonly string[] } {
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: code, resolveDir: foreign ? import.meta.dirname : ROOT },
    ...{ bundle: true, minify: true, write: false, metafile: true, format: "esm", target: "es2023" },
    // The official packages name Node's modules.
    platform: foreign ? "node" : "neutral",
  });
  const [bundle] = outputFiles;
  const [output] = Object.values(metafile.outputs);
  if (bundle === undefined || output === undefined) throw new Error(`nothing came of ${code}`);
  const kept = Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [/dist\/library\/([^/]+)\.js$/.exec(path)?.[1] ?? ""] : []));
  const strangers = library === undefined ? [] : kept.filter((module) => module !== library && LIBRARY_MODULES.includes(module));
  return { bytes: gzipSync(bundle.contents, { level: 9 }).length, minified: bundle.contents.length, strangers };
}

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
