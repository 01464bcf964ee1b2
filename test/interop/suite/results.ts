// What the suite leaves behind for each scenario: a folder with `checks.json`.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Leg } from "./requirements.ts";

export interface ScenarioResult {
  readonly passed: number;
  readonly failures: readonly string[];
  /** What the suite takes for doubtful: a SHOULD that is not met. */
  readonly warnings: readonly string[];
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

const TIMESTAMP = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

/** By the name of the scenario. One that the suite could not run leaves nothing. */
export function readResults(folder: string, leg: Leg): Map<string, ScenarioResult> {
  const results = new Map<string, ScenarioResult>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith("checks.json")) continue;
    const path = dirname(file).replaceAll("\\", "/").replace(TIMESTAMP, "");
    const name = leg === "server" ? path.replace(/^server-/, "") : path;
    // Written by the suite, of a version that is pinned.
    const checks = JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[];
    const told = (wanted: string) =>
      checks.filter(({ status }) => status === wanted).map(({ id, errorMessage }) => (errorMessage === undefined ? id : `${id}: ${errorMessage}`));
    results.set(name, { passed: told("SUCCESS").length, failures: told("FAILURE"), warnings: told("WARNING") });
  }
  return results;
}
