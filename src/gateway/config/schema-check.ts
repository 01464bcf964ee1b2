import { readFileSync } from "node:fs";
import { isObject, ownMember, parsePointer, type JsonObject } from "../../core/base/json.ts";
import { valueAt } from "../../core/base/json-pointer.ts";
import { nearest } from "../../core/base/nearest.ts";
import { compileSchema, type CompiledSchema, type SchemaProblem } from "../../core/schema/schema.ts";
import type { Problems } from "./problems.ts";

interface Loaded {
  readonly schema: JsonObject;
  readonly compiled: CompiledSchema;
}

let loaded: Loaded | undefined;

// Three folders up, from the sources as from the build.
const FILE = new URL("../../../spec/gateway.schema.json", import.meta.url);

function load(): Loaded {
  if (loaded === undefined) {
    const schema = JSON.parse(readFileSync(FILE, "utf8")) as JsonObject;
    loaded = { schema, compiled: compileSchema(schema) };
  }
  return loaded;
}

// Conditions have a reader of their own, whose reasons are better.
const CONDITION = /^(?:\/upstreams\/[^/]+\/allow|\/expose\/allow|\/interceptors\/\d+(?:\/overrides\/[^/]+)?\/when)(?:\/|$)/;

/** Holds a configuration against `spec/gateway.schema.json`, conditions apart. A name that is not known is told with the nearest that is. */
export function checkSchema(config: unknown, problems: Problems): void {
  const { schema, compiled } = load();
  const found = compiled.checkAll(config, 100).filter(({ path }) => !CONDITION.test(path));
  const unknown = new Set(found.filter(isUnknownMember).map(({ path }) => parentOf(path)));
  for (const problem of found) {
    // What is missing is what was misspelt.
    if (/\/(?:oneOf|required|dependentRequired)$/.test(problem.schemaPath) && unknown.has(problem.path)) continue;
    problems.add(problem.path, messageOf(problem, schema), isUnknownMember(problem) || problem.schemaPath.includes("/propertyNames/") ? "name" : "value");
  }
}

function isUnknownMember({ schemaPath, reason }: SchemaProblem): boolean {
  return schemaPath.endsWith("/additionalProperties") && reason === "is not allowed";
}

function messageOf(problem: SchemaProblem, schema: JsonObject): string {
  const steps = parsePointer(problem.schemaPath) ?? [];
  const keyword = steps.at(-1) ?? "";
  const owner = valueAt(schema, steps.slice(0, -1));
  if (!isObject(owner)) return problem.reason;
  if (isUnknownMember(problem)) return describeUnknown(problem.path, owner);
  // As editors that know of it have it; by keyword it is ours.
  const own = owner["errorMessage"];
  const text = isObject(own) ? ownMember(own, keyword) : own;
  return typeof text === "string" ? text : problem.reason.replaceAll('","', '", "');
}

const MAX_LISTED = 12;

function describeUnknown(path: string, owner: JsonObject): string {
  const { properties } = owner;
  const known = isObject(properties) ? Object.keys(properties).filter((name) => name !== "$schema") : [];
  const meant = nearest(parsePointer(path)?.at(-1) ?? "", known);
  if (meant !== undefined) return `is not known; did you mean ${meant}?`;
  const listed = known.slice(0, MAX_LISTED).join(", ");
  return `is not known; known are ${listed}${known.length > MAX_LISTED ? ` and ${known.length - MAX_LISTED} more` : ""}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}
