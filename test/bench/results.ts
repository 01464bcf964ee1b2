import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { curveNumbers, curveSentences, type Curves } from "./curves.ts";

export interface Measured {
  readonly value: number;
  readonly unit: "µs" | "ns" | "×" | "µs/kB" | "MB/s" | "%" | "/MB" | "";
  /** What it is, for the table. */
  readonly what: string;
}

/** What a run of the bench leaves behind in results.json. */
export interface Results {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    readonly system: string;
    /** ISO 8601, the day of the run. */
    readonly date: string;
    /** The system's load average of the minute before: how busy the machine was with other things. */
    readonly load: number;
    /** Whether each process was kept on one core. */
    readonly pinned: boolean;
    readonly officialSdk: string;
    /** By name, those that have been measured by themselves since. */
    readonly parts: Readonly<Record<string, { readonly title: string; readonly date: string; readonly load: number }>>;
  };
  /** By the keys that a README's markers name. Four significant digits. */
  readonly numbers: Readonly<Record<string, Measured>>;
  /** What the plots show. */
  readonly curves: Curves;
}

export const RESULTS_FILE = fileURLToPath(new URL("results.json", import.meta.url));
export const README_FILE = fileURLToPath(new URL("README.md", import.meta.url));

/** The project's own README, whose markers quote the numbers. */
export const PROJECT_README_FILE = fileURLToPath(new URL("../../README.md", import.meta.url));

/** The library's, likewise. */
export const LIBRARY_README_FILE = fileURLToPath(new URL("../../src/library/README.md", import.meta.url));

/** All that quote numbers in markers. */
export const QUOTING_FILES = [PROJECT_README_FILE, LIBRARY_README_FILE, README_FILE];

/** What was measured, and what follows from the curves. */
export function allNumbers({ numbers, curves }: Pick<Results, "numbers" | "curves">): Results["numbers"] {
  return { ...numbers, ...curveNumbers(curves) };
}

export function readResults(): Results {
  // Written by run.ts alone, and compared with what is rendered from it.
  return JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Results;
}

/** The table for README.md. */
export function renderResults(results: Results): string {
  const { cpu, cores, node, system, date, load, pinned, officialSdk, parts } = results.machine;
  const text = ({ value, unit }: Measured) => `${value}${unit === "×" || unit === "" ? unit : ` ${unit}`}`;
  const rows = Object.entries(allNumbers(results)).map(([key, number]) => `| ${number.what} | ${text(number)} | \`${key}\` |`);
  const since = Object.values(parts).map((again) => `; ${again.title} on ${again.date}, at a load of ${again.load}`);
  return [
    `${date}, ${cpu} with ${cores} cores and a load of ${load} before the run, Node ${node} on ${system}, ` +
      `${pinned ? "all on one core, over HTTP on two" : "not pinned to a core"}, official SDK ${officialSdk}${since.join("")}:`,
    "",
    "| what | measured | key |",
    "|---|---:|---|",
    ...rows,
  ].join("\n");
}

const BLOCKS = [
  { name: "results", render: renderResults },
  { name: "curves", render: (results: Results) => curveSentences(allNumbers(results)) },
];

/** README.md's text with the table of these results in it, and what the curves say. */
export function withResults(readme: string, results: Results): string {
  return BLOCKS.reduce((text, { name, render }) => {
    const block = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
    // A function, as a text would be searched for `$` patterns.
    return text.replace(block, () => `<!-- ${name} -->\n${render(results)}\n<!-- /${name} -->`);
  }, readme);
}
