// npm run fuzz [-- PART… --cases N --seed S --minutes M --verbose]: as npm test does it, with another seed each time, and for longer. Without a
// part the relay is fuzzed; `all` are all parts and the relay.
import { describeFailure, fuzz } from "./fuzz.ts";
import { refuse, scriptWords } from "../support/script-words.ts";
import { PARTS } from "./parts/all.ts";
import { describePartFailure, runPart } from "./parts/part.ts";

const RELAY = "relay";
const names = [RELAY, ...PARTS.map((part) => part.name)];
const USAGE = `npm run fuzz [-- PART… --cases N --seed S --minutes M --verbose]\nFuzzes the relay, or parts: ${names.join(", ")}, or all.`;
const { values, words: positionals } = scriptWords({
  usage: USAGE,
  known: [...names, "all"],
  options: { cases: { type: "string" }, seed: { type: "string" }, minutes: { type: "string" }, verbose: { type: "boolean", default: false } },
});
const number = (name: "cases" | "seed" | "minutes", fallback: number): number => {
  const given = values[name] === undefined ? fallback : Number(values[name]);
  if (!(given >= 0)) refuse(`--${name} must be a number`, USAGE);
  return given;
};
const seed = number("seed", Math.floor(Math.random() * 2 ** 31));
const minutes = number("minutes", Infinity);
const cases = number("cases", minutes === Infinity ? 1_000 : Infinity);

const wanted = positionals.length === 0 ? [RELAY] : positionals.includes("all") ? names : positionals;

console.log(`seed ${seed}`);
const table = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${String(count).padStart(8)}  ${kind}`).join("\n");
const fail = (failure: string) => {
  console.error(failure);
  process.exitCode = 1;
};
// Parts share the time alike.
const started = Date.now();
for (const [index, name] of wanted.entries()) {
  const until = started + (minutes * 60_000 * (index + 1)) / wanted.length;
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined) {
    const report = await fuzz({ seed, cases, until });
    if (values.verbose) console.log(`lines by kind:\n${table(report.kinds)}\nwhat became of lines in the mixed mode:\n${table(report.fates)}`);
    console.log(`${report.cases} cases of ${report.lines} lines${report.failure === undefined ? ": nothing found" : ""}`);
    if (report.failure !== undefined) fail(describeFailure(report.failure));
  } else {
    const report = await runPart(part, { seed, cases, until });
    if (values.verbose) console.log(table(report.outcomes));
    console.log(`${name}: ${report.cases} cases${report.failure === undefined ? ": nothing found" : ""}`);
    if (report.failure !== undefined) fail(describePartFailure(part, report.failure));
  }
}
