import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Measured {
  readonly value: number;
  readonly unit: "µs" | "ns" | "×" | "µs/kB" | "%" | "/MB";
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
    /** Of the comparison over HTTP, where it has been measured by itself since. */
    readonly http?: { readonly date: string; readonly load: number };
    /** Likewise, of the gateway, and of its workers. */
    readonly gateway?: { readonly date: string; readonly load: number };
    readonly workers?: { readonly date: string; readonly load: number };
    /** Likewise, of what finds personal data and secrets. */
    readonly detect?: { readonly date: string; readonly load: number };
  };
  /** By the keys that a README's markers name. Four significant digits. */
  readonly numbers: Readonly<Record<string, Measured>>;
}

export const RESULTS_FILE = fileURLToPath(new URL("results.json", import.meta.url));
export const README_FILE = fileURLToPath(new URL("README.md", import.meta.url));

/** The project's own README, whose markers quote the numbers. */
export const PROJECT_README_FILE = fileURLToPath(new URL("../../README.md", import.meta.url));

/** The library's, likewise. */
export const LIBRARY_README_FILE = fileURLToPath(new URL("../../src/library/README.md", import.meta.url));

export function readResults(): Results {
  // Written by run.ts alone, and compared with what is rendered from it.
  return JSON.parse(readFileSync(RESULTS_FILE, "utf8")) as Results;
}

/** The table for README.md. */
export function renderResults({ machine, numbers }: Results): string {
  const { cpu, cores, node, system, date, load, pinned, officialSdk, http, gateway, workers, detect } = machine;
  const rows = Object.entries(numbers).map(([key, { value, unit, what }]) => `| ${what} | ${value}${unit === "×" ? "×" : ` ${unit}`} | \`${key}\` |`);
  return [
    `${date}, ${cpu} with ${cores} cores and a load of ${load} before the run, Node ${node} on ${system}, ` +
      `${pinned ? "all on one core, over HTTP on two" : "not pinned to a core"}, official SDK ${officialSdk}` +
      `${http === undefined ? "" : `; over HTTP measured on ${http.date}, at a load of ${http.load}`}` +
      `${gateway === undefined ? "" : `; the gateway on ${gateway.date}, at a load of ${gateway.load}`}` +
      `${workers === undefined ? "" : `; two workers on ${workers.date}, at a load of ${workers.load}`}` +
      `${detect === undefined ? "" : `; detection on ${detect.date}, at a load of ${detect.load}`}:`,
    "",
    "| what | measured | key |",
    "|---|---:|---|",
    ...rows,
  ].join("\n");
}

const BLOCK = /<!-- results -->[\s\S]*<!-- \/results -->/;

/** README.md's text with the table of these results in it. */
export function withResults(readme: string, results: Results): string {
  // A function, as a text would be searched for `$` patterns.
  return readme.replace(BLOCK, () => `<!-- results -->\n${renderResults(results)}\n<!-- /results -->`);
}
