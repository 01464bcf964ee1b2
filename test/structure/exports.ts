import { readFileSync } from "node:fs";
import { join } from "node:path";
import { exportedNames } from "./imports.ts";

export interface EntryPointNames {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** Where the list of all public names is kept: a change of it is a change of the interface, and is seen in review. */
export const PINNED = new URL("exports.json", import.meta.url);

/** Entry point, as it is imported → source file, as `package.json` has it. */
export function entryPoints(root: string): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Record<string, Record<string, string>> };
  return new Map(Object.entries(exports).map(([name, conditions]) => [name, conditions["mcp-interceptors-source"] ?? ""]));
}

/** The names that each entry point exports, sorted. */
export function exportList(root: string): Record<string, EntryPointNames> {
  const list: Record<string, EntryPointNames> = {};
  for (const [entryPoint, file] of entryPoints(root)) {
    const names = exportedNames(readFileSync(join(root, file), "utf8"));
    const ofKind = (wanted: string) => names.flatMap(({ name, kind }) => (kind === wanted ? [name] : [])).sort();
    list[entryPoint] = { values: ofKind("value"), types: ofKind("type") };
  }
  return list;
}

/** `+ name` for what is new, `- name` for what is gone. */
export function difference(before: Readonly<Record<string, EntryPointNames>>, after: Readonly<Record<string, EntryPointNames>>): string[] {
  const lines = (list: Readonly<Record<string, EntryPointNames>>) =>
    Object.entries(list).flatMap(([entryPoint, { values, types }]) => [
      `entry point ${entryPoint}`,
      ...values.map((name) => `${entryPoint} ${name}`),
      ...types.map((name) => `${entryPoint} type ${name}`),
    ]);
  const [old, now] = [new Set(lines(before)), new Set(lines(after))];
  return [...[...old].filter((line) => !now.has(line)).map((line) => `- ${line}`), ...[...now].filter((line) => !old.has(line)).map((line) => `+ ${line}`)];
}
