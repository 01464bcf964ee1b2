import type { Coverage, CoverageRow, CoverageStep, InterceptorCoverage } from "../chain/coverage.ts";

/** A coverage report for people, in plain text: what is intercepted by whom, what passes, what is never looked at, and what each interceptor did. */
export function formatCoverage({ role, rows, interceptors }: Coverage): string {
  const hooked = rows.filter(({ status }) => status === "intercepted");
  const sections: string[] = [];
  const title = role === undefined ? "Intercepted" : `Intercepted, by the guard of a ${role}`;
  sections.push(section(title, table([["METHOD", "ASKED BY", "PHASE", "DIRECTION", "WHAT RUNS"], ...hooked.map(hookedRow)])));
  sections.push(section("Passes unhooked", grouped(rows.filter(({ status }) => status === "unhooked"), unhookedGroup)));
  sections.push(section("Never intercepted", grouped(rows.filter(({ status }) => status === "never"), ({ why = "" }) => why)));
  const counters = ["RUNS", "BLOCKED", "CHANGED", "FAILED", "TIMED OUT", "LATE"];
  sections.push(section("Interceptors", table([["INTERCEPTOR", "TYPE", "MODE", ...counters, "LAST RUN"], ...interceptors.map(interceptorRow)])));
  const dead = interceptors.filter(({ reach }) => reach !== "methods");
  const lines = dead.map(({ address, reach, why = "" }) => `${shown(address)} (${reach}): ${shown(why)}`);
  if (dead.length > 0) sections.push(section("Cannot or will hardly run", lines));
  return sections.join("\n\n") + "\n";
}

function unhookedGroup({ phase, from }: CoverageRow): string {
  return from === undefined ? phase : phase === "request" ? `request of the ${from}` : `response to the ${from}`;
}

function hookedRow({ method, from, phase, direction, steps, errors = [], also = [], why }: CoverageRow): string[] {
  const what = steps.map(stepText);
  if (errors.length > 0) what.push(`errors too: ${errors.map(shown).join(", ")}`);
  if (also.length > 0) what.push(`and inside: ${also.map(shown).join(", ")}`);
  if (steps.length === 0 && why !== undefined) what.push(why);
  return [method, from ?? "", phase, direction, what.join("; ")];
}

function stepText({ type, interceptors }: CoverageStep): string {
  const names = interceptors.map(({ address, mode }) => (mode === "audit" ? `${shown(address)} (audit)` : shown(address)));
  return type === "mutation" ? `mutate: ${names.join(" > ")}` : `validate: ${names.join(", ")}`;
}

function interceptorRow({ address, type, mode, runs, blocked, changed, failed, timedOut, late, lastRunAt = "never" }: InterceptorCoverage): string[] {
  return [address, type, mode, ...[runs, blocked, changed, failed, timedOut, late].map(String), lastRunAt];
}

function grouped(rows: readonly CoverageRow[], by: (row: CoverageRow) => string): string[] {
  const groups = new Map<string, Set<string>>();
  for (const row of rows) groups.set(by(row), (groups.get(by(row)) ?? new Set()).add(shown(row.method)));
  return [...groups].map(([group, methods]) => `${group}: ${[...methods].join(", ")}`);
}

function section(title: string, lines: readonly string[]): string {
  return [title, ...(lines.length === 0 ? ["(nothing)"] : lines).map((line) => `  ${line}`)].join("\n");
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const cells = [head, ...rows].map((row) => row.map(shown));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join("  ").trimEnd());
}

// Names are of somebody else's choice, and a line is a line.
function shown(name: string): string {
  return JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"');
}
