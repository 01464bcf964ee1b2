import { isObject, ownMember } from "../../core/base/json.ts";
import { nearest } from "../../core/base/nearest.ts";
import { hooksMatch } from "../../core/wire/patterns.ts";
import { compilePatterns } from "../../library/name-patterns.ts";
import type { BuiltPlan } from "./build.ts";
import type { PlacedItem } from "./chains.ts";
import { escape } from "./load.ts";
import type { UpstreamFacts } from "./probe.ts";

/** Where configs of ready-made interceptors name tools: `*` stands for each item of a list, and at the end for each member's name of an object. */
export const TOOL_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ["tool-filter", ["allow/*", "deny/*", "rules/*/allow/*", "rules/*/deny/*"]],
  ["approval", ["tools/*"]],
  ["rate-limit", ["tools/*"]],
  ["command-guard", ["rules/*/tools/*"]],
  ["annotate", ["tools/*"]],
  ["budget", ["costs/*"]],
]);

interface Named {
  readonly pattern: string;
  readonly pointer: string;
}

const MOST_LISTED = 12;

/** Names of tools, and `prefix*`, in configs of ready-made interceptors that none of the upstreams they guard has, as warnings. Only of items whose upstreams have all been asked. */
export function unknownTools(built: BuiltPlan, facts: ReadonlyMap<string, UpstreamFacts>): readonly string[] {
  const { warning } = built.loaded.problems();
  const lines: string[] = [];
  for (const placed of built.items.values()) {
    const upstreams = placed.item.upstreams ?? [...built.chains.keys()];
    if (upstreams.some((name) => !facts.has(name) || renames(built, name))) continue;
    const tools = [...new Set(upstreams.flatMap((name) => (facts.get(name)?.tools ?? []).map((tool) => tool.name)))];
    for (const { pattern, pointer } of namedIn(placed)) {
      if (pattern === "*" || tools.some(compilePatterns([pattern]))) continue;
      lines.push(warning(pointer, `${pattern} is no tool of ${upstreams.join(", ")}; ${hint(pattern, tools)}`));
    }
  }
  return lines;
}

// What mutates lists may give tools other names, and we know ours alone.
function renames({ chains, items }: BuiltPlan, upstream: string): boolean {
  const entries = chains.get(upstream)?.chain.entries ?? [];
  return entries.some(({ label, type, policy }) => type === "mutation" && items.get(label)?.item.use === undefined && hooksMatch(policy.hooks, "tools/list", "response"));
}

function hint(pattern: string, tools: readonly string[]): string {
  const prefix = pattern.endsWith("*") ? pattern.slice(0, -1) : undefined;
  const meant = prefix === undefined ? nearest(pattern, tools) : nearest(prefix, tools.map((tool) => tool.slice(0, prefix.length)));
  if (meant !== undefined) return `did you mean ${meant}${prefix === undefined ? "" : "*"}?`;
  if (tools.length === 0) return "there are none";
  return `there are ${tools.slice(0, MOST_LISTED).join(", ")}${tools.length > MOST_LISTED ? ` and ${tools.length - MOST_LISTED} more` : ""}`;
}

function namedIn({ item, pointer }: PlacedItem): readonly Named[] {
  const places = TOOL_NAMES.get(item.use ?? "") ?? [];
  const configs = [[item.config, `${pointer}/config`] as const, ...Object.entries(item.overrides ?? {}).map(([name, { config }]) => [config, `${pointer}/overrides/${escape(name)}/config`] as const)];
  return configs.flatMap(([config, at]) => places.flatMap((place) => namesAt(config, place.split("/"), at)));
}

function namesAt(value: unknown, [step, ...rest]: readonly string[], pointer: string): readonly Named[] {
  if (step === undefined) return typeof value === "string" ? [{ pattern: value, pointer }] : [];
  if (step !== "*") return isObject(value) ? namesAt(ownMember(value, step), rest, `${pointer}/${step}`) : [];
  if (Array.isArray(value)) return value.flatMap((part: unknown, index) => namesAt(part, rest, `${pointer}/${index}`));
  return isObject(value) ? Object.keys(value).map((name) => ({ pattern: name, pointer: `${pointer}/${escape(name)}` })) : [];
}
