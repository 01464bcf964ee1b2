// Builds the package, measures it against what README.md says, and writes results.json, the plots and the numbers in the READMEs. With words, the parts of
// these names (`parts.ts`) alone are measured anew; with `render`, nothing is.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { installInterop } from "../support/install-interop.ts";
import { scriptWords } from "../support/script-words.ts";
import { ROOT } from "./compare.ts";
import { measureCosts, withCosts } from "./cost-model.ts";
import { PARTS } from "./parts.ts";
import { plotFile, renderPlots } from "./plots.ts";
import { withNumbers } from "./readme-numbers.ts";
import { allNumbers, QUOTING_FILES, README_FILE, readResults, renderResults, RESULTS_FILE, withResults, type Results } from "./results.ts";
import { PIN } from "./worker.ts";

const RENDER = "render";

function build(): void {
  const { status } = spawnSync(process.execPath, ["--import", "tsx", join(ROOT, "test", "tools", "build.ts")], { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

function officialVersion(): string {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, "test/interop/node_modules/@modelcontextprotocol/client/package.json"), "utf8"));
    return String((manifest as { version?: unknown }).version); // any package has it
  } catch {
    console.error("the official SDK is not installed: test/interop/package.json must name @modelcontextprotocol/client and /server, 2.x");
    process.exit(1);
  }
}

const date = () => new Date().toISOString().slice(0, 10);
const load = () => Number((loadavg()[0] ?? 0).toFixed(1));

/** This machine, for a run of all parts. */
function describeMachine(): Results["machine"] {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    date: date(),
    load: load(),
    pinned: PIN.length > 0,
    officialSdk: officialVersion(),
    parts: {},
  };
}

async function measure(words: readonly string[]): Promise<Results> {
  const all = words.length === 0;
  const names = all ? [...PARTS.keys()] : words;
  if (names.some((name) => PARTS.get(name)?.interop)) installInterop();
  build();
  const last = all ? undefined : readResults();
  let { machine, numbers, curves } = last ?? { machine: describeMachine(), numbers: {}, curves: undefined };
  for (const name of names) {
    const part = PARTS.get(name)!;
    console.log(`${part.title} …`);
    if (!all) machine = { ...machine, parts: { ...machine.parts, [name]: { title: part.title, date: date(), load: load() } } };
    const found = await part.measure();
    numbers = { ...numbers, ...found.numbers };
    curves = found.curves ?? curves;
  }
  if (curves === undefined) throw new Error("no part has measured the curves");
  return { machine, numbers, curves };
}

function write(results: Results): void {
  writeFileSync(RESULTS_FILE, `${JSON.stringify(results, undefined, 2)}\n`);
  for (const [name, svg] of renderPlots(results)) writeFileSync(plotFile(name), svg);
  writeFileSync(README_FILE, withCosts(withResults(readFileSync(README_FILE, "utf8"), results), measureCosts()));
  for (const file of QUOTING_FILES) writeFileSync(file, withNumbers(readFileSync(file, "utf8"), allNumbers(results)));
}

const known = [...PARTS.keys(), RENDER];
const { words } = scriptWords({ usage: `npm run bench [-- PART…]\nMeasures all parts, or these, and writes the numbers; parts are ${known.join(", ")}, the last of which measures nothing.`, known });
const results = words.includes(RENDER) ? readResults() : await measure(words);
write(results);
console.log(`\n${renderResults(results)}`);
