// npm run fuzz [-- --cases N --seed S --minutes M --verbose]: as npm test does it, with another seed each time, and for longer.
import { parseArgs } from "node:util";
import { describeFailure, fuzz } from "./fuzz.ts";

const { values } = parseArgs({
  options: { cases: { type: "string" }, seed: { type: "string" }, minutes: { type: "string" }, verbose: { type: "boolean", default: false } },
});
const number = (name: "cases" | "seed" | "minutes", fallback: number): number => {
  const given = values[name] === undefined ? fallback : Number(values[name]);
  if (!(given >= 0)) {
    console.error(`--${name} must be a number`);
    process.exit(2);
  }
  return given;
};
const seed = number("seed", Math.floor(Math.random() * 2 ** 31));
const minutes = number("minutes", Infinity);
const cases = number("cases", minutes === Infinity ? 1_000 : Infinity);

console.log(`seed ${seed}`);
const report = await fuzz({ seed, cases, until: Date.now() + minutes * 60_000 });
const table = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${String(count).padStart(8)}  ${kind}`).join("\n");
if (values.verbose) console.log(`lines by kind:\n${table(report.kinds)}\nwhat became of lines in the mixed mode:\n${table(report.fates)}`);
console.log(`${report.cases} cases of ${report.lines} lines${report.failure === undefined ? ": nothing found" : ""}`);
if (report.failure !== undefined) {
  console.error(describeFailure(report.failure));
  process.exitCode = 1;
}
